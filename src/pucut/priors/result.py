"""What an estimate of the prior holds, and how it reads."""

from dataclasses import dataclass, field

from pucut._support.html import element
from pucut.priors.ensemble import PASSING


@dataclass(frozen=True)
class PriorEstimate:
    """The estimated share of positives; `print` explains it.

    Attributes
    ----------
    prior : float
        Share of positives among all samples given, labelled ones included. At least the labelled
        share, and below 1.
    prior_unlabelled : float
        Share of positives among the unlabelled samples.
    interval : (float, float)
        For the prior among all samples. That of "auto" is meant to hold it nine times out of ten;
        those of the other methods show the effect of chance, not the bias of the method, and start
        at the labelled share if only an upper bound can be known.
    method : str
    is_upper_bound : bool
        Whether the classes overlap so much that the data only bound the prior from above. `prior`
        is then a guess: that of "auto" the mean of what is plausible, that of the other methods
        the bound itself.
    upper_bound : float
        What the share among all samples can hardly exceed; at least `prior`.
    n_labelled, n_unlabelled : int
    diagnostics : dict of str to float
        Numbers of the method, among them `rows_used`, `labelled_used` and `labelled_independent`,
        which counts copies of a labelled row once, and for methods on scores
        `negatives_passing`: the share of negatives that pass a threshold which 90 % of the
        positives pass. `is_upper_bound` means that this is more than 25 %.
    n_negative : int
        Known negatives.
    """

    prior: float
    prior_unlabelled: float
    interval: tuple[float, float]
    method: str
    is_upper_bound: bool
    upper_bound: float
    n_labelled: int
    n_unlabelled: int
    diagnostics: dict[str, float] = field(default_factory=dict)
    n_negative: int = 0

    def __float__(self) -> float:
        return self.prior

    def as_prior(self) -> float:
        """The number that a classifier takes from it, if it is given as `prior`."""
        return self.prior

    def __str__(self) -> str:
        n_samples = self.n_labelled + self.n_unlabelled + self.n_negative
        low, high = self.interval
        n_hidden = round(self.prior_unlabelled * self.n_unlabelled)
        hidden = f"{n_hidden} of the {self.n_unlabelled} unlabelled ones"
        is_bound = self.is_upper_bound and self.method != "auto"
        amount = "At most about" if is_bound else "About"
        text = (
            f"{amount} {_percent(self.prior)} of the {n_samples} samples are positive (method "
            f"{self.method!r}): the {self.n_labelled} labelled ones and {amount.lower()} {hidden} "
            f"({_percent(self.prior_unlabelled)}). "
        )
        if not self.is_upper_bound:
            return text + (
                "The share among all samples is likely between "
                f"{_percent(low)} and {_percent(high)}."
            )
        overlap = (
            "The classes overlap: a score that "
            f"{_percent(PASSING)} of the positives reach is reached by about "
            f"{_percent(self.diagnostics['negatives_passing'])} of the negatives too. So the data "
        )
        known = (
            f"only bound the share from above. Any share between {_percent(low)} (the labelled "
            f"ones alone) and {_percent(high)} fits them."
            if is_bound
            else f"do not fix the share; they bound it from above, at about "
            f"{_percent(self.upper_bound)}. {_percent(self.prior)} is the mean of what is "
            f"plausible, which lies between {_percent(low)} and {_percent(high)}."
        )
        return (
            text
            + overlap
            + known
            + " If you know the share from elsewhere, pass it as the prior; features that tell the "
            "classes apart better, or more labelled positives, would narrow it down."
        )

    def _repr_html_(self) -> str:
        return element("p", str(self))


def _percent(share: float) -> str:
    """Whole percents, with one more digit near 0 and 100, where it matters."""
    percent = 100.0 * share
    return f"{percent:.0f} %" if 5.0 <= percent <= 95.0 else f"{percent:.1f} %"
