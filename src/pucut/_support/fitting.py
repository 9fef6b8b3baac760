"""Base of all estimators: a fit that fails leaves them unchanged."""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from pucut._support.threads import library_threads


class FitsWhole:
    """Base of all estimators: after an error or an interruption `fit` has changed nothing.

    An estimator that was fitted before still predicts as before; another one stays unfitted. `fit`
    must therefore assign its attributes anew, and not change them in place.

    Libraries get one thread each in `fit` and within `_own_threads`: `n_jobs` counts threads of
    this package, and no result depends on their number.
    """

    # False for estimators that leave their work to a library with many threads.
    _holds_libraries_back: ClassVar[bool] = True

    def _own_threads(self) -> AbstractContextManager[None]:
        return library_threads(1) if self._holds_libraries_back else nullcontext()

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
            with self._own_threads():
                return fit(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return whole_fit
