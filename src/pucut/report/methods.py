"""What a method has to say of itself: its graph, and how it came to its classes."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pucut import methods
from pucut._support.checks import BoolArray
from pucut.cuts.two_stages import reached_from
from pucut.data.labels import PULabels
from pucut.data.row_order import renumbered_graph
from pucut.methods import ElkanNotoClassifier
from pucut.report.plain import plain
from pucut.report.steps import Steps, step_of, steps_of_stages

TWO_HNC, PUCUT = "2-HNC", "pucut"
# What a fitted estimator of each method has, and no other has.
_ATTRIBUTES = {TWO_HNC: ("partition_", "stage1_", "stage2_", "graph_"), PUCUT: ("mixture_",)}
# Values of the rows that only 2-HNC has.
_NO_ROWS = dict.fromkeys(("is_likely_negative", "is_reached", "negative_place"))
# What the page cannot do without.
_NEEDED = ("scores_", "transduction_", "prior_", "predict_proba")


@dataclass(frozen=True, eq=False)
class Account:
    """How a method came to its classes, ready for the summary.

    Attributes
    ----------
    method : str
        Its name.
    text : str
        What the method does, in a sentence or two.
    graph : CSR array of shape (n_samples, n_samples) or None
        The similarities by which a row's neighbours are shown; None where the method has none.
    about_graph : dict or None
    space : str or None
        What the space is called in which features count as `feature_weights_` says; None where
        there is only one.
    partition, stages
        What only 2-HNC has, else None.
    selection
        What only pucut has, else None.
    rows : dict
        Arrays with a value for each row; None for those the method does not have.
    """

    method: str
    text: str
    graph: Any
    about_graph: dict[str, Any] | None
    space: str | None
    partition: dict[str, Any] | None
    stages: tuple[Steps, Steps] | None
    selection: list[dict[str, Any]] | None
    rows: dict[str, Any]


def method_of(estimator: Any) -> str:
    """The name of the method of a fitted estimator: one of `METHODS`, or that of its class."""
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


def is_cut_at_prior(estimator: Any) -> bool:
    """Whether the prior sets the threshold of the training rows, and not the method's own rule."""
    if isinstance(estimator, ElkanNotoClassifier):
        return False
    return bool(getattr(estimator, "threshold", "prior") != "half")


def account_of(estimator: Any, labels: PULabels, is_positive: BoolArray) -> Account:
    """The account of a fitted estimator whose rows have these labels and classes."""
    method = method_of(estimator)
    if method == TWO_HNC:
        return _of_two_hnc(estimator, labels, is_positive)
    if method == PUCUT:
        return _of_pucut(estimator)
    return _of_another(estimator, method)


def _of_another(estimator: Any, method: str) -> Account:
    """What all of them have; the first sentence of its documentation says what a method does."""
    graph = getattr(estimator, "graph_", None)
    about = {"name": None, "weight": None, "n_neighbors": None, "sigma": None}
    text = " ".join((type(estimator).__doc__ or "").strip().split("\n\n")[0].split())
    return Account(
        method,
        text,
        graph,
        None if graph is None else about | {"similarity": "its own"},
        space=None,
        partition=None,
        stages=None,
        selection=None,
        rows=_NO_ROWS,
    )


def _of_two_hnc(estimator: Any, labels: PULabels, is_positive: BoolArray) -> Account:
    stages = steps_of_stages(estimator)
    chosen = estimator.partition_
    place = np.zeros(labels.n_samples, dtype=np.int32)
    place[estimator.negative_ranking_] = np.arange(1, len(estimator.negative_ranking_) + 1)
    is_likely_negative = np.zeros(labels.n_samples, dtype=np.bool_)
    is_likely_negative[estimator.likely_negative_] = True
    is_reached = reached_from(estimator.graph_, labels.is_labelled)
    return Account(
        TWO_HNC,
        "Rows are the nodes of a graph of neighbours. 2-HNC cuts it where little similarity is "
        "lost, for every tradeoff between similarity and size, in two stages: the first ranks "
        "likely negatives, the second holds these fixed. The cut whose share of positives comes "
        "closest to the prior decides.",
        estimator.graph_,
        {
            "name": None,
            "weight": None,
            "n_neighbors": plain(getattr(estimator, "n_neighbors_", None)),
            "sigma": plain(getattr(estimator, "sigma_", None)),
            "similarity": str(estimator.similarity),
        },
        space=None,
        partition={
            "stage": chosen.stage,
            "step": step_of(stages[chosen.stage - 1], is_positive),
            "lam": float(chosen.lam),
            "n_likely_negative": len(estimator.likely_negative_),
            "n_unreached": int(estimator.n_unreached_),
        },
        stages=stages,
        selection=None,
        rows={
            "is_likely_negative": is_likely_negative,
            "is_reached": is_reached,
            "negative_place": place,
        },
    )


def _of_pucut(estimator: Any) -> Account:
    mixture = estimator.mixture_
    if mixture.cuts:
        heaviest = int(np.argmax(mixture.cut_weights))
        cut = mixture.cuts[heaviest]
        space, n_neighbors, name = cut.space, cut.n_neighbors, cut.name
        weight = float(mixture.cut_weights[heaviest])
    else:
        # No graph decided. The neighbours shown are those whose labels make a score.
        space, name, weight = mixture.spaces[0], mixture.spaces[0].name, None
        n_neighbors = space.lists.n_neighbors
    return Account(
        PUCUT,
        "Several learners scored every row, and minimum cuts smoothed the scores along graphs of "
        "neighbours. All of them were mixed by how many known positives they found again that had "
        "been hidden from everything.",
        renumbered_graph(space.graph(n_neighbors), estimator.row_order_),
        {
            "name": name,
            "weight": weight,
            "n_neighbors": int(n_neighbors),
            "sigma": None,
            "similarity": "gaussian",
        },
        space=mixture.weights_of,
        partition=None,
        stages=None,
        selection=[
            {key: plain(value) for key, value in dataclasses.asdict(candidate).items()}
            for candidate in estimator.selection_
        ],
        rows=_NO_ROWS,
    )
