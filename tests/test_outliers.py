"""Outliers by cuts: the order of leaving against single cuts, new rows, the line, bad input."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from pucut import CutOutlierDetector, parametric_cut
from pucut.outliers import DENSEST_SHARE, densest, densities, far_share
from pucut.utils.estimator_checks._tools import (
    assert_answers_rest_on_fit_alone,
    calls_of,
    stop_after,
)


def table(seed=0, n_rows=120):
    """A cloud, and at the end six rows together far away."""
    random = np.random.default_rng(seed)
    cloud = random.normal(size=(n_rows - 6, 3))
    return np.concatenate([cloud, 7.0 + 0.05 * random.normal(size=(6, 3))])


def leaving_level(detector, lam):
    """Which rows are on the regular side at one lambda, by a cut for that lambda alone."""
    cuts = detector._cuts
    graph = cuts.space.graph(detector.n_neighbors_)
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    pull = np.full(len(degrees), detector.density_weight * np.median(degrees))
    nothing = np.zeros(len(pull))
    single = parametric_cut(
        graph,
        source=(pull * densities(cuts.remoteness, np.sort(cuts.remoteness)), nothing),
        sink=(lam * pull, nothing),
        lambda_range=(0.0, 0.0),
        source_seeds=detector.is_seed_,
    )
    return single.source_set(0.0)


@pytest.mark.parametrize("regular", [None, np.arange(0, 40, 4)])
def test_rows_leave_in_the_order_that_single_cuts_find(regular):
    detector = CutOutlierDetector(density_weight=1.5).fit(table(), regular=regular)
    breakpoints = detector.path_.breakpoints
    assert len(breakpoints) > 5
    for low, high in itertools.pairwise(breakpoints):
        if high - low < 1e-9:
            continue
        lam = (low + high) / 2
        stays = leaving_level(detector, lam)
        # What has left has lower scores than what stays, to the last row.
        assert detector.score_samples_[~stays].max() < detector.score_samples_[stays].min()


def test_seeds_are_those_given_or_the_densest_half():
    X = table()
    known = np.zeros(len(X), dtype=bool)
    known[[3, 8, 21]] = True
    for regular in (known, [3, 8, 21]):
        detector = CutOutlierDetector().fit(X, regular=regular)
        np.testing.assert_array_equal(detector.is_seed_, known)
        others = detector.score_samples_[~known]
        assert detector.score_samples_[known].min() > others.max()
    detector = CutOutlierDetector().fit(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    distances = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    nearest = np.sort(distances, axis=1)[:, 1 : detector.n_neighbors_ + 1].mean(axis=1)
    half = np.argsort(nearest, kind="stable")[: int(DENSEST_SHARE * len(X))]
    np.testing.assert_array_equal(np.flatnonzero(detector.is_seed_), np.sort(half))


def test_a_group_of_outliers_leaves_first():
    detector = CutOutlierDetector(contamination=6 / 120).fit(table())
    assert set(np.argsort(detector.score_samples_)[:6]) == set(range(114, 120))
    answers = detector.fit_predict(table())
    np.testing.assert_array_equal(np.flatnonzero(answers == -1), np.arange(114, 120))


def test_known_rows_pull_what_is_like_them():
    """Rows of a small group far away stay longer once some of them are known to be regular."""
    detector = CutOutlierDetector(density_weight=0.5)
    apart = detector.fit(table(1), regular=[*range(50)]).score_samples_[116:]
    joined = detector.fit(table(1), regular=[*range(50), 114, 115]).score_samples_[116:]
    assert apart.max() < 0.1
    assert joined.min() > 0.3


def test_scores_do_not_depend_on_who_asks():
    X, new = table(), table(5, 40)
    detector = CutOutlierDetector().fit(X)
    np.testing.assert_array_equal(detector.score_samples(X), detector.score_samples_)
    together = detector.score_samples(np.concatenate([X, new]))[len(X) :]
    one_by_one = np.concatenate([detector.score_samples(row[None]) for row in new])
    np.testing.assert_array_equal(together, one_by_one)
    copy = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(copy.score_samples(new), together)
    assert roc_auc_score(np.arange(40) < 34, together) > 0.95


def test_equal_rows_share_a_score():
    X = np.repeat(table(2, 40), 3, axis=0)
    detector = CutOutlierDetector(n_neighbors=4).fit(X, regular=[0])
    scores = detector.score_samples_.reshape(-1, 3)
    np.testing.assert_array_equal(scores, scores[:, :1].repeat(3, axis=1))
    np.testing.assert_array_equal(detector.score_samples(X), detector.score_samples_)


def test_the_line_is_drawn_for_the_share_asked_for():
    X = table()
    for share in (0.05, 0.1, 0.5):
        detector = CutOutlierDetector(contamination=share).fit(X)
        assert detector.contamination_ == share
        assert np.sum(detector.predict(X) == -1) == round(share * len(X))
    automatic = CutOutlierDetector().fit(X)
    assert automatic.contamination_ == far_share(automatic._cuts.remoteness)


def test_the_fence_by_hand():
    logs = np.concatenate([np.linspace(0.0, 1.0, 101), [1.5, 4.0, 5.0]])
    lower, upper = np.quantile(logs, [0.25, 0.75])
    expected = np.mean(logs > upper + 1.5 * (upper - lower))
    assert 0.0 < expected < 0.025
    assert far_share(np.exp(logs)) == expected
    assert far_share(np.zeros(5)) == 0.0


def test_parameters_after_fit_change_nothing():
    X = table()
    model = CutOutlierDetector().fit(X)

    def answers(detector, X):
        return detector.predict(X), detector.decision_function(X), detector.score_samples(X)

    assert_answers_rest_on_fit_alone(model, answers, X + 0.01)


def test_densities_and_the_densest_by_hand():
    remoteness = np.array([3.0, 1.0, 2.0, 2.0])
    rising = np.array([1.0, 2.0, 2.0, 3.0])
    np.testing.assert_array_equal(densities(remoteness, rising), [0.125, 0.875, 0.5, 0.5])
    np.testing.assert_array_equal(densities(np.array([9.0, 0.0]), rising), [0.0, 1.0])
    np.testing.assert_array_equal(densest(remoteness, 0.5), [False, True, True, False])
    np.testing.assert_array_equal(densest(remoteness, 0.1), [False, True, False, False])


@pytest.mark.parametrize(
    ("arguments", "regular", "message"),
    [
        ({"n_neighbors": 120}, None, "n_neighbors must be at most 119"),
        ({}, [], "regular names no row"),
        ({}, [120], "regular must hold nodes from 0 to 119, found 120"),
        ({}, np.ones(7, dtype=bool), "regular is a mask of length 7"),
        ({"contamination": 0.7}, None, "contamination"),
        ({"density_weight": 0.0}, None, "density_weight"),
    ],
)
def test_bad_input_is_named(arguments, regular, message):
    with pytest.raises(ValueError, match=message):
        CutOutlierDetector(**arguments).fit(table(), regular=regular)


def test_a_table_of_categories_and_gaps_is_taken():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"size": random.normal(size=80), "kind": list("ab") * 40})
    frame.loc[3, "size"] = np.nan
    frame.loc[7, ["size", "kind"]] = [30.0, "c"]
    detector = CutOutlierDetector(contamination=1 / 80).fit(frame)
    np.testing.assert_array_equal(np.flatnonzero(detector.predict(frame) == -1), [7])
    assert detector.feature_names_in_.tolist() == ["size", "kind"]


def test_an_interrupted_fit_changes_nothing():
    X = np.random.default_rng(0).normal(size=(60, 3))
    detector = CutOutlierDetector(random_state=0).fit(X)
    before = dict(vars(detector))
    n_calls = calls_of(lambda: clone(detector).fit(X))
    for model, expected in ((clone(detector), None), (detector, before)):
        expected = dict(vars(model)) if expected is None else expected
        stop_after(n_calls // 2, lambda model=model: model.fit(X[:, :2]))
        assert vars(model).keys() == expected.keys()
        assert all(value is expected[name] for name, value in vars(model).items())
