"""What `import pucut` loads, and which names it shows to people, editors and type checkers."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pucut
from pucut import methods

SOURCES = Path(__file__).parents[2] / "src"
HEAVY = {"torch", "dask", "distributed", "matplotlib", "skactiveml", "openpyxl", "skops"}


def loaded_by(code):
    code = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_alone_loads_next_to_nothing():
    """Less than scikit-learn by far: not even NumPy."""
    loaded = loaded_by("import pucut")
    assert {name for name in loaded if name.startswith("pucut")} == {
        "pucut",
        "pucut._support",
        "pucut._support.platform",
    }
    assert loaded & {"numpy", "scipy", "sklearn"} == set()


def test_heavy_libraries_are_not_loaded_before_they_are_needed():
    loaded = loaded_by("from pucut import PUCutClassifier, compare")
    assert "pucut.methods.pu_cut" in loaded
    assert loaded & HEAVY == set()


def test_dir_shows_public_names_alone():
    names = dir(pucut)
    assert names == sorted(set(names))
    assert [name for name in names if name.startswith("_")] == ["__version__"]
    assert set(methods.CLASSIFIERS) < set(names)
    assert set(pucut.__all__) < set(names)
    for name in names:
        assert getattr(pucut, name) is not None
        assert name in dir(pucut)  # and nothing new comes up with it
    assert dir(pucut) == names


def test_a_name_is_what_its_room_calls_so():
    assert pucut.TwoHNCClassifier is methods.TwoHNCClassifier
    assert pucut.estimate_prior is pucut.priors.estimate_prior
    assert pucut.CutPath.__module__ == "pucut.cuts.parametric_cut"


@pytest.mark.parametrize("name", ["nothing", "_nothing", "NoClassifier", "__wrapped__"])
def test_other_names_are_unknown(name):
    with pytest.raises(AttributeError, match=f"module 'pucut' has no attribute '{name}'"):
        getattr(pucut, name)


def names_for_type_checkers(package):
    """(module, name) of all that a package imports for type checkers under the name it has."""
    source = (SOURCES / package / "__init__.py").read_text(encoding="utf-8")
    blocks = [node for node in ast.parse(source).body if isinstance(node, ast.If)]
    (block,) = (node for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING")
    shown = {
        (node.module, alias.name)
        for node in block.body
        for alias in node.names
        if alias.name == "*" or alias.asname == alias.name
    }
    assert len(shown) == len(block.body)
    return shown


def test_type_checkers_see_the_same_names():
    """What is imported for them is what `__getattr__` finds, each from the same room."""
    assert names_for_type_checkers("pucut") == {
        *((f"pucut.{home}", name) for name, home in pucut._HOMES.items()),
        *(("pucut", name) for name in pucut._MODULES),
        ("pucut.methods", "*"),
    }
    assert names_for_type_checkers("pucut/methods") == {
        (f"pucut.methods.{home}", name) for name, home in methods._CLASSES.values()
    }


def test_the_list_of_methods_loads_none_of_them():
    loaded = loaded_by("import pucut; pucut.methods.METHODS; dir(pucut)")
    assert "pucut.methods" in loaded
    assert loaded & {"numpy", "scipy", "sklearn"} == set()
