"""The result of `check_labelling`, and its text."""

from dataclasses import dataclass

from pucut._support.html import element

# Share of tables with a false alarm, at most, if all assumptions hold.
LEVEL = 0.05
# Rows on each side that a comparison needs.
FEWEST = 5
_SHOWN = 5


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
