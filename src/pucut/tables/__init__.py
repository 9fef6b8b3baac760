"""Tables as people keep them, read as numbers and categories.

`read_file` reads delimited text, Excel, Parquet and Arrow, `read_labels` the column of labels, and
`ColumnEncoder` everything else::

    table = read_file("genes.csv")
    y = read_labels(table, "known").known
    X = ColumnEncoder(drop=["known"]).fit_transform(table)
    PUCutClassifier().fit(X, y)

Findings and notes are returned as data; a table that is not clear is a `TableError`. The command
line does the same with its options.
"""

from typing import TYPE_CHECKING

from pucut._support.on_demand import importing

if TYPE_CHECKING:
    from pucut.tables.encoder import ColumnEncoder
    from pucut.tables.errors import TableError
    from pucut.tables.labels import LabelColumn, read_labels
    from pucut.tables.reading import InputTable, read_file

__all__ = ["ColumnEncoder", "InputTable", "LabelColumn", "TableError", "read_file", "read_labels"]

# Imported on first use: the command line needs the error before anything heavy.
__getattr__ = importing(
    __name__,
    {
        "ColumnEncoder": "encoder",
        "InputTable": "reading",
        "LabelColumn": "labels",
        "TableError": "errors",
        "read_file": "reading",
        "read_labels": "labels",
    },
)
