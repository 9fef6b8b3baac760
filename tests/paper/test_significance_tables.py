"""Tables of tests and ranks, by hand."""

import pytest
from scipy import stats

from paper import FOLDER
from paper.showing import significance_tables
from paper.showing.contenders import PUCUT, Contender
from paper.showing.published import read_published
from paper.showing.statistics import paired_t_test
from paper.showing.tables import Cell
from tests.helpers.paper_rows import column, real, results_of

PUBLISHED = FOLDER / "published"


def test_two_hnc_is_tested_on_the_side_where_it_is(tmp_path):
    above, below = [0.95, 0.96, 0.99], [0.80, 0.81, 0.84]
    rows = [
        line
        for dataset, ours in (("vote", above), ("german", below))
        for line in (
            *real(dataset, "upu", [0.1, 0.2, 0.3]),
            *real(dataset, "nnpu", [0.90, 0.92, 0.93]),
            *real(dataset, "two_hnc", ours),
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


def test_p_values_of_pucut_pair_repetitions_and_datasets(tmp_path):
    ours = {"vote": [0.90, 0.92, 0.95], "german": [0.70, 0.71, 0.73]}
    theirs = {"vote": [0.89, 0.93, 0.91], "german": [0.66, 0.70, 0.71]}
    rows = [
        line
        for name in ours
        for line in (*real(name, "pucut", ours[name]), *real(name, "nnpu", theirs[name]))
    ]
    table = significance_tables.pucut_against_others(
        results_of(tmp_path, rows), tuple(ours), "accuracy", "t"
    )
    found = column(table, "German", "nnPU: t").value
    assert found == pytest.approx(paired_t_test(ours["german"], theirs["german"], "greater"))
    assert column(table, "German", "nnPU: Wilcoxon").value == 1 / 8
    assert column(table, "means of all datasets", "nnPU: Wilcoxon").value == 1 / 4
    assert column(table, "German", "uPU: t").value is None


def test_ranks_leave_out_datasets_that_lack_a_method(tmp_path):
    rows = [
        *real("vote", "pucut", [0.9], prior=[0.9]),
        *real("vote", "nnpu", [0.8], prior=[0.95]),
        *real("german", "pucut", [0.9], prior=[0.9]),
    ]
    contenders, ranking = significance_tables.rank_on_datasets(
        results_of(tmp_path, rows), "accuracy", single_runs=False
    )
    assert contenders == (Contender("nnpu", "own"), Contender("nnpu", "prior"), PUCUT)
    assert (ranking.average_ranks, ranking.n_datasets) == ((3.0, 1.0, 2.0), 1)
