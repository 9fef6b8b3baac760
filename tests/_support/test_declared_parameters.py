"""Parameters of estimators: declared once, stored by `__init__`, checked by scikit-learn."""

import dataclasses
import inspect
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import InvalidParameterError

from pucut._support.constraints import COUNT, SHARE, DeclaredParameters


class Base(DeclaredParameters, BaseEstimator):
    _: KW_ONLY
    share: Annotated[float, SHARE] = 0.5
    seed: Any = None

    _private: ClassVar[int] = 1
    fitted_: int


class Child(Base):
    model: Annotated[Any, "array-like", COUNT, None] = None
    _: KW_ONLY
    n_trees: Annotated[int, COUNT] = 10
    seed: Any = 3


class WithoutOwn(Child):
    pass


class OwnConstructor(Base):
    def __init__(self, *, share=0.25, other=1):
        self.share, self.other = share, other


def test_own_parameters_come_first_and_those_of_bases_follow():
    for cls in (Child, WithoutOwn):
        found = inspect.signature(cls).parameters.values()
        assert [(each.name, each.default) for each in found] == [
            ("model", None),
            ("n_trees", 10),
            ("seed", 3),
            ("share", 0.5),
        ]
        kinds = [each.kind for each in found]
        assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD] + 3 * [
            inspect.Parameter.KEYWORD_ONLY
        ]
        assert next(iter(found)).annotation is Any
    assert list(inspect.signature(Base).parameters) == ["share", "seed"]


def test_parameters_are_stored_and_cloned():
    made = clone(Child([1, 2], share=0.1))
    assert made.get_params() == {"model": [1, 2], "n_trees": 10, "seed": 3, "share": 0.1}
    assert sorted(vars(made)) == ["model", "n_trees", "seed", "share"]
    with pytest.raises(TypeError, match=r"Child.__init__\(\) got an unexpected .*'trees'"):
        Child(trees=3)
    with pytest.raises(TypeError, match="positional"):
        Child(None, 3)


def test_allowed_values_are_checked_in_lists_and_one_by_one():
    assert Child._parameter_constraints == {
        "model": ["array-like", *COUNT, None],
        "n_trees": COUNT,
        "seed": "no_validation",
        "share": SHARE,
    }
    assert Base._parameter_constraints == {"share": SHARE, "seed": "no_validation"}
    Child(5)._validate_params()
    for wrong in (Child("text"), Child(n_trees=0), Child(share=1.0)):
        with pytest.raises(InvalidParameterError):
            wrong._validate_params()


def test_a_class_may_go_without_parameters_of_its_bases():
    fewer = type("Fewer", (Child,), {}, without=("n_trees", "share"))
    assert list(inspect.signature(fewer).parameters) == ["model", "seed"]
    assert list(fewer._parameter_constraints) == ["seed", "model"]
    assert (fewer(4).n_trees, fewer(4).share) == (10, 0.5)
    with pytest.raises(TypeError, match=r"Fewer.__init__\(\) got an unexpected .*'share'"):
        fewer(share=0.1)


def test_a_class_may_write_its_own_constructor():
    assert OwnConstructor().get_params() == {"share": 0.25, "other": 1}
    assert type("Heir", (OwnConstructor,), {})(other=2).other == 2


def test_estimators_are_not_dataclasses():
    """Dask would take two fitted ones with equal parameters for the same object."""
    assert not dataclasses.is_dataclass(Child)
    assert Child() != Child()
