"""Columns that may be codes, tried as categories too: when that has weight, and its effect."""

import pickle

import numpy as np
import pytest

from pucut import PUCutClassifier
from pucut.data import coded_categories as codes_module
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES, coded_categories
from pucut.datasets import pu_split
from pucut.judging import places
from pucut.judging.folds import PUFolds, pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.scorers import score_of
from pucut.judging.spaces import NewRows
from pucut.methods.pu_cut._candidates import (
    Options,
    Task,
    encodings_of,
    why_left_out,
)
from pucut.model_files import dump_model, load_model
from pucut.trees.forest import forest_scores


def coded_table(n_rows=500, seed=0):
    """The class depends on codes whose order means nothing."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, size=(n_rows, 5)).astype(float)
    is_positive = np.isin(X[:, 0], [0, 2, 5]) & np.isin(X[:, 1], [1, 3, 4]) | (X[:, 2] == 3)
    return X, is_positive, pu_split(is_positive, 0.6, random_state=seed)


def ordered_table(n_rows=500, seed=0):
    """The class depends on a sum of columns of few values."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, size=(n_rows, 5)).astype(float)
    is_positive = X.sum(axis=1) + random.normal(size=n_rows) > 14.0
    return X, is_positive, pu_split(is_positive, 0.6, random_state=seed)


def fitted(table, **params):
    X, is_positive, is_labelled = table
    given = {"prior": is_positive.mean(), "n_estimators": 50, "random_state": 0} | params
    return PUCutClassifier(**given).fit(X, is_labelled)


def accuracy(model, table):
    _, is_positive, is_labelled = table
    return np.mean((model.transduction_ == is_positive)[~is_labelled])


def without_codes(monkeypatch):
    monkeypatch.setattr(codes_module, "MOST_INDICATORS", 0)


def weight_as_categories(model, kind="score"):
    return sum(
        each.weight
        for each in model.selection_
        if each.kind == kind and COLUMNS_AS_CATEGORIES in each.name
    )


@pytest.fixture(scope="module")
def table():
    return coded_table()


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


def test_codes_without_an_order_are_learned_as_categories(table, model, monkeypatch):
    assert weight_as_categories(model) > 0.9
    assert weight_as_categories(model, "cut") > 0.3
    without_codes(monkeypatch)
    plain = fitted(table)
    assert weight_as_categories(plain) == 0.0
    assert accuracy(model, table) > accuracy(plain, table) + 0.05


def test_where_the_order_means_something_nothing_changes(monkeypatch):
    """The bits are those of a fit that never looks at the columns as categories."""
    table = ordered_table()
    found = fitted(table)
    said = [each for each in found.selection_ if COLUMNS_AS_CATEGORIES in each.name]
    assert [(each.name, each.weight) for each in said] == [(COLUMNS_AS_CATEGORIES, 0.0)]
    assert "does not find clearly more" in said[0].why
    assert 0.0 < said[0].hidden_recall < 1.0
    without_codes(monkeypatch)
    plain = fitted(table)
    np.testing.assert_array_equal(found.scores_, plain.scores_)
    X = table[0]
    np.testing.assert_array_equal(found.decision_function(X), plain.decision_function(X))
    assert found.selection_[1:] == plain.selection_


def test_new_rows_are_scored_one_by_one_and_from_files(table, model):
    X = np.vstack([table[0][:30], [[17.0, 0.0, 1.0, 2.0, 3.0]]])  # a value that fit never saw
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    one_by_one = [model.decision_function(X[row : row + 1]) for row in range(len(X))]
    np.testing.assert_array_equal(np.concatenate(one_by_one), scores)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    np.testing.assert_array_equal(model.compact().decision_function(X), scores)
    read = load_model(dump_model(model, {})).estimator
    np.testing.assert_array_equal(read.decision_function(X), scores)


def test_new_rows_of_the_same_codes_get_the_same_classes(table, model):
    X, is_positive, _ = coded_table(400, seed=1)
    assert np.mean(model.predict(X) == is_positive) > 0.95


def test_chosen_weights_of_the_columns_are_not_overruled(table):
    for feature_weights in (None, "pu_trees", np.arange(1.0, 6.0)):
        said = fitted(table, feature_weights=feature_weights).selection_
        assert not any(COLUMNS_AS_CATEGORIES in each.name for each in said)


def test_what_does_not_fit_the_memory_limit_is_left_out_and_said(table, model):
    needed = PUCutClassifier(prior=0.5, n_estimators=50).estimate(table[0], table[2].sum()).bytes
    tight = fitted(table, memory_limit=needed + 1)
    assert tight.selection_[0].name == COLUMNS_AS_CATEGORIES
    assert "not tried: with them, fit would need about" in tight.selection_[0].why
    assert weight_as_categories(tight) == 0.0
    assert weight_as_categories(fitted(table, memory_limit=100 * needed)) > 0.9


def test_a_single_label_cannot_judge_the_columns():
    X, _, _ = coded_table(60)
    model = PUCutClassifier(prior=0.3, n_estimators=10).fit(X, np.arange(60) == 7)
    assert not any(COLUMNS_AS_CATEGORIES in each.name for each in model.selection_)


def test_names_of_its_learners_are_taken(table):
    name = f"linear, {COLUMNS_AS_CATEGORIES}"
    with pytest.raises(ValueError, match=name):
        fitted(table, learners={name: object()})


def test_fit_executes_the_plan_with_codes(table, monkeypatch):
    counted = {"searches": 0, "trees": 0}
    search, grow, leave_out = places.weighted_space, places.grow_forest, places.cross_fitted_forest

    def searched(*arguments, **options):
        counted["searches"] += 1
        return search(*arguments, **options)

    def grown(*arguments, n_trees, **options):
        counted["trees"] += n_trees
        return grow(*arguments, n_trees=n_trees, **options)

    def left_out(*arguments, n_trees, n_folds, **options):
        counted["trees"] += n_trees * n_folds
        return leave_out(*arguments, n_trees=n_trees, n_folds=n_folds, **options)

    monkeypatch.setattr(places, "weighted_space", searched)
    monkeypatch.setattr(places, "grow_forest", grown)
    monkeypatch.setattr(places, "cross_fitted_forest", left_out)
    X, _, is_labelled = table
    few = np.flatnonzero(is_labelled)[:60]
    model = PUCutClassifier(prior=0.5, n_estimators=50, random_state=0)
    model.fit(X, np.isin(np.arange(len(X)), few))
    with_codes, without = (model._plan(500, 5, 8, 60, has_codes=has) for has in (True, False))
    # One is for a scale that these columns do not have in common.
    assert counted["searches"] == with_codes.n_searches - 1
    assert counted["trees"] == pytest.approx(with_codes.n_forests * 50)
    assert with_codes.n_forests == 2 * without.n_forests


def test_large_tables_have_no_space_of_importances_as_categories(table, monkeypatch):
    monkeypatch.setattr("pucut.methods.pu_cut._candidates._FEW_CODED_ROWS", 500)
    model = fitted(table)
    names = {space.name for space in model.mixture_.spaces if COLUMNS_AS_CATEGORIES in space.name}
    assert names == {f"all features alike, {COLUMNS_AS_CATEGORIES}"}
    assert weight_as_categories(model) > 0.9


def folds_of(n_labelled=200, n_rows=600):
    is_labelled = np.arange(n_rows) < n_labelled
    return pu_folds(is_labelled, 300, np.random.RandomState(0), np.arange(n_rows))


def score_that_recovers(folds, is_recovered):
    """Hidden rows are above all others, or below."""
    scores = np.zeros(len(folds.codes))
    hidden = np.flatnonzero(folds.is_hidden)
    scores[hidden] = np.where(is_recovered, 2.0, -1.0) + np.linspace(0.0, 0.1, len(hidden))
    return score_of("a", [scores] * len(folds.labels), None)


@pytest.mark.parametrize("only_coded", [0, 2, 4, 6, 9, 11])
def test_encodings_are_compared_row_by_row(only_coded):
    """Against the standard error of the paired difference."""
    folds = folds_of()
    n_hidden = folds.n_hidden
    by_plain, by_coded = np.zeros(n_hidden, bool), np.zeros(n_hidden, bool)
    by_plain[:20] = by_coded[: 20 + only_coded] = True
    by_plain[-4:] = True
    plain = [score_that_recovers(folds, each) for each in (by_plain, by_plain & False)]
    coded = [score_that_recovers(folds, by_coded)]
    more = by_coded.astype(float) - by_plain
    error = more.std(ddof=1) / np.sqrt(n_hidden)
    assert (more.mean() >= error) == (only_coded >= 9)
    candidate = why_left_out(plain, coded, folds)
    if only_coded >= 9:
        assert candidate is None
    else:
        assert candidate.hidden_recall == pytest.approx(by_coded.mean())


def test_equally_good_encodings_are_not_mixed():
    folds = folds_of()
    score = score_that_recovers(folds, np.arange(folds.n_hidden) % 2 == 0)
    assert why_left_out([score], [score], folds) is not None


def task_of(X, folds, categories):
    options = Options("auto", None, None, "auto", 10, {}, {}, None, 1)
    return Task(X, PointsHere(X), np.ones(5), False, categories, folds, 0.5, options, None)


def test_a_learner_of_categories_reads_new_rows_as_categories(table):
    X, _, is_labelled = table
    folds = pu_folds(is_labelled, 300, np.random.RandomState(0), np.arange(len(X)))
    task = task_of(X, folds, coded_categories(X))
    plain, coded = encodings_of(task, np.random.RandomState(0))
    assert plain.points is task.points
    first, *_ = coded.trees(task)
    assert first.score.name == f"trees, random cuts, {COLUMNS_AS_CATEGORIES}"
    predictor = first.score.fitted().predictor
    of_codes = coded.transform.of(None, X[:9])
    assert of_codes.shape[1] == coded.points.shape[1] > X.shape[1]
    found = predictor(NewRows(None, {coded.transform.key: of_codes}, {}))
    expected = forest_scores(predictor.forest, coded.points.points[:9]).leaf
    np.testing.assert_array_equal(found, expected)
    assert [plain.name("a"), coded.name("a")] == ["a", f"a, {COLUMNS_AS_CATEGORIES}"]


def test_encodings_need_codes_and_two_hidden_rows(table):
    X, _, is_labelled = table
    groups, categories = np.arange(len(X)), coded_categories(X)

    def n_encodings(folds, categories=categories):
        return len(encodings_of(task_of(X, folds, categories), np.random.RandomState(0)))

    folds = pu_folds(is_labelled, 300, np.random.RandomState(0), groups)
    assert n_encodings(folds) == 2
    assert n_encodings(folds, None) == 1
    assert n_encodings(PUFolds(folds.codes, np.full(len(X), -1), groups, 300)) == 1
    first, second = np.flatnonzero(is_labelled)[:2]
    hidden = np.isin(groups, [first, second])
    two = PUFolds(folds.codes, np.where(hidden, 0, -1), groups, 300)
    assert n_encodings(two) == 2
    copies = PUFolds(folds.codes, two.fold, np.where(hidden, first, groups), 300)
    assert n_encodings(copies) == 1
