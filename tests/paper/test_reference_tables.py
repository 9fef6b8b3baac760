"""Tables of datasets and costs, by hand."""

from paper import FOLDER
from paper.showing import reference_tables
from paper.showing.published import read_published
from tests.helpers.paper_rows import column, results_of, row

PUBLISHED = FOLDER / "published"


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
