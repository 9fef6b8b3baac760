"""Rows that are no samples: blank ones, and the sums below a table."""

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np
import numpy.typing as npt

TOTALS = frozenset(
    {"total", "totals", "grand total", "sum", "subtotal", "average", "mean", "gesamt", "summe"}
    | {"mittelwert", "somme", "moyenne", "suma", "media", "totale"}
)
# At the end of a table there may be a sum and a mean.
_MOST_TOTALS = 3
_MOST_COLUMNS = 256  # of which sums are looked at
_SHOWN_LINES = 5


def rows_to_leave_out(
    texts: Sequence[Any], lines: npt.NDArray[np.int64], name: str
) -> tuple[npt.NDArray[np.int64] | None, tuple[str, ...]]:
    """The rows to keep, None for all of them, and what to say of the others.

    `texts` are columns of Arrow. A row is blank if every cell is. The last rows are left out if
    they begin with a word such as Total and hold the sums or means of the rows above; where they
    hold anything else it is only said.
    """
    is_blank = _blank_rows(texts)
    kept = np.flatnonzero(~is_blank)
    notes = []
    if is_blank.any():
        where = ", ".join(map(str, lines[is_blank][:_SHOWN_LINES]))
        more = ", ..." if is_blank.sum() > _SHOWN_LINES else ""
        blank = f"{is_blank.sum()} blank rows are" if is_blank.sum() > 1 else "a blank row is"
        notes.append(f"{name}: {blank} left out (line {where}{more})")
    words = _words_of_totals(texts, kept)
    body = kept[: len(kept) - len(words)]
    left_out = []
    for row, word in words.items():
        where = f"{name}, line {lines[row]} begins with {word!r}"
        if _sums_up(texts, body, row):
            left_out.append(row)
            notes.append(f"{where} and sums up the rows above: it is left out")
        else:
            notes.append(
                f"warning: {where}: it is used as a row like the others; delete it if it is none"
            )
    kept = kept[~np.isin(kept, left_out)]
    return (None if len(kept) == len(lines) else kept), tuple(notes)


def _words_of_totals(texts: Sequence[Any], kept: npt.NDArray[np.int64]) -> dict[int, str]:
    """The last rows that begin with such a word, in their order."""
    words: dict[int, str] = {}
    for row in map(int, kept[:0:-1][:_MOST_TOTALS]):
        word = next((text for text in _cells(texts, row) if text), "")
        if word.lower().rstrip(":") not in TOTALS:
            break
        words[row] = word
    return dict(reversed(words.items()))


def _blank_rows(texts: Sequence[Any]) -> npt.NDArray[np.bool_]:
    import pyarrow.compute as pc

    is_blank = np.ones(len(texts[0]), dtype=np.bool_)
    for column in texts:
        rows = np.flatnonzero(is_blank)
        if not len(rows):
            break
        cells = column if len(rows) == len(is_blank) else column.take(rows)
        is_blank[rows] = pc.equal(pc.utf8_trim_whitespace(cells), "").to_numpy(zero_copy_only=False)
    return is_blank


def _cells(texts: Sequence[Any], row: int) -> list[str]:
    return [column[row].as_py().strip() for column in texts[:_MOST_COLUMNS]]


def _sums_up(texts: Sequence[Any], rows: npt.NDArray[np.int64], last: int) -> bool:
    """Whether most numbers of the last row are the sum or the mean of those in the others."""
    n_numbers = n_sums = 0
    for column in texts[:_MOST_COLUMNS]:
        said = _number(column[last].as_py())
        if said is None:
            continue
        values = [_number(text) for text in column.take(rows).to_pylist()]
        known = [value for value in values if value is not None]
        if not known:
            continue
        n_numbers += 1
        total = sum(known)
        n_sums += any(
            isclose(said, value, rel_tol=1e-3, abs_tol=1e-9)
            for value in (total, total / len(known))
        )
    return n_numbers > 0 and n_sums * 2 > n_numbers


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
