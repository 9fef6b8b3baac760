"""The four ways to write a table."""

import csv
import io
import re

import pytest

from paper.showing.tables import Cell, Column, Table, to_csv, to_html, to_latex, to_markdown

NASTY = Table(
    "nasty",
    "50 % of <b> & _x_ | {y} $5 #1 ~ ^ \\",
    (Column("Name <i>"), Column("a_b", "A & B"), Column("c|d", "A & B"), Column("note")),
    (
        (Cell("x & y"), Cell(96.151, 0.538, bold=True, starred=True), Cell(-0.4068), Cell("a*b")),
        (Cell("z_1"), Cell(None), Cell(-0.001, signed=True), Cell("<script>")),
    ),
    ("100 % <sure>",),
)


def test_csv_reads_back_as_numbers_with_errors_apart():
    header, first, second = csv.reader(io.StringIO(to_csv(NASTY)))
    assert header == ["Name <i>", "A & B: a_b", "A & B: a_b (in brackets)", "A & B: c|d", "note"]
    assert first == ["x & y", "96.151", "0.538", "-0.4068", "a*b"]
    assert second == ["z_1", "", "", "-0.001", "<script>"]


def test_markdown_is_escaped_and_marked():
    lines = to_markdown(NASTY).splitlines()
    assert lines[2] == r"| Name \<i\> | A & B: a\_b | A & B: c\|d | note |"
    assert lines[3] == "| --- | ---: | ---: | --- |"
    assert lines[4] == r"| x & y | **96.15\*** (0.54) | −0.41 | a\*b |"
    assert lines[5] == r"| z\_1 | – | 0.00 | \<script\> |"
    assert lines[7] == r"- 100 % \<sure\>"


def test_latex_is_escaped_and_has_groups():
    text = to_latex(NASTY)
    assert r"50 \% of \textless{}b\textgreater{} \& \_x\_ \textbar{} \{y\} \$5 \#1" in text
    assert r"\begin{tabular}{lrrl}" in text
    assert r" & \multicolumn{2}{c}{A \& B} &  \\" in text
    assert r"\cmidrule(lr){2-3}" in text
    assert r"x \& y & \textbf{96.15*} (0.54) & $-$0.41 & a*b \\" in text
    assert r"z\_1 & -- & 0.00 & \textless{}script\textgreater{} \\" in text
    # Nothing but escapes is left of the marks that TeX would act on.
    assert not re.search(r"(?<!\\)[%#_]", text)


def test_html_is_escaped_and_tells_heads_from_data():
    text = to_html(NASTY)
    assert "<script>" not in text
    assert "<b>96.15*</b>" in text
    assert '<th scope="colgroup" colspan="2">A &amp; B</th>' in text
    assert '<th scope="row">x &amp; y</th>' in text
    assert text.count('scope="col"') == 4
    assert "<caption><span>50 % of &lt;b&gt;" in text


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (1.0 / 32.0, "0.0313"),
        (0.0087, "0.0087"),
        (1.9e-5, "1.9e-5"),
        (3.34e-9, "3.3e-9"),
        (0.00005, "0.0001"),
        (1.0, "1.0000"),
        (0.0, "0.0000"),
    ],
)
def test_p_values_as_the_paper_prints_them(p_value, text):
    assert Cell(p_value, is_p_value=True).main_text == text


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="row 0 of table t has 1 cells, the table 2 columns"):
        Table("t", "t", (Column("a"), Column("b")), ((Cell("x"),),))
