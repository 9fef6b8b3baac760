"""A room of the package imports only from rooms above it; tests stand in rooms of the same names.

What a room is, the tree says: every folder and every module directly in the package is one. The
list below gives their order, and a new room fails the tests until it has its place there.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = "pucut"
ROOT = Path(__file__).parents[2]
SOURCE_FOLDER = ROOT / "src" / PACKAGE

# From the top of the data's way down. Files of one room may import each other.
ROOMS = (
    "exceptions",
    "_support",
    "data",
    "cuts",
    "trees",
    "kernels",
    "graphs",
    "judging",
    "metrics",
    "model_selection",
    "calibration",
    "priors",
    "methods",
    "semi_supervised",
    "outliers",
    "queries",
    "activeml",
    "datasets",
    "comparison",
    "model_files",
    "displays",
    "report",
    "tables",
    "labelling",
    "cli",
    "dask",
    "utils",
    "__main__",
)
# Nothing in the package needs Dask or the checks of estimators: they are imported by name.
IMPORTED_BY_NOBODY = ("dask", "activeml", "utils", "__main__")

# The compiled module is reached through few Python modules, which check what crosses.
COMPILED = "_core"
USERS_OF_COMPILED = (
    "pucut._support.checks",
    "pucut.cuts.parametric_cut",
    "pucut.trees.forest",
    "pucut.trees.growing",
    "pucut.graphs.neighbors.dense_search",
    "pucut.graphs.similarity",
)


def room_of(module):
    """'pucut.methods.svm' -> 'methods'; 'pucut' itself -> ''; others -> None."""
    top, _, rest = module.partition(".")
    return rest.split(".")[0] if top == PACKAGE else None


def rooms_of_the_tree():
    """Every folder and module directly in the package, but its own __init__."""
    files = {file.stem for file in SOURCE_FOLDER.glob("*.py")} - {"__init__"}
    return files | {file.parent.name for file in SOURCE_FOLDER.glob("*/__init__.py")}


def imported_modules(source, package):
    """Dotted names a module imports anywhere in it; `package` is the one it stands in.

    Of `from x import y`, y may be a module too: both x and x.y are named.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (f"{module}.{alias.name}" for alias in node.names)
            if module != PACKAGE:
                yield module


def forbidden_imports(source, module, package):
    """The imports of a module that point down, to the package as a whole, or out of the wheel."""
    own = room_of(module)
    for imported in imported_modules(source, package):
        room = room_of(imported)
        if imported.split(".")[0] in ("paper", "tests", "benchmarks", "torture"):
            yield imported
        elif room is None or room == own:
            continue
        elif room == COMPILED:
            if module not in USERS_OF_COMPILED:
                yield imported
        elif (
            room not in ROOMS
            or ROOMS.index(room) > ROOMS.index(own)
            or is_private(imported)
            or room in IMPORTED_BY_NOBODY
        ):
            yield imported


def is_private(imported):
    """Modules and names of another room that begin with an underscore are that room's own."""
    _, room, *rest = imported.split(".")
    return room != "_support" and any(part.startswith("_") for part in rest)


def module_files():
    """(dotted name, dotted package, file) of every module except the package's own __init__."""
    for file in sorted(SOURCE_FOLDER.rglob("*.py")):
        parts = (PACKAGE, *file.relative_to(SOURCE_FOLDER).with_suffix("").parts)
        package = parts[:-1]
        name = package if parts[-1] == "__init__" else parts
        if name != (PACKAGE,):
            yield ".".join(name), ".".join(package), file


def test_every_room_has_its_place():
    assert rooms_of_the_tree() == set(ROOMS)


@pytest.mark.parametrize(
    ("module", "package", "file"), list(module_files()), ids=[name for name, _, _ in module_files()]
)
def test_module_imports_only_from_rooms_above(module, package, file):
    assert list(forbidden_imports(file.read_text(encoding="utf-8"), module, package)) == []


def test_tests_stand_in_the_rooms_they_test():
    rooms = rooms_of_the_tree() | {"helpers", "project", "paper", "torture"}
    folders = {file.parent.relative_to(ROOT / "tests") for file in ROOT.glob("tests/**/test_*.py")}
    assert {folder.parts[0] for folder in folders if folder.parts} <= rooms


@pytest.mark.parametrize(
    ("module", "package", "source", "forbidden"),
    [
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut.cuts.parametric_cut import CutPath", []),
        ("pucut.cuts.hnc", "pucut.cuts", "from .parametric_cut import CutPath", []),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut._support.checks import FloatArray", []),
        ("pucut.cuts.hnc", "pucut.cuts", "import numpy as np\nfrom scipy import sparse", []),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut.graphs import x", ["pucut.graphs.x"]),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut import priors", ["pucut.priors"]),
        ("pucut.cuts.hnc", "pucut.cuts", "from .. import priors", ["pucut.priors"]),
        ("pucut.cuts.hnc", "pucut.cuts", "import pucut.cli", ["pucut.cli"]),
        ("pucut.cuts.hnc", "pucut.cuts", "import pucut", ["pucut"]),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut import CutPath", ["pucut.CutPath"]),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut import _core", ["pucut._core"]),
        ("pucut.cuts.hnc", "pucut.cuts", "from pucut.nowhere import x", ["pucut.nowhere.x"]),
        ("pucut.cuts.parametric_cut", "pucut.cuts", "from pucut import _core", []),
        ("pucut.cuts.hnc", "pucut.cuts", "def f():\n    from pucut import cli", ["pucut.cli"]),
        ("pucut.methods.svm", "pucut.methods", "from pucut.methods._base import x", []),
        ("pucut.report", "pucut.report", "from ..methods import x", []),
        ("pucut.report", "pucut.report", "from pucut.methods._base import x", "private"),
        ("pucut.cli.apply", "pucut.cli", "from pucut.data.labels import _plain", "private"),
        ("pucut.cli.apply", "pucut.cli", "from pucut import dask", ["pucut.dask"]),
        ("pucut.cli.apply", "pucut.cli", "from paper import datasets", ["paper.datasets"]),
    ],
)
def test_the_check_finds_what_it_should(module, package, source, forbidden):
    found = set(forbidden_imports(source, module, package))
    # `from x import y` names x and x.y: the longer name is enough.
    found = {name for name in found if not any(other.startswith(f"{name}.") for other in found)}
    assert len(found) == 1 if forbidden == "private" else found == set(forbidden)
