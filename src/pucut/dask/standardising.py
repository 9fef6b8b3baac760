"""The encoding of a table in partitions, to the last bit that of the same table in one piece.

Sums of floating-point numbers depend on their order. So whole columns are sent to the workers, a
few at a time, and encoded there by the same function as on one machine. Every value travels once;
the largest piece in one place is a column, not the table.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pucut.dask.engine import computed, delayed
from pucut.dask.partitions import Partitions, joined, take_columns
from pucut.data.encoding import Encoding, learn_encoding
from pucut.data.tables import TableFormat

# Of the columns that are learned in one task, unless a single one takes more.
_MOST_BYTES = 1 << 27


def learn_partitioned_encoding(table: Partitions) -> tuple[Encoding, Partitions]:
    """The encoding, and the points of the rows, in the same partitions."""
    n_rows, n_columns = table.shape
    step = max(1, min(n_columns, _MOST_BYTES // (8 * n_rows)))
    spans = [slice(start, start + step) for start in range(0, n_columns, step)]
    take, learn = delayed(take_columns), delayed(learn_columns)
    encodings = computed(
        [learn([take(part, span) for part in table.parts], span.start) for span in spans]
    )
    encoding = joined_encodings(encodings)
    return encoding, table.mapped(encoded_part, encoding, n_columns=encoding.n_features)


def learn_columns(pieces: Sequence[Any], first: int) -> Encoding:
    """What is to be known of some columns, from their pieces in the order of the rows."""
    try:
        encoding, _ = learn_encoding(joined(pieces))
    except (TypeError, ValueError) as error:
        # They are counted from 0 here.
        text = re.sub(
            r"\bcolumn (\d+) of X", lambda m: f"column {int(m[1]) + first} of X", str(error)
        )
        raise (TypeError if isinstance(error, TypeError) else ValueError)(text) from error
    return encoding


def joined_encodings(encodings: Sequence[Encoding]) -> Encoding:
    """Encodings of columns side by side."""
    firsts = np.cumsum([0] + [encoding.format.n_columns for encoding in encodings])
    is_narrow = all(encoding.dtype == np.float32 for encoding in encodings)
    return Encoding(
        TableFormat(sum((encoding.format.categories for encoding in encodings), ())),
        np.concatenate([encoding.mean for encoding in encodings]),
        np.concatenate([encoding.scale for encoding in encodings]),
        np.concatenate(
            [
                encoding.column + np.int32(first)
                for encoding, first in zip(encodings, firsts[:-1], strict=True)
            ]
        ),
        False,
        np.dtype(np.float32 if is_narrow else np.float64),
    )


def encoded_part(part: Any, encoding: Encoding) -> Any:
    """The points of the rows of a part, which may be none."""
    if len(part) == 0:
        return np.empty((0, encoding.n_features), dtype=encoding.dtype)
    return encoding.encode(part)
