"""Tables of synthetic datasets, by hand."""

import pytest

from paper.showing import synthetic_tables
from paper.showing.results import SYNTHETIC
from tests.helpers.paper_rows import results_of, row


def test_improvements_by_parameter_by_hand(tmp_path):
    names = ("n1000-f5-p30-c2-s0.5-hypercube", "n5000-f5-p30-c2-s0.5-polytope")
    rows = [
        row("synthetic", name, number, method, accuracy_own=accuracy)
        for name, number, method, accuracy in (
            (names[0], 0, "pucut", 0.9),
            (names[0], 0, "nnpu", 0.6),
            (names[0], 1, "pucut", 0.6),
            (names[0], 1, "nnpu", 0.6),
            (names[1], 0, "pucut", 0.4),
            (names[1], 0, "nnpu", 0.5),
            (names[1], 1, "pucut", 0.4),  # no partner
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
