"""The summary, by hand and of the committed rows."""

import gzip
import re
from dataclasses import replace

import pytest

from paper import FOLDER
from paper.row_files import read_rows
from paper.schema import METRICS
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


@pytest.fixture(scope="module")
def contents():
    return make_contents(read_rows(FOLDER / "rows"), read_published(PUBLISHED))


def test_the_committed_summary_is_that_of_the_committed_rows(contents):
    """All tables are made of the committed rows; only the summary is committed beside them."""
    committed = (FOLDER / "tables" / "summary.md").read_text(encoding="utf-8")
    assert contents.summary == committed


def test_committed_rows_are_small():
    """Packed together, as they are in an archive of the repository."""
    packed = [
        file.read_bytes() if file.suffix == ".gz" else gzip.compress(file.read_bytes())
        for file in (FOLDER / "rows").iterdir()
    ]
    assert sum(map(len, packed)) < 1_500_000


def test_the_readme_has_the_numbers_of_the_tables(contents):
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    paragraph = next(part for part in text.split("\n\n") if "2 160 synthetic" in part)
    tables = {table.name: table for table in contents.tables}

    def average(metric, other, of="ours"):
        table = tables[f"synthetic_improvement_{metric}"]
        return column(table, f"2-HNC vs {other}", f"{of}: average (s.d.)").value

    both = [average(metric, "PU ET") for metric in METRICS]
    assert "by {:.2f} % in accuracy and {:.2f} % in balanced".format(*both) in paragraph
    paper = [average(metric, "PU ET", "paper, 2160 datasets") for metric in METRICS]
    assert "has {:.2f} % and {:.2f} %".format(*paper) in paragraph
    ours, theirs = (average("accuracy", "nnPU", of) for of in ("ours", "paper, 2160 datasets"))
    assert f"{ours:+.2f} %, the paper {theirs:+.2f} %".replace("-", "−") in paragraph
    chooser = tables["synthetic_pucut_accuracy"]
    for other in ("nnPU", "nnPU, prior", "PU ET"):
        share = column(chooser, f"vs {other}", "improved (%)").value
        assert f"on {share:.0f} %" in paragraph


def test_pages_name_tables_and_figures_that_exist(contents):
    pages = (FOLDER.parent / "docs").glob("*.md")
    named = [
        name
        for page in pages
        for name in re.findall(r"^```\{paper-item\} (.+)$", page.read_text(encoding="utf-8"), re.M)
    ]
    assert "informative_features" in named
    assert set(named) <= {item.name for item in (*contents.tables, *contents.drawings)}
