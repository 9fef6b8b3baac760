"""The summary of a fitted estimator: a plain dict of the facts of all sections."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from pucut.priors import LabellingCheck
from pucut.report.alerts import alerts
from pucut.report.columns import ColumnSource
from pucut.report.fit import ReportedFit
from pucut.report.sections import SECTIONS

SCHEMA = "pucut-report/4"


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
    """Summarise a fitted estimator as a plain dict.

    Parameters
    ----------
    estimator : fitted PU classifier
    X, y
        The table and the labels given to `fit`.
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
    fit = ReportedFit(
        estimator,
        X,
        y,
        ids=ids,
        feature_names=feature_names,
        source=source,
        label_name=label_name,
        positive=positive,
        sources=sources,
        probabilities=probabilities,
        ranks=ranks,
        labelling=labelling,
        random_state=random_state,
    )
    summary = {"schema": SCHEMA, "version": version("pucut")}
    for section in SECTIONS:
        summary |= section.facts(fit)
    about = {"unreached": np.flatnonzero(~fit.is_reached), "repeated": fit.table.repeated}
    return summary | {"alerts": alerts(summary, about, notes, fit.listed)}
