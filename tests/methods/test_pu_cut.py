"""The chooser: what it reports about its choice, new rows, and what it refuses."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.judging.losses import ranks
from pucut.judging.spaces import NewRows, near_rows
from pucut.methods.pu_cut._choosing import _LEAST_ROWS_OF_A_PART
from pucut.methods.pu_cut._cuts import GAMMAS, n_cuts_at_once
from pucut.trees.feature_weights import forest_weights
from tests.helpers.checks import accuracy


@pytest.fixture(scope="module")
def model(digits):
    X, is_positive, is_labelled = digits
    return PUCutClassifier(prior=float(is_positive.mean()), random_state=0).fit(X, is_labelled)


def test_digits(digits, model):
    _, is_positive, is_labelled = digits
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.985


def test_what_fit_says_of_itself(digits, model):
    X, _, is_labelled = digits
    assert model.transduction_[is_labelled].all()
    assert model.transduction_.sum() == round(model.prior_ * len(X))
    assert model.positive_fraction_ == model.transduction_.mean()
    np.testing.assert_array_equal(model.scores_ > 0.0, model.transduction_)
    assert sorted(model.negative_ranking_) == np.flatnonzero(~is_labelled).tolist()
    assert (np.diff(model.scores_[model.negative_ranking_]) >= 0.0).all()
    assert list(model.step_seconds_) == [
        "prior", "encoding", "trees", "neighbours", "kernels", "cuts", "answers"
    ]  # fmt: skip
    np.testing.assert_array_equal(model.feature_weights_, model.mixture_.spaces[0].weights)
    np.testing.assert_allclose(
        model.feature_weights_, forest_weights(model.forest_, squared=True), rtol=1e-12
    )
    np.testing.assert_allclose(model.feature_weights_.sum(), 64.0)
    np.testing.assert_allclose(model.feature_importances_, model.feature_weights_ / 64.0)
    assert model.forest_ is model.mixture_.forest


def test_the_mixture_is_what_answers(digits, model):
    X = digits[0]
    mixture, tried = model.mixture_, [c for c in model.selection_ if c.kind == "cut"]
    weights = {candidate.name: candidate.weight for candidate in tried if candidate.weight > 0.0}
    alone = weights.pop(tried[0].name, 0.0)
    names = [cut.name for cut in mixture.cuts]
    assert dict(zip(names, mixture.cut_weights, strict=True)) == weights
    assert alone + mixture.cut_weights.sum() == pytest.approx(1.0)
    encoded = model._encoding.encode(X[:50])
    np.testing.assert_array_equal(
        mixture.scores(X[:50], encoded) - model.threshold_, model.decision_function(X[:50])
    )


def test_only_neighbours_that_count_are_looked_for(digits, model):
    X, mixture = digits[0][:50], model.mixture_
    points = model._encoding.encode(X)
    transforms = [one.transform for one in mixture.searched]
    made = {transform.key: transform.of(X, points) for transform in transforms}
    near = {one.name: near_rows(one.final, made[one.transform.key]) for one in mixture.searched}
    needed = [mixture.n_needed(space) for space in mixture.spaces]
    assert min(needed) < mixture.spaces[0].lists.n_neighbors
    rows = NewRows(X, {None: points, **made}, near)
    np.testing.assert_array_equal(mixture.chosen(rows), mixture.scores(X, points))


@pytest.mark.parametrize(
    "name",
    [
        "stage1_",
        "stage2_",
        "partition_",
        "graph_",
        "likely_negative_",
        "n_unreached_",
        "n_neighbors_",
        "sigma_",
    ],
)
def test_it_does_not_pretend_to_have_what_only_the_paper_has(model, name):
    """No single graph, kernel or partition has decided anything."""
    assert not hasattr(model, name)


@pytest.mark.parametrize("name", ["preset", "similarity", "inductive", "lambda_grid"])
def test_parameters_of_the_paper_are_not_its_own(name):
    with pytest.raises(TypeError, match=name):
        PUCutClassifier(**{name: None})


def test_the_selection_is_a_table_of_all_that_was_tried(model):
    # Pixels have a scale in common: three spaces, with a kernel and walks each.
    for kind, number in (("score", 4 + 3 + 3 + 1), ("cut", 1 + 3 * len(GAMMAS))):
        tried = [candidate for candidate in model.selection_ if candidate.kind == kind]
        assert len(tried) == number
        assert len({candidate.name for candidate in tried}) == number
        assert sum(candidate.weight for candidate in tried) == pytest.approx(1.0)
        best = max(tried, key=lambda candidate: candidate.hidden_recall)
        assert best.weight == max(candidate.weight for candidate in tried)
        assert best.why == "found most hidden positives"
        assert all(0.0 < candidate.standard_error < 0.1 for candidate in tried)


def test_the_selection_ends_with_what_answers(digits, model):
    _, is_positive, is_labelled = digits
    *tried, mixture = model.selection_
    assert {candidate.kind for candidate in tried} == {"score", "cut"}
    assert (mixture.kind, mixture.name, mixture.weight) == ("mixture", "the mixture", 1.0)
    recall = model.transduction_[is_positive & ~is_labelled].mean()
    n_hidden = 218  # of 544 labels: two folds of a fifth are needed for 120
    assert mixture.hidden_recall * n_hidden == pytest.approx(
        round(mixture.hidden_recall * n_hidden)
    )
    assert abs(mixture.hidden_recall - recall) < 2 * mixture.standard_error
    assert f"of {n_hidden} positives that were hidden from it" in mixture.why


def test_labels_are_not_in_the_scores_by_which_it_is_judged():
    """Labels drawn at random from pure noise: nothing may find the hidden ones."""
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    is_labelled = random.random(600) < 0.2
    model = PUCutClassifier(prior=0.5, random_state=0).fit(X, is_labelled)
    for candidate in model.selection_:
        # Chance finds half of them, or as many as the prior leaves for those not labelled.
        assert candidate.hidden_recall < 0.5 + 4 * candidate.standard_error, candidate
    unseen = model.mixture_.chosen.left_out
    assert abs(ranks(unseen)[is_labelled].mean() - 0.5) < 0.08


def test_new_rows_are_answered_as_well_as_seen_ones():
    X, truth = make_classification(
        3000, 10, n_informative=6, n_clusters_per_class=3, class_sep=1.5, random_state=0
    )
    truth = truth == 1
    X, new, truth, new_truth = train_test_split(X, truth, random_state=0)
    is_labelled = pu_split(truth, 0.5, random_state=0)
    model = PUCutClassifier(prior=float(truth.mean()), random_state=0).fit(X, is_labelled)
    seen = accuracy(model.transduction_, truth, ~is_labelled)
    unseen = accuracy(model.predict(new), new_truth, np.ones(len(new), dtype=bool))
    assert unseen > 0.9
    assert abs(unseen - seen) < 0.04
    # The threshold is that of rows without labels: about the prior of them is positive.
    assert abs(model.predict(new).mean() - model.prior_) < 0.03
    probability = model.predict_proba(new)[:, 1]
    assert np.mean((probability - new_truth) ** 2) < 0.1


def test_as_many_new_rows_are_positive_as_the_prior_says():
    """Classes overlap: labelled rows are no better than other positives once they are hidden."""
    random = np.random.default_rng(0)
    for prior in (0.3, 0.6):
        truth = random.random(5000) < prior
        X = random.normal(size=(5000, 3)) + 0.7 * truth[:, None]
        is_labelled = pu_split(truth[:1000], 0.6, random_state=0)
        model = PUCutClassifier(prior=prior, n_estimators=50, random_state=0)
        said = model.fit(X[:1000], is_labelled).predict(X[1000:])
        assert abs(said.mean() - prior) < 0.05
        assert model.predict_proba(X[1000:])[:, 1].mean() == pytest.approx(prior, abs=0.05)


def test_threads_and_pickles_change_nothing(digits, model):
    X, _, is_labelled = digits
    other = PUCutClassifier(prior=model.prior_, n_jobs=2, random_state=0).fit(X, is_labelled)
    np.testing.assert_array_equal(other.scores_, model.scores_)
    # So many rows that threads share them.
    assert len(X) > 2 * _LEAST_ROWS_OF_A_PART
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_several_large_cuts_at_once_change_nothing(monkeypatch):
    assert [n_cuts_at_once(99_999, n) for n in (1, 3, 8)] == [1, 3, 8]
    assert [n_cuts_at_once(100_000, n) for n in (1, 3, 8)] == [1, 1, 2]
    monkeypatch.setattr("pucut.methods.pu_cut._cuts.ROWS_TO_SHARE", 100)
    X, y = make_classification(300, random_state=0)
    is_labelled = pu_split(y == 1, 0.5, random_state=0)
    one, eight = (
        PUCutClassifier(prior=0.5, n_estimators=10, n_jobs=n_jobs, random_state=0)
        .fit(X, is_labelled)
        .scores_
        for n_jobs in (1, 8)
    )
    np.testing.assert_array_equal(one, eight)


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"feature_weights": None}, {"all features alike"}),
        ({"feature_weights": "pu_trees_squared"}, {"importance squared"}),
        ({"feature_weights": np.arange(1.0, 65.0)}, {"given weights"}),
        ({"feature_weights": "pu_trees"}, {"importance"}),
        ({"n_neighbors": [3, 8]}, {"importance squared", "all features alike", "common scale"}),
    ],
)
def test_given_parameters_limit_what_is_tried(digits, params, names):
    X, _, is_labelled = digits
    model = PUCutClassifier(prior=0.5, random_state=0, n_estimators=10, **params)
    model.fit(X[:300], is_labelled[:300])
    cuts = [c.name for c in model.selection_ if c.kind == "cut"][1:]
    assert {name.split(", ")[1] for name in cuts} == names
    if "n_neighbors" in params:
        assert {name.split()[0] for name in cuts} == {"3", "8"}
        assert {cut.n_neighbors for cut in model.mixture_.cuts} <= {3, 8}


def test_a_given_width_is_used(digits):
    X, _, is_labelled = digits
    model = PUCutClassifier(prior=0.5, sigma=0.5, n_estimators=10, random_state=0)
    model.fit(X[:300], is_labelled[:300])
    squared = np.array([0.0, 1.0, 40.0])
    for space in model.mixture_.spaces:
        np.testing.assert_allclose(
            space.similarities(squared), np.exp(-squared / (2 * 0.5**2 * 64)), rtol=1e-12
        )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"neighbors": "precomputed"}, "neighbors"),
        ({"neighbors": "dask"}, "neighbors"),
        ({"sigma": 0.0}, "sigma"),
        ({"feature_weights": [1.0]}, "feature_weights must be"),
        ({"n_neighbors": 0}, "n_neighbors"),
    ],
)
def test_bad_parameters_are_named(params, message):
    X = np.abs(np.random.default_rng(0).normal(size=(30, 3)))
    with pytest.raises(ValueError, match=message):
        PUCutClassifier(**{"prior": 0.5, **params}).fit(X, np.arange(30) < 10)


def test_few_rows():
    X = np.random.default_rng(0).normal(size=(4, 2))
    model = PUCutClassifier(prior=0.5, random_state=0).fit(X, [1, 0, 0, 0])
    assert model.transduction_[0] == 1
    assert all(candidate.weight > 0.0 for candidate in model.selection_ if candidate.kind == "cut")
    # A single label cannot be hidden, and nothing is said of what would be found.
    for candidate in model.selection_:
        assert np.isnan([candidate.hidden_recall, candidate.standard_error]).all()
        assert candidate.why.endswith("nothing could be hidden to judge it")
