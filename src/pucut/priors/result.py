"""Results of `estimate_prior` and `check_labelling`, and their texts."""

import warnings
from dataclasses import dataclass, field

from pucut._support.html import element
from pucut.exceptions import UncertainPriorWarning
from pucut.priors.best_bin import PASSING

# Keys of `PriorEstimate.doubts`.
FEW_LABELS, NO_SIGNAL, WIDE, BOUND = "few_labels", "no_signal", "wide_interval", "upper_bound"
ADVICE = (
    " If you know the share from elsewhere, give it as the prior; more labelled positives, or "
    "columns that tell the classes apart better, would narrow it down."
)
# Share of tables with a false alarm of `check_labelling`, at most, if all assumptions hold.
LEVEL = 0.05
# Rows on each side that a comparison needs.
FEWEST = 5
_SHOWN = 5


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
        low, high = map(percentage, self.interval)
        likely = f"The share among all samples is likely between {low} and {high}."
        if BOUND in self.doubts:
            likely = f"Any share between {low} (the labelled ones alone) and {high} fits the data."
        elif self.doubts:
            likely = f"Any share among all samples between {low} and {high} is plausible."
        text = (
            f"{amount} {percentage(self.prior)} of the {n_samples} samples are positive (method "
            f"{self.method!r}): the {known} and {amount.lower()} {n_hidden} of the "
            f"{self.n_unlabelled} unlabelled ones ({percentage(self.prior_unlabelled)}). {likely}"
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


@dataclass(frozen=True)
class ColumnDifference:
    """Difference of a column, or a category of it, between labelled and other predicted positives.

    Attributes
    ----------
    column : str
        Its name, or its number as "column 3".
    category : str or None
        The category that is compared, or "missing"; None for numbers.
    labelled, others : float
        Mean of a number, or share of a category, among the labelled and the unlabelled predicted
        positives.
    difference : float
        From -1 to 1: the share of pairs of a labelled and another row in which the labelled one has
        the larger number, less the share in which it has the smaller. For a category, the
        difference of the shares.
    expected : float
        Mean difference if labels are drawn at random from the predicted positives.
    p_value : float
        Probability that chance moves any column as far from its expectation: corrected for the
        number of columns (Holm).
    """

    column: str
    category: str | None
    labelled: float
    others: float
    difference: float
    expected: float
    p_value: float

    def __str__(self) -> str:
        if self.category is None:
            return f"{self.column} (mean {self.labelled:.3g} against {self.others:.3g})"
        what = "missing" if self.category == "missing" else f"is {self.category!r}"
        return f"{self.column} ({what} in {self.labelled:.0%} against {self.others:.0%})"


@dataclass(frozen=True)
class LabellingCheck:
    """Result of `check_labelling`; `print` explains it.

    Attributes
    ----------
    differences : tuple of ColumnDifference
        One for every column and category, least p-value first; empty if there was too little to
        compare.
    prior : float
        The share of positives among all rows.
    is_prior_estimated : bool
        Whether it was estimated from the same labels.
    n_labelled : int
        Labelled rows in the table.
    n_labelled_found, n_others_found : int
        Labelled and unlabelled predicted positives, which were compared.
    lower_prior : float or None
        A smaller prior at which columns had to differ too, because classes overlap.
    """

    differences: tuple[ColumnDifference, ...]
    prior: float
    is_prior_estimated: bool
    n_labelled: int
    n_labelled_found: int
    n_others_found: int
    lower_prior: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that differ by more than chance, each once."""
        return tuple(
            dict.fromkeys(each.column for each in self.differences if each.p_value < LEVEL)
        )

    @property
    def is_random_draw(self) -> bool | None:
        """Return whether the labelled rows pass for a random draw; None if that is unknown."""
        return None if not self.differences else not self.columns

    @property
    def finding(self) -> str:
        """Say which rows were compared, and which columns differ."""
        if not self.differences:
            return (
                "Whether labels were drawn at random cannot be told: there are "
                f"{self.n_labelled_found} labelled and {self.n_others_found} other positives found "
                f"to compare, and at least {FEWEST} of each are needed."
            )
        again = "" if self.lower_prior is None else f" (and again at {self.lower_prior:.2f})"
        compared = (
            f"{self.n_labelled_found} of the {self.n_labelled} labelled rows were compared with "
            f"{self.n_others_found} unlabelled rows that look positive at a prior of "
            f"{self.prior:.2f}{again}."
        )
        if self.is_random_draw:
            return (
                "The labelled positives look like a random draw of the positives found: no column "
                f"differs by more than chance. {compared}"
            )
        differing = [each for each in self.differences if each.p_value < LEVEL]
        shown = "; ".join(map(str, differing[:_SHOWN]))
        more = len(differing) - _SHOWN
        return (
            "The labelled positives do not look like a random draw of the positives found. "
            f"Labelled against others: {shown}{f'; and {more} more' if more > 0 else ''}. "
            f"{compared}"
        )

    @property
    def meaning(self) -> str:
        """Say what follows from it, and what does not; empty if nothing does."""
        if not self.differences:
            return ""
        if self.is_random_draw:
            blind = (
                " The prior was estimated from the same labels; with one known from elsewhere, "
                "more would be seen."
                if self.is_prior_estimated
                else ""
            )
            return (
                "This does not prove that labels were drawn at random: positives that are unlike "
                f"all labelled ones are not found, and so not compared.{blind}"
            )
        return (
            "Either some positives were more likely to be labelled than others, or many of these "
            "unlabelled rows are negative. In the first case an estimated prior is wrong, mostly "
            "too small, and positives unlike the labelled ones are missed."
        )

    def __str__(self) -> str:
        advice = (
            "What to do: ask how the labels came about, and leave out columns that only tell that. "
            "estimate_prior with labelling='biased' allows for biased labels, and SAREMClassifier "
            "takes the columns that decided about them."
        )
        parts = (self.finding, self.meaning, advice if self.is_random_draw is False else "")
        return " ".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        return element("p", str(self))
