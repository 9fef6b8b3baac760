"""Parameters of estimators, each declared once, and their allowed values."""

import dataclasses
import inspect
import numbers
from collections.abc import Collection
from itertools import chain
from typing import Any, ClassVar, dataclass_transform, get_args

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

COUNT = [Interval(numbers.Integral, 1, None, closed="left")]
COUNT_OR_NONE = [*COUNT, None]
POSITIVE = [Interval(numbers.Real, 0.0, None, closed="neither")]
NOT_NEGATIVE = [Interval(numbers.Real, 0.0, None, closed="left")]
SHARE = [Interval(numbers.Real, 0.0, 1.0, closed="neither")]
N_JOBS = [numbers.Integral, None]

# `prior` is compared with the labels later, with an error that shows both numbers. An estimate is
# known by its method: its class belongs to a room below.
PRIOR_CONSTRAINTS = [
    Interval(numbers.Real, 0.0, 1.0, closed="neither"),
    StrOptions({"auto"}),
    HasMethods("as_prior"),
]
THRESHOLD_CONSTRAINTS = [StrOptions({"prior", "half"})]


@dataclass_transform()
class DeclaredParameters:
    """Base of estimators that declare their parameters as a dataclass declares its fields.

    A public class variable with a type and a value is a parameter, and the value its default.
    Parameters below `_: KW_ONLY` go by name. `Annotated[type, ...]` names the allowed values for
    scikit-learn's validation, in lists or one by one. `__init__`, which stores every parameter, and
    `_parameter_constraints` follow from that; a class may write either itself. Parameters of base
    classes are inherited, except those that the class names as `without`: they keep their defaults.

    Estimators are not dataclasses: Dask identifies these by their fields, and would take two that
    were fitted to different rows for the same.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _declared: ClassVar[dict[str, tuple[str, Any, Any]]] = {}

    def __init_subclass__(cls, *, without: Collection[str] = (), **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        own, allowed, kw_only = {}, dict[str, Any](), False
        for name, kind in inspect.get_annotations(cls).items():
            kw_only |= kind is dataclasses.KW_ONLY
            if name.startswith("_") or name not in vars(cls):
                continue
            allowed[name] = "no_validation"
            if hasattr(kind, "__metadata__"):  # of Annotated
                kind, *values = get_args(kind)
                allowed[name] = list(chain(*(v if isinstance(v, list) else [v] for v in values)))
            field = dataclasses.field(default=vars(cls)[name], kw_only=kw_only)
            own[name] = (name, kind, field)
        if not own and not without:
            return
        left = {name: cls._declared[name] for name in cls._declared if name not in {*own, *without}}
        cls._declared = {**own, **left}
        merged = {**cls._parameter_constraints, **allowed}
        cls._parameter_constraints = {name: merged[name] for name in merged if name not in without}
        if "__init__" not in vars(cls):
            made = dataclasses.make_dataclass(cls.__qualname__, cls._declared.values())
            init = vars(made)["__init__"]
            init.__module__ = cls.__module__
            cls.__init__ = init  # type: ignore[method-assign]  # made from the declarations
