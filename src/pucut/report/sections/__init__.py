"""The sections of a report, in the order of the page.

To add a section, write a module here with two functions, and add it to `SECTIONS` below:

- `facts(fit)` returns the section's part of the summary, a dict that is ready for JSON, from a
  `ReportedFit`; arrays are packed by `pucut.report.packing`. A key belongs to one section alone.
- `render(summary)` returns the section's HTML from the whole summary, or an empty `Html("")` where
  the section does not apply. All that it shows comes from the summary, because a page can be made
  from JSON that was kept.

The keys are described at the end of the module's docstring, from where they go to that of
`pucut.report`. Charts, tables and buttons are in `pucut.report.markup`, styles in
`assets/page.css`. A test in `tests/report/` compares the facts with an oracle; other tests check
that they are JSON and that the page shows no empty element.
"""

from typing import Any, Protocol

from pucut._support.html import Html
from pucut.report.fit import ReportedFit
from pucut.report.sections import (
    answers,
    columns,
    mathematics,
    overview,
    pictures,
    rows,
    sensitivity,
)


class Section(Protocol):
    """A module of this folder."""

    def facts(self, fit: ReportedFit) -> dict[str, Any]: ...

    def render(self, summary: dict[str, Any]) -> Html: ...


SECTIONS: tuple[Section, ...] = (
    overview,
    answers,
    pictures,
    rows,
    columns,
    sensitivity,
    mathematics,
)
