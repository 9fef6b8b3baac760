"""The summary of a fitted estimator, a plain dict, and its page: one HTML file with all inside."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pucut._support.files import write_whole
from pucut._support.html import Html, palette
from pucut.priors import LabellingCheck
from pucut.report.alerts import alerts
from pucut.report.columns import ColumnSource
from pucut.report.fit import ReportedFit
from pucut.report.markup import filled
from pucut.report.sections import SECTIONS
from pucut.report.values import asset, headline

SCHEMA = "pucut-report/4"
# In this order they make one script; they share one scope.
SCRIPTS = ("data.js", "map.js", "cuts.js", "detail.js", "table.js", "main.js")


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
    fit = ReportedFit(**locals())  # its fields are these parameters
    summary = {"schema": SCHEMA, "version": version("pucut")}
    for section in SECTIONS:
        summary |= section.facts(fit)
    about = {"unreached": np.flatnonzero(~fit.is_reached), "repeated": fit.table.repeated}
    return summary | {"alerts": alerts(summary, about, notes, fit.listed)}


def render(summary: dict[str, Any]) -> str:
    """Make the page of a report; the same page for the same dict."""
    found = summary.get("schema")
    if found != SCHEMA:
        raise ValueError(
            f"summary must be a dict of schema {SCHEMA!r}, as summarise makes it, found {found!r}"
        )
    style = palette() + asset("page.css")
    script = '(() => {\n"use strict";\n' + "".join(asset(name) for name in SCRIPTS) + "})();\n"
    source, method = summary["data"]["source"], summary["method"]
    about = " · ".join(part for part in (source, method) if part)
    return filled(
        "page.html",
        script_digest=_digest(script),
        style_digest=_digest(style),
        version=summary["version"],
        title=f"{headline(summary)} · {about}",
        about=about,
        sections=Html("\n".join(section.render(summary) for section in SECTIONS)),
        source=None if summary["partition"] is None else " 2-HNC: Hochbaum and Nitayanont.",
        summary=json_in_html(summary),
        style=Html(style),
        script=Html(script),
    )


def write(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Write the page to a file, whole or not at all; an existing file is replaced."""
    write_whole(Path(path), render(summary).encode())


def json_in_html(value: Any) -> Html:
    """Write JSON that cannot end the element it stands in, or begin another."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(text)


def _digest(text: str) -> str:
    """Return what allows a script or styles of the page; its policy allows nothing else."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
