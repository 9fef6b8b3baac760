"""The rows on the page: all, or of very many those that a reader asks for first."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.report.distributions import Groups
from pucut.report.wording import count, grouped, listed_names

# A page with more rows would be of many megabytes, and slow to open.
MOST_LISTED = 20_000
# The share of these that is chosen for each reason. Rows of the map and rows that explain others
# fill the rest.
SHARES = {"found": 0.3, "border": 0.05, "known": 0.1, "negative": 0.05}
# Stands for a row that is not on the page.
ELSEWHERE = -2


@dataclass(frozen=True, eq=False)
class ListedRows:
    """The rows on the page, which are numbered anew there.

    Attributes
    ----------
    rows : int array
        Their numbers in the table, ascending.
    place : int array of shape (n_samples,)
        The place on the page of each row of the table, -1 if it is not there.
    text : str or None
        A description of these rows; None if all are there.
    """

    rows: npt.NDArray[np.intp]
    place: RowNumbers
    text: str | None

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
    return (
        f"This page has {grouped(n_listed)} of the {grouped(n_rows)} rows: {listed_names(parts)}. "
        "The others are left out, so that the file stays small. The numbers, charts and tables are "
        "those of all rows."
    )
