"""The encoding, row hashes and suspect columns of a table in partitions, as of one piece.

Sums of floating-point numbers depend on their order. So whole columns are sent to the workers, a
few at a time, and read there by the same functions as on one machine. Every value travels once; the
largest piece in one place is a column, not the table.
"""

import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from pucut.dask.engine import computed, delayed
from pucut.dask.partitions import Partitions, concatenated
from pucut.data.encoding import Encoding, learn_encoding
from pucut.data.labels import PULabels
from pucut.data.row_order import Hashes, row_hashes
from pucut.data.suspects import Suspect, suspect_columns
from pucut.data.tables import TableFormat, read_table

# Bytes of the columns that are learned in one task, unless a single one takes more.
_MOST_BYTES = 1 << 27


class LearnedColumns(NamedTuple):
    """The encoding of some columns, hashes of the rows in them, and suspects among them."""

    encoding: Encoding
    hashes: Hashes
    suspects: tuple[Suspect, ...]


def learn_all_columns(table: Partitions, labels: PULabels) -> LearnedColumns:
    """Learn a few columns in each task, and join what was learned in this process."""
    n_rows, n_columns = table.shape
    step = max(1, min(n_columns, _MOST_BYTES // (8 * n_rows)))
    spans = [slice(start, start + step) for start in range(0, n_columns, step)]
    learn, shared = delayed(learn_columns), delayed(labels)
    learned = [learn(table.tasks(take_columns, span), span.start, shared) for span in spans]
    # Hashes are as long as a column: they are added on the workers.
    hashes = reduce(delayed(np.add), [each.hashes for each in learned])
    encodings, suspects, hashes = computed(
        [[each.encoding for each in learned], [each.suspects for each in learned], hashes]
    )
    return LearnedColumns(joined_encodings(encodings), hashes, sum(suspects, ()))


def take_columns(part: Any, columns: slice) -> Any:
    return part.iloc[:, columns] if hasattr(part, "iloc") else part[:, columns]


def learn_columns(pieces: Sequence[Any], first: int, labels: PULabels) -> LearnedColumns:
    """Learn some columns, the first of this number, from their pieces in the order of the rows."""
    columns = concatenated(pieces)
    try:
        encoding, _ = learn_encoding(columns)
    except (TypeError, ValueError) as error:
        # They are counted from 0 here.
        text = re.sub(
            r"\bcolumn (\d+) of X", lambda m: f"column {int(m[1]) + first} of X", str(error)
        )
        raise (TypeError if isinstance(error, TypeError) else ValueError)(text) from error
    table = read_table(columns, is_lenient=True)
    names = table.names or range(first, first + table.format.n_columns)
    return LearnedColumns(
        encoding,
        row_hashes(table.n_rows, table.values, first_column=first),
        suspect_columns(table, labels, [str(name) for name in names]),
    )


def joined_encodings(encodings: Sequence[Encoding]) -> Encoding:
    """Join the encodings of columns side by side."""
    firsts = np.cumsum([0] + [each.format.n_columns for each in encodings]).astype(np.int32)
    is_narrow = all(each.dtype == np.float32 for each in encodings)
    return Encoding(
        TableFormat(sum((each.format.categories for each in encodings), ())),
        np.concatenate([each.mean for each in encodings]),
        np.concatenate([each.scale for each in encodings]),
        np.concatenate(
            [each.column + first for each, first in zip(encodings, firsts, strict=False)]
        ),
        False,
        np.dtype(np.float32 if is_narrow else np.float64),
    )


def encoded_partitions(table: Partitions, encoding: Encoding) -> Partitions:
    """Return the points of the rows, kept on the workers."""
    return table.mapped(encoded_part, encoding, n_columns=encoding.n_features)


def encoded_part(part: Any, encoding: Encoding) -> Any:
    """Return the points of the rows of a part, which may be none."""
    if len(part) == 0:
        return np.empty((0, encoding.n_features), dtype=encoding.dtype)
    return encoding.encode(part)
