"""The classifier around the trees: what it adds to pucut.trees.forest, and what it refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest

from pucut import PUExtraTreesClassifier
from pucut.data.row_order import row_order
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import forest_apply, forest_importances, forest_scores, proximity_neighbors
from pucut.trees.growing import TreeOptions, grow_forest
from pucut.utils.estimator_checks import parametrize_with_pu_checks
from pucut.utils.estimator_checks._tools import pu_table

X, y, TRUTH = pu_table(300)
PRIOR = float(TRUTH.mean())


def fitted(**params):
    return PUExtraTreesClassifier(20, prior=PRIOR, random_state=3, **params).fit(X, y)


# The contract with the default parameters is held in test_estimator_checks.
@pytest.mark.slow
@parametrize_with_pu_checks(
    [
        PUExtraTreesClassifier(20, cross_fit=None, unlabelled_includes_labelled=False),
        PUExtraTreesClassifier(
            20, cross_fit="scores", risk="pn", loss="logistic", ranking="leaf", n_jobs=2
        ),
    ]
)
def test_pu_check(estimator, check):
    check(estimator)


def test_trees_are_those_of_the_function():
    model = fitted(risk="upu", max_depth=5, min_samples_leaf=2, max_features=3, max_candidates=2)
    options = TreeOptions("upu", "quadratic", 5, 2, 3, 2)
    forest = grow_forest(X, y == 1, PRIOR, options, n_trees=20, random_state=3)
    np.testing.assert_array_equal(model.forest_.threshold, forest.threshold)
    np.testing.assert_array_equal(model.feature_importances_, forest_importances(forest))
    np.testing.assert_array_equal(model.apply(X), forest_apply(forest, X))


def test_ranking_by_votes_and_by_leaves():
    scores = forest_scores(fitted().forest_, X)
    for ranking, wanted in (("vote", scores.combined), ("leaf", scores.leaf)):
        model = fitted(ranking=ranking, threshold="half")
        np.testing.assert_array_equal(model.decision_function(X), wanted - 0.5)


def test_half_is_the_majority_of_the_trees():
    model = fitted(threshold="half", cross_fit=None)
    votes = forest_scores(model.forest_, X).vote
    decided = votes != 0.5
    np.testing.assert_array_equal(model.predict(X)[decided], (votes > 0.5)[decided])
    np.testing.assert_array_equal(
        model.transduction_[decided], ((votes > 0.5) | (y == 1))[decided].astype(int)
    )


@pytest.mark.parametrize(("cross_fit", "n_trees"), [("threshold", 4), ("scores", 20)])
def test_scores_come_from_trees_that_did_not_see_the_rows(cross_fit, n_trees):
    model = fitted(cross_fit=cross_fit)
    order = row_order(X, y == 1)
    found = cross_fitted_forest(X[order], y[order] == 1, PRIOR, n_trees=n_trees, random_state=3)
    scores = np.empty(len(y))
    scores[order] = found.scores.combined
    np.testing.assert_array_equal(model.scores_, scores)
    best = forest_scores(model.forest_, X).combined if cross_fit == "threshold" else scores
    chosen = (model.transduction_ == 1) & (y == 0)
    assert best[chosen].min() > best[(model.transduction_ == 0)].max()


def test_without_cross_fitting_scores_are_those_of_the_forest():
    model = fitted(cross_fit=None)
    np.testing.assert_array_equal(model.scores_ - model.threshold_, model.decision_function(X))


def test_cross_fitting_helps_the_probabilities_of_unseen_rows():
    """Trees know the labels of the rows they were grown on, so these seem easier than others."""
    new_X, _, new_truth = pu_table(2000, seed=5)
    train_X, train_y, truth = pu_table(600, seed=6)

    def brier_score(cross_fit):
        model = PUExtraTreesClassifier(prior=truth.mean(), cross_fit=cross_fit, random_state=0)
        model.fit(train_X, train_y)
        return np.mean((model.predict_proba(new_X)[:, 1] - new_truth) ** 2)

    assert brier_score("threshold") < 0.8 * brier_score(None)


def test_unlabelled_set_without_the_labelled_rows_has_a_smaller_prior():
    model = fitted(unlabelled_includes_labelled=False)
    n_labelled = int(y.sum())
    prior = (PRIOR * 300 - n_labelled) / (300 - n_labelled)
    options = TreeOptions(unlabelled_includes_labelled=False)
    forest = grow_forest(X, y == 1, prior, options, n_trees=20, random_state=3)
    np.testing.assert_array_equal(model.forest_.threshold, forest.threshold)


def test_number_of_jobs_changes_nothing():
    one, two = fitted(n_jobs=1), fitted(n_jobs=2)
    np.testing.assert_array_equal(one.forest_.threshold, two.forest_.threshold)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_proximity_neighbors_are_those_of_the_rows_of_fit():
    model = fitted()
    found = model.proximity_neighbors(4)
    wanted = proximity_neighbors(model.forest_, X, 4)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.share, wanted.share)
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="needs the rows of fit"):
        again.proximity_neighbors(4)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_categories_and_missing_values():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(TRUTH, random.choice(list("xy"), 300), "z"))
    frame.loc[::10, "a"] = np.nan
    frame.loc[::15, "kind"] = np.nan
    model = PUExtraTreesClassifier(prior=PRIOR, random_state=0).fit(frame, y)
    right = (model.transduction_ == 1) == TRUTH
    assert right[y == 0].mean() > 0.9
    assert model.feature_importances_.argmax() == 4
    unseen = frame.assign(kind=pd.Categorical(["new"] * 300))
    missing = frame.assign(kind=pd.Categorical([None] * 300, categories=["x"]))
    np.testing.assert_array_equal(model.decision_function(unseen), model.decision_function(missing))


def test_lists_of_numbers_beside_strings():
    rows = [[float(row[0]), "ab"[int(mark)]] for row, mark in zip(X, TRUTH, strict=True)]
    model = PUExtraTreesClassifier(prior=PRIOR, random_state=0).fit(rows, y)
    assert ((model.predict(rows) == 1) == TRUTH).mean() > 0.9


def test_sample_weight_is_refused():
    with pytest.raises(TypeError, match="sample_weight"):
        PUExtraTreesClassifier(prior=PRIOR).fit(X, y, sample_weight=np.ones(300))


def test_callback_is_told():
    told = []
    fitted(callback=lambda done, total: told.append((done, total)))
    assert (20, 20) in told


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"risk": "zzz"}, "risk"),
        ({"loss": "zzz"}, "loss"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_features": "log2"}, "max_features"),
        ({"max_features": 1.5}, "max_features"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"ranking": "zzz"}, "ranking"),
        ({"threshold": 0.3}, "threshold"),
        ({"cross_fit": 5}, "cross_fit"),
        ({"callback": 5}, "callback"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=f"The '{message}' parameter"):
        PUExtraTreesClassifier(**params).fit(X, y)


def test_infinity_is_refused_at_fit_and_later():
    bad = X.copy()
    bad[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        PUExtraTreesClassifier(prior=PRIOR).fit(bad, y)
    with pytest.raises(ValueError, match="infinity"):
        fitted().predict(bad)
