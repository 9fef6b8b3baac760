"""A fit that ends early leaves the estimator as it was."""

import functools
from collections.abc import Callable
from typing import Any


class FitsWhole:
    """Base of all estimators: after an error or an interruption `fit` has changed nothing.

    An estimator that was fitted before still gives its old answers, one that was not is not fitted.
    What `fit` sets it must set anew, and not change in place.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        own_fit = vars(cls).get("fit")
        if own_fit is not None:
            cls.fit = _whole_or_not(own_fit)  # type: ignore[attr-defined]  # not all have one


def _whole_or_not(fit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fit)
    def whole_fit(self: Any, *arguments: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return whole_fit
