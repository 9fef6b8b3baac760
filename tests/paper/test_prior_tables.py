"""Tables of what an estimated prior costs, by hand."""

import pytest

from paper.row_files import read_rows
from paper.showing import prior_tables
from paper.showing.results import (
    REAL_60,
    REAL_60_ESTIMATED,
    SYNTHETIC,
    SYNTHETIC_ESTIMATED,
    Results,
)
from tests.helpers.paper_rows import column, real, row, write_rows


def test_loss_is_paired_by_repetition(tmp_path):
    rows = real("vote", "pucut", [0.9, 0.8, 0.7])
    estimated = real("vote", "pucut", [0.85, 0.77], prior_kind="estimated", prior_used=0.46)
    write_rows(tmp_path / "rows.csv", [*rows, *estimated])
    runs = read_rows(tmp_path)
    table = prior_tables.loss_on_real(
        Results(runs, REAL_60), Results(runs, REAL_60_ESTIMATED), ("vote",), "accuracy", "t", "t"
    )
    cell = column(table, "Vote", "pucut: own")
    assert (cell.value, cell.error) == (pytest.approx(4.0), pytest.approx(1.0))
    assert column(table, "Vote", "error of the prior").value == pytest.approx(4.0)
    assert column(table, "mean", "pucut: own").value == pytest.approx(4.0)


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
    table = prior_tables.loss_on_synthetic(
        Results(runs, SYNTHETIC), Results(runs, SYNTHETIC_ESTIMATED), "t"
    )
    cell = column(table, "uPU, prior", "accuracy: points lost (s.e.)")
    assert (cell.value, cell.error) == (pytest.approx(7.0), pytest.approx(3.0))
    assert column(table, "uPU, prior", "accuracy: datasets").value == 2
    assert column(table, "nnPU", "accuracy: points lost (s.e.)").value is None
