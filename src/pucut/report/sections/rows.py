"""The section "The rows, and why each has its class": the table of rows and their reasons.

Keys of the summary::

    listed                n_rows on the page; text: which these are, null if all are there
    graph                 the one whose neighbours are shown: n_neighbors, n_edges, similarity,
                          sigma (null where it follows from the distances), neighbor_recall (null
                          where unknown). Of pucut it is that of the cut with most weight: name and
                          weight of this cut; where no cut has weight, name is that of a space
    rows                  number (of each row in the table, null if all are on the page), ids or
                          null (then rows have their numbers), and arrays of length n:
                          is_labelled, is_known_negative (null if none is), is_positive,
                          probability, score, turning_prior (from which on the row is positive, 0
                          if labelled, infinite if known to be negative); with a graph: n_edges,
                          share_to_positive (of the weight of its edges; -1 without any),
                          towards_label (the next row on the strongest chain to a label, or -1; -2
                          if it is not on the page);
                          2-HNC: is_likely_negative, is_reached, negative_place (in the ranking,
                          from 1; 0 for labelled rows); rank (among all unlabelled rows, from 1;
                          0 for known ones); order: all rows, the most likely positives first;
                          neighbor and neighbor_weight: of length n times n_listed_neighbors, the
                          nearest labelled rows, -1 for none, -2 if not on the page
"""

from typing import Any

import numpy as np

from pucut._support.html import Html, element
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.report.fit import N_LABELLED_NEIGHBORS, TWO_HNC, ReportedFit
from pucut.report.listed import share_to_positive
from pucut.report.markup import filled
from pucut.report.values import packed


def facts(fit: ReportedFit) -> dict[str, Any]:
    listed = fit.listed
    return {
        "listed": {"n_rows": len(listed.rows), "text": listed.text},
        "graph": fit.described_graph[1],
        "rows": _rows(fit) | _neighbors(fit) | _values_of_two_hnc(fit),
    }


def _rows(fit: ReportedFit) -> dict[str, Any]:
    labels, here = fit.labels, fit.listed.rows
    rank = _places(fit.order[labels.is_unlabelled[fit.order]], labels.n_samples)
    negative = packed(labels.is_negative[here], "uint8") if labels.n_negative else None
    return {
        "number": None if fit.listed.text is None else packed(here, "int32"),
        "ids": _ids(fit),
        "is_labelled": packed(labels.is_labelled[here], "uint8"),
        "is_known_negative": negative,
        "is_positive": packed(fit.is_positive[here], "uint8"),
        "probability": packed(fit.probability[here], "float32"),
        "score": packed(fit.scores[here], "float32"),
        "rank": packed(rank[here], "int32"),
        "order": packed(fit.listed.places(fit.order), "int32"),
        "turning_prior": packed(fit.turning_priors[here], "float32"),
    }


def _places(ranking: Any, n_samples: int) -> RowNumbers:
    """Return the place of each row in a ranking, from 1; 0 for rows that are not in it."""
    place = np.zeros(n_samples, dtype=np.int32)
    place[ranking] = np.arange(1, len(ranking) + 1)
    return place


def _ids(fit: ReportedFit) -> list[str] | None:
    if fit.ids is None:
        return None
    names, n_samples = list(fit.ids), fit.labels.n_samples
    if len(names) != n_samples:
        raise ValueError(f"ids must name the {n_samples} rows of X, found {len(names)} names")
    return [str(names[row]) for row in fit.listed.rows]


def _neighbors(fit: ReportedFit) -> dict[str, Any]:
    """Describe each row's neighbours; all values are None where the method has no graph."""
    if fit.reasons is None:
        names = ("n_edges", "share_to_positive", "neighbor", "neighbor_weight", "towards_label")
        return dict.fromkeys((*names, "n_listed_neighbors"))
    listed, graph, (near, weight, towards) = fit.listed, fit.graph, fit.reasons
    here = listed.rows
    return {
        "n_edges": packed(np.diff(graph.indptr)[here], "int32"),
        "share_to_positive": packed(share_to_positive(graph, fit.is_positive)[here], "float32"),
        "neighbor": packed(listed.renumbered(near[here]), "int32"),
        "neighbor_weight": packed(weight[here], "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(listed.renumbered(towards[here]), "int32"),
    }


def _values_of_two_hnc(fit: ReportedFit) -> dict[str, Any]:
    """Return the values that only rows of 2-HNC have; None for other methods."""
    if fit.method != TWO_HNC:
        return dict.fromkeys(("is_likely_negative", "is_reached", "negative_place"))
    here = fit.listed.rows
    place = _places(fit.estimator.negative_ranking_, fit.labels.n_samples)
    return {
        "is_likely_negative": packed(np.isin(here, fit.estimator.likely_negative_), "uint8"),
        "is_reached": packed(fit.is_reached[here], "uint8"),
        "negative_place": packed(place[here], "int32"),
    }


def render(summary: dict[str, Any]) -> Html:
    text = summary["listed"]["text"]
    which = None if text is None else element("p", text, class_="lead")
    return filled("rows.html", which=which)
