"""What the page says of each row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.data.labels import PULabels
from pucut.judging.thresholds import positives_by_prior
from pucut.report.distributions import Groups
from pucut.report.listed import Listed, rows_listed
from pucut.report.methods import Account
from pucut.report.packing import packed
from pucut.report.plane import Plane
from pucut.report.reasons import (
    LabelledNeighbors,
    chains_to_labels,
    labelled_neighbors,
    share_to_positive,
    turning_priors,
)

# How far the prior is moved to see which rows change class.
PRIOR_MOVES = (-0.1, -0.05, 0.05, 0.1)
N_LABELLED_NEIGHBORS = 5
N_PRIORS = 201
# Of what only some methods have.
_TYPES = {"is_likely_negative": "uint8", "is_reached": "uint8", "negative_place": "int32"}


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of the table, and which of them are on the page.

    Attributes
    ----------
    scores, probability, turning_prior : float arrays of shape (n_samples,)
    order : int array of shape (n_samples,)
        The most likely positives first.
    near, towards
        Labelled neighbours of each row, and the next row on the way to a label; None without a
        graph.
    listed : Listed
    """

    scores: FloatArray
    probability: FloatArray
    turning_prior: FloatArray
    order: npt.NDArray[np.intp]
    near: LabelledNeighbors | None
    towards: npt.NDArray[np.int32] | None
    listed: Listed


def rows_of(
    estimator: Any,
    probability: FloatArray,
    labels: PULabels,
    groups: Groups,
    account: Account,
    plane: Plane | None,
    ranks: Any,
    random_state: int,
) -> Rows:
    """Everything that is known of the rows."""
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    is_positive = groups.known | groups.found
    order = np.lexsort((-probability, -scores, ~is_positive))
    if ranks is not None:
        order = np.argsort(np.asarray(ranks, dtype=np.float64), kind="stable")  # NaN comes last
    turning = turning_priors(scores, labels.is_labelled, labels.is_unlabelled)
    near = towards = None
    if account.graph is not None:
        near = labelled_neighbors(account.graph, labels.is_labelled, N_LABELLED_NEIGHBORS)
        towards = chains_to_labels(account.graph, labels.is_labelled)
    from_border = np.abs(turning - float(estimator.prior_))
    drawn = np.zeros(0, dtype=np.int32) if plane is None else plane.drawn
    listed = rows_listed(groups, order, from_border, drawn, near, towards, random_state)
    return Rows(scores, probability, turning, order, near, towards, listed)


def rows_dict(rows: Rows, labels: PULabels, account: Account, groups: Groups, ids: Any) -> Any:
    """The part of the summary that has a value for each row on the page."""
    here = rows.listed.rows
    is_positive = groups.known | groups.found
    rank = np.zeros(labels.n_samples, dtype=np.int32)
    unlabelled = rows.order[labels.is_unlabelled[rows.order]]
    rank[unlabelled] = np.arange(1, len(unlabelled) + 1)
    own = {
        name: None if values is None else packed(values[here], _TYPES[name])
        for name, values in account.rows.items()
    }
    negative = packed(labels.is_negative[here], "uint8") if labels.n_negative else None
    return {
        "number": None if rows.listed.is_all else packed(here, "int32"),
        "ids": _checked_ids(ids, labels.n_samples, here),
        "is_labelled": packed(labels.is_labelled[here], "uint8"),
        "is_known_negative": negative,
        "is_positive": packed(is_positive[here], "uint8"),
        "probability": packed(rows.probability[here], "float32"),
        "score": packed(rows.scores[here], "float32"),
        "rank": packed(rank[here], "int32"),
        "order": packed(rows.listed.places(rows.order), "int32"),
        "turning_prior": packed(rows.turning_prior[here], "float32"),
        **_neighbors(rows, account.graph, is_positive),
        **own,
    }


def _neighbors(rows: Rows, graph: Any, is_positive: BoolArray) -> dict[str, Any]:
    """What a graph says of each row; nothing where the method has none."""
    if rows.near is None or rows.towards is None:
        names = ("n_edges", "share_to_positive", "neighbor", "neighbor_weight", "towards_label")
        return dict.fromkeys((*names, "n_listed_neighbors"))
    listed = rows.listed
    here = listed.rows
    return {
        "n_edges": packed(np.diff(graph.indptr)[here], "int32"),
        "share_to_positive": packed(share_to_positive(graph, is_positive)[here], "float32"),
        "neighbor": packed(listed.renumbered(rows.near.row[here]), "int32"),
        "neighbor_weight": packed(rows.near.weight[here], "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(listed.renumbered(rows.towards[here]), "int32"),
    }


def _checked_ids(ids: Any, n_samples: int, here: npt.NDArray[np.intp]) -> list[str] | None:
    if ids is None:
        return None
    names = list(ids)
    if len(names) != n_samples:
        raise ValueError(f"ids must name the {n_samples} rows of X, found {len(names)} names")
    return [str(names[row]) for row in here]


def found_by_prior(rows: Rows, labels: PULabels, interval: Any) -> dict[str, Any]:
    """How many unlabelled rows are found for every prior, and at the ends of an interval."""
    turning = np.sort(rows.turning_prior[labels.is_unlabelled])
    priors = np.linspace(0.0, 1.0, N_PRIORS)
    at_ends = None if interval is None else np.searchsorted(turning, interval, side="right")
    return {
        "n_found": packed(np.searchsorted(turning, priors, side="right"), "int32"),
        "at_interval": None if at_ends is None else at_ends.tolist(),
    }


def sensitivity_of(
    estimator: Any, labels: PULabels, is_positive: BoolArray, listed: Listed
) -> list[dict[str, Any]]:
    """Which rows change class if the prior moves by some points."""
    found = []
    for move in PRIOR_MOVES:
        prior = float(estimator.prior_) + move
        line: dict[str, Any] = {"move": move, "prior": prior}
        line["is_possible"] = labels.labelled_share <= prior < min(labels.largest_prior, 1.0)
        if line["is_possible"]:
            now = positives_by_prior(estimator.scores_, labels, prior)
            for name, changed in (
                ("to_positive", now & ~is_positive),
                ("to_negative", is_positive & ~now),
            ):
                line[name] = packed(listed.places(np.flatnonzero(changed)), "int32")
                line[f"n_{name}"] = int(np.count_nonzero(changed))
        found.append(line)
    return found
