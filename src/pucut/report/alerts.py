"""Alerts: reasons to doubt a fit, in plain words."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.report.listed import ListedRows
from pucut.report.packing import packed
from pucut.report.wording import count, percent

FEW_LABELS = 30
WIDE_INTERVAL = 0.2
FAR_FROM_PRIOR = 0.02
LOW_RECALL = 0.99
LOW_HIDDEN_RECALL = 0.5
# Alerts about rows: a noun for one row and for several, and the text.
_ABOUT_ROWS = {
    "repeated": (
        "row repeats",
        "rows repeat",
        "{count} another one in all columns ({share} of the table). Each counts as a row of its "
        "own in the share of positives. If they are the same samples twice, leave the copies out.",
    ),
    "unreached": (
        "row",
        "rows",
        "No known row reaches {count} ({share}): no chain of neighbours leads from a known row to "
        "them. What is said of them rests on distance and on the columns alone. A label among them "
        "would help.",
    ),
}


def alert(kind: str, text: str, rows: npt.NDArray[np.integer] | None = None) -> dict[str, Any]:
    """Make an alert; `rows` are those that it is about, by their places on the page."""
    return {"kind": kind, "text": text, "rows": None if rows is None else packed(rows, "int32")}


def alerts(
    summary: dict[str, Any],
    rows: dict[str, npt.NDArray[np.intp]],
    notes: Sequence[str] = (),
    listed: ListedRows | None = None,
) -> list[dict[str, Any]]:
    """Return all alerts on a fit.

    `rows` has the rows that some are about, by their kind: "unreached" and "repeated". Those that
    are not `listed` on the page are only counted; None means that all are there.
    `notes` tell of columns that are not used.
    """
    return [
        *_of_the_prior(summary["data"], summary["prior"]),
        *_of_the_labels(summary),
        *_of_the_graph(summary, rows, listed),
        *_of_the_share(summary),
        *(alert("column", note) for note in notes),
    ]


def _of_the_prior(data: dict[str, Any], prior: dict[str, Any]) -> Iterator[dict[str, Any]]:
    n_positive = round(prior["value"] * data["n_samples"])
    if n_positive <= data["n_labelled"]:
        yield alert(
            "prior",
            f"The prior, {percent(prior['value'])}, is the share of known rows: it leaves no "
            "positives among the others, and none of them can be found.",
        )
    elif n_positive >= data["n_samples"]:
        yield alert(
            "prior",
            f"The prior, {percent(prior['value'])}, leaves no negatives: every row is positive.",
        )
    if prior["is_upper_bound"]:
        low, high = prior["interval"]
        yield alert(
            "bound",
            "The prior is a guess. The classes overlap so much that the data only bound the share "
            f"of positives from above, at about {percent(prior['upper_bound'])}; what is plausible "
            f"lies between {percent(low)} and {percent(high)}. How many rows are found depends on "
            "it.",
        )
    for name in ("few_labels", "no_signal"):
        if name in prior["doubts"]:
            yield alert("prior", f"The prior is a guess: {prior['doubts'][name]}.")
    if prior["is_upper_bound"]:
        return
    if prior["interval"] and prior["interval"][1] - prior["interval"][0] > WIDE_INTERVAL:
        low, high = prior["interval"]
        yield alert(
            "prior",
            f"The prior is uncertain: anything between {percent(low)} and {percent(high)} fits the "
            "data. How many rows are found depends on it.",
        )


def _of_the_labels(summary: dict[str, Any]) -> Iterator[dict[str, Any]]:
    n_labelled, hidden = summary["data"]["n_labelled"], summary["hidden"]
    if n_labelled < FEW_LABELS:
        yield alert(
            "labels",
            f"Only {count(n_labelled, 'row is', 'rows are')} known. The ranking, the prior and the "
            "probabilities rest on these few, and other labels could change them considerably.",
        )
    if hidden is not None and hidden["recall"] < LOW_HIDDEN_RECALL:
        yield alert(
            "hidden",
            f"Only {percent(hidden['recall'])} of the known positives were found again when they "
            "were hidden: the columns say little about what makes a row positive, or the known "
            "positives have little in common.",
        )
    for suspect in summary["suspects"]:
        yield alert(
            "suspect",
            f"A column knows which rows were labelled: {suspect['text']}. A model that reads it "
            "learns who was labelled, not what a positive is. Leave the column out, unless nearly "
            "all positives are known.",
        )
    check = summary["labelling"]
    if check is not None and check["is_random_draw"] is False:
        yield alert(
            "labelling",
            f"{check['finding']} {check['meaning']} Ask how the known positives came to be known, "
            "and leave out columns that only tell that.",
        )


def _of_the_graph(
    summary: dict[str, Any], rows: dict[str, npt.NDArray[np.intp]], listed: ListedRows | None
) -> Iterator[dict[str, Any]]:
    for kind, (one, many, text) in _ABOUT_ROWS.items():
        named = rows.get(kind, np.zeros(0, dtype=np.intp))
        share = percent(len(named) / summary["data"]["n_samples"])
        text = text.format(count=count(len(named), one, many), share=share)
        if len(named):
            yield alert(kind, text, named if listed is None else listed.places(named))
    graph = summary["graph"]
    recall = None if graph is None else graph["neighbor_recall"]
    if recall is not None and recall < LOW_RECALL:
        yield alert(
            "neighbors",
            "Neighbours were found by an approximate search: about "
            f"{percent(recall)} of the true nearest neighbours were found.",
        )


def _of_the_share(summary: dict[str, Any]) -> Iterator[dict[str, Any]]:
    share, prior = summary["n_positive"] / summary["data"]["n_samples"], summary["prior"]["value"]
    if abs(share - prior) <= FAR_FROM_PRIOR:
        return
    why = "rows with equal scores always get the same class"
    if summary["partition"] is not None:
        why = "no partition comes closer, because very similar rows change side together"
    elif not summary["is_by_prior"]:
        why = "this method was asked to use a threshold of its own"
    yield alert(
        "share",
        f"{percent(share)} of the rows are classified as positive, but the prior is "
        f"{percent(prior)}: {why}.",
    )
