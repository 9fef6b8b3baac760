"""From a fitted estimator to a plain dict: all that a report says, and nothing drawn yet."""

import dataclasses
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.cuts.two_stages import reached_from
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.suspects import suspect_columns
from pucut.priors import LabellingCheck
from pucut.report.alerts import alerts
from pucut.report.columns import columns_of
from pucut.report.distributions import Groups
from pucut.report.methods import Account, account_of, is_cut_at_prior, method_of
from pucut.report.packing import packed
from pucut.report.plain import plain, short
from pucut.report.plane import plane_of
from pucut.report.reasons import (
    chains_to_labels,
    labelled_neighbors,
    share_to_positive,
    turning_priors,
)
from pucut.report.wording import word_for
from pucut.scores.thresholds import positives_by_prior

SCHEMA = "pucut-report/3"

# How far the prior is moved to see which rows change class.
PRIOR_MOVES = (-0.1, -0.05, 0.05, 0.1)
N_LABELLED_NEIGHBORS = 5
# From here on a row found is sure, and below the other one it is close to the border.
SURE, CLOSE = 0.9, 0.6


def summarise(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    ids: Any = None,
    feature_names: Any = None,
    source: str | None = None,
    label_name: str | None = None,
    positive: str | None = None,
    probabilities: Any = None,
    ranks: Any = None,
    notes: Sequence[str] = (),
    labelling: LabellingCheck | None = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """What there is to say of a fitted estimator, as a plain dict.

    Parameters
    ----------
    estimator : fitted PU classifier
    X, y
        What was given to `fit`.
    ids : array-like of shape (n_samples,), optional
        Names of the rows; by default their numbers, from 0.
    feature_names : sequence of str, optional
        Names of the columns; by default those of the data frame.
    source : str, optional
        Where the table comes from, such as the name of its file.
    label_name : str, optional
        Name of the column of labels.
    positive : str, optional
        What marks the known positives in it; by default the value of `y` that does.
    probabilities : array-like of shape (n_samples,), optional
        Of being positive, for each row; by default what `predict_proba` says of X.
    ranks : array-like of shape (n_samples,), optional
        The order of the unlabelled rows, 1 for the most likely positive, and NaN for known rows; by
        default the positive ones come first, and then high scores.
    notes : sequence of str, optional
        What else the reader should know, such as columns that are not used; each is an alert.
    labelling : LabellingCheck, optional
        What `pucut.check_labelling` found: whether the known positives look like a random draw.
    random_state : int, default=0
        For the map, and for which rows are drawn where there are too many.

    Returns
    -------
    dict
        Of numbers, texts, lists and dicts, ready for JSON; its keys stand in the documentation of
        `pucut.report`.
    """
    method = method_of(estimator)
    n_samples = len(estimator.scores_)
    labels = _labels(estimator, X, y)
    is_positive = labels.decode(estimator.transduction_, "transduction_")
    groups = Groups(
        known=labels.is_labelled,
        found=is_positive & ~labels.is_labelled,
        other=labels.is_unlabelled & ~is_positive,
    )
    account = account_of(estimator, labels, is_positive)
    table = columns_of(estimator, X, account.graph, groups, feature_names)
    probability = _probability(estimator, X, probabilities)
    mark = short(labels.classes[1]) if positive is None else str(positive)
    is_by_prior = is_cut_at_prior(estimator)
    summary = {
        "schema": SCHEMA,
        "version": version("pucut"),
        "method": method,
        "explanation": account.text,
        "is_by_prior": is_by_prior,
        "data": {
            "source": source,
            "n_samples": n_samples,
            "n_labelled": labels.n_labelled,
            "n_negative": labels.n_negative,
            "n_unlabelled": int(np.count_nonzero(labels.is_unlabelled)),
            "n_columns": len(table.names) or plain(getattr(estimator, "n_features_in_", None)),
            "n_encoded": table.points.shape[1] if table.names else None,
            "is_pairwise": table.points is not None and not table.names,
            "label_name": label_name,
            "positive": mark,
            "unlabelled": short(labels.classes[0]),
            "word": word_for(mark),
        },
        "prior": _prior(estimator),
        "suspects": [
            {"column": suspect.column, "kind": suspect.kind, "text": str(suspect)}
            for suspect in suspect_columns(X, labels, feature_names)
        ],
        "labelling": _labelling(labelling),
        "n_positive": int(np.count_nonzero(is_positive)),
        "certainty": _certainty(probability, groups),
        "hidden": _hidden(estimator),
        "graph": _graph(estimator, account),
        "partition": account.partition,
        "selection": account.selection,
        "settings": {
            name: short(repr(value)) for name, value in estimator.get_params(deep=False).items()
        },
        "seconds": {
            name: float(value) for name, value in getattr(estimator, "step_seconds_", {}).items()
        },
        "stages": account.stages,
        "rows": _rows(estimator, probability, labels, is_positive, account, ids, ranks),
        "plane": None if table.points is None else _plane(table.points, random_state),
        "columns": [
            dataclasses.asdict(facts) | {"values": packed(facts.values, "float32")}
            for facts in table.shown
        ],
        "space": account.space,
        "weights": _weights(table.names, table.weights),
        "sensitivity": _sensitivity(estimator, labels, is_positive) if is_by_prior else [],
    }
    about = {"unreached": _unreached(account, labels), "repeated": table.repeated}
    return summary | {"alerts": alerts(summary, about, notes)}


def _labels(estimator: Any, X: Any, y: Any) -> PULabels:
    n_samples = len(estimator.scores_)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != n_samples:
        raise ValueError(
            f"X must be the table given to fit, with {n_samples} rows, found {n_rows} rows"
        )
    names = {"pos_label": estimator.pos_label, "neg_label": getattr(estimator, "neg_label", None)}
    return checked_pu_labels(y, **names, n_samples=n_samples)


def _probability(estimator: Any, X: Any, given: Any) -> FloatArray:
    if given is None:
        given = estimator.predict_proba(X)[:, 1]
    found = np.asarray(given, dtype=np.float64)
    if found.shape != estimator.scores_.shape or not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(
            f"probabilities must be {len(estimator.scores_)} numbers from 0 to 1, found shape "
            f"{found.shape}"
        )
    return found


def _certainty(probability: FloatArray, groups: Groups) -> dict[str, Any]:
    """How many of the rows found are positive, by their probabilities."""
    found = probability[groups.found]
    return {
        "expected": float(found.sum()),
        "missed": float(probability[groups.other].sum()),
        "n_sure": int(np.count_nonzero(found >= SURE)),
        "n_close": int(np.count_nonzero(found < CLOSE)),
    }


def _hidden(estimator: Any) -> dict[str, float] | None:
    """How many of the known positives were found again when hidden, where that is known."""
    selection = getattr(estimator, "selection_", ())
    if not selection or plain(selection[-1].hidden_recall) is None:
        return None
    mixture = selection[-1]
    return {
        "recall": float(mixture.hidden_recall),
        "standard_error": float(mixture.standard_error),
    }


def _graph(estimator: Any, account: Account) -> dict[str, Any] | None:
    if account.about_graph is None:
        return None
    recall = plain(getattr(estimator, "neighbor_recall_", None))  # None where nobody knows
    return account.about_graph | {
        "n_edges": int(account.graph.nnz // 2),
        "neighbor_recall": recall,
    }


def _unreached(account: Account, labels: PULabels) -> Any:
    """The rows to which no chain of neighbours leads from a labelled one."""
    if account.graph is None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(~reached_from(account.graph, labels.is_labelled))


def _weights(names: list[str], weights: FloatArray | None) -> list[dict[str, Any]]:
    if weights is None:
        return []
    return [
        {"name": names[j], "weight": float(weights[j])} for j in np.argsort(-weights, kind="stable")
    ]


def _prior(estimator: Any) -> dict[str, Any]:
    estimate = getattr(estimator, "prior_estimate_", None)
    found: dict[str, Any] = {"value": float(estimator.prior_), "is_given": estimate is None}
    if estimate is None:
        return found | {
            "interval": None,
            "method": None,
            "is_upper_bound": False,
            "upper_bound": None,
            "doubts": {},
            "text": None,
        }
    return found | {
        "interval": [float(end) for end in estimate.interval],
        "method": str(estimate.method),
        "is_upper_bound": bool(estimate.is_upper_bound),
        "upper_bound": float(estimate.upper_bound),
        "doubts": dict(estimate.doubts),
        "text": str(estimate),
    }


def _labelling(check: LabellingCheck | None) -> dict[str, Any] | None:
    if check is None:
        return None
    return {
        "is_random_draw": check.is_random_draw,
        "columns": list(check.columns),
        "finding": check.finding,
        "meaning": check.meaning,
    }


def _rows(
    estimator: Any,
    probability: FloatArray,
    labels: PULabels,
    is_positive: BoolArray,
    account: Account,
    ids: Any,
    ranks: Any,
) -> dict[str, Any]:
    is_labelled = labels.is_labelled
    scores = np.asarray(estimator.scores_, dtype=np.float64)
    order = np.lexsort((-probability, -scores, ~is_positive))
    if ranks is not None:
        order = np.argsort(np.asarray(ranks, dtype=np.float64), kind="stable")  # NaN comes last
    return {
        "ids": _checked_ids(ids, labels.n_samples),
        "is_labelled": packed(is_labelled, "uint8"),
        "is_known_negative": packed(labels.is_negative, "uint8") if labels.n_negative else None,
        "is_positive": packed(is_positive, "uint8"),
        "probability": packed(probability, "float32"),
        "score": packed(scores, "float32"),
        "order": packed(order, "int32"),
        "turning_prior": packed(
            turning_priors(scores, is_labelled, labels.is_unlabelled), "float32"
        ),
        **_neighbors(account.graph, is_labelled, is_positive),
        **account.rows,
    }


def _neighbors(graph: Any, is_labelled: BoolArray, is_positive: BoolArray) -> dict[str, Any]:
    """What a graph says of each row; nothing where the method has none."""
    if graph is None:
        names = ("n_edges", "share_to_positive", "neighbor", "neighbor_weight", "towards_label")
        return dict.fromkeys((*names, "n_listed_neighbors"))
    near = labelled_neighbors(graph, is_labelled, N_LABELLED_NEIGHBORS)
    return {
        "n_edges": packed(np.diff(graph.indptr), "int32"),
        "share_to_positive": packed(share_to_positive(graph, is_positive), "float32"),
        "neighbor": packed(near.row, "int32"),
        "neighbor_weight": packed(near.weight, "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(chains_to_labels(graph, is_labelled), "int32"),
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
    """Which rows change class if the prior moves by some points."""
    found = []
    for move in PRIOR_MOVES:
        prior = float(estimator.prior_) + move
        line: dict[str, Any] = {"move": move, "prior": prior}
        line["is_possible"] = labels.labelled_share <= prior < min(labels.largest_prior, 1.0)
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
