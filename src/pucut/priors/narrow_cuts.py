"""Evidence for shares of positives at which a cut between the classes is narrow.

Rows join the positive side one by one, those first whose random walks meet most labelled rows. At
every share the weight of the edges to the other side is compared with its expectation by chance
(the normalised cut of Shi and Malik, up to a factor). The same is done with labels drawn at random
from all rows; the evidence is how much narrower the cut is than theirs less one standard deviation.
"""

from typing import Any

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.graphs.spaces import weighted_space
from pucut.graphs.walks import rows_met
from pucut.priors.binormal import SHARES

# Log-likelihood of a cut that is narrower by another factor of e. It falls to 0 with so many
# labels, or such a share of the rows labelled: then ranks say more.
_TRUST, _MANY_LABELS, _LARGE_SHARE = 3.0, 500, 0.25
_MOST_ROWS, _N_NEIGHBORS = 5000, 10
# Probability that a walk goes on.
_GOES_ON = 0.9
_N_DRAWS = 16
# Least logarithm of a cut relative to chance: some parts have no edge between them.
_NARROWEST = -4.0


def log_likelihood_of_cuts(
    points: Any, is_labelled: BoolArray, *, random: np.random.RandomState, n_threads: int = 1
) -> FloatArray:
    """Return the log-likelihood of each of `SHARES`, up to a constant; 0 if cuts do not tell."""
    trust = _TRUST * max(0.0, 1.0 - int(is_labelled.sum()) / _MANY_LABELS)
    trust *= max(0.0, 1.0 - float(is_labelled.mean()) / _LARGE_SHARE)
    if trust == 0.0:
        return np.zeros(len(SHARES))
    labelled, others = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
    n_others = _MOST_ROWS - len(labelled)
    if len(others) > n_others:
        others = random.choice(others, n_others, replace=False)
    rows = np.sort(np.concatenate([labelled, others]))
    points, is_labelled = points[rows], is_labelled[rows]
    space = weighted_space(
        "all features alike",
        points,
        np.ones(points.shape[1]),
        min(_N_NEIGHBORS, len(rows) - 1),
        n_threads=n_threads,
        random_state=random,
    )
    graph = space.graph(space.lists.n_neighbors)
    drawn = [log_cuts(graph, random.permutation(is_labelled)) for _ in range(_N_DRAWS)]
    by_chance = np.mean(drawn, axis=0) - np.std(drawn, axis=0)
    return np.asarray(trust * np.maximum(by_chance - log_cuts(graph, is_labelled), 0.0))


def log_cuts(graph: Any, is_labelled: BoolArray) -> FloatArray:
    """Return the log of the cut around the rows nearest to labelled ones, at each of `SHARES`.

    It is relative to a graph in which each row spreads the weight of its edges over all others.
    Labelled rows are on the inner side, and at least one row is on the outer one.
    """
    n_rows, n_labelled = len(is_labelled), int(is_labelled.sum())
    met = rows_met(graph, is_labelled.astype(np.float64), _GOES_ON)
    order = np.argsort(np.where(is_labelled, -np.inf, -met), kind="stable")
    place = np.empty(n_rows, dtype=np.intp)
    place[order] = np.arange(n_rows)
    # An edge is cut from the row that joins first until the other does; it is stored twice.
    edges = graph.tocoo()
    ends = place[edges.row], place[edges.col]
    opened = np.bincount(np.minimum(*ends), edges.data / 2.0, minlength=n_rows)
    closed = np.bincount(np.maximum(*ends), edges.data / 2.0, minlength=n_rows)
    cut = np.cumsum(opened - closed)
    inside = np.cumsum((graph @ np.ones(n_rows))[order])
    n_inside = n_labelled + np.round(SHARES * (n_rows - n_labelled)).astype(np.intp)
    last = np.clip(n_inside, n_labelled, n_rows - 1) - 1
    chance = inside[last] * (inside[-1] - inside[last]) / inside[-1]
    least = np.exp(_NARROWEST) * chance
    return np.asarray(np.log(np.maximum(cut[last], least) / chance))
