"""Tables of real datasets, by hand."""

import numpy as np
import pytest

from paper import FOLDER
from paper.showing import real_tables
from paper.showing.contenders import Contender
from paper.showing.published import read_published
from paper.showing.results import REAL_10
from paper.showing.tables import Cell
from tests.helpers.paper_rows import column, line_of, real, results_of

PUBLISHED = FOLDER / "published"


def test_paper_layout_marks_the_best_two_and_shows_diff_max(tmp_path):
    rows = [
        *real("vote", "upu", [0.70, 0.72]),
        *real("vote", "nnpu", [0.90, 0.92]),
        *real("vote", "two_hnc", [0.95, 0.97]),
        *real("german", "upu", [0.60]),
        *real("german", "nnpu", [0.80]),
        *real("german", "two_hnc", [0.79]),
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
def test_where_pucut_stands(tmp_path, default, place, paired_place):
    # The best other is PU ET at the prior, not by its own rule; the oracle does not count.
    rows = [
        *real("vote", "pu_et", [0.5, 0.5], prior=[0.94, 0.96]),
        *real("vote", "oracle", [1.0, 1.0]),
        *real("vote", "pucut", default),
    ]
    results = results_of(tmp_path, rows)
    found = real_tables.find_standing(results, "vote", "accuracy")
    assert found.best_other == Contender("pu_et", "prior")
    assert found.lead == pytest.approx(100 * (sum(default) / 2 - 0.95))
    assert (found.place, found.paired_place) == (place, paired_place)
    table = real_tables.every_method(results, ("vote",), "accuracy", "t", "t")
    assert column(table, "Vote", "pucut, own rule: by s.e. of pucut").value == place
    assert column(table, "Vote", "pucut, own rule: by paired s.e.").value == paired_place
    assert not column(table, "Vote", "oracle: own").starred


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


def test_few_labels_beside_the_earlier_paper(tmp_path):
    rows = real("vote", "two_hnc", [0.94, 0.96], labelled_share=0.1, n_labelled=40)
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
