"""From a fitted TwoHNCClassifier to a plain dict: all that a report says, and nothing drawn yet."""

import dataclasses
import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.two_stages import reached_from
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.tables import read_table
from pucut.report.cautions import cautions
from pucut.report.columns import (
    ColumnFacts,
    checked_names,
    column_facts,
    columns_shown,
    weights_of_columns,
)
from pucut.report.packing import packed
from pucut.report.plane import plane_of
from pucut.report.reasons import (
    chains_to_labels,
    labelled_neighbors,
    share_to_positive,
    turning_priors,
)
from pucut.report.steps import Steps, nearest_step, steps_of_stages
from pucut.scores.thresholds import positives_by_prior
from pucut.trees.feature_weights import weighted

SCHEMA = "pucut-report/1"

# How far the prior is moved to see which rows change class.
PRIOR_MOVES = (-0.1, -0.05, 0.05, 0.1)
N_LABELLED_NEIGHBORS = 5
LONGEST_TEXT = 200

_NEEDED = ("transduction_", "scores_", "stage1_", "stage2_", "partition_", "graph_", "prior_")


def summarise(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    ids: Any = None,
    feature_names: Any = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """What there is to say of a fitted TwoHNCClassifier, as a plain dict.

    Parameters
    ----------
    estimator : fitted TwoHNCClassifier
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
    missing = [name for name in _NEEDED if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"estimator must be a fitted TwoHNCClassifier, found {type(estimator).__name__} "
            f"without {', '.join(missing)}"
        )
    n_samples = len(estimator.scores_)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != n_samples:
        raise ValueError(
            f"X must be the table given to fit, with {n_samples} rows, found {n_rows} rows"
        )
    labels = checked_pu_labels(y, pos_label=estimator.pos_label, n_samples=n_samples)
    is_positive = labels.decode(estimator.transduction_, "transduction_")
    stages = steps_of_stages(estimator)
    chosen = stages[estimator.partition_.stage - 1]
    step = nearest_step(chosen, is_positive)
    columns, points, names, table_weights = _columns(estimator, X, labels, feature_names)
    summary = {
        "schema": SCHEMA,
        "version": version("pucut"),
        "data": {
            "n_samples": n_samples,
            "n_labelled": labels.n_labelled,
            "n_columns": len(names) if names else int(estimator.n_features_in_),
            "n_encoded": None if not names else points.shape[1],
            "is_pairwise": not names,
            "positive": _short(labels.classes[1]),
            "unlabelled": _short(labels.classes[0]),
        },
        "prior": _prior(estimator),
        "choice": _choice(estimator, chosen, step, is_positive),
        "settings": {
            name: _short(repr(value)) for name, value in estimator.get_params(deep=False).items()
        },
        "seconds": {name: float(value) for name, value in estimator.step_seconds_.items()},
        "stages": [_stage(steps, estimator) for steps in stages],
        "rows": _rows(estimator, X, labels, is_positive, ids),
        "plane": _plane(points, random_state),
        "columns": columns,
        "weights": [
            {"name": names[j], "weight": float(table_weights[j])}
            for j in np.argsort(-table_weights, kind="stable")
        ],
        "sensitivity": _sensitivity(estimator, labels, is_positive),
    }
    return summary | {"cautions": cautions(summary)}


def _prior(estimator: Any) -> dict[str, Any]:
    estimate = getattr(estimator, "prior_estimate_", None)
    found: dict[str, Any] = {"value": float(estimator.prior_), "is_given": estimate is None}
    if estimate is None:
        return found | {"interval": None, "method": None, "is_upper_bound": False, "text": None}
    return found | {
        "interval": [float(end) for end in estimate.interval],
        "method": str(estimate.method),
        "is_upper_bound": bool(estimate.is_upper_bound),
        "text": str(estimate),
    }


def _choice(estimator: Any, chosen: Steps, step: int, is_positive: BoolArray) -> dict[str, Any]:
    partition = estimator.partition_
    return {
        "stage": chosen.stage,
        "step": step,
        "lam": float(partition.lam),
        "n_positive": int(np.count_nonzero(is_positive)),
        "n_differing": int(np.count_nonzero(chosen.is_positive(step) != is_positive)),
        "n_likely_negative": len(estimator.likely_negative_),
        "n_neighbors": _plain(getattr(estimator, "n_neighbors_", None)),
        "sigma": _plain(getattr(estimator, "sigma_", None)),
        "preset": str(estimator.preset),
        "similarity": str(estimator.similarity),
        "n_edges": int(estimator.graph_.nnz // 2),
        "n_unreached": int(estimator.n_unreached_),
        "neighbor_recall": _plain(estimator.neighbor_recall_),  # NaN where nobody knows
        "selection": _selection(getattr(estimator, "selection_", None)),
    }


def _selection(selection: Any) -> dict[str, Any] | None:
    """What was tried, as a table: any list of mappings or of data classes, or a data frame."""
    if selection is None:
        return None
    if hasattr(selection, "to_dict") and hasattr(selection, "columns"):
        selection = selection.to_dict(orient="records")
    lines = [
        dict(line) if isinstance(line, Mapping) else dataclasses.asdict(line) for line in selection
    ]
    heads = list(dict.fromkeys(name for line in lines for name in line))
    return {
        "columns": [str(head) for head in heads],
        "lines": [[_plain(line.get(head)) for head in heads] for line in lines],
    }


def _stage(steps: Steps, estimator: Any) -> dict[str, Any]:
    path = estimator.stage1_ if steps.stage == 1 else estimator.stage2_
    return {
        "stage": steps.stage,
        "lam": packed(steps.lam, "float64"),
        "n_positive": packed(steps.n_positive, "int32"),
        "turn": packed(steps.turn, "int32"),
        "duality_gap": float(path.duality_gap),
    }


def _rows(
    estimator: Any, X: Any, labels: PULabels, is_positive: BoolArray, ids: Any
) -> dict[str, Any]:
    n_samples, is_labelled = labels.n_samples, labels.is_labelled
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    place = np.zeros(n_samples, dtype=np.int32)
    place[estimator.negative_ranking_] = np.arange(1, len(estimator.negative_ranking_) + 1)
    is_likely_negative = np.zeros(n_samples, dtype=np.bool_)
    is_likely_negative[estimator.likely_negative_] = True
    near = labelled_neighbors(estimator.graph_, is_labelled, N_LABELLED_NEIGHBORS)
    return {
        "ids": _checked_ids(ids, n_samples),
        "is_labelled": packed(is_labelled, "uint8"),
        "is_positive": packed(is_positive, "uint8"),
        "is_likely_negative": packed(is_likely_negative, "uint8"),
        "is_reached": packed(reached_from(estimator.graph_, is_labelled), "uint8"),
        "probability": packed(estimator.predict_proba(X)[:, 1], "float32"),
        "score": packed(scores, "float32"),
        "order": packed(np.argsort(-scores, kind="stable"), "int32"),
        "negative_place": packed(place, "int32"),
        "turning_prior": packed(turning_priors(scores, is_labelled), "float32"),
        "n_edges": packed(np.diff(estimator.graph_.indptr), "int32"),
        "share_to_positive": packed(share_to_positive(estimator.graph_, is_positive), "float32"),
        "neighbor": packed(near.row, "int32"),
        "neighbor_weight": packed(near.weight, "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(chains_to_labels(estimator.graph_, is_labelled), "int32"),
    }


def _columns(
    estimator: Any, X: Any, labels: PULabels, feature_names: Any
) -> tuple[list[dict[str, Any]], Any, list[str], FloatArray]:
    """Columns for the page, weighted points for the map, names and weights of all columns."""
    if get_tags(estimator).input_tags.pairwise:  # similarities or distances: there are no columns
        if feature_names is not None:
            raise ValueError("feature_names must be None where X is precomputed, found names")
        return [], estimator.graph_, [], np.zeros(0)
    X = X if hasattr(X, "shape") else _as_array(X)
    table = read_table(X)
    encoding, points = learn_encoding(table)
    weights = getattr(estimator, "feature_weights_", None)
    if weights is None or len(weights) != encoding.n_features:  # a graph that does without them
        weights = np.ones(encoding.n_features)
    n_columns = table.format.n_columns
    names = checked_names(feature_names, estimator, X, n_columns)
    by_column = weights_of_columns(weights, encoding.column, n_columns)
    columns = [
        _column(column_facts(table, j, names[j], float(by_column[j]), labels.is_labelled))
        for j in columns_shown(by_column, labels.n_samples)
    ]
    return columns, weighted(points, weights, in_place=True), names, by_column


def _column(facts: ColumnFacts) -> dict[str, Any]:
    return dataclasses.asdict(facts) | {"values": packed(facts.values, "float32")}


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


def _plain(value: Any) -> Any:
    """Numbers, texts and None as JSON has them; anything else as a text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _short(value)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _as_array(X: Any) -> Any:
    """Lists as `fit` reads them: numbers beside texts stay numbers."""
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
