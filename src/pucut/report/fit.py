"""A fitted estimator and its rows, as all sections of a report read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from pucut import methods
from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.two_stages import reached_from
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.row_order import renumbered_graph
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.priors import LabellingCheck
from pucut.report.columns import ColumnSource, Groups, ReadColumns, read_columns
from pucut.report.listed import (
    ListedRows,
    chains_to_labels,
    labelled_neighbors,
    rows_listed,
    turning_priors,
)
from pucut.report.plane import Plane, plane_of
from pucut.report.values import as_json, sentence

TWO_HNC, PUCUT = "2-HNC", "pucut"
# Attributes by which a fitted estimator of these methods is recognised.
_ATTRIBUTES = {TWO_HNC: ("partition_", "stage1_", "stage2_", "graph_"), PUCUT: ("mixture_",)}
# Attributes that every page needs.
_NEEDED = ("scores_", "transduction_", "prior_", "predict_proba")
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
    notes: Sequence[str] = ()
    labelling: LabellingCheck | None = None
    random_state: int = 0

    @cached_property
    def method(self) -> str:
        """The name of the method: one in `METHODS`, or that of its class."""
        kind = type(self.estimator).__name__
        check_is_fitted(self.estimator)
        if missing := [name for name in _NEEDED if not hasattr(self.estimator, name)]:
            raise TypeError(
                f"estimator must be a fitted PU classifier, found {kind}, which has no "
                f"{', '.join(missing)}"
            )
        for method, needed in _ATTRIBUTES.items():
            if all(hasattr(self.estimator, name) for name in needed):
                return method
        return methods.name_in_methods(self.estimator) or kind

    @property
    def explanation(self) -> str:
        """A sentence or two on the method, by default the first of its documentation."""
        if self.method in _ATTRIBUTES:
            return sentence(self.method)
        first = (type(self.estimator).__doc__ or "").strip().split("\n\n")[0]
        return " ".join(first.split())

    @property
    def is_by_prior(self) -> bool:
        """True if the prior sets the threshold, and not the method's own rule."""
        if isinstance(self.estimator, methods.ElkanNotoClassifier):
            return False
        return bool(getattr(self.estimator, "threshold", "prior") != "half")

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

    @property
    def graph(self) -> Any:
        """The similarities by which neighbours are shown, CSR; None where the method has none."""
        return self.described_graph[0]

    @cached_property
    def described_graph(self) -> tuple[Any, dict[str, Any] | None]:
        """The graph and its description, or None and None."""
        estimator, weight = self.estimator, None
        edges = getattr(estimator, "graph_", None)
        about: dict[str, Any] = {"similarity": "its own"}
        if self.method == TWO_HNC:
            found = {
                name: getattr(estimator, f"{name}_", None) for name in ("n_neighbors", "sigma")
            }
            about = {name: as_json(value) for name, value in found.items()}
            about["similarity"] = str(estimator.similarity)
        elif self.method == PUCUT:
            mixture = estimator.mixture_
            chosen = space = mixture.spaces[0]
            if mixture.cuts:
                heaviest = int(np.argmax(mixture.cut_weights))
                chosen, weight = mixture.cuts[heaviest], float(mixture.cut_weights[heaviest])
                space = chosen.space
            n_neighbors = int(chosen.n_neighbors if mixture.cuts else space.lists.n_neighbors)
            edges = renumbered_graph(space.graph(n_neighbors), estimator.row_order_)
            about = {"name": chosen.name, "n_neighbors": n_neighbors, "similarity": "gaussian"}
        if edges is None:
            return None, None
        recall = as_json(getattr(estimator, "neighbor_recall_", None))  # None where nobody knows
        about |= {"weight": weight, "n_edges": int(edges.nnz // 2), "neighbor_recall": recall}
        return edges, dict.fromkeys(("name", "weight", "n_neighbors", "sigma")) | about

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
    def reasons(self) -> tuple[RowNumbers, FloatArray, RowNumbers] | None:
        """Labelled neighbours, their similarities, and the next row on the way to a label.

        They explain each row; None without a graph.
        """
        if self.graph is None:
            return None
        is_labelled = self.labels.is_labelled
        near = labelled_neighbors(self.graph, is_labelled, N_LABELLED_NEIGHBORS)
        return *near, chains_to_labels(self.graph, is_labelled)

    @cached_property
    def listed(self) -> ListedRows:
        """The rows on the page."""
        from_border = np.abs(self.turning_priors - float(self.estimator.prior_))
        drawn = np.zeros(0, dtype=np.int32) if self.plane is None else self.plane.drawn
        references = self.reasons and np.column_stack(self.reasons[::2])
        return rows_listed(
            self.groups, self.order, from_border, drawn, references, self.random_state
        )
