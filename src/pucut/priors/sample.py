"""Input and output of every method: a sample of rows, and the share of positives in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray, IndexArray, is_sparse
from pucut.data.encoding import finite_columns, is_plain, learn_encoding
from pucut.data.repeats import groups_for_folds, labelled_groups, possible_folds
from pucut.data.tables import source_of
from pucut.judging.cross_fitting import checked_classifier, cross_fit

# Ranges should hold the true share nine times out of ten. Resampling scores ignores that other rows
# would have given other classifiers; on synthetic tables, the distances from the estimate had to be
# larger by this factor.
CONFIDENCE = 0.9
_WIDENING = 1.25
_N_RESAMPLES = 20


@dataclass(frozen=True)
class ShareEstimate:
    """Share of positives among the unlabelled rows of a sample, with its range."""

    value: float
    low: float
    high: float
    diagnostics: Mapping[str, float]
    bound: float | None = None  # upper bound of the share; None where that is the value itself

    @classmethod
    def with_resamples(
        cls, value: float, resampled: FloatArray, diagnostics: Mapping[str, float]
    ) -> "ShareEstimate":
        """Take the range from values in resamples."""
        levels = [(1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0]
        below, above = np.quantile(resampled, levels) - value
        low, high = value + min(below, 0.0) * _WIDENING, value + max(above, 0.0) * _WIDENING
        return cls(value, float(low), float(high), diagnostics)


@dataclass(frozen=True, eq=False)
class PriorSample:
    """Rows that a method works on; known negatives only for a method that learns from them."""

    table: Any  # a `Table` that has been read, if it is all in the sample; else rows as passed
    is_labelled: BoolArray
    is_negative: BoolArray
    scores: FloatArray | None
    classifier: Any
    n_folds: int
    random: np.random.RandomState
    n_threads: int = 1

    @property
    def X(self) -> Any:
        """The rows as they were passed."""
        return source_of(self.table)

    @cached_property
    def groups(self) -> IndexArray:
        """Groups of copies (`data.repeats`), which folds keep together."""
        return groups_for_folds(self.table, self.is_labelled)

    @cached_property
    def points(self) -> Any:
        """The rows, encoded and standardised."""
        return learn_encoding(self.table)[1]

    def n_independent(self, of_kind: BoolArray) -> int:
        """Count the labelled rows, or the known negatives, with copies counted once."""
        if self.scores is not None:
            return int(of_kind.sum())
        return int(labelled_groups(self.groups, of_kind).sum())

    def can_hold_out(self) -> bool:
        """Return whether a row of each kind can be held out and another learned from."""
        return possible_folds(2, self.groups, self.is_labelled) >= 2

    def out_of_fold_scores(self) -> FloatArray:
        if self.scores is not None:
            return self.scores
        if not self.can_hold_out():  # equal scores leave every prior possible
            return np.zeros(len(self.is_labelled))
        is_ready = self.classifier is not None or is_sparse(self.X) or is_plain(self.X)
        X = self.X if is_ready else finite_columns(self.X)
        return cross_fit(
            checked_classifier(self.classifier, X, "classifier"),
            X,
            self.is_labelled,
            n_folds=self.n_folds,
            random_state=self.random,
            groups=self.groups,
            n_threads=self.n_threads,
        ).scores

    def split_scores(self) -> tuple[FloatArray, FloatArray]:
        """Return the out-of-fold scores of labelled and of unlabelled rows."""
        scores = self.out_of_fold_scores()
        return scores[self.is_labelled], scores[~self.is_labelled]

    def resampled(self, estimate: Callable[..., float], *scores: FloatArray) -> FloatArray:
        """Return estimates from scores that are drawn again with replacement."""

        def drawn(each: FloatArray) -> FloatArray:
            return each[self.random.randint(len(each), size=len(each))]

        return np.array([estimate(*map(drawn, scores)) for _ in range(_N_RESAMPLES)])
