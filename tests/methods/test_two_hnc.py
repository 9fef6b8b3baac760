"""2-HNC as published: the stages in their order, real data, unseen rows, given graphs."""

import io
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.preprocessing import StandardScaler

from pucut import TwoHNCClassifier
from pucut.trees.feature_weights import forest_weights
from pucut.trees.growing import grow_forest
from tests.helpers.checks import accuracy, told_to_callbacks

PAPER_GRID = np.arange(501) / 1000


@pytest.fixture(scope="module")
def model(digits):
    X, is_positive, is_labelled = digits
    return TwoHNCClassifier(prior=float(is_positive.mean()), random_state=0).fit(X, is_labelled)


def test_digits(digits, model):
    _, is_positive, is_labelled = digits
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.97
    assert model.transduction_[is_labelled].all()
    assert abs(model.positive_fraction_ - model.prior_) < 0.02
    assert model.positive_fraction_ == model.transduction_.mean()


def test_what_fit_says_of_itself(digits, model):
    X, is_positive, is_labelled = digits
    n_samples = len(X)
    np.testing.assert_array_equal(model.scores_ >= 0.0, model.transduction_)
    assert sorted(model.negative_ranking_) == np.flatnonzero(~is_labelled).tolist()
    n_negative = round((1 - model.prior_) / model.prior_ * is_labelled.sum())
    np.testing.assert_array_equal(model.likely_negative_, model.negative_ranking_[:n_negative])
    # The first of the ranking are negatives indeed.
    assert is_positive[model.likely_negative_].mean() < 0.02
    assert model.stage1_.n_nodes == model.stage2_.n_nodes == n_samples
    assert not model.stage1_.grows
    assert model.stage2_.grows
    assert model.n_neighbors_ in (5, 10, 15)
    assert model.graph_.shape == (n_samples, n_samples)
    assert model.neighbor_recall_ == 1.0
    np.testing.assert_allclose(model.feature_weights_.sum(), 64.0)
    assert set(model.step_seconds_) == {
        "prior", "encoding", "trees", "neighbours", "cuts", "answers"
    }  # fmt: skip


def test_the_partition_is_a_minimum_cut_of_its_stage(model):
    path = model.stage1_ if model.partition_.stage == 1 else model.stage2_
    lam = model.partition_.lam
    expected = path.source_set(lam)
    if model.n_unreached_ == 0:
        np.testing.assert_array_equal(model.partition_.is_positive, expected)


def test_weights_come_from_the_forest_of_the_same_seed(digits, model):
    X, _, is_labelled = digits
    points = StandardScaler().fit_transform(X)
    points[:, X.std(axis=0) == 0] = 0.0
    forest = grow_forest(points, is_labelled, model.prior_, random_state=0)
    np.testing.assert_allclose(model.feature_weights_, forest_weights(forest), rtol=0.2)


def test_settings_change_at_ten_thousand_samples():
    X, y = make_classification(10_000, random_state=0)
    large = TwoHNCClassifier(prior=0.5, n_estimators=5, random_state=0).fit(X, y * (X[:, 0] > 0))
    assert large.sigma_ == 0.25
    assert large.n_neighbors_ == 5
    small = TwoHNCClassifier(prior=0.5, n_estimators=5, random_state=0).fit(
        X[:9999], (y * (X[:, 0] > 0))[:9999]
    )
    assert small.sigma_ == 0.75


def test_the_grid_of_the_paper_chooses_alike(digits, model):
    X, _, is_labelled = digits
    grid = TwoHNCClassifier(prior=model.prior_, lambda_grid=PAPER_GRID, random_state=0)
    grid.fit(X, is_labelled)
    # Between two values of the grid lie a few breakpoints at most.
    assert abs(grid.positive_fraction_ - model.positive_fraction_) < 0.005
    assert (grid.transduction_ == model.transduction_).mean() > 0.99
    lam = grid.partition_.lam
    np.testing.assert_array_equal(
        grid.partition_.is_positive,
        (grid.stage1_ if grid.partition_.stage == 1 else grid.stage2_).source_set(
            PAPER_GRID[np.searchsorted(PAPER_GRID, lam) - (grid.partition_.stage == 1)]
        ),
    )


@pytest.mark.parametrize("inductive", ["objective", "nearest"])
def test_rows_held_back_are_answered_nearly_as_well(digits, inductive):
    X, is_positive, is_labelled = digits
    random = np.random.default_rng(1)
    held_back = ~is_labelled & (random.random(len(X)) < 0.3)
    kept = ~held_back
    prior = float(is_positive[kept].mean())
    model = TwoHNCClassifier(prior=prior, inductive=inductive, random_state=0)
    model.fit(X[kept], is_labelled[kept])
    inside = accuracy(model.transduction_, is_positive[kept], ~is_labelled[kept])
    outside = accuracy(model.predict(X[held_back]), is_positive[held_back], slice(None))
    assert outside > inside - 0.02
    probability = model.predict_proba(X[held_back])[:, 1]
    brier = np.mean((probability - is_positive[held_back]) ** 2)
    assert brier < 0.03


def test_threads_change_nothing(digits, model):
    X, _, is_labelled = digits
    other = TwoHNCClassifier(prior=model.prior_, n_jobs=2, random_state=0).fit(X, is_labelled)
    np.testing.assert_array_equal(other.scores_, model.scores_)
    np.testing.assert_array_equal(other.predict_proba(X[:50]), model.predict_proba(X[:50]))


def test_given_distances_are_the_same_as_features(digits):
    X, is_positive, is_labelled = digits
    points = X / 16.0
    params = {"prior": float(is_positive.mean()), "sigma": 1.0, "n_neighbors": [5, 10]}
    graph = kneighbors_graph(points, 10, mode="distance")
    given = TwoHNCClassifier(neighbors="precomputed", **params).fit(graph, is_labelled)
    assert given.feature_weights_ is None
    assert given.feature_importances_ is None
    assert accuracy(given.transduction_, is_positive, ~is_labelled) > 0.95
    # The same graph from features: no weights, and the scale of the digits undone.
    varying = X.std(axis=0) > 0
    scaled = TwoHNCClassifier(
        feature_weights=(X.std(axis=0) / 16.0) ** 2,
        **{**params, "sigma": np.sqrt(1.0 / np.sum((X.std(axis=0) / 16.0) ** 2))},
    ).fit(X, is_labelled)
    assert (scaled.transduction_ == given.transduction_).mean() > 0.99
    assert varying.any()
    new = sp.csr_array(kneighbors_graph(points, 10, mode="distance", include_self=True))
    assert accuracy(given.predict(new), is_positive, slice(None)) > 0.95


def test_given_similarities_are_cut_as_they_are(digits, model):
    _, _, is_labelled = digits
    given = TwoHNCClassifier(prior=model.prior_, similarity="precomputed")
    given.fit(model.graph_, is_labelled)
    np.testing.assert_array_equal(given.stage1_.switch, model.stage1_.switch)
    np.testing.assert_array_equal(given.transduction_, model.transduction_)
    answers = given.predict(model.graph_)
    assert (answers == model.transduction_).mean() > 0.97


def test_a_transformer_finds_neighbours(digits, model):
    X, _, is_labelled = digits
    transformer = KNeighborsTransformer(n_neighbors=16, mode="distance")
    other = TwoHNCClassifier(prior=model.prior_, neighbors=transformer, random_state=0)
    other.fit(X, is_labelled)
    assert (other.transduction_ == model.transduction_).mean() > 0.995


@pytest.mark.parametrize("neighbors", ["exact", "approximate", "torch"])
def test_ways_to_find_neighbours(digits, model, neighbors):
    if neighbors == "torch":
        pytest.importorskip("torch")
    X, _, is_labelled = digits
    other = TwoHNCClassifier(prior=model.prior_, neighbors=neighbors, random_state=0)
    other.fit(X, is_labelled)
    if neighbors == "approximate":
        assert 0.95 < other.neighbor_recall_ <= 1.0
        assert (other.transduction_ == model.transduction_).mean() > 0.98
    else:
        assert other.neighbor_recall_ == 1.0
        np.testing.assert_array_equal(other.scores_, model.scores_)


def test_forest_proximity(digits):
    X, is_positive, is_labelled = digits
    model = TwoHNCClassifier(prior=float(is_positive.mean()), similarity="forest", random_state=0)
    model.fit(X, is_labelled)
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.95
    assert accuracy(model.predict(X), is_positive, slice(None)) > 0.95


@pytest.mark.parametrize("weights", [None, "pu_trees_squared", np.ones(64)])
def test_other_feature_weights(digits, weights):
    X, is_positive, is_labelled = digits
    model = TwoHNCClassifier(
        prior=float(is_positive.mean()), feature_weights=weights, random_state=0
    ).fit(X, is_labelled)
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.95
    np.testing.assert_allclose(model.feature_weights_.sum(), 64.0)


def test_a_data_frame_with_categories_and_gaps():
    random = np.random.default_rng(0)
    is_positive = random.random(600) < 0.5
    frame = pd.DataFrame(
        {
            "colour": np.where(
                random.random(600) < 0.9, np.where(is_positive, "red", "blue"), "green"
            ),
            "size": random.normal(size=600) + 2.0 * is_positive,
            "kind": pd.Categorical(np.where(is_positive, "a", "b")),
        }
    )
    frame.loc[::7, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    is_labelled = is_positive & (random.random(600) < 0.5)
    model = TwoHNCClassifier(prior=0.5, random_state=0).fit(frame, is_labelled)
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.9
    assert accuracy(model.predict(frame), is_positive, slice(None)) > 0.9


def test_parts_that_no_label_reaches_are_counted_and_answered():
    random = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    X = np.concatenate([centre + random.normal(size=(40, 2)) for centre in centres])
    y = np.zeros(120, dtype=int)
    y[:20] = 1
    model = TwoHNCClassifier(prior=0.5, n_neighbors=5, random_state=0).fit(X, y)
    assert model.n_unreached_ == 80
    assert model.transduction_[:40].all()
    assert model.transduction_.sum() == 60  # filled up from the rows that no label reaches
    assert np.isfinite(model.predict_proba(X)).all()


def test_the_steps_are_printed_if_asked_for(digits):
    X, _, is_labelled = digits
    model = TwoHNCClassifier(prior=0.5, n_estimators=5, random_state=0, verbose=1)
    with redirect_stdout(io.StringIO()) as printed:
        model.fit(X, is_labelled)
    lines = printed.getvalue().splitlines()
    # First what it will take, then what it took.
    assert lines[:6] == str(model.estimate(X)).splitlines()
    assert lines[6].startswith("[1/6] prior ... ")
    assert lines[-1].startswith("all")
    assert [line.split()[0] for line in lines[13:-1]] == [
        "prior", "encoding", "trees", "neighbours", "cuts", "answers"
    ]  # fmt: skip


def test_callbacks_of_scikit_learn_are_told(digits):
    X, _, is_labelled = digits
    model = TwoHNCClassifier(prior=0.5, n_estimators=5, random_state=0)
    told = told_to_callbacks(model, X, is_labelled)
    assert told == [
        "setup", "fit", "prior", "encoding", "trees", "neighbours", "cuts", "answers", "teardown"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": [5, 2.5]}, "n_neighbors must be a whole number"),
        ({"sigma": 0.0}, "sigma"),
        ({"similarity": "cosine"}, "similarity"),
        ({"neighbors": "nearest"}, "neighbors"),
        ({"inductive": "best"}, "inductive"),
        ({"lambda_grid": [0.2, 0.1]}, "lambda_grid must rise"),
        ({"lambda_grid": [0.0, 2.0]}, "lambda_grid must hold numbers from 0 to 1"),
        ({"feature_weights": [1.0]}, "feature_weights must be"),
        ({"feature_weights": "entropy"}, "feature_weights"),
        ({"similarity": "precomputed"}, "X must be square"),
        ({"feature_weights": "auto"}, "feature_weights"),  # that is PUCutClassifier's
        ({"neighbors": "dask"}, "neighbors"),  # that is DaskTwoHNCClassifier
        ({"neighbors": "precomputed", "prior": "auto"}, "prior is 'auto', which needs features"),
    ],
)
def test_bad_parameters_are_named(params, message):
    random = np.random.default_rng(0)
    X = np.abs(random.normal(size=(30, 30 if params.get("prior") == "auto" else 3)))
    y = np.arange(30) < 10
    with pytest.raises(ValueError, match=message):
        TwoHNCClassifier(**{"prior": 0.5, **params}).fit(X, y)


def test_more_neighbours_than_rows_are_all_rows():
    X = np.random.default_rng(0).normal(size=(4, 2))
    model = TwoHNCClassifier(prior=0.5, random_state=0).fit(X, [1, 0, 0, 0])
    assert model.n_neighbors_ == 3


def test_there_is_one_method_and_no_preset():
    assert "preset" not in TwoHNCClassifier().get_params()
    with pytest.raises(TypeError, match="preset"):
        TwoHNCClassifier(preset="paper")
    with pytest.raises(ValueError, match="Invalid parameter 'preset'"):
        TwoHNCClassifier().set_params(preset="paper")
