"""The rows on the page, and the rows that explain them.

Of very many rows, those are on the page that a reader asks for first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from pucut._support.checks import BoolArray, FloatArray
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.report.columns import Groups
from pucut.report.values import count, grouped, listed_names, sentence

# A page with more rows would be of many megabytes, and slow to open.
MOST_LISTED = 20_000
# The share of these that is chosen for each reason. Rows of the map and rows that explain others
# fill the rest.
SHARES = {"found": 0.3, "border": 0.05, "known": 0.1, "negative": 0.05}
# Stands for a row that is not on the page.
ELSEWHERE = -2
# Added to the length of every edge, -log(weight), so that none is 0.
SHORTEST = 1e-9


@dataclass(frozen=True, eq=False)
class ListedRows:
    """The rows on the page, which are numbered anew there."""

    rows: npt.NDArray[np.intp]  # their numbers in the table, ascending
    place: RowNumbers  # the place on the page of each row of the table, -1 if it is not there
    text: str | None  # a description of these rows; None if all are there

    def places(self, rows: Any) -> RowNumbers:
        """Return the places of those rows that are on the page, in the same order."""
        found = self.place[np.asarray(rows, dtype=np.intp)]
        return found[found >= 0]

    def renumbered(self, rows: RowNumbers) -> RowNumbers:
        """Return rows as places on the page; -1 stays, and other rows become `ELSEWHERE`."""
        found = np.where(self.place[rows] >= 0, self.place[rows], ELSEWHERE)
        return np.where(rows < 0, -1, found).astype(np.int32)


def rows_listed(
    groups: Groups,
    order: npt.NDArray[np.intp],
    from_border: FloatArray,
    drawn: RowNumbers,
    references: RowNumbers | None,
    random_state: int,
) -> ListedRows:
    """Choose the rows.

    `order` has all rows, the most likely positives first, and `from_border` how far each is from
    the prior that would change its class. `drawn` are the rows of the map; `references` has, for
    each row, those by which it is explained.
    """
    n_rows = len(order)
    if n_rows <= MOST_LISTED:
        return ListedRows(np.arange(n_rows), np.arange(n_rows, dtype=np.int32), None)
    random = np.random.default_rng(random_state)
    most = {name: int(share * MOST_LISTED) for name, share in SHARES.items()}
    undecided = np.flatnonzero(groups["found"] | groups["other"])
    by_distance = undecided[np.argsort(from_border[undecided], kind="stable")]
    found = order[groups["found"][order]][: most["found"]]
    chosen = {"found": found, "border": by_distance[: most["border"]]}
    for name in ("known", "negative"):
        rows = np.flatnonzero(groups.get(name, np.zeros(0)))
        chosen[name] = np.sort(random.permutation(rows)[: most[name]])
    is_listed = np.zeros(n_rows, dtype=np.bool_)
    is_listed[np.concatenate([*chosen.values(), drawn])] = True
    n_chosen = int(np.count_nonzero(is_listed))
    if references is not None:
        _add_references(is_listed, references)
    rows = np.flatnonzero(is_listed)
    place = np.full(n_rows, -1, dtype=np.int32)
    place[rows] = np.arange(len(rows))
    return ListedRows(rows, place, _description(chosen, len(drawn), n_chosen, len(rows), n_rows))


def _add_references(is_listed: BoolArray, references: RowNumbers) -> None:
    """Add the rows that explain the listed ones, and so on, as long as there is room."""
    latest: npt.NDArray[Any] = np.flatnonzero(is_listed)
    while len(latest):
        room = MOST_LISTED - int(np.count_nonzero(is_listed))
        named = np.unique(references[latest])
        latest = named[(named >= 0) & ~is_listed[named]][: max(room, 0)]
        is_listed[latest] = True


def _description(
    chosen: dict[str, Any], n_drawn: int, n_chosen: int, n_listed: int, n_rows: int
) -> str:
    parts = [
        f"the strongest {grouped(len(chosen['found']))} of the rows found",
        f"the {grouped(len(chosen['border']))} nearest to the border",
        count(len(chosen["known"]), "known positive", "known positives"),
    ]
    if len(chosen["negative"]):
        parts.append(count(len(chosen["negative"]), "known negative", "known negatives"))
    parts.append(f"{grouped(n_drawn)} picked at random from all rows")
    if n_listed > n_chosen:
        parts.append("rows by which these are explained")
    return sentence("listed_rows", n_listed=n_listed, n_rows=n_rows, parts=listed_names(parts))


def labelled_neighbors(graph: Any, is_labelled: BoolArray, n: int) -> tuple[RowNumbers, FloatArray]:
    """Return the `n` most similar labelled neighbours of each row and their similarities.

    Ties are broken by row number. Where a row has fewer neighbours, the last ones are -1, with a
    similarity of 0.
    """
    labelled = np.flatnonzero(is_labelled)
    edges = sp.coo_array(sp.csr_array(graph)[:, labelled])
    from_row, to_row = edges.row, labelled[edges.col]
    other = from_row != to_row
    from_row, to_row, weight = from_row[other], to_row[other], edges.data[other]
    order = np.lexsort((to_row, -weight, from_row))
    from_row, to_row, weight = from_row[order], to_row[order], weight[order]
    place = np.arange(len(from_row)) - np.searchsorted(from_row, from_row, side="left")
    kept = place < n
    neighbors = np.full((len(is_labelled), n), -1, dtype=np.int32)
    weights = np.zeros((len(is_labelled), n))
    neighbors[from_row[kept], place[kept]] = to_row[kept]
    weights[from_row[kept], place[kept]] = weight[kept]
    return neighbors, weights


def chains_to_labels(graph: Any, is_labelled: BoolArray) -> RowNumbers:
    """Return for each row the next one on the strongest chain of edges to a label; -1 for none.

    The strength of a chain is the product of its weights. Labelled rows have -1 too.
    """
    lengths = sp.csr_array(graph, copy=True)
    lengths.eliminate_zeros()
    lengths.data = SHORTEST - np.log(np.minimum(lengths.data, 1.0))
    _, towards, _ = dijkstra(
        lengths, indices=np.flatnonzero(is_labelled), min_only=True, return_predecessors=True
    )
    return np.where(towards < 0, -1, towards).astype(np.int32)


def share_to_positive(graph: Any, is_positive: BoolArray) -> FloatArray:
    """Return for each row the share of its edges' weight that leads to positives; -1 if none."""
    weights = sp.csr_array(graph)
    total = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    positive = np.asarray(weights @ is_positive.astype(np.float64), dtype=np.float64)
    share = np.full(len(total), -1.0)
    np.divide(positive, total, out=share, where=total > 0.0)
    return share


def turning_priors(
    scores: FloatArray, is_labelled: BoolArray, is_unlabelled: BoolArray | None = None
) -> FloatArray:
    """Return the prior from which on each row is positive, if the ranking is kept.

    Labelled rows have 0. `is_unlabelled` are the rows that can turn, by default all that are not
    labelled; the others, known negatives, have infinity. Rows of equal score turn together, as soon
    as the share with them is nearer to the prior than the share without them.
    """
    can_turn = ~is_labelled if is_unlabelled is None else is_unlabelled
    rising = np.sort(scores[can_turn])
    n_others, n_labelled = len(rising), int(np.count_nonzero(is_labelled))
    without = n_labelled + n_others - np.searchsorted(rising, scores, side="right")
    with_them = n_labelled + n_others - np.searchsorted(rising, scores, side="left")
    turning = np.where(can_turn, (without + with_them) / 2.0 / len(scores), np.inf)
    return np.where(is_labelled, 0.0, turning)
