"""The axes that displays draw on, and the check of the estimators they draw."""

from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

BLUE, RUST, GREY = "#0b5c7a", "#b0461e", "#6b6b66"


class Display:
    """Base of the displays."""

    def _drawn(self, ax: Any, *, has_legend: bool = True, **settings: Any) -> Self:
        """Finish the axes by these settings, and keep them."""
        ax.set(**settings)
        if has_legend:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


def checked_axes(ax: Any) -> Any:
    """Return the axes that were passed, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'pucut[plots]'"
        ) from error
    return plt.subplots()[1]


def check_has(estimator: Any, display: str, *names: str, owner: str = "a PU classifier") -> None:
    """Check that the estimator is fitted and has the attributes `names`, as `owner` has."""
    check_is_fitted(estimator)
    missing = [name for name in names if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"{display} shows what {owner} has, found {type(estimator).__name__}, which has no "
            f"{', '.join(missing)}"
        )
