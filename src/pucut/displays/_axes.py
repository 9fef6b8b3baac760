"""The base of the displays, and the check of the estimators they draw."""

from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

BLUE, RUST, GREY = "#0b5c7a", "#b0461e", "#6b6b66"


class Display:
    """Base of the displays."""

    _has_legend = True

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on `ax`, or on a new figure; `kwargs` go to what the class names."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    "plots need matplotlib, which is not installed: pip install 'pucut[plots]'"
                ) from error
            ax = plt.subplots()[1]
        ax.set(**self._draw(ax, kwargs))
        if self._has_legend:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Draw, and return the settings of the axes."""
        raise NotImplementedError


def check_has(estimator: Any, display: str, *names: str, owner: str = "a PU classifier") -> None:
    """Check that the estimator is fitted and has the attributes `names`, as `owner` has."""
    check_is_fitted(estimator)
    missing = [name for name in names if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"{display} shows what {owner} has, found {type(estimator).__name__}, which has no "
            f"{', '.join(missing)}"
        )
