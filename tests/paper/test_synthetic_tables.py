"""Tables of synthetic datasets, by hand."""

import pytest

from paper import FOLDER
from paper.datasets import FAMILIES
from paper.methods import METHODS
from paper.showing import synthetic_tables
from paper.showing.contenders import (
    ALL,
    BENCHMARKS,
    FAIR,
    OTHERS,
    PUCUT,
    RANKED,
    TWO_HNC,
    Contender,
)
from paper.showing.published import read_published
from paper.showing.results import SYNTHETIC, SYNTHETIC_FAMILIES
from tests.helpers.paper_rows import column, results_of, row

NAMES = ("n1000-f5-p30-c2-s0.5-hypercube", "n5000-f5-p30-c2-s0.5-polytope")
NNPU = (Contender("nnpu", "own"), Contender("nnpu", "prior"))


@pytest.fixture(scope="module")
def published():
    return read_published(FOLDER / "published")


def test_improvements_by_parameter_by_hand(tmp_path):
    rows = [
        row("synthetic", name, number, method, accuracy_own=accuracy)
        for name, number, method, accuracy in (
            (NAMES[0], 0, "pucut", 0.9),
            (NAMES[0], 0, "nnpu", 0.6),
            (NAMES[0], 1, "pucut", 0.6),
            (NAMES[0], 1, "nnpu", 0.6),
            (NAMES[1], 0, "pucut", 0.4),
            (NAMES[1], 0, "nnpu", 0.5),
            (NAMES[1], 1, "pucut", 0.4),  # no partner
        )
    ]
    results = results_of(tmp_path, rows, SYNTHETIC)
    table = synthetic_tables.improvement_by_parameter(results, PUCUT, NNPU, "accuracy", "t")
    lines = {(line[0].value, line[1].value): line[2:6] for line in table.rows}
    n, average, improved, tied = lines["samples", "1000"]
    assert (n.value, average.value, improved.value, tied.value) == (2, pytest.approx(25), 50, 50)
    n, average, improved, _ = lines["hypercube", "false"]
    assert (n.value, average.value, improved.value) == (1, pytest.approx(-20), 0)
    n, average, *_ = lines["clusters per class", "2"]
    assert (n.value, average.value) == (3, pytest.approx(10))
    assert [value for name, value in lines if name == "samples"] == ["1000", "5000"]
    one = synthetic_tables.improvement_by_parameter(
        results, PUCUT, NNPU[:1], "accuracy", "t", ("n_samples",)
    )
    assert [[cell.value for cell in line[:3]] for line in one.rows] == [
        ["samples", "1000", 2],
        ["samples", "5000", 1],
    ]
    # What was not run is a dash.
    none = synthetic_tables.improvement_by_parameter(
        results, TWO_HNC, BENCHMARKS, "accuracy", "t", ("n_samples",)
    )
    assert [cell.value for cell in none.rows[0][2:6]] == [0, None, None, None]


def by_family(tmp_path, accuracies):
    """Results by family; `accuracies` are of 2-HNC, on datasets on which the others have 0.5."""
    made = {}
    for family, found in accuracies.items():
        rows = [
            row(family, NAMES[0], number, method, accuracy_own=accuracy)
            for number, ours in found.items()
            for method, accuracy in (
                ("two_hnc", ours),
                *((one.method, 0.5) for one in BENCHMARKS),
            )
        ]
        made[family] = results_of(tmp_path / family, rows, SYNTHETIC_FAMILIES[family])
    return made


def test_improvements_by_family_are_of_the_datasets_that_all_have(tmp_path, published):
    families = by_family(
        tmp_path,
        {
            "few_informative": {0: 0.4, 1: 0.5, 2: 1.0},
            "half_informative": {0: 0.5, 1: 0.5},
            "most_informative": {0: 0.5, 1: 0.6, 3: 1.0},
            "synthetic": {0: 0.6, 1: 0.8, 2: 1.0},
        },
    )
    table = synthetic_tables.improvement_by_family(families, "accuracy", "t")
    assert "2 datasets with each number" in table.notes[0]
    found = {
        line[0].value: (
            column(table, line[0].value, "vs nnPU: average (s.d.)").value,
            column(table, line[0].value, "vs nnPU: improved (%)").value,
        )
        for line in table.rows
    }
    assert found == {
        "3": (pytest.approx(-10), 0),
        "half": (pytest.approx(0), 0),
        "all but two": (pytest.approx(10), 50),
        "all": (pytest.approx(40), 100),
    }
    steps, series = synthetic_tables.family_series(families, published, "accuracy")
    assert list(steps) == list(found)
    assert [one.title for one in series] == ["2-HNC vs uPU", "2-HNC vs nnPU", "2-HNC vs PU ET"]
    for one, theirs in zip(series, (5.33, -0.44, 8.02), strict=True):
        assert [point.mean for point in one.ours] == [average for average, _ in found.values()]
        assert [point and point.mean for point in one.paper] == [None, None, None, theirs]
    assert series[0].ours[3].standard_error == pytest.approx(20)


def test_families_without_runs_are_dashes(tmp_path, published):
    """A family without rows has no dataset in common with the others."""
    there = by_family(tmp_path, {"synthetic": {0: 0.6}})["synthetic"]
    families = dict.fromkeys(FAMILIES, there)
    families["half_informative"] = results_of(
        tmp_path / "other", [row("real", "vote", 0, "upu")], SYNTHETIC
    )
    table = synthetic_tables.improvement_by_family(families, "accuracy", "t")
    assert {cell.value for line in table.rows for cell in line[1:]} == {None}
    _, series = synthetic_tables.family_series(families, published, "accuracy")
    assert {point for one in series for point in one.ours} == {None}


def test_variants_are_beside_the_paper_and_nowhere_else(tmp_path, published):
    variants = [key for key, method in METHODS.items() if method.role == "variant"]
    assert variants
    for contenders in (ALL, FAIR, OTHERS, RANKED):
        assert not {one.method for one in contenders} & set(variants)
    accuracies = {
        ("two_hnc", 0): 0.9,
        ("two_hnc", 1): 0.6,
        ("nnpu", 0): 0.6,
        ("nnpu", 1): 0.6,
        ("nnpu_public", 0): 0.45,
    }
    rows = [
        row("synthetic", NAMES[0], number, method, accuracy_own=accuracy)
        for (method, number), accuracy in accuracies.items()
    ]
    table = synthetic_tables.networks_beside_paper(
        results_of(tmp_path, rows, SYNTHETIC), published, "t"
    )

    def average(line):
        return column(table, line, "accuracy: average (s.d.)").value

    assert column(table, "vs nnPU", "datasets").value == 2
    assert average("vs nnPU") == pytest.approx(25)
    assert average("vs nnPU, public settings") == pytest.approx(100)
    assert average("vs nnPU, the paper") == -0.44
    assert average("vs uPU") is None
    assert average("vs uPU, the paper") == 5.33
