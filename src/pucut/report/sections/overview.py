"""The opening of the page: the method, the data, the prior, and how many rows were found.

Keys of the summary::

    method, explanation   its name, and what it does in a sentence or two
    is_by_prior           whether the prior sets the threshold, and not the method's own rule
    data                  source (the file's name), n_samples, n_labelled, n_negative (known
                          negatives), n_unlabelled, n_columns (of the file), n_features (columns of
                          X), n_encoded (features after encoding), is_pairwise, label_name,
                          positive and unlabelled (the values that mark rows), word (for what
                          positives are)
    prior                 value, is_given, interval or null, method, is_upper_bound, upper_bound,
                          doubts (why it is a guess, by name), text
    n_positive            rows that are classified as positive, the labelled ones included
"""

from typing import Any

import numpy as np

from pucut._support.html import Html
from pucut.report.fit import ReportedFit
from pucut.report.markup import filled
from pucut.report.values import as_json, headline, shortened, word_for


def facts(fit: ReportedFit) -> dict[str, Any]:
    return {
        "method": fit.method,
        "explanation": fit.explanation,
        "is_by_prior": fit.is_by_prior,
        "data": _data(fit),
        "prior": _prior(fit.estimator),
        "n_positive": int(np.count_nonzero(fit.is_positive)),
    }


def _data(fit: ReportedFit) -> dict[str, Any]:
    labels, table = fit.labels, fit.table
    n_features = as_json(getattr(fit.estimator, "n_features_in_", None))
    mark = shortened(labels.classes[1]) if fit.positive is None else str(fit.positive)
    has_columns = bool(table.sources)
    return {
        "source": fit.source,
        "n_samples": labels.n_samples,
        "n_labelled": labels.n_labelled,
        "n_negative": labels.n_negative,
        "n_unlabelled": int(np.count_nonzero(labels.is_unlabelled)),
        "n_columns": sum(table.kinds().values()) or n_features,
        "n_features": len(table.sources) or n_features,
        "n_encoded": table.points.shape[1] if has_columns else None,
        "is_pairwise": table.points is not None and not has_columns,
        "label_name": fit.label_name,
        "positive": mark,
        "unlabelled": shortened(labels.classes[0]),
        "word": word_for(mark),
    }


def _prior(estimator: Any) -> dict[str, Any]:
    estimate = getattr(estimator, "prior_estimate_", None)
    found: dict[str, Any] = {"value": float(estimator.prior_), "is_given": estimate is None}
    if estimate is None:
        unknown = dict.fromkeys(("interval", "method", "is_upper_bound", "upper_bound"))
        return found | unknown | {"is_upper_bound": False, "doubts": {}, "text": None}
    return found | {
        "interval": [float(end) for end in estimate.interval],
        "method": str(estimate.method),
        "is_upper_bound": bool(estimate.is_upper_bound),
        "upper_bound": float(estimate.upper_bound),
        "doubts": dict(estimate.doubts),
        "text": str(estimate),
    }


def render(summary: dict[str, Any]) -> Html:
    return filled("opening.html", headline=headline(summary))
