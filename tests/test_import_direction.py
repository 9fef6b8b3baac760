"""Modules import only what stands above them in the flow of the data.

A new module fails the test until it is given its place in `FLOW`.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = "pucut"
SOURCE_FOLDER = Path(__file__).parents[1] / "src" / PACKAGE

# Top of the flow first. A folder counts as one stage: its files may import each other.
FLOW = (
    "_html",
    "_checks",
    "_files",
    "memory_limits",
    "arrow_tables",
    "table_sizes",
    "pu_labels",
    "metrics",
    "model_selection",
    "cross_fitting",
    "calibration",
    "priors",
    "tables",
    "pu_trees",
    "encoding",
    "feature_weights",
    "neighbors",
    "similarity_graph",
    "weighted_spaces",
    "bags",
    "kernel_machines",
    "kernel_ridge",
    "size_estimate",
    "base_scores",
    "naive_bayes",
    "reliable_negatives",
    "propagation",
    "max_margin",
    "parametric_cut",
    "hnc",
    "score_mixing",
    "score_cuts",
    "outlier_cuts",
    "chosen_cuts",
    "automatic",
    "partitions",
    "selection",
    "query_cuts",
    "inductive",
    "distributed",
    "networks",
    "pu_training",
    "estimators",
    "activeml",
    "comparison",
    "model_files",
    "datasets",
    "experiments",
    "displays",
    "report",
    "cli",
    "__main__",
)

# The compiled module is reached through few Python modules, which check what crosses.
COMPILED = "_core"
USERS_OF_COMPILED = ("_checks", "parametric_cut", "pu_trees", "similarity_graph")


def stage_of(module):
    """'pucut.estimators.two_hnc' -> 'estimators'; 'pucut' itself -> ''; others -> None."""
    top, _, rest = module.partition(".")
    return rest.split(".")[0] if top == PACKAGE else None


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
    """The imports of a module that point down the flow, to the package as a whole, or nowhere."""
    own_stage = stage_of(module)
    for imported in imported_modules(source, package):
        stage = stage_of(imported)
        if stage is None or stage == own_stage:
            continue
        if stage == COMPILED:
            allowed = own_stage in USERS_OF_COMPILED
        else:
            allowed = stage in FLOW and FLOW.index(stage) < FLOW.index(own_stage)
        if not allowed:
            yield imported


def module_files():
    """(dotted name, dotted package, file) of every module except the package's own __init__."""
    for file in sorted(SOURCE_FOLDER.rglob("*.py")):
        parts = (PACKAGE, *file.relative_to(SOURCE_FOLDER).with_suffix("").parts)
        package = parts[:-1]
        name = package if parts[-1] == "__init__" else parts
        if name != (PACKAGE,):
            yield ".".join(name), ".".join(package), file


@pytest.mark.parametrize(
    ("module", "package", "file"), list(module_files()), ids=[name for name, _, _ in module_files()]
)
def test_module_imports_only_what_stands_above_it(module, package, file):
    assert stage_of(module) in FLOW, f"{module} has no place in FLOW yet: give it one"
    assert list(forbidden_imports(file.read_text(encoding="utf-8"), module, package)) == []


def test_there_is_something_to_check():
    checked = {module for module, _, _ in module_files()}
    assert {"pucut.parametric_cut", "pucut.hnc"} <= checked


@pytest.mark.parametrize(
    ("module", "package", "source", "forbidden"),
    [
        ("pucut.hnc", "pucut", "from pucut.parametric_cut import parametric_cut", []),
        ("pucut.hnc", "pucut", "from pucut import parametric_cut", []),
        ("pucut.hnc", "pucut", "from .parametric_cut import CutPath", []),
        ("pucut.hnc", "pucut", "import numpy as np\nfrom scipy import sparse", []),
        ("pucut.hnc", "pucut", "from pucut.partitions import x", ["pucut.partitions.x"]),
        ("pucut.hnc", "pucut", "from pucut import selection", ["pucut.selection"]),
        ("pucut.hnc", "pucut", "from . import selection", ["pucut.selection"]),
        ("pucut.hnc", "pucut", "import pucut.cli", ["pucut.cli"]),
        ("pucut.hnc", "pucut", "import pucut", ["pucut"]),
        ("pucut.hnc", "pucut", "from pucut import CutPath", ["pucut.CutPath"]),
        ("pucut.hnc", "pucut", "from pucut import _core", ["pucut._core"]),
        ("pucut.parametric_cut", "pucut", "from pucut import _core", []),
        ("pucut.parametric_cut", "pucut", "from pucut._core import solve", []),
        ("pucut.parametric_cut", "pucut", "def f():\n    from pucut import hnc", ["pucut.hnc"]),
        ("pucut.estimators.two_hnc", "pucut.estimators", "from .hnc import HNCClassifier", []),
        ("pucut.estimators.two_hnc", "pucut.estimators", "from ..hnc import hnc_plus", []),
        ("pucut.estimators.two_hnc", "pucut.estimators", "from .. import hnc", []),
        ("pucut.estimators.two_hnc", "pucut.estimators", "from .. import cli", ["pucut.cli"]),
        ("pucut.estimators", "pucut.estimators", "from . import two_hnc", []),
        ("pucut.estimators", "pucut.estimators", "from .. import report", ["pucut.report"]),
    ],
)
def test_the_check_finds_what_it_should(module, package, source, forbidden):
    found = set(forbidden_imports(source, module, package))
    # `from x import y` names x and x.y: the longer name is enough.
    assert {name for name in found if not any(other.startswith(f"{name}.") for other in found)} == (
        set(forbidden)
    )
