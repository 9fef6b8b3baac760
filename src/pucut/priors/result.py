"""The result of `estimate_prior`, and its text."""

import warnings
from dataclasses import dataclass, field

from pucut._support.html import element
from pucut.exceptions import UncertainPriorWarning
from pucut.priors.ensemble import PASSING

# Keys of `PriorEstimate.doubts`.
FEW_LABELS, NO_SIGNAL, WIDE, BOUND = "few_labels", "no_signal", "wide_interval", "upper_bound"
ADVICE = (
    " If you know the share from elsewhere, give it as the prior; more labelled positives, or "
    "columns that tell the classes apart better, would narrow it down."
)


@dataclass(frozen=True)
class PriorEstimate:
    """Estimated share of positives; `print` explains it.

    Attributes
    ----------
    prior : float
        Share of positives among all samples given, labelled ones included. At least the labelled
        share, and below 1.
    prior_unlabelled : float
        Share of positives among the unlabelled samples.
    interval : (float, float)
        For the prior among all samples. That of "auto" should cover it nine times out of ten, also
        in tables with unusually many or few positives; those of the other methods show the effect
        of chance, not the bias of the method, and start at the labelled share if only an upper
        bound can be known.
    method : str
    is_upper_bound : bool
        Whether the classes overlap so much that the data only bound the prior from above. `prior`
        is then a guess: for "auto" the mean of the plausible shares, for the other methods the
        bound itself. Never if "auto" learned from ten known negatives or more.
    upper_bound : float
        Upper bound of the share among all samples; at least `prior`.
    n_labelled, n_unlabelled : int
    diagnostics : dict of str to float
        Numbers of the method, among them `rows_used`, `labelled_used` and `labelled_independent`,
        which counts copies of a labelled row once, and for methods on scores
        `negatives_passing`: the share of negatives that pass a threshold which 90 % of the
        positives pass. `is_upper_bound` means that this is more than 25 %. `negatives_used` is the
        number of known negatives that "auto" learned from, copies counted once.
    n_negative : int
        Known negatives.
    doubts : dict of str to str
        Reasons why the estimate is only a guess; empty if it is reliable. The keys are
        "few_labels" (fewer than 10), "no_signal" (the columns do not tell labelled rows from
        others), "wide_interval" (more than 60 % of all shares is plausible) and "upper_bound" (the
        method found a bound alone).
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
    doubts: dict[str, str] = field(default_factory=dict)

    def __float__(self) -> float:
        return self.prior

    def as_prior(self) -> float:
        """Return the number that a classifier uses if it gets the estimate as `prior`."""
        return self.prior

    def __str__(self) -> str:
        n_samples = self.n_labelled + self.n_unlabelled + self.n_negative
        n_hidden = round(self.prior_unlabelled * self.n_unlabelled)
        amount = "At most about" if BOUND in self.doubts else "Perhaps" if self.doubts else "About"
        known = f"{self.n_labelled} labelled ones" if self.n_labelled > 1 else "labelled one"
        text = (
            f"{amount} {percentage(self.prior)} of the {n_samples} samples are positive (method "
            f"{self.method!r}): the {known} and {amount.lower()} {n_hidden} of the "
            f"{self.n_unlabelled} unlabelled ones ({percentage(self.prior_unlabelled)}). "
            f"{self._range_in_words()}"
        )
        n_used = int(self.diagnostics.get("negatives_used", 0.0))
        if n_used:
            known = "The known negative is" if n_used == 1 else f"The {n_used} known negatives are"
            text += f" {known} taken for a random draw of the negatives."
        if self.doubts:
            text += f" This is a guess, not an answer: {'; '.join(self.doubts.values())}."
        elif self.is_upper_bound:
            text += (
                f" The classes overlap: a score that {percentage(PASSING)} of the positives reach "
                f"is reached by about {percentage(self.diagnostics['negatives_passing'])} of the "
                "negatives too, so the data do not fix the share more closely."
            )
        return text + (ADVICE if self.doubts or self.is_upper_bound else "")

    def _range_in_words(self) -> str:
        low, high = map(percentage, self.interval)
        if BOUND in self.doubts:
            return f"Any share between {low} (the labelled ones alone) and {high} fits the data."
        if self.doubts:
            return f"Any share among all samples between {low} and {high} is plausible."
        return f"The share among all samples is likely between {low} and {high}."

    def _repr_html_(self) -> str:
        return element("p", str(self))


def warn_of_guess(estimate: PriorEstimate) -> None:
    """Warn if an estimate that is about to be used is only a guess."""
    if estimate.doubts:
        warnings.warn(str(estimate), UncertainPriorWarning, stacklevel=4)


def percentage(share: float) -> str:
    """Write a share in whole percent, with one more digit near 0 and 100."""
    percent = 100.0 * share
    return f"{percent:.0f} %" if 5.0 <= percent <= 95.0 else f"{percent:.1f} %"
