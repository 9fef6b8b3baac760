"""Rows that are not data: blank ones, and the totals below a table."""

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut.tables.numerals import float_of

TOTALS = frozenset(
    {"total", "totals", "grand total", "sum", "subtotal", "average", "mean", "gesamt", "summe"}
    | {"mittelwert", "somme", "moyenne", "suma", "media", "totale"}
)
# A table may end with a sum and a mean.
_MOST_TOTALS = 3
_MOST_COLUMNS = 256  # whose sums are compared
_SHOWN_LINES = 5


def rows_to_leave_out(
    texts: Sequence[Any], lines: npt.NDArray[np.int64], name: str
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the rows to keep, and notes on the others.

    `texts` are columns of Arrow. A row is blank if every cell is. The last rows are left out if
    they begin with a word such as Total and hold the sums or means of the rows above; where they
    hold anything else a note says so.
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
            advice = "it is treated as data; delete the line if it is a total"
            notes.append(f"warning: {where}: {advice}")
    return kept[~np.isin(kept, left_out)], notes


def _words_of_totals(texts: Sequence[Any], kept: npt.NDArray[np.int64]) -> dict[int, str]:
    """Return the last rows that begin with such a word, and the word, in their order."""
    words: dict[int, str] = {}
    for row in map(int, kept[:0:-1][:_MOST_TOTALS]):
        cells = (column[row].as_py().strip() for column in texts[:_MOST_COLUMNS])
        word = next(filter(None, cells), "")
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


def _sums_up(texts: Sequence[Any], rows: npt.NDArray[np.int64], last: int) -> bool:
    """Tell whether most numbers of the last row are the sum or the mean of those in the others."""
    is_sum = []
    for column in texts[:_MOST_COLUMNS]:
        total = float_of(column[last].as_py())
        if total is None:
            continue
        numbers = map(float_of, column.take(rows).to_pylist())
        known = [number for number in numbers if number is not None]
        if known:
            found = (sum(known), sum(known) / len(known))
            is_sum.append(any(isclose(total, each, rel_tol=1e-3, abs_tol=1e-9) for each in found))
    return sum(is_sum) * 2 > len(is_sum)
