"""The summary, by hand and of the committed rows."""

from dataclasses import replace

import pytest

from paper import FOLDER
from paper.row_files import read_rows
from paper.showing.contents import make_contents
from paper.showing.published import read_published
from paper.showing.summary import agreement_table
from tests.helpers.paper_rows import column, real, results_of

PUBLISHED = FOLDER / "published"


def test_agreement_is_within_two_combined_standard_errors(tmp_path):
    # Standard errors: ours 0.3, the paper's 0.4 (made up), so 0.5 combined.
    published = read_published(PUBLISHED)
    scores = dict(published.scores)
    for dataset in ("vote", "german", "bean"):
        key = ("accuracy", dataset, "two_hnc")
        scores[key] = replace(scores[key], mean=90.0, in_brackets=0.4)
    rows = [
        line
        for dataset, mean in (("vote", 0.9099), ("german", 0.9101), ("bean", 0.8899))
        for line in real(dataset, "two_hnc", [mean - 0.003, mean + 0.003])
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
    assert column(table, "Vote", "2-HNC: in s.e.").value == pytest.approx(1.98)
    assert "2-HNC, 3 datasets: agrees on 1, above on 1, below on 1." in table.notes
    assert "PU ET, 0 datasets: no runs." in table.notes


def test_the_committed_summary_is_that_of_the_committed_rows():
    """All tables are made of the committed rows; only the summary is committed beside them."""
    contents = make_contents(read_rows(FOLDER / "rows"), read_published(PUBLISHED))
    committed = (FOLDER / "tables" / "summary.md").read_text(encoding="utf-8")
    assert contents.summary == committed
