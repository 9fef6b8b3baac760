"""Every classifier documents its parameters, its own or those of its bases."""

import inspect
import re

import pytest

import pucut
from pucut.dask import DaskPUCutClassifier, DaskTwoHNCClassifier
from pucut.methods import CLASSIFIERS
from pucut.methods._base import PUClassifier
from pucut.methods._encoded import EncodedClassifier


def documented(cls, title):
    """The names in a section of the docstring, in order."""
    text = inspect.cleandoc(cls.__doc__) + "\n"
    section = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n|\Z)", text, re.DOTALL | re.MULTILINE)[1]
    heads = re.findall(r"^(\w+(?:, \w+)*)(?: : .+)?$", section, re.MULTILINE)
    return [name for head in heads for name in head.split(", ")]


CLASSES = [getattr(pucut, name) for name in CLASSIFIERS]
CLASSES += [DaskPUCutClassifier, DaskTwoHNCClassifier]


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_is_documented_once(cls):
    assert sorted(documented(cls, "Parameters")) == sorted(inspect.signature(cls).parameters)


@pytest.mark.parametrize("cls", CLASSES)
def test_what_every_model_has_is_documented_once(cls):
    found = documented(cls, "Attributes")
    assert len(set(found)) == len(found)
    assert set(documented(PUClassifier, "Attributes")) <= set(found)


class Documented(EncodedClassifier):
    """Summary.

    More of it.

    Parameters
    ----------
    random_state : int
        Own text.

    Notes
    -----
    At the end.
    """

    def __init__(self, *, prior="auto", undocumented=1, random_state=None):
        self.prior, self.undocumented, self.random_state = prior, undocumented, random_state


def test_own_entries_come_first_and_bases_document_the_rest():
    assert documented(Documented, "Parameters") == ["random_state", "prior"]
    assert documented(Documented, "Attributes") == documented(PUClassifier, "Attributes")
    text = Documented.__doc__
    assert text.startswith(
        "Summary.\n\nMore of it.\n\nParameters\n----------\nrandom_state : int\n"
    )
    assert text.endswith("\n\nNotes\n-----\nAt the end.")
    assert "    Own text.\nprior : float" in text


def test_a_class_without_a_docstring_stays_without():
    """As all classes are under `python -OO`."""
    assert type("Bare", (Documented,), {}).__doc__ is None
