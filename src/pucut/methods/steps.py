"""The steps of a long `fit`: their times, callbacks and printed lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9
    # The type checker sees both branches, of which only one is taken.
    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the class of later versions of scikit-learn."""

    def with_callbacks(method: Any) -> Any:
        return method


__all__ = ["CallbackSupportMixin", "FitSteps", "Step", "watching_steps", "with_callbacks"]

# Runs the step that it names.
Step = Callable[[str], AbstractContextManager[None]]

# Called with the name of the step that begins, its number from 1, and the number of steps.
StepCallback = Callable[[str, int, int], Any]
_watched: ContextVar[tuple[Any, StepCallback] | None] = ContextVar("watched", default=None)


@contextmanager
def watching_steps(estimator: Any, callback: StepCallback) -> Iterator[None]:
    """Call `callback` when a step of this estimator's `fit` begins."""
    token = _watched.set((estimator, callback))
    try:
        yield
    finally:
        _watched.reset(token)


class FitSteps:
    """Times the steps of a fit, and reports them to those who follow it."""

    def __init__(self, estimator: Any, n_steps: int, verbose: int) -> None:
        self.seconds: dict[str, float] = {}
        self._estimator = estimator
        self._n_steps, self._n_begun = n_steps, 0
        self._verbose = verbose
        watched = _watched.get()
        self._callback = watched[1] if watched and watched[0] is estimator else None
        # None without callbacks of the user's, and in older versions of scikit-learn.
        self._context: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            self._context = estimator._init_callback_context(max_subtasks=n_steps)
            self._context.call_on_fit_task_begin(estimator=estimator)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Run a step; the times of steps of one name are added up."""
        self._n_begun += 1
        context = self._context and self._context.subcontext(task_name=name)
        if context is not None:
            context.call_on_fit_task_begin(estimator=self._estimator)
        if self._callback is not None:
            self._callback(name, self._n_begun, max(self._n_steps, self._n_begun))
        if self._verbose:
            print(f"[{self._n_begun}/{self._n_steps}] {name} ...", end=" ", flush=True)
        start = time.perf_counter()
        yield
        took = time.perf_counter() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + took
        if self._verbose:
            print(f"{took:.2f} s", flush=True)
        if context is not None:
            context.call_on_fit_task_end(estimator=self._estimator)

    def finish(self) -> None:
        """Close the fit for scikit-learn's callbacks, and print the times if `verbose`."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator)
        if self._verbose:
            total = sum(self.seconds.values())
            print(f"{'step':<20}{'seconds':>9}{'share':>8}")
            for name, took in [*self.seconds.items(), ("all", total)]:
                print(f"{name:<20}{took:>9.2f}{took / total:>8.0%}")
