"""Rows as read, tables by hand, and the four ways to write a table."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from paper.showing import real_tables, reference_tables, significance_tables, synthetic_tables
from paper.showing.csv_files import FileProblem
from paper.showing.names import DEFAULT, Contender, read_configuration
from paper.showing.published import read_published
from paper.showing.read_rows import read_rows
from paper.showing.results import (
    REAL_10,
    REAL_60,
    REAL_60_ESTIMATED,
    SYNTHETIC,
    SYNTHETIC_ESTIMATED,
    Results,
    pair_up,
)
from paper.showing.statistics import paired_t_test
from paper.showing.summary import agreement_table
from paper.showing.tables import Cell, Column, Table, to_csv, to_html, to_latex, to_markdown
from tests.helpers.paper_rows import COLUMNS, row, write_rows

PUBLISHED = Path(__file__).parents[2] / "paper" / "published"
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


def results_of(tmp_path, rows, setting=REAL_60):
    write_rows(tmp_path / "rows.csv", rows)
    return Results(read_rows(tmp_path), setting)


def real(dataset, method, own, prior=None, **changes):
    """Rows of one method with these accuracies by its own rule and by the prior."""
    at_prior = own if prior is None else prior
    return [
        row(
            "real",
            dataset,
            number,
            method,
            accuracy_own=one,
            accuracy_prior=other,
            **changes,
        )
        for number, (one, other) in enumerate(zip(own, at_prior, strict=True))
    ]


def line_of(table, name):
    return next(line for line in table.rows if line[0].value == name)


def column(table, line, title):
    titles = [one.full_title for one in table.columns]
    return line_of(table, line)[titles.index(title)]


# --- writing -------------------------------------------------------------------------------------


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


# --- reading -------------------------------------------------------------------------------------


def test_files_are_read_together_packed_or_not(tmp_path):
    write_rows(tmp_path / "a.csv", [row("real", "vote", 1, "upu", accuracy_own="")])
    write_rows(tmp_path / "b.csv.gz", [row("real", "vote", 0, "upu", accuracy_own=0.25)])
    (tmp_path / "README.md").write_text("no rows")
    first, second = read_rows(tmp_path)
    assert (first.repetition, first.scores["accuracy", "own"]) == (0, 0.25)
    assert (second.repetition, second.scores["accuracy", "own"]) == (1, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "svm"}, r"line 3: method must be one of naive, .*, found 'svm'"),
        ({"dataset": "iris"}, r"line 3: dataset must be one of vote, .*, found 'iris'"),
        ({"suite": "fake"}, r"line 3: suite must be one of real, synthetic, found 'fake'"),
        (
            {"suite": "synthetic"},
            r"line 3: dataset must be a configuration like n1000-.*found 'vote'",
        ),
        (
            {"accuracy_own": 96.1},
            r"line 3: accuracy_own must be a number from 0 to 1, found",
        ),
        ({"accuracy_own": "nan"}, r"line 3: accuracy_own must be .*, found 'nan'"),
        ({"repetition": 1.5}, r"line 3: repetition must be a whole number, found '1.5'"),
        ({"labelled_share": 0.3}, r"line 3: labelled_share must be 0.6 or 0.1, found 0.3"),
        ({"repetition": 0}, r"line 3: real vote 0.6 0 upu true stands already in .*, line 2"),
    ],
)
def test_a_bad_row_is_named(tmp_path, change, message):
    bad = row("real", "vote", 1, "upu") | change
    write_rows(tmp_path / "rows.csv", [row("real", "vote", 0, "upu"), bad])
    with pytest.raises(FileProblem, match=r"rows\.csv, " + message):
        read_rows(tmp_path)


def test_a_bad_file_is_named(tmp_path):
    with pytest.raises(FileProblem, match=r"holds no \.csv"):
        read_rows(tmp_path)
    with pytest.raises(FileProblem, match="is no folder"):
        read_rows(tmp_path / "nowhere")
    file = tmp_path / "rows.csv"
    file.write_text("suite,dataset\nreal,vote\n")
    with pytest.raises(FileProblem, match=r"rows\.csv, line 1: columns must be suite,"):
        read_rows(tmp_path)
    file.write_text(COLUMNS + "\nreal,vote\n")
    with pytest.raises(FileProblem, match=r"rows\.csv, line 2: 29 cells expected, found 2"):
        read_rows(tmp_path)
    file.rename(tmp_path / "rows.csv.gz")
    with pytest.raises(FileProblem, match=r"rows\.csv\.gz cannot be read"):
        read_rows(tmp_path)


def test_configurations_are_read_from_their_names():
    assert read_configuration("n5000-f20-p70-c4-s0.5-polytope") == {
        "n_samples": "5000",
        "n_features": "20",
        "positive_percent": "70",
        "n_clusters_per_class": "4",
        "class_sep": "0.5",
        "hypercube": "false",
    }


# --- tables by hand ------------------------------------------------------------------------------


def test_paper_layout_marks_the_best_two_and_shows_diff_max(tmp_path):
    rows = [
        *real("vote", "upu", [0.70, 0.72]),
        *real("vote", "nnpu", [0.90, 0.92]),
        *real("vote", "two_hnc_paper", [0.95, 0.97]),
        *real("german", "upu", [0.60]),
        *real("german", "nnpu", [0.80]),
        *real("german", "two_hnc_paper", [0.79]),
    ]
    results = results_of(tmp_path, rows)
    table = real_tables.paper_layout(results, ("vote", "german"), "accuracy", "t", "t")
    assert line_of(table, "Vote")[1:] == (
        Cell(pytest.approx(71.0), pytest.approx(1.0)),
        Cell(pytest.approx(91.0), pytest.approx(1.0), bold=True),
        Cell(None),
        Cell(pytest.approx(96.0), pytest.approx(1.0), bold=True, starred=True),
        Cell(""),
    )
    assert column(table, "German", "Diff Max").main_text == "−1.25%"
    assert "No runs of PU ET on all datasets." in table.notes
    assert "Fewer than 2 runs of uPU: German 1." in table.notes


@pytest.mark.parametrize(
    ("default", "place", "paired_place"),
    [
        ([0.96, 0.96], "first", "first"),
        ([0.93, 0.97], "first", "first"),  # equal means
        ([0.90, 0.98], "within", "within"),  # own error 4 points, one point behind
        ([0.93, 0.95], "within", "behind"),  # own error 1, paired differences equal
        ([0.925, 0.945], "behind", "behind"),  # own error 1, 1.5 points behind
        ([0.85, 0.85], "behind", "behind"),
    ],
)
def test_where_the_default_stands(tmp_path, default, place, paired_place):
    # The best other is PU ET at the prior, not by its own rule; the oracle does not count.
    rows = [
        *real("vote", "pu_et", [0.5, 0.5], prior=[0.94, 0.96]),
        *real("vote", "oracle", [1.0, 1.0]),
        *real("vote", "two_hnc", default),
    ]
    results = results_of(tmp_path, rows)
    found = real_tables.find_standing(results, "vote", "accuracy")
    assert found.best_other == Contender("pu_et", "prior")
    assert found.lead == pytest.approx(100 * (sum(default) / 2 - 0.95))
    assert (found.place, found.paired_place) == (place, paired_place)
    table = real_tables.every_method(results, ("vote",), "accuracy", "t", "t")
    assert column(table, "Vote", "Default, own rule: by s.e. of default").value == place
    assert column(table, "Vote", "Default, own rule: by paired s.e.").value == paired_place
    assert not column(table, "Vote", "oracle: own").starred


def test_agreement_is_within_two_combined_standard_errors(tmp_path):
    # Standard errors: ours 0.3, the paper's 0.4 (made up), so 0.5 combined.
    published = read_published(PUBLISHED)
    scores = dict(published.scores)
    for dataset in ("vote", "german", "bean"):
        key = ("accuracy", dataset, "two_hnc_paper")
        scores[key] = replace(scores[key], mean=90.0, in_brackets=0.4)
    rows = [
        line
        for dataset, mean in (("vote", 0.9099), ("german", 0.9101), ("bean", 0.8899))
        for line in real(dataset, "two_hnc_paper", [mean - 0.003, mean + 0.003])
    ]
    table = agreement_table(
        results_of(tmp_path, rows),
        replace(published, scores=scores),
        ("vote", "german", "bean", "news"),
        "accuracy",
        "t",
    )
    verdicts = [line[4].value for line in table.rows]
    assert verdicts == ["agrees", "above", "below", None]
    assert column(table, "Vote", "2-HNC (paper): in s.e.").value == pytest.approx(1.98)
    assert "2-HNC (paper), 3 datasets: agrees on 1, above on 1, below on 1." in table.notes
    assert "PU ET, 0 datasets: no runs." in table.notes


def test_difference_to_the_paper_in_standard_errors(tmp_path):
    published = read_published(PUBLISHED)
    results = results_of(tmp_path, real("vote", "pu_et", [0.93, 0.95]))
    table = real_tables.beside_paper(results, published, ("vote",), "accuracy", "t")
    assert column(table, "Vote", "PU ET: paper").value == 93.60
    assert column(table, "Vote", "PU ET: difference").value == pytest.approx(0.4)
    units = column(table, "Vote", "PU ET: in s.e.").value
    assert units == pytest.approx(0.4 / np.hypot(1.0, 1.09))
    # Brackets of balanced accuracy are not standard errors: those of accuracy are used instead.
    table = real_tables.beside_paper(results, published, ("vote",), "balanced_accuracy", "t")
    assert column(table, "Vote", "PU ET: paper") == Cell(92.22)
    units = column(table, "Vote", "PU ET: in s.e.").value
    assert units == pytest.approx((90.0 - 92.22) / 1.09)


def test_paper_preset_is_tested_on_the_side_where_it_stands(tmp_path):
    above, below = [0.95, 0.96, 0.99], [0.80, 0.81, 0.84]
    rows = [
        line
        for dataset, ours in (("vote", above), ("german", below))
        for line in (
            *real(dataset, "upu", [0.1, 0.2, 0.3]),
            *real(dataset, "nnpu", [0.90, 0.92, 0.93]),
            *real(dataset, "two_hnc_paper", ours),
        )
    ]
    results, published = results_of(tmp_path, rows), read_published(PUBLISHED)
    tables = {
        direction: significance_tables.against_best_benchmark(
            results, published, ("vote", "german", "mnist"), direction, "t"
        )
        for direction in ("out", "under")
    }
    # Balanced accuracies are equal: not below.
    assert [line[0].value for line in tables["out"].rows] == ["Vote", "German"]
    assert [line[0].value for line in tables["under"].rows] == ["German", "MNIST"]
    assert column(tables["out"], "German", "accuracy: t").value is None
    for direction, name, ours, alternative in (
        ("out", "Vote", above, "greater"),
        ("under", "German", below, "less"),
    ):
        found = [
            column(tables[direction], name, f"accuracy: {title}").value
            for title in ("best benchmark", "t", "Wilcoxon")
        ]
        expected = stats.ttest_rel(ours, [0.90, 0.92, 0.93], alternative=alternative).pvalue
        assert found == ["nnPU", pytest.approx(expected), 1 / 8]
    assert column(tables["out"], "Vote", "accuracy: paper: t") == Cell(
        0.0087, is_p_value=True, starred=True
    )
    assert column(tables["under"], "MNIST", "balanced accuracy: paper: Wilcoxon").value == 0.1563
    assert column(tables["under"], "MNIST", "accuracy: t").value is None


def test_datasets_and_costs_are_those_of_the_rows(tmp_path):
    rows = [
        row("real", "credit", 0, "upu", prior_true=0.78, prior_used=0.5, seconds=3, n_labelled=9),
        row("real", "credit", 1, "upu", prior_true=0.78, prior_used=0.5, seconds=5, n_labelled=8),
    ]
    results = results_of(tmp_path, rows)
    table = reference_tables.datasets_table(results, read_published(PUBLISHED), "t")
    assert column(table, "Credit", "prior: paper").value == 0.60
    assert column(table, "Credit", "prior: ours").value == 0.78
    assert column(table, "Credit", "labelled: ours").value == "8 or 9"
    assert column(table, "Vote", "prior: ours").value is None
    costs = reference_tables.cost_table(results, ("credit",), "seconds", "t")
    assert column(costs, "Credit", "uPU").value == 4.0
    assert column(costs, "Credit", "nnPU").value is None
    assert "made up, cpu, 2 jobs: uPU." in costs.notes


def test_loss_is_paired_by_repetition(tmp_path):
    rows = real("vote", "two_hnc", [0.9, 0.8, 0.7])
    estimated = real("vote", "two_hnc", [0.85, 0.77], prior_kind="estimated", prior_used=0.46)
    write_rows(tmp_path / "rows.csv", [*rows, *estimated])
    runs = read_rows(tmp_path)
    table = real_tables.loss_by_estimate(
        Results(runs, REAL_60), Results(runs, REAL_60_ESTIMATED), ("vote",), "accuracy", "t", "t"
    )
    cell = column(table, "Vote", "2-HNC (default): own")
    assert (cell.value, cell.error) == (pytest.approx(4.0), pytest.approx(1.0))
    assert column(table, "Vote", "error of the prior").value == pytest.approx(4.0)
    assert column(table, "mean", "2-HNC (default): own").value == pytest.approx(4.0)


def test_p_values_of_the_default_pair_repetitions_and_datasets(tmp_path):
    ours = {"vote": [0.90, 0.92, 0.95], "german": [0.70, 0.71, 0.73]}
    theirs = {"vote": [0.89, 0.93, 0.91], "german": [0.66, 0.70, 0.71]}
    rows = [
        line
        for name in ours
        for line in (*real(name, "two_hnc", ours[name]), *real(name, "nnpu", theirs[name]))
    ]
    table = significance_tables.default_against_others(
        results_of(tmp_path, rows), tuple(ours), "accuracy", "t"
    )
    found = column(table, "German", "nnPU: t").value
    assert found == pytest.approx(paired_t_test(ours["german"], theirs["german"], "greater"))
    assert column(table, "German", "nnPU: Wilcoxon").value == 1 / 8
    assert column(table, "means of all datasets", "nnPU: Wilcoxon").value == 1 / 4
    assert column(table, "German", "uPU: t").value is None


def test_ranks_leave_out_datasets_that_lack_a_method(tmp_path):
    rows = [
        *real("vote", "two_hnc", [0.9], prior=[0.9]),
        *real("vote", "nnpu", [0.8], prior=[0.95]),
        *real("german", "two_hnc", [0.9], prior=[0.9]),
    ]
    contenders, ranking = significance_tables.rank_on_datasets(
        results_of(tmp_path, rows), "accuracy", single_runs=False
    )
    assert contenders == (Contender("nnpu", "own"), Contender("nnpu", "prior"), DEFAULT)
    assert (ranking.average_ranks, ranking.n_datasets) == ((3.0, 1.0, 2.0), 1)


def test_improvements_by_parameter_by_hand(tmp_path):
    names = ("n1000-f5-p30-c2-s0.5-hypercube", "n5000-f5-p30-c2-s0.5-polytope")
    rows = [
        row("synthetic", name, number, method, accuracy_own=accuracy)
        for name, number, method, accuracy in (
            (names[0], 0, "two_hnc", 0.9),
            (names[0], 0, "nnpu", 0.6),
            (names[0], 1, "two_hnc", 0.6),
            (names[0], 1, "nnpu", 0.6),
            (names[1], 0, "two_hnc", 0.4),
            (names[1], 0, "nnpu", 0.5),
            (names[1], 1, "two_hnc", 0.4),  # no partner
        )
    ]
    results = results_of(tmp_path, rows, SYNTHETIC)
    table = synthetic_tables.improvement_by_parameter(results, "accuracy", "t")
    lines = {(line[0].value, line[1].value): line[2:6] for line in table.rows}
    n, average, improved, tied = lines["samples", "1000"]
    assert (n.value, average.value, improved.value, tied.value) == (2, pytest.approx(25), 50, 50)
    n, average, improved, _ = lines["hypercube", "false"]
    assert (n.value, average.value, improved.value) == (1, pytest.approx(-20), 0)
    n, average, *_ = lines["clusters per class", "2"]
    assert (n.value, average.value) == (3, pytest.approx(10))
    assert [value for name, value in lines if name == "samples"] == ["1000", "5000"]


def test_loss_on_synthetic_data_by_hand(tmp_path):
    name = "n1000-f5-p30-c2-s0.5-hypercube"
    rows = [
        row("synthetic", name, number, "upu", prior_kind=kind, accuracy_prior=accuracy)
        for number, kind, accuracy in (
            (0, "true", 0.8),
            (0, "estimated", 0.7),
            (1, "true", 0.8),
            (1, "estimated", 0.76),
            (2, "true", 0.1),  # no partner
        )
    ]
    write_rows(tmp_path / "rows.csv", rows)
    runs = read_rows(tmp_path)
    table = synthetic_tables.loss_by_estimate(
        Results(runs, SYNTHETIC), Results(runs, SYNTHETIC_ESTIMATED), "t"
    )
    cell = column(table, "uPU, prior", "accuracy: points lost (s.e.)")
    assert (cell.value, cell.error) == (pytest.approx(7.0), pytest.approx(3.0))
    assert column(table, "uPU, prior", "accuracy: datasets").value == 2
    assert column(table, "nnPU", "accuracy: points lost (s.e.)").value is None


def test_few_labels_beside_the_earlier_paper(tmp_path):
    rows = real("vote", "two_hnc_paper", [0.94, 0.96], labelled_share=0.1, n_labelled=40)
    table = real_tables.beside_earlier(
        results_of(tmp_path, rows, REAL_10), {"vote": 94.99, "letter": 88.88}, "t"
    )
    assert [cell.value for cell in line_of(table, "Vote")[1:]] == [
        40,
        94.99,
        pytest.approx(95.0),
        pytest.approx(0.01),
        None,
        None,
    ]
    assert [cell.value for cell in line_of(table, "Letter")[1:3]] == [None, 88.88]


def test_pairs_are_of_common_repetitions():
    found = pair_up({0: 1.0, 2: 3.0, 3: 9.0}, {2: 1.0, 0: 0.5, 1: 7.0})
    assert (found.first, found.second) == ((1.0, 3.0), (0.5, 1.0))
    assert found.difference.mean == 1.25
    assert pair_up({0: 1.0}, {1: 1.0}).difference is None
