"""What all displays have in common: the axes they draw on, and what they ask of an estimator."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

BLUE, RUST, GREY = "#0b5c7a", "#b0461e", "#6b6b66"


def checked_axes(ax: Any) -> Any:
    """The given axes, or those of a new figure."""
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
    """Whether the estimator is fitted and has what a display is drawn from, as `owner` has."""
    check_is_fitted(estimator)
    missing = [name for name in names if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"{display} shows what {owner} has, found {type(estimator).__name__}, which has no "
            f"{', '.join(missing)}"
        )
