"""From a fitted estimator to a plain dict: all that a report says, and nothing drawn yet."""

import dataclasses
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cuts.two_stages import reached_from
from pucut.data.labels import PULabels, checked_pu_labels
from pucut.data.suspects import suspect_columns
from pucut.priors import LabellingCheck
from pucut.report.alerts import alerts
from pucut.report.columns import ColumnSource, columns_of
from pucut.report.distributions import Groups, probabilities_of
from pucut.report.listed import Listed
from pucut.report.methods import Account, account_of, is_cut_at_prior, method_of
from pucut.report.packing import packed
from pucut.report.plain import plain, short
from pucut.report.plane import Plane, plane_of
from pucut.report.rows import found_by_prior, rows_dict, rows_of, sensitivity_of
from pucut.report.wording import word_for

SCHEMA = "pucut-report/4"

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
    sources: Mapping[str, ColumnSource] | None = None,
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
    sources : mapping of names of columns to ColumnSource, optional
        What columns were in the table that X was read from, such as dates.
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
        negative=labels.is_negative if labels.n_negative else None,
    )
    account = account_of(estimator, labels, is_positive)
    table = columns_of(estimator, X, account.graph, groups, feature_names, sources or {})
    probability = _probability(estimator, X, probabilities)
    plane = None if table.points is None else plane_of(table.points, random_state)
    rows = rows_of(estimator, probability, labels, groups, account, plane, ranks, random_state)
    listed = rows.listed
    partition, stages = _stages(account, listed)
    prior = _prior(estimator)
    mark = short(labels.classes[1]) if positive is None else str(positive)
    is_by_prior = is_cut_at_prior(estimator)
    n_features = getattr(estimator, "n_features_in_", None)
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
            "n_columns": sum(table.kinds.values()) or plain(n_features),
            "n_features": len(table.names) or plain(n_features),
            "n_encoded": table.points.shape[1] if table.names else None,
            "is_pairwise": table.points is not None and not table.names,
            "label_name": label_name,
            "positive": mark,
            "unlabelled": short(labels.classes[0]),
            "word": word_for(mark),
        },
        "listed": {"n_rows": len(listed.rows), "text": listed.text},
        "prior": prior,
        "suspects": [
            {"column": suspect.column, "kind": suspect.kind, "text": str(suspect)}
            for suspect in suspect_columns(X, labels, feature_names)
        ],
        "labelling": _labelling(labelling),
        "n_positive": int(np.count_nonzero(is_positive)),
        "certainty": _certainty(probability, groups),
        "hidden": _hidden(estimator),
        "graph": _graph(estimator, account),
        "partition": partition,
        "selection": account.selection,
        "settings": {
            name: short(repr(value)) for name, value in estimator.get_params(deep=False).items()
        },
        "seconds": {
            name: float(value) for name, value in getattr(estimator, "step_seconds_", {}).items()
        },
        "stages": stages,
        "rows": rows_dict(rows, labels, account, groups, ids),
        "plane": None if plane is None else _plane(plane, listed),
        "probabilities": dataclasses.asdict(probabilities_of(probability, groups)),
        "found_by_prior": found_by_prior(rows, labels, prior["interval"]) if is_by_prior else None,
        "columns": [
            dataclasses.asdict(facts) | {"values": packed(facts.values[listed.rows], "float32")}
            for facts in table.shown
        ],
        "kinds": table.kinds,
        "space": account.space,
        "weights": [{"name": name, "weight": weight} for name, weight in table.weight_of.items()],
        "sensitivity": sensitivity_of(estimator, labels, is_positive, listed)
        if is_by_prior
        else [],
    }
    about = {"unreached": _unreached(account, labels), "repeated": table.repeated}
    return summary | {"alerts": alerts(summary, about, notes, listed)}


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


def _plane(plane: Plane, listed: Listed) -> dict[str, Any]:
    return {
        "x": packed(plane.place[listed.rows, 0], "uint16"),
        "y": packed(plane.place[listed.rows, 1], "uint16"),
        "ratio": plane.ratio,
        "explained": plane.explained,
        "n_beyond": plane.n_beyond,
        "drawn": packed(listed.places(plane.drawn), "int32"),
        "n_drawn": len(plane.drawn),
    }


def _stages(account: Account, listed: Listed) -> tuple[Any, Any]:
    """The partition and the stages, with the steps at which rows of the page turn."""
    if account.stages is None or account.partition is None:
        return None, None
    chosen = account.partition["stage"] - 1
    thinned = [
        steps.of_rows(listed.rows, account.partition["step"] if number == chosen else None)
        for number, steps in enumerate(account.stages)
    ]
    step = thinned[chosen].place_of(account.stages[chosen], account.partition["step"])
    return account.partition | {"step": step}, [
        {
            "stage": steps.stage,
            "lam": packed(steps.lam, "float64"),
            "n_positive": packed(steps.n_positive, "int32"),
            "turn": packed(steps.turn, "int32"),
            "duality_gap": steps.duality_gap,
        }
        for steps in thinned
    ]
