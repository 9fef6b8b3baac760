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
from pucut.report.fit import N_LABELLED_NEIGHBORS, ReportedFit
from pucut.report.markup import filled
from pucut.report.methods import TWO_HNC
from pucut.report.packing import packed
from pucut.report.reasons import share_to_positive


def facts(fit: ReportedFit) -> dict[str, Any]:
    listed = fit.listed
    return {
        "listed": {"n_rows": len(listed.rows), "text": listed.text},
        "graph": fit.described_graph[1],
        "rows": _rows(fit) | _neighbors(fit) | _values_of_two_hnc(fit),
    }


def _rows(fit: ReportedFit) -> dict[str, Any]:
    labels, here = fit.labels, fit.listed.rows
    rank = np.zeros(labels.n_samples, dtype=np.int32)
    unlabelled = fit.order[labels.is_unlabelled[fit.order]]
    rank[unlabelled] = np.arange(1, len(unlabelled) + 1)
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


def _ids(fit: ReportedFit) -> list[str] | None:
    if fit.ids is None:
        return None
    names, n_samples = list(fit.ids), fit.labels.n_samples
    if len(names) != n_samples:
        raise ValueError(f"ids must name the {n_samples} rows of X, found {len(names)} names")
    return [str(names[row]) for row in fit.listed.rows]


def _neighbors(fit: ReportedFit) -> dict[str, Any]:
    """Describe each row's neighbours; all values are None where the method has no graph."""
    if fit.graph is None or fit.near is None or fit.towards is None:
        names = ("n_edges", "share_to_positive", "neighbor", "neighbor_weight", "towards_label")
        return dict.fromkeys((*names, "n_listed_neighbors"))
    listed, graph, (near, weight) = fit.listed, fit.graph, fit.near
    here = listed.rows
    return {
        "n_edges": packed(np.diff(graph.indptr)[here], "int32"),
        "share_to_positive": packed(share_to_positive(graph, fit.is_positive)[here], "float32"),
        "neighbor": packed(listed.renumbered(near[here]), "int32"),
        "neighbor_weight": packed(weight[here], "float32"),
        "n_listed_neighbors": N_LABELLED_NEIGHBORS,
        "towards_label": packed(listed.renumbered(fit.towards[here]), "int32"),
    }


def _values_of_two_hnc(fit: ReportedFit) -> dict[str, Any]:
    """Return the values that only rows of 2-HNC have; None for other methods."""
    if fit.method != TWO_HNC:
        return dict.fromkeys(("is_likely_negative", "is_reached", "negative_place"))
    here, ranking = fit.listed.rows, fit.estimator.negative_ranking_
    place = np.zeros(fit.labels.n_samples, dtype=np.int32)
    place[ranking] = np.arange(1, len(ranking) + 1)
    is_likely_negative = np.zeros(fit.labels.n_samples, dtype=np.bool_)
    is_likely_negative[fit.estimator.likely_negative_] = True
    return {
        "is_likely_negative": packed(is_likely_negative[here], "uint8"),
        "is_reached": packed(fit.is_reached[here], "uint8"),
        "negative_place": packed(place[here], "int32"),
    }


def render(summary: dict[str, Any]) -> Html:
    text = summary["listed"]["text"]
    which = None if text is None else element("p", text, class_="lead")
    return filled("rows.html", which=which)
