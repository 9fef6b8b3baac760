"""A table of typed cells, and its text as CSV, Markdown, LaTeX and HTML.

CSV holds plain numbers with all significant digits, and errors in columns of their own; the others
are for readers: rounded, with the best values marked and a dash for what is missing.
"""

import csv
import io
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from pucut._support.html import Html, element, escaped, in_lines, joined

MISSING = "–"
_MINUS = "−"


@dataclass(frozen=True)
class Cell:
    """A text, a number (with an error in brackets, where there is one), or nothing (None)."""

    value: str | float | None
    error: float | None = None
    digits: int = 2
    signed: bool = False
    is_p_value: bool = False
    unit: str = ""
    bold: bool = False
    starred: bool = False

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, (int, float))

    @property
    def main_text(self) -> str:
        """Without the error, which is never marked."""
        if self.value is None:
            return MISSING
        if isinstance(self.value, str):
            return self.value
        star = "*" if self.starred else ""
        if self.is_p_value:
            return _p_value_text(self.value) + star
        return _number_text(self.value, self.digits, self.signed) + self.unit + star

    @property
    def error_text(self) -> str:
        return "" if self.error is None else f" ({_number_text(self.error, self.digits, False)})"


@dataclass(frozen=True)
class Column:
    """`group` is the title above neighbouring columns that share it."""

    title: str
    group: str = ""

    @property
    def full_title(self) -> str:
        return f"{self.group}: {self.title}" if self.group else self.title


@dataclass(frozen=True)
class Table:
    """`name` is for files; the first cell of a row is its title."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} of table {self.name} has {len(row)} cells, the table "
                    f"{len(self.columns)} columns"
                )

    @property
    def is_numeric(self) -> tuple[bool, ...]:
        """Tell for each column whether it is aligned to the right: numbers and empty ones."""
        return tuple(
            place > 0
            and all(row[place].is_number or row[place].value in (None, "") for row in self.rows)
            for place in range(len(self.columns))
        )

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Titles above the columns, each with the number of columns it spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and column.group and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return tuple(spans)

    @property
    def has_groups(self) -> bool:
        return any(column.group for column in self.columns)


def to_csv(table: Table) -> str:
    with_error = [
        any(row[place].error is not None for row in table.rows)
        for place in range(len(table.columns))
    ]
    lines = [
        [
            title
            for column, has_error in zip(table.columns, with_error, strict=True)
            for title in (column.full_title, f"{column.full_title} (in brackets)")[: 1 + has_error]
        ]
    ]
    lines += [
        [
            text
            for cell, has_error in zip(row, with_error, strict=True)
            for text in (_plain(cell.value), _plain(cell.error))[: 1 + has_error]
        ]
        for row in table.rows
    ]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()


def to_markdown(table: Table) -> str:
    header = [_markdown(column.full_title) for column in table.columns]
    rule = ["---:" if numeric else "---" for numeric in table.is_numeric]
    body = [[_markdown_cell(cell) for cell in row] for row in table.rows]
    lines = [f"| {' | '.join(line)} |" for line in (header, rule, *body)]
    notes = [f"- {_markdown(note)}" for note in table.notes]
    parts = [f"**{_markdown(table.title)}**", "\n".join(lines)]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])]) + "\n"


def to_latex(table: Table) -> str:
    """Needs the package booktabs; wide tables have to be scaled or turned by the reader."""
    letters = "".join("r" if numeric else "l" for numeric in table.is_numeric)
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(table.title)}}}\label{{table:{table.name.replace('_', '-')}}}",
        r"\centering\small",
        rf"\begin{{tabular}}{{{letters}}}",
        r"\toprule",
    ]
    if table.has_groups:
        cells, rules, place = [], [], 1
        for group, span in table.groups:
            cells.append(rf"\multicolumn{{{span}}}{{c}}{{{_latex(group)}}}" if group else "")
            if group:
                rules.append(rf"\cmidrule(lr){{{place}-{place + span - 1}}}")
            place += span
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    lines += [" & ".join(_latex(column.title) for column in table.columns) + r" \\", r"\midrule"]
    lines += [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip\footnotesize {_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def to_html(table: Table) -> Html:
    classes = ["number" if numeric else None for numeric in table.is_numeric]
    head = []
    if table.has_groups:
        spans = [
            element("th", group, scope="colgroup", colspan=span)
            if group
            else element("td", colspan=span)
            for group, span in table.groups
        ]
        head.append(element("tr", spans))
    titles = [
        element("th", column.title, scope="col", class_=class_)
        for column, class_ in zip(table.columns, classes, strict=True)
    ]
    head.append(element("tr", titles))
    body = [
        element(
            "tr",
            element("th", _html_cell(row[0]), scope="row"),
            [
                element("td", _html_cell(cell), class_=class_)
                for cell, class_ in zip(row[1:], classes[1:], strict=True)
            ],
        )
        for row in table.rows
    ]
    return element(
        "table",
        element("caption", element("span", table.title)),
        element("thead", in_lines(head)),
        element("tbody", in_lines(body)),
        id=table.name,
    )


def _number_text(value: float, digits: int, signed: bool) -> str:
    text = f"{abs(value):.{digits}f}"
    if not any(digit in text for digit in "123456789"):
        return text  # no sign before a zero
    if value < 0:
        return _MINUS + text
    return f"+{text}" if signed else text


def _p_value_text(value: float) -> str:
    """Four decimals, halves upwards (1/32 is 0.0313, as in the paper); 1.9e-5 if that is less."""
    if value == 0.0 or value >= 0.00005:
        return str(Decimal(value).quantize(Decimal("0.0001"), ROUND_HALF_UP))
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def _plain(value: str | float | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.10g}"


def _markdown(text: str) -> str:
    for mark in "\\|*_<>`":
        text = text.replace(mark, f"\\{mark}")
    return text


def _markdown_cell(cell: Cell) -> str:
    text = _markdown(cell.main_text)
    return (f"**{text}**" if cell.bold else text) + cell.error_text


_LATEX = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    _MINUS: "$-$",
    MISSING: "--",
    "×": r"$\times$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(mark, mark) for mark in text)


def _latex_cell(cell: Cell) -> str:
    text = _latex(cell.main_text)
    return (rf"\textbf{{{text}}}" if cell.bold else text) + _latex(cell.error_text)


def _html_cell(cell: Cell) -> Html:
    text = element("b", cell.main_text) if cell.bold else escaped(cell.main_text)
    if not cell.error_text:
        return text
    return joined([text, " ", element("span", cell.error_text.strip(), class_="error")])
