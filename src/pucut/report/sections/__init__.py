"""The sections of a report, in the order of the page.

To add a section, write a module here with two functions, and add it to `SECTIONS` below:

- `facts(fit)` returns the section's part of the summary, a dict that is ready for JSON, from a
  `ReportedFit`; arrays are packed by `pucut.report.values`. A key belongs to one section alone.
- `render(summary)` returns the section's HTML from the whole summary, or an empty `Html("")` where
  the section does not apply. All that it shows comes from the summary, because a page can be made
  from JSON that was kept.

The keys are described at the end of the module's docstring, from where they go to that of
`pucut.report`. Charts, tables and buttons are in `pucut.report.markup`, long sentences in
`assets/sentences.toml`, styles in `assets/page.css`. A test in `tests/report/` compares the facts
with an oracle; other tests check that they are JSON and that the page shows no empty element.
"""

from types import ModuleType

from pucut.report.sections import (
    answers,
    columns,
    mathematics,
    overview,
    pictures,
    rows,
    sensitivity,
)

SECTIONS: tuple[ModuleType, ...] = (
    overview,
    answers,
    pictures,
    rows,
    columns,
    sensitivity,
    mathematics,
)
