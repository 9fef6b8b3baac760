"""A method's name, its explanation, and the graph by which it shows neighbours."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pucut import methods
from pucut.data.row_order import renumbered_graph
from pucut.methods import ElkanNotoClassifier
from pucut.report.packing import as_json

TWO_HNC, PUCUT = "2-HNC", "pucut"
# Attributes by which a fitted estimator of these methods is recognised.
_ATTRIBUTES = {TWO_HNC: ("partition_", "stage1_", "stage2_", "graph_"), PUCUT: ("mixture_",)}
# Attributes that every page needs.
_NEEDED = ("scores_", "transduction_", "prior_", "predict_proba")
_EXPLANATIONS = {
    TWO_HNC: "Rows are the nodes of a graph of neighbours. 2-HNC cuts it where little similarity "
    "is lost, for every tradeoff between similarity and size, in two stages: the first ranks "
    "likely negatives, the second holds these fixed. The cut whose share of positives comes "
    "closest to the prior decides.",
    PUCUT: "Several learners scored every row, and minimum cuts smoothed the scores along graphs "
    "of neighbours. All of them were mixed by how many known positives they found again that had "
    "been hidden from everything.",
}


def method_name(estimator: Any) -> str:
    """Return the method of a fitted estimator: a name in `METHODS`, or that of its class."""
    check_is_fitted(estimator)
    missing = [name for name in _NEEDED if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"estimator must be a fitted PU classifier, found {type(estimator).__name__}, which "
            f"has no {', '.join(missing)}"
        )
    for method, needed in _ATTRIBUTES.items():
        if all(hasattr(estimator, name) for name in needed):
            return method
    return methods.name_in_methods(estimator) or type(estimator).__name__


def explanation_of(estimator: Any, method: str) -> str:
    """Explain a method in a sentence or two, by default the first of its documentation."""
    first = (type(estimator).__doc__ or "").strip().split("\n\n")[0]
    return _EXPLANATIONS.get(method, " ".join(first.split()))


def is_cut_at_prior(estimator: Any) -> bool:
    """Tell whether the prior sets the threshold of the training rows."""
    if isinstance(estimator, ElkanNotoClassifier):
        return False
    return bool(getattr(estimator, "threshold", "prior") != "half")


def shown_graph(estimator: Any, method: str) -> tuple[Any, dict[str, Any] | None]:
    """Return the similarities by which neighbours are shown, a CSR array, and a description.

    Both are None where the method has no graph.
    """
    about: dict[str, Any] = {"name": None, "weight": None, "n_neighbors": None, "sigma": None}
    if method == PUCUT:
        edges, found = _heaviest_graph(estimator)
    elif method == TWO_HNC:
        edges, names = estimator.graph_, ("n_neighbors", "sigma")
        found = {name: as_json(getattr(estimator, f"{name}_", None)) for name in names}
        found["similarity"] = str(estimator.similarity)
    else:
        edges, found = getattr(estimator, "graph_", None), {"similarity": "its own"}
    if edges is None:
        return None, None
    recall = as_json(getattr(estimator, "neighbor_recall_", None))  # None where nobody knows
    found |= {"n_edges": int(edges.nnz // 2), "neighbor_recall": recall}
    return edges, about | found


def _heaviest_graph(estimator: Any) -> tuple[Any, dict[str, Any]]:
    """Return the graph of the cut with most weight; without cuts, that of the first space."""
    mixture = estimator.mixture_
    if mixture.cuts:
        heaviest = int(np.argmax(mixture.cut_weights))
        cut = mixture.cuts[heaviest]
        space, n_neighbors, name = cut.space, cut.n_neighbors, cut.name
        weight = float(mixture.cut_weights[heaviest])
    else:
        space, name, weight = mixture.spaces[0], mixture.spaces[0].name, None
        n_neighbors = space.lists.n_neighbors
    about = {"name": name, "weight": weight, "n_neighbors": int(n_neighbors)}
    edges = renumbered_graph(space.graph(n_neighbors), estimator.row_order_)
    return edges, about | {"similarity": "gaussian"}
