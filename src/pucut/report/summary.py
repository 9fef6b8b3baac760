"""From a fitted estimator to a plain dict: all that a report says, and nothing drawn yet."""

import dataclasses
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import BoolArray
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.report.cautions import cautions
from pucut.report.columns import columns_of
from pucut.report.methods import Account, account_of, method_of
from pucut.report.packing import packed
from pucut.report.plain import plain, short
from pucut.report.plane import plane_of
from pucut.report.reasons import (
    chains_to_labels,
    labelled_neighbors,
    share_to_positive,
    turning_priors,
)
from pucut.scores.thresholds import positives_by_prior

SCHEMA = "pucut-report/2"

# How far the prior is moved to see which rows change class.
PRIOR_MOVES = (-0.1, -0.05, 0.05, 0.1)
N_LABELLED_NEIGHBORS = 5


def summarise(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    ids: Any = None,
    feature_names: Any = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """What there is to say of a fitted estimator, as a plain dict.

    Parameters
    ----------
    estimator : fitted PUCutClassifier or TwoHNCClassifier
    X, y
        What was given to `fit`.
    ids : array-like of shape (n_samples,), optional
        Names of the rows; by default their numbers, from 0.
    feature_names : sequence of str, optional
        Names of the columns; by default those of the data frame.
    random_state : int, default=0
        For the map, and for which rows are drawn where there are too many.

    Returns
    -------
    dict
        Of numbers, texts, lists and dicts, ready for JSON; its keys stand in the documentation of
        `pucut.report`.
    """
    check_is_fitted(estimator)
    method = method_of(estimator)
    n_samples = len(estimator.scores_)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != n_samples:
        raise ValueError(
            f"X must be the table given to fit, with {n_samples} rows, found {n_rows} rows"
        )
    labels = checked_pu_labels(y, pos_label=estimator.pos_label, n_samples=n_samples)
    is_positive = labels.decode(estimator.transduction_, "transduction_")
    account = account_of(estimator, labels, is_positive)
    table = columns_of(estimator, X, account.graph, labels.is_labelled, feature_names)
    summary = {
        "schema": SCHEMA,
        "version": version("pucut"),
        "method": method,
        "data": {
            "n_samples": n_samples,
            "n_labelled": labels.n_labelled,
            "n_columns": len(table.names) if table.names else int(estimator.n_features_in_),
            "n_encoded": table.points.shape[1] if table.names else None,
            "is_pairwise": not table.names,
            "positive": short(labels.classes[1]),
            "unlabelled": short(labels.classes[0]),
        },
        "prior": _prior(estimator),
        "n_positive": int(np.count_nonzero(is_positive)),
        "graph": account.about_graph
        | {
            "n_edges": int(account.graph.nnz // 2),
            "neighbor_recall": plain(estimator.neighbor_recall_),  # NaN where nobody knows
        },
        "partition": account.partition,
        "selection": account.selection,
        "settings": {
            name: short(repr(value)) for name, value in estimator.get_params(deep=False).items()
        },
        "seconds": {name: float(value) for name, value in estimator.step_seconds_.items()},
        "stages": account.stages,
        "rows": _rows(estimator, X, labels, is_positive, account, ids),
        "plane": _plane(table.points, random_state),
        "columns": [
            dataclasses.asdict(facts) | {"values": packed(facts.values, "float32")}
            for facts in table.shown
        ],
        "space": account.space,
        "weights": [
            {"name": table.names[j], "weight": float(table.weights[j])}
            for j in np.argsort(-table.weights, kind="stable")
        ],
        "sensitivity": _sensitivity(estimator, labels, is_positive),
    }
    return summary | {"cautions": cautions(summary)}


def _prior(estimator: Any) -> dict[str, Any]:
    estimate = getattr(estimator, "prior_estimate_", None)
    found: dict[str, Any] = {"value": float(estimator.prior_), "is_given": estimate is None}
    if estimate is None:
        return found | {
            "interval": None,
            "method": None,
            "is_upper_bound": False,
            "upper_bound": None,
            "text": None,
        }
    return found | {
        "interval": [float(end) for end in estimate.interval],
        "method": str(estimate.method),
        "is_upper_bound": bool(estimate.is_upper_bound),
        "upper_bound": float(estimate.upper_bound),
        "text": str(estimate),
    }


def _rows(
    estimator: Any, X: Any, labels: PULabels, is_positive: BoolArray, account: Account, ids: Any
) -> dict[str, Any]:
    is_labelled, graph = labels.is_labelled, account.graph
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    near = labelled_neighbors(graph, is_labelled, N_LABELLED_NEIGHBORS)
    return {
        "ids": _checked_ids(ids, labels.n_samples),
        "is_labelled": packed(is_labelled, "uint8"),
        "is_positive": packed(is_positive, "uint8"),
        "probability": packed(estimator.predict_proba(X)[:, 1], "float32"),
        "score": packed(scores, "float32"),
        "order": packed(np.argsort(-scores, kind="stable"), "int32"),
        "turning_prior": packed(turning_priors(scores, is_labelled), "float32"),
        "n_edges": packed(np.diff(graph.indptr), "int32"),
        "share_to_positive": packed(share_to_positive(graph, is_positive), "float32"),
        "neighbor": packed(near.row, "int32"),
        "neighbor_weight": packed(near.weight, "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(chains_to_labels(graph, is_labelled), "int32"),
        **account.rows,
    }


def _plane(points: Any, random_state: int) -> dict[str, Any]:
    plane = plane_of(points, random_state)
    return {
        "x": packed(plane.place[:, 0], "uint16"),
        "y": packed(plane.place[:, 1], "uint16"),
        "ratio": plane.ratio,
        "explained": plane.explained,
        "n_beyond": plane.n_beyond,
        "drawn": packed(plane.drawn, "int32"),
        "n_drawn": len(plane.drawn),
    }


def _sensitivity(estimator: Any, labels: PULabels, is_positive: BoolArray) -> list[dict[str, Any]]:
    found = []
    for move in PRIOR_MOVES:
        prior = float(estimator.prior_) + move
        line: dict[str, Any] = {"move": move, "prior": prior}
        line["is_possible"] = labels.labelled_share <= prior < 1.0
        if line["is_possible"]:
            now = positives_by_prior(estimator.scores_, labels, prior)
            line["to_positive"] = packed(np.flatnonzero(now & ~is_positive), "int32")
            line["n_to_positive"] = int(np.count_nonzero(now & ~is_positive))
            line["to_negative"] = packed(np.flatnonzero(is_positive & ~now), "int32")
            line["n_to_negative"] = int(np.count_nonzero(is_positive & ~now))
        found.append(line)
    return found


def _checked_ids(ids: Any, n_samples: int) -> list[str] | None:
    if ids is None:
        return None
    names = [str(name) for name in ids]
    if len(names) != n_samples:
        raise ValueError(f"ids must name the {n_samples} rows of X, found {len(names)} names")
    return names
