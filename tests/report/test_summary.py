"""What a summary says of a fitted estimator: numbers against oracles."""

import copy
import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from pucut import TwoHNCClassifier, report
from pucut.data.labels import checked_pu_labels
from pucut.data.row_order import renumbered_graph
from pucut.judging.thresholds import positives_by_prior
from pucut.report import render, summarise, unpacked
from pucut.report.fit import ReportedFit
from pucut.report.listed import chains_to_labels, labelled_neighbors, turning_priors
from pucut.report.sections import SECTIONS
from pucut.report.values import packed
from tests.helpers.reports import shown_graph

two_hnc = partial(TwoHNCClassifier, prior=0.5, n_estimators=20, random_state=0)


def test_the_summary_is_plain_json(summary):
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text) == summary
    assert summary["schema"] == report.SCHEMA == "pucut-report/4"


def described(text):
    """The keys of the summary that a docstring describes."""
    found = re.findall(r"^    (\w+(?:, \w+)*) {2,}\S", text, flags=re.MULTILINE)
    return sorted(name for names in found for name in names.split(", "))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_a_section_describes_its_facts(section, model, table):
    X, y, _ = table
    assert sorted(section.facts(ReportedFit(model, X, y))) == described(section.__doc__)


def test_every_key_is_described_once(summary):
    assert described(report.__doc__) == sorted(summary)


def test_the_same_input_gives_the_same_page(model, table, summary):
    X, y, _ = table
    again = summarise(model, X, y)
    assert {**again, "seconds": None} == {**summary, "seconds": None}
    assert render(again) == render(summary)


def test_packed_arrays_come_back():
    for dtype, values in (("int32", [-1, 2**31 - 1]), ("float32", [0.5, np.nan]), ("uint8", [])):
        np.testing.assert_array_equal(unpacked(packed(values, dtype)), np.array(values))
    with pytest.raises(ValueError, match="do not fit into uint8: largest is 256"):
        packed([1, 256], "uint8")
    with pytest.raises(ValueError, match="type must be one of"):
        unpacked({"type": "complex64", "base64": ""})


def test_every_step_is_the_cut_of_its_lambda(paper):
    model, summary = paper
    for stage, path in zip(summary["stages"], (model.stage1_, model.stage2_), strict=True):
        lams, turn = unpacked(stage["lam"]), unpacked(stage["turn"])
        sizes = unpacked(stage["n_positive"])
        assert (np.diff(lams) > 0).all()
        # No partition is left out: one a breakpoint, and the ends of the range.
        assert set(path.breakpoints) <= set(lams)
        for step, lam in enumerate(lams):
            expected = path.source_set(lam)
            found = turn >= step if stage["stage"] == 1 else turn <= step
            np.testing.assert_array_equal(found, expected)
            assert sizes[step] == expected.sum()


def test_the_chosen_step_is_the_partition(paper):
    model, summary = paper
    partition = summary["partition"]
    assert partition["stage"] == model.partition_.stage
    assert partition["lam"] == model.partition_.lam
    stage = summary["stages"][partition["stage"] - 1]
    assert unpacked(stage["lam"])[partition["step"]] == model.partition_.lam
    turn, step = unpacked(stage["turn"]), partition["step"]
    found = turn >= step if partition["stage"] == 1 else turn <= step
    np.testing.assert_array_equal(found, model.transduction_)
    assert partition["n_likely_negative"] == len(model.likely_negative_)
    assert partition["n_unreached"] == model.n_unreached_


def test_classes_that_are_not_a_partition_are_refused(paper, table):
    """The slider and the headline would show different numbers."""
    X, y, _ = table
    other = copy.copy(paper[0])
    flipped = np.flatnonzero(y == 0)[[0, 7, 30]]
    other.transduction_ = other.transduction_.copy()
    other.transduction_[flipped] = 1 - other.transduction_[flipped]
    with pytest.raises(ValueError, match="it must be as fit left it"):
        summarise(other, X, y)


def test_rows_hold_what_the_estimator_says(model, table, summary):
    X, y, _ = table
    rows = summary["rows"]
    np.testing.assert_array_equal(unpacked(rows["is_labelled"]), y)
    np.testing.assert_array_equal(unpacked(rows["is_positive"]), model.transduction_)
    probability = unpacked(rows["probability"])
    np.testing.assert_allclose(probability, model.predict_proba(X)[:, 1], rtol=1e-6)
    np.testing.assert_allclose(unpacked(rows["score"]), model.scores_, rtol=1e-6, atol=1e-7)
    order = unpacked(rows["order"])
    assert sorted(order) == list(range(len(X)))
    n_positive = int(model.transduction_.sum())
    assert model.transduction_[order[:n_positive]].all()
    for part in (order[:n_positive], order[n_positive:]):
        assert (np.diff(model.scores_[part]) <= 0).all()
    assert summary["n_positive"] == model.transduction_.sum()


def test_rows_hold_what_stage_1_says(paper, table):
    _, y, _ = table
    model, summary = paper
    rows = summary["rows"]
    place = unpacked(rows["negative_place"])
    for expected, row in enumerate(model.negative_ranking_, start=1):
        assert place[row] == expected
    assert (place[y == 1] == 0).all()
    likely = np.flatnonzero(unpacked(rows["is_likely_negative"]))
    assert likely.tolist() == sorted(model.likely_negative_)


def test_labelled_neighbours_are_those_of_a_plain_search(model, table, summary):
    _, y, _ = table
    sparse = shown_graph(model)
    graph = sparse.toarray()
    neighbors, weights = labelled_neighbors(sparse, y == 1, 3)
    listed = unpacked(summary["rows"]["neighbor"]).reshape(len(y), -1)
    np.testing.assert_array_equal(listed[:, :3], neighbors)
    assert summary["graph"]["n_edges"] == np.count_nonzero(np.triu(graph))
    share = unpacked(summary["rows"]["share_to_positive"])
    expected = graph @ model.transduction_ / graph.sum(axis=1)
    np.testing.assert_allclose(share, expected, rtol=1e-5)
    for row in range(len(graph)):
        near = [other for other in np.flatnonzero(graph[row]) if y[other] and other != row]
        near = sorted(near, key=lambda other: (-graph[row, other], other))[:3]
        assert [other for other in neighbors[row] if other >= 0] == near
        np.testing.assert_allclose(weights[row, : len(near)], graph[row, near])


def test_chains_are_the_strongest():
    random = np.random.default_rng(1)
    upper = np.triu(random.random((25, 25)) * (random.random((25, 25)) < 0.12), 1)
    graph = upper + upper.T
    is_labelled = np.zeros(25, dtype=bool)
    is_labelled[:2] = True
    # Bellman and Ford: the best product of weights in up to 25 steps.
    best = is_labelled.astype(float)
    for _ in range(25):
        best = np.maximum(best, (graph * best).max(axis=1))
    towards = chains_to_labels(sp.csr_array(graph), is_labelled)
    assert (best == 0.0).any()
    assert ((best > 0.0) & (best < 1.0)).sum() > 5
    for row in range(25):
        strength, at = 1.0, row
        while towards[at] >= 0:
            strength *= graph[at, towards[at]]
            at = towards[at]
        assert is_labelled[at] == (best[row] > 0.0)
        if best[row] > 0.0:
            assert strength == pytest.approx(best[row])


def test_the_turning_prior_is_where_a_row_turns(model, summary, table):
    _, y, _ = table
    turning = unpacked(summary["rows"]["turning_prior"])
    labels = checked_pu_labels(y)
    np.testing.assert_allclose(turning, turning_priors(model.scores_, y == 1), rtol=1e-6)
    assert (turning[y == 1] == 0.0).all()
    step = 1.0 / len(y)
    for row in np.flatnonzero(y == 0):
        if turning[row] + step < 1.0:
            assert positives_by_prior(model.scores_, labels, turning[row] + step)[row]
        if turning[row] - step > labels.labelled_share:
            assert not positives_by_prior(model.scores_, labels, turning[row] - step)[row]


def test_sensitivity_cuts_the_same_ranking_elsewhere(model, summary):
    rows = summary["rows"]
    is_labelled = unpacked(rows["is_labelled"]) == 1
    before = unpacked(rows["is_positive"]) == 1
    assert [line["move"] for line in summary["sensitivity"]] == [-0.1, -0.05, 0.05, 0.1]
    falling = np.sort(model.scores_[~is_labelled])[::-1]
    some_changed = 0
    for line in summary["sensitivity"]:
        wanted = np.floor(line["prior"] * len(before) - is_labelled.sum() + 0.5)
        # Rows of equal score stay together: of all such cuts the nearest in size.
        sizes = [
            n
            for n in range(len(falling) + 1)
            if n in (0, len(falling)) or falling[n - 1] > falling[n]
        ]
        size = min(sizes, key=lambda n: (abs(n - wanted), n))
        now = is_labelled | (model.scores_ >= (falling[size - 1] if size else np.inf))
        assert unpacked(line["to_positive"]).tolist() == np.flatnonzero(now & ~before).tolist()
        assert unpacked(line["to_negative"]).tolist() == np.flatnonzero(before & ~now).tolist()
        assert line["n_to_positive"] == np.count_nonzero(now & ~before)
        some_changed += line["n_to_positive"] + line["n_to_negative"]
    assert some_changed > 10


def test_priors_below_the_labelled_share_are_not_asked_for(table):
    X, y, _ = table
    prior = float(y.mean()) + 0.02
    found = summarise(two_hnc(prior=prior).fit(X, y), X, y)
    assert [line["is_possible"] for line in found["sensitivity"]] == [False, False, True, True]
    assert "not possible with these labels" in render(found)


# What only one of them has


def test_what_a_method_does_not_have_is_null(chooser, paper):
    _, of_chooser = chooser
    _, of_paper = paper
    assert (of_chooser["method"], of_paper["method"]) == ("pucut", "2-HNC")
    for name in ("partition", "stages"):
        assert of_chooser[name] is None
        assert of_paper[name] is not None
    for name in ("is_likely_negative", "is_reached", "negative_place"):
        assert of_chooser["rows"][name] is None
        assert of_paper["rows"][name] is not None
    for name in ("selection", "space"):
        assert of_paper[name] is None
        assert of_chooser[name] is not None
    assert set(of_chooser) == set(of_paper)


def test_everything_that_was_tried_is_in_the_selection(chooser):
    model, summary = chooser
    assert summary["selection"] == [vars(candidate) for candidate in model.selection_]
    weights = {"score": 0.0, "cut": 0.0, "mixture": 0.0}
    for line in summary["selection"]:
        weights[line["kind"]] += line["weight"]
    assert weights == pytest.approx({"score": 1.0, "cut": 1.0, "mixture": 1.0})
    assert summary["selection"][-1]["kind"] == "mixture"


def test_the_graph_is_that_of_the_cut_with_most_weight(chooser, table):
    X, y, _ = table
    model, summary = chooser
    lines = [line for line in summary["selection"][1:] if line["name"] == summary["graph"]["name"]]
    assert [line["weight"] for line in lines] == [summary["graph"]["weight"]]
    assert summary["graph"]["weight"] == max(model.mixture_.cut_weights)
    # Another cut with most weight, of another space.
    place = next(
        place
        for place, cut in enumerate(model.mixture_.cuts)
        if cut.space is not model.mixture_.spaces[0]
    )
    weights = model.mixture_.chosen.weights.copy()
    weights[1 + place] = 1.0
    other = with_cuts(model, model.mixture_.cuts, weights)
    cut = model.mixture_.cuts[place]
    found = summarise(other, X, y)
    assert found["graph"]["name"] == cut.name
    assert found["graph"]["weight"] == 1.0
    graph = renumbered_graph(cut.space.graph(cut.n_neighbors), model.row_order_)
    np.testing.assert_array_equal(unpacked(found["rows"]["n_edges"]), np.diff(graph.indptr))


def test_without_a_cut_the_neighbours_are_those_of_the_first_space(chooser, table):
    X, y, _ = table
    model, _ = chooser
    other = with_cuts(model, (), model.mixture_.chosen.weights[:1])
    found = summarise(other, X, y)
    space = model.mixture_.spaces[0]
    assert (found["graph"]["name"], found["graph"]["weight"]) == (space.name, None)
    graph = renumbered_graph(space.graph(space.lists.n_neighbors), model.row_order_)
    np.testing.assert_array_equal(unpacked(found["rows"]["n_edges"]), np.diff(graph.indptr))
    assert "none: no graph was better than the scores" in render(found)


def with_cuts(model, cuts, weights):
    """The chooser as if these cuts had been chosen."""
    chosen = replace(
        model.mixture_.chosen,
        cuts=cuts,
        weights=weights,
        references=model.mixture_.chosen.references[: len(weights)],
    )
    other = copy.copy(model)
    other.mixture_ = replace(model.mixture_, chosen=chosen)
    return other
