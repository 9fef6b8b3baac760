"""Of a table of very many rows some are on the page, and everything said is about all of them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pucut import PUThresholdClassifier
from pucut.report import plane, render, summarise, unpacked
from pucut.report.listed import ELSEWHERE, MOST_LISTED


@pytest.fixture
def capped(model, table, monkeypatch):
    """The summary with 100 of 220 rows."""
    X, y, _ = table
    monkeypatch.setattr("pucut.report.listed.MOST_LISTED", 100)
    monkeypatch.setattr(plane, "MOST_DRAWN", 20)
    return summarise(model, X, y, ids=[f"id{row}" for row in range(220)])


def test_the_rows_on_the_page_are_as_they_were(summary, capped):
    number = unpacked(capped["rows"]["number"])
    assert len(number) == capped["listed"]["n_rows"] <= 100
    assert (np.diff(number) > 0).all()
    assert capped["rows"]["ids"] == [f"id{row}" for row in number]
    for name in ("is_labelled", "is_positive", "probability", "score", "turning_prior", "rank"):
        whole, here = (unpacked(each["rows"][name]) for each in (summary, capped))
        np.testing.assert_array_equal(here, whole[number])
    places = unpacked(capped["rows"]["order"])
    whole = unpacked(summary["rows"]["order"])
    assert number[places].tolist() == [row for row in whole if row in set(number)]
    for column, other in zip(capped["columns"], summary["columns"], strict=True):
        np.testing.assert_array_equal(unpacked(column["values"]), unpacked(other["values"])[number])
        assert column["distribution"] == other["distribution"]


def test_what_is_counted_is_counted_of_all_rows(summary, capped):
    number = unpacked(capped["rows"]["number"])
    for key in ("data", "certainty", "probabilities", "found_by_prior", "n_positive", "weights"):
        assert capped[key] == summary[key]
    for line, whole in zip(capped["sensitivity"], summary["sensitivity"], strict=True):
        assert (line["prior"], line["is_possible"]) == (whole["prior"], whole["is_possible"])
        for name in ("to_positive", "to_negative") if line["is_possible"] else ():
            assert line[f"n_{name}"] == whole[f"n_{name}"]
            rows = set(unpacked(whole[name]).tolist()) & set(number.tolist())
            assert set(number[unpacked(line[name])].tolist()) == rows


def test_rows_are_explained_by_rows_on_the_page_or_by_none(summary, capped):
    number = unpacked(capped["rows"]["number"])
    shape = (-1, capped["rows"]["n_listed_neighbors"])
    for name, form in (("neighbor", shape), ("towards_label", -1)):
        whole = unpacked(summary["rows"][name]).reshape(form)[number]
        here = unpacked(capped["rows"][name]).reshape(form)
        is_there = np.isin(whole, number)
        np.testing.assert_array_equal(number[here[is_there]], whole[is_there])
        assert (here[~is_there & (whole >= 0)] == ELSEWHERE).all()
        assert (here[whole < 0] == -1).all()


def test_without_a_graph_no_row_is_explained_by_others(table, monkeypatch):
    X, y, _ = table
    monkeypatch.setattr("pucut.report.listed.MOST_LISTED", 100)
    monkeypatch.setattr(plane, "MOST_DRAWN", 20)
    model = PUThresholdClassifier(LogisticRegression(), prior=0.5, random_state=0).fit(X, y)
    found = summarise(model, X, y)
    assert "known positives and 20 picked at random from all rows. The others" in render(found)
    assert found["rows"]["neighbor"] is None


def test_each_cut_is_the_same_for_the_rows_on_the_page(paper, table, monkeypatch):
    model, whole = paper
    X, y, _ = table
    monkeypatch.setattr("pucut.report.listed.MOST_LISTED", 60)
    monkeypatch.setattr(plane, "MOST_DRAWN", 5)
    found = summarise(model, X, y)
    number = unpacked(found["rows"]["number"])
    n_steps = []
    for stage, other in zip(found["stages"], whole["stages"], strict=True):
        sizes, all_sizes = (unpacked(each["n_positive"]).tolist() for each in (stage, other))
        n_steps.append((len(sizes), len(all_sizes)))
        turn, all_turn = unpacked(stage["turn"]), unpacked(other["turn"])[number]
        for step, size in enumerate(sizes):
            before = all_sizes.index(size)
            assert unpacked(stage["lam"])[step] == unpacked(other["lam"])[before]
            inside = turn >= step if stage["stage"] == 1 else turn <= step
            expected = all_turn >= before if stage["stage"] == 1 else all_turn <= before
            np.testing.assert_array_equal(inside, expected)
    assert any(few < many for few, many in n_steps)
    chosen = found["stages"][found["partition"]["stage"] - 1]
    assert unpacked(chosen["n_positive"])[found["partition"]["step"]] == found["n_positive"]


def test_the_page_says_which_rows_it_has(summary, capped):
    text = render(capped)
    n_rows = capped["listed"]["n_rows"]
    assert f"This page has {n_rows} of the 220 rows: the strongest" in text
    assert "The numbers, charts and tables are those of all rows." in text
    assert "20 picked at random from all rows and rows by which these are explained" in text
    assert "This page has" not in render(summary)
    assert len(text) < len(render(summary))
    assert MOST_LISTED * 300 < 10_000_000  # bytes of a row, and of the page
