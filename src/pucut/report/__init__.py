"""A report on a fitted PU classifier: one HTML file that needs nothing else.

`summarise` makes a plain dict of a fitted estimator, `render` a page of the dict, and `write` a
file of that. Only `write` has a side effect. The page shows nothing but the dict, so the dict can
be kept as JSON and rendered later::

    summary = summarise(estimator, X, y)
    write("report.html", summary)

The dict has schema "pucut-report/4". Arrays are packed, {"type": ..., "base64": ...}, and
`unpacked` reads them. n is the number of rows on the page, by default at most 20 000; rows are
named by their places there, from 0. Facts that a method does not have are null::

    schema, version       of this dict, and of pucut
    alerts                kind, text, and rows that it is about, or null
"""

from pucut.report.columns import ColumnSource
from pucut.report.page import SCHEMA, render, summarise, write
from pucut.report.sections import SECTIONS
from pucut.report.values import unpacked

__all__ = ["SCHEMA", "ColumnSource", "render", "summarise", "unpacked", "write"]

# Each section's module describes its keys.
__doc__ = "".join(
    [__doc__ or "", *((section.__doc__ or "").partition("::\n\n")[2] for section in SECTIONS)]
)
