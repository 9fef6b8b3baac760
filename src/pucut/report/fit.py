"""A fitted estimator and its rows, as all sections of a report read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.two_stages import reached_from
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.priors import LabellingCheck
from pucut.report.columns import ColumnSource, ReadColumns, read_columns
from pucut.report.distributions import Groups
from pucut.report.listed import ListedRows, rows_listed
from pucut.report.methods import is_cut_at_prior, method_name, shown_graph
from pucut.report.plane import Plane, plane_of
from pucut.report.reasons import chains_to_labels, labelled_neighbors, turning_priors

N_LABELLED_NEIGHBORS = 5


@dataclass(frozen=True, eq=False)
class ReportedFit:
    """A fitted estimator, the table of `fit`, and what several sections derive from them.

    The fields are the parameters of `summarise`.
    """

    estimator: Any
    X: Any
    y: Any
    ids: Any = None
    feature_names: Any = None
    source: str | None = None
    label_name: str | None = None
    positive: str | None = None
    sources: Mapping[str, ColumnSource] | None = None
    probabilities: Any = None
    ranks: Any = None
    labelling: LabellingCheck | None = None
    random_state: int = 0

    @cached_property
    def method(self) -> str:
        """The name of the method."""
        return method_name(self.estimator)

    @cached_property
    def is_by_prior(self) -> bool:
        """True if the prior sets the threshold, and not the method's own rule."""
        return is_cut_at_prior(self.estimator)

    @cached_property
    def scores(self) -> FloatArray:
        return np.asarray(self.estimator.scores_, dtype=np.float64)

    @cached_property
    def labels(self) -> PULabels:
        n_samples = len(self.estimator.scores_)
        n_rows = self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)
        if n_rows != n_samples:
            raise ValueError(
                f"X must be the table given to fit, with {n_samples} rows, found {n_rows} rows"
            )
        return checked_pu_labels(
            self.y,
            pos_label=self.estimator.pos_label,
            neg_label=getattr(self.estimator, "neg_label", None),
            n_samples=n_samples,
        )

    @cached_property
    def is_positive(self) -> BoolArray:
        """The rows that `fit` classified as positive."""
        return self.labels.decode(self.estimator.transduction_, "transduction_")

    @cached_property
    def groups(self) -> Groups:
        labels = self.labels
        groups = {
            "known": labels.is_labelled,
            "found": self.is_positive & ~labels.is_labelled,
            "other": labels.is_unlabelled & ~self.is_positive,
        }
        return groups | ({"negative": labels.is_negative} if labels.n_negative else {})

    @cached_property
    def probability(self) -> FloatArray:
        """The probability of being positive, for each row."""
        known = self.probabilities
        if known is None:
            known = self.estimator.predict_proba(self.X)[:, 1]
        found = np.asarray(known, dtype=np.float64)
        if found.shape != self.scores.shape or not ((found >= 0.0) & (found <= 1.0)).all():
            raise ValueError(
                f"probabilities must be {len(self.scores)} numbers from 0 to 1, found shape "
                f"{found.shape}"
            )
        return found

    @cached_property
    def described_graph(self) -> tuple[Any, dict[str, Any] | None]:
        return shown_graph(self.estimator, self.method)

    @property
    def graph(self) -> Any:
        """The similarities by which neighbours are shown; None where the method has none."""
        return self.described_graph[0]

    @cached_property
    def table(self) -> ReadColumns:
        sources = self.sources or {}
        return read_columns(
            self.estimator, self.X, self.graph, self.groups, self.feature_names, sources
        )

    @cached_property
    def plane(self) -> Plane | None:
        """The map; None without columns or a graph."""
        points = self.table.points
        return None if points is None else plane_of(points, self.random_state)

    @cached_property
    def is_reached(self) -> BoolArray:
        """The rows to which a chain of neighbours leads from a label; all without a graph."""
        if self.graph is None:
            return np.ones(self.labels.n_samples, dtype=np.bool_)
        return reached_from(self.graph, self.labels.is_labelled)

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """All rows, the most likely positives first."""
        if self.ranks is not None:  # NaN comes last
            return np.argsort(np.asarray(self.ranks, dtype=np.float64), kind="stable")
        return np.lexsort((-self.probability, -self.scores, ~self.is_positive))

    @cached_property
    def turning_priors(self) -> FloatArray:
        """The prior from which on each row is positive."""
        return turning_priors(self.scores, self.labels.is_labelled, self.labels.is_unlabelled)

    @cached_property
    def near(self) -> tuple[RowNumbers, FloatArray] | None:
        """The labelled neighbours of each row and their similarities; None without a graph."""
        if self.graph is None:
            return None
        return labelled_neighbors(self.graph, self.labels.is_labelled, N_LABELLED_NEIGHBORS)

    @cached_property
    def towards(self) -> RowNumbers | None:
        """The next row on the way to a label, for each row; None without a graph."""
        if self.graph is None:
            return None
        return chains_to_labels(self.graph, self.labels.is_labelled)

    @cached_property
    def listed(self) -> ListedRows:
        """The rows on the page."""
        from_border = np.abs(self.turning_priors - float(self.estimator.prior_))
        drawn = np.zeros(0, dtype=np.int32) if self.plane is None else self.plane.drawn
        references = None
        if self.near is not None and self.towards is not None:
            references = np.column_stack([self.near[0], self.towards])
        return rows_listed(
            self.groups, self.order, from_border, drawn, references, self.random_state
        )
