"""Alerts: reasons to doubt a fit, in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.report.listed import ListedRows
from pucut.report.values import count, packed, sentence

Alerts = Iterator[dict[str, Any]]

FEW_LABELS = 30
WIDE_INTERVAL = 0.2
FAR_FROM_PRIOR = 0.02
LOW_RECALL = 0.99
LOW_HIDDEN_RECALL = 0.5


def alerts(
    summary: dict[str, Any],
    rows: Mapping[str, npt.NDArray[np.intp]],
    notes: Sequence[str] = (),
    listed: ListedRows | None = None,
) -> list[dict[str, Any]]:
    """Return all alerts on a fit: kind, text, and the rows that each is about, or None.

    `rows` has these rows by the kind of alert: "unreached" and "repeated". Only those that are
    `listed` on the page keep their place in it; None means that all are there. `notes` tell of
    columns that are not used.
    """
    return [
        *_of_the_prior(summary["data"], summary["prior"]),
        *_of_the_labels(summary),
        *_of_the_rows(summary, rows, listed),
        *_of_the_share(summary),
        *({"kind": "column", "text": note, "rows": None} for note in notes),
    ]


def _alert(kind: str, name: str, /, **parts: Any) -> dict[str, Any]:
    return {"kind": kind, "text": sentence(name, **parts), "rows": None}


def _of_the_prior(data: dict[str, Any], prior: dict[str, Any]) -> Alerts:
    n_positive = round(prior["value"] * data["n_samples"])
    if n_positive <= data["n_labelled"]:
        yield _alert("prior", "none_left", **prior)
    elif n_positive >= data["n_samples"]:
        yield _alert("prior", "all_positive", **prior)
    low, high = prior["interval"] or (0.0, 0.0)
    if prior["is_upper_bound"]:
        yield _alert("bound", "upper_bound", low=low, high=high, **prior)
    for name in ("few_labels", "no_signal"):
        if name in prior["doubts"]:
            yield _alert("prior", "guess", doubt=prior["doubts"][name])
    if not prior["is_upper_bound"] and high - low > WIDE_INTERVAL:
        yield _alert("prior", "wide_interval", low=low, high=high)


def _of_the_labels(summary: dict[str, Any]) -> Alerts:
    n_labelled, hidden = summary["data"]["n_labelled"], summary["hidden"]
    if n_labelled < FEW_LABELS:
        yield _alert("labels", "few_labels", known=count(n_labelled, "row is", "rows are"))
    if hidden is not None and hidden["recall"] < LOW_HIDDEN_RECALL:
        yield _alert("hidden", "low_recall", **hidden)
    for column in summary["suspects"]:
        yield _alert("suspect", "suspect", **column)
    check = summary["labelling"]
    if check is not None and check["is_random_draw"] is False:
        yield _alert("labelling", "no_random_draw", **check)


def _of_the_rows(
    summary: dict[str, Any], rows: Mapping[str, npt.NDArray[np.intp]], listed: ListedRows | None
) -> Alerts:
    nouns = {"repeated": ("row repeats", "rows repeat"), "unreached": ("row", "rows")}
    for kind, (one, many) in nouns.items():
        named = rows.get(kind, ())
        if n := len(named):
            share = n / summary["data"]["n_samples"]
            places = packed(named if listed is None else listed.places(named), "int32")
            yield _alert(kind, kind, rows=count(n, one, many), share=share) | {"rows": places}
    graph = summary["graph"] or {"neighbor_recall": None}
    if graph["neighbor_recall"] is not None and graph["neighbor_recall"] < LOW_RECALL:
        yield _alert("neighbors", "approximate_search", recall=graph["neighbor_recall"])


def _of_the_share(summary: dict[str, Any]) -> Alerts:
    share, prior = summary["n_positive"] / summary["data"]["n_samples"], summary["prior"]["value"]
    if abs(share - prior) <= FAR_FROM_PRIOR:
        return
    why = "rows with equal scores always get the same class"
    if summary["partition"] is not None:
        why = "no partition comes closer, because very similar rows change side together"
    elif not summary["is_by_prior"]:
        why = "this method was asked to use a threshold of its own"
    yield _alert("share", "far_from_prior", share=share, prior=prior, why=why)
