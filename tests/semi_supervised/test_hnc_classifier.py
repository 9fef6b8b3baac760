"""HNCClassifier: cuts against all subsets and against HNC+ and HNC-, labels, choices, new rows."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from pucut import HNCClassifier
from pucut.cuts.hnc import hnc_minus, hnc_plus, hnc_plus_minus
from pucut.cuts.score_cuts import two_sided_cut
from pucut.data.labels import checked_class_labels
from pucut.judging.folds import LabelFolds
from pucut.judging.spaces import NewRows, near_rows
from pucut.judging.weights import loss_weights
from pucut.semi_supervised._cuts import (
    GAMMAS,
    NO_GRAPH,
    decisions,
    gamma_weights,
    hidden_levels,
    lambdas_by_labels,
)
from pucut.utils.estimator_checks._tools import (
    answers,
    assert_answers_rest_on_fit_alone,
    calls_of,
    stop_after,
)


@pytest.mark.slow
@parametrize_with_checks(
    [
        HNCClassifier(n_estimators=5),
        HNCClassifier(lam="cv", scores=None, n_estimators=5),
        HNCClassifier(problem="minus", lam="prior", scores=None, n_estimators=5),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def small_problem(seed, n_rows=8):
    random = np.random.default_rng(seed)
    weights = np.triu(random.integers(0, 4, (n_rows, n_rows)), 1).astype(float)
    graph = sp.csr_array(weights + weights.T)
    inside, outside = np.zeros(n_rows, bool), np.zeros(n_rows, bool)
    inside[:2], outside[2:4] = True, True
    return graph, inside, outside, random.uniform(-1.0, 1.0, n_rows)


def cut_objective(graph, mask, scores, gamma, lam):
    dense = graph.toarray()
    degrees = dense.sum(axis=1)
    pull = gamma * (degrees * (lam - scores))[mask].sum()
    return dense[mask][:, ~mask].sum() + pull


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gamma", [0.3, 2.0])
def test_cuts_are_the_best_of_all_subsets(seed, gamma):
    graph, inside, outside, scores = small_problem(seed)
    path = two_sided_cut(graph, inside, outside, scores, gamma)
    free = np.flatnonzero(~inside & ~outside)
    for lam in (-0.9, -0.35, 0.0, 0.2, 0.8):
        best = np.inf
        for chosen in itertools.product([False, True], repeat=len(free)):
            mask = inside.copy()
            mask[free] = chosen
            best = min(best, cut_objective(graph, mask, scores, gamma, lam))
        found = path.source_set(lam)
        assert found[inside].all()
        assert not found[outside].any()
        assert_allclose(cut_objective(graph, found, scores, gamma, lam), best, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_without_scores_both_halves_are_hnc(seed):
    graph, inside, outside, _ = small_problem(seed, 12)
    path = two_sided_cut(graph, inside, outside, np.zeros(12), 1.0)
    minus, plus = hnc_minus(graph, inside, outside), hnc_plus(graph, inside, outside)
    for lam in (0.07, 0.31, 0.77):
        assert_array_equal(path.source_set(lam), minus.source_set(lam))
        assert_array_equal(path.source_set(-lam), plus.source_set(lam))


def moons(n_labelled=6, seed=0):
    X, truth = make_moons(200, noise=0.08, random_state=seed)
    y = np.full(200, -1)
    for code in (0, 1):
        rows = np.flatnonzero(truth == code)[:n_labelled]
        y[rows] = code
    return X, truth, y


@pytest.mark.parametrize(
    ("options", "cut"),
    [
        ({"problem": "minus", "lam": 0.05}, lambda *seeds: hnc_minus(*seeds).source_set(0.05)),
        ({"problem": "plus", "lam": 0.05}, lambda *seeds: hnc_plus(*seeds).source_set(0.05)),
        ({"lam": -0.05}, lambda *seeds: hnc_plus(*seeds).source_set(0.05)),
        (
            {"alpha": 0.3, "beta": 0.6},
            lambda graph, *seeds: hnc_plus_minus(graph, 0.3, 0.6, *seeds),
        ),
        (
            {"alpha": 0.7, "beta": 0.6},
            lambda graph, *seeds: hnc_plus_minus(graph, 0.7, 0.6, *seeds),
        ),
    ],
)
def test_the_second_class_is_the_cut(options, cut):
    X, _, y = moons()
    model = HNCClassifier(scores=None, n_estimators=10, random_state=0, **options).fit(X, y)
    assert_array_equal(model.transduction_ == 1, cut(model.graph_, y == 1, y == 0))
    assert 0 < np.mean(model.transduction_ == 1) < 1


def test_the_graph_is_used():
    X, truth, y = moons(2)
    plain = {"feature_weights": None, "random_state": 0}
    model = HNCClassifier(gamma=0.1, **plain).fit(X, y)
    alone = HNCClassifier(gamma=1e6, **plain).fit(X, y)
    assert np.mean(model.transduction_ == truth) > np.mean(alone.transduction_ == truth) + 0.05


def iris_with_few_labels():
    X, truth = load_iris(return_X_y=True)
    y = np.full(150, -1)
    for code in range(3):
        y[np.random.RandomState(code).choice(np.flatnonzero(truth == code), 5, replace=False)] = (
            code
        )
    return X, truth, y


@pytest.mark.parametrize("lam", [0.0, "prior", "cv"])
def test_three_classes(lam):
    X, truth, y = iris_with_few_labels()
    model = HNCClassifier(lam=lam, random_state=0).fit(X, y)
    hidden = y == -1
    assert np.mean(model.transduction_[hidden] == truth[hidden]) > 0.92
    assert_array_equal(model.transduction_[~hidden], y[~hidden])
    assert len(model.paths_) == len(model.lam_) == 3
    assert model.scores_.shape == model.label_distributions_.shape == (150, 3)
    assert_allclose(model.label_distributions_.sum(axis=1), 1.0)
    assert_array_equal(
        np.argmax(model.label_distributions_, axis=1),
        np.searchsorted([0, 1, 2], model.transduction_),
    )


def test_each_path_is_one_against_the_rest():
    X, _, y = iris_with_few_labels()
    model = HNCClassifier(scores=None, lam=0.1, n_estimators=10, random_state=0).fit(X, y)
    for code, path in enumerate(model.paths_):
        others = (y != code) & (y != -1)
        expected = hnc_minus(model.graph_, y == code, others).source_set(0.1)
        assert_array_equal(path.source_set(0.1), expected)


def test_unseen_rows():
    X, truth = make_blobs(400, centers=3, cluster_std=1.2, random_state=3)
    y = np.where(np.arange(400) < 30, truth, -1)
    model = HNCClassifier(n_estimators=20, random_state=0).fit(X[:300], y[:300])
    new = X[300:]
    assert np.mean(model.predict(new) == truth[300:]) > 0.95
    one_by_one = np.vstack([model.predict_proba(row[None, :]) for row in new[:10]])
    assert_allclose(model.predict_proba(new)[:10], one_by_one, atol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(new), model.predict_proba(new))


@pytest.mark.parametrize("options", [{}, {"scores": None, "lam": "prior"}])
def test_parameters_after_fit_change_nothing(options):
    X, _, y = moons()
    model = HNCClassifier(n_estimators=10, random_state=0, **options).fit(X, y)
    assert_answers_rest_on_fit_alone(model, answers, X[:40] + 0.03)


def test_the_level_of_a_new_row_minimises_its_own_terms():
    X, _, y = moons()
    options = {"feature_weights": None, "n_estimators": 10, "random_state": 0}
    model = HNCClassifier(gamma=5.0, **options).fit(X, y)
    new = X[:20] + 0.03
    points = model._encoding.encode(new)
    near = near_rows(model._space.final, points)
    weights = near.similar
    rows = NewRows(None, {None: points}, {model._space.name: near})
    pull = 2.0 * model._mixture(rows)[:, 1] - 1.0
    tried = np.linspace(-1.0, 1.0, 20_001)
    levels = np.clip(model._paths[0].switch, -1.0, 1.0)  # in the order of its space
    for row in range(20):
        apart = np.abs(tried[:, None] - levels[near.indices[row]][None, :]) @ weights[row]
        cost = apart + 5.0 * weights[row].sum() * (tried - pull[row]) ** 2 / 2.0
        found = model.decision_function(new[[row]])[0]
        assert_allclose(found, tried[np.argmin(cost)], atol=2e-4)


def test_the_same_with_any_number_of_threads():
    X, _, y = iris_with_few_labels()
    one, two = (
        HNCClassifier(n_jobs=n_jobs, n_estimators=20, random_state=0).fit(X, y) for n_jobs in (1, 2)
    )
    assert_array_equal(one.scores_, two.scores_)
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("share", [0.3, 0.45, 0.5, 0.6])
def test_lambda_by_the_prior_meets_it_as_nearly_as_can_be(share):
    X, _, y = moons()
    options = {"lam": "prior", "n_estimators": 20, "random_state": 0}
    model = HNCClassifier(prior=share, **options).fit(X, y)
    possible = [np.mean(model.scores_ > lam) for lam in (-2.0, *np.unique(model.scores_))]
    off = abs(np.mean(model.transduction_ == 1) - share)
    assert off <= min(abs(np.array(possible) - share)) + 1e-12
    assert off < 0.1
    pair = HNCClassifier(prior=[1.0 - share, share], **options).fit(X, y)
    assert_array_equal(pair.transduction_, model.transduction_)


def test_lambda_by_labels_parts_them():
    levels = np.array([[-0.9], [-0.7], [-0.6], [-0.5], [-0.1], [0.1], [0.2]] * 20)
    truth = levels > -0.35
    (lam,) = lambdas_by_labels(levels, truth, (-1.0, 1.0))
    assert -0.5 < lam < -0.1
    assert lambdas_by_labels(levels, truth, (0.0, 1.0))[0] < 0.1


def test_decisions_are_zero_at_lambda():
    levels = np.array([[-1.0], [-0.4], [0.2], [0.6], [1.0]])
    assert_allclose(decisions(levels, np.array([0.2]))[:, 0], [-1.0, -0.5, 0.0, 0.5, 1.0])
    assert_allclose(decisions(levels, np.array([1.0]))[-1], 0.0)


def test_gamma_is_that_of_the_hidden_labels():
    truth = np.random.RandomState(0).randint(0, 2, (50, 1)) == 1
    right, vague = 2.0 * truth - 1.0, np.zeros((50, 1))
    assert_allclose(gamma_weights([vague, right, vague], truth), [0.0, 1.0, 0.0], atol=1e-9)
    assert_allclose(gamma_weights([right, right], truth), [0.5, 0.5])
    X, _, y = moons()
    model = HNCClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert GAMMAS[0] <= model.gamma_ <= NO_GRAPH


def test_loss_weights():
    random = np.random.default_rng(0)
    base = random.uniform(0.0, 1.0, 200)
    losses = np.array([base, base, base + 0.5, base + random.normal(0.001, 0.1, 200)])
    weights = loss_weights(losses)
    assert_allclose(weights.sum(), 1.0)
    assert weights[0] == weights[1]
    assert weights[2] < 1e-20
    assert 0.1 < weights[3] <= weights[0] * 3


def test_hidden_rows_are_hidden_from_the_cuts():
    X, _, y = moons(20)
    model = HNCClassifier(n_estimators=10, random_state=0).fit(X, y)
    rows = np.flatnonzero(y >= 0)[::3]
    nothing = np.zeros((len(X), 2))
    fold = np.where(np.isin(np.arange(len(y)), rows), 0, -1)
    folds = LabelFolds(y, fold, np.arange(len(y)))
    (found,) = hidden_levels([model.graph_], folds, [nothing], (1.0,), 1)
    path = two_sided_cut(
        model.graph_,
        (y == 1) & (fold < 0),
        (y == 0) & (fold < 0),
        nothing[:, 1],
        1.0,
    )
    assert_array_equal(found[:, 0], np.clip(path.switch[rows], -1.0, 1.0))
    assert np.abs(found).max() < 1.0


def test_one_label_a_class_is_enough():
    X, truth, _ = moons()
    y = np.full(200, -1)
    y[[np.argmax(truth == 0), np.argmax(truth == 1)]] = 0, 1
    for lam in (0.0, "cv", "prior"):
        model = HNCClassifier(lam=lam, n_estimators=10, random_state=0).fit(X, y)
        assert model.gamma_ == 1.0
        assert len(set(model.score_weights_.values())) == 1


def test_what_no_label_reaches():
    X = np.concatenate([np.zeros((10, 1)), np.ones((10, 1)), np.full((10, 1), 9.0)])
    X += np.random.RandomState(0).uniform(0.0, 0.01, X.shape)
    y = np.full(30, -1)
    y[[0, 10]] = 3, 4
    options = {"scores": None, "n_neighbors": 3, "feature_weights": None, "random_state": 0}
    for lam, expected in ((0.0, 3), (0.1, 3), (-0.1, 4)):
        model = HNCClassifier(lam=lam, **options).fit(X, y)
        assert_array_equal(model.scores_[20:], 0.0)
        assert_array_equal(model.transduction_[20:], expected)
    with_scores = HNCClassifier(n_neighbors=3, random_state=0).fit(X, y)
    assert_array_equal(with_scores.transduction_[20:], 4)


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([0, 1, -1], [0, 1, -1], [0, 1]),
        ([2.0, np.nan, 5.0, -1.0], [0, -1, 1, -1], [2.0, 5.0]),
        (["b", None, "a"], [1, -1, 0], ["a", "b"]),
        (["b", -1, "a", "c"], [1, -1, 0, 2], ["a", "b", "c"]),
        (np.array([True, False]), [1, 0], [False, True]),
        ([-1, 1, 1], [0, 1, 1], [-1, 1]),
        (np.array([3, 1], dtype=np.uint8), [1, 0], [1, 3]),
    ],
)
def test_labels(y, codes, classes):
    labels = checked_class_labels(y)
    assert_array_equal(labels.codes, codes)
    assert_array_equal(labels.classes, classes)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([-1, -1], "only -1 or missing values"),
        ([0, -1], "only one class, 0"),
        (np.array(["a", "b", "-1"]), "string '-1'"),
        ([0.5, 1.2, 3.3], "Unknown label type"),
        (np.array([1, "a"], dtype=object), "of one kind"),
    ],
)
def test_labels_that_cannot_be_read(y, message):
    with pytest.raises(ValueError, match=message):
        checked_class_labels(y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": "minus", "lam": -0.1}, "lam must be from 0 to 1 with problem='minus'"),
        ({"lam": 1.5}, "lam"),
        ({"alpha": 1.0}, "given together"),
        ({"alpha": 1.0, "beta": 0.5, "lam": 0.3}, "take the place of lam"),
        ({"alpha": 1.0, "beta": 0.5, "problem": "plus"}, "take the place of lam"),
        ({"alpha": np.inf, "beta": 0.5}, "alpha"),
        ({"prior": 0.4}, "lam='prior' only"),
        ({"prior": [0.5, 0.6], "lam": "prior"}, "2 shares that sum to 1"),
        ({"prior": [0.5, 0.2, 0.3], "lam": "prior"}, "2 shares that sum to 1"),
        ({"scores": None, "gamma": 1.0}, "gamma weighs scores"),
        ({"feature_weights": [1.0, 2.0, 3.0]}, "feature_weights must be 'auto', 'trees', None or"),
        ({"n_neighbors": 0}, "n_neighbors"),
    ],
)
def test_bad_parameters(options, message):
    X, _, y = moons()
    with pytest.raises(ValueError, match=message):
        HNCClassifier(**options).fit(X, y)


def test_any_table():
    pandas = pytest.importorskip("pandas")
    random = np.random.RandomState(0)
    truth = random.randint(0, 2, 120)
    frame = pandas.DataFrame(
        {
            "kind": np.where(truth == 1, "red", "blue"),
            "size": np.where(
                random.uniform(size=120) < 0.1, np.nan, truth + random.normal(size=120)
            ),
        }
    )
    y = np.array(["yes" if value else "no" for value in truth], dtype=object)
    y[20:] = None
    model = HNCClassifier(n_estimators=20, random_state=0).fit(frame, y)
    right = np.where(truth == 1, "yes", "no")
    assert np.mean(model.transduction_ == right) > 0.95
    assert np.mean(model.predict(frame) == right) > 0.95

    X, _, labels = moons()
    dense = HNCClassifier(scores=None, feature_weights=None, lam=0.05).fit(X, labels)
    sparse = HNCClassifier(scores=None, feature_weights=None, lam=0.05).fit(sp.csr_array(X), labels)
    assert_allclose(sparse.scores_, dense.scores_, atol=1e-6)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_an_interrupted_fit_changes_nothing():
    X, y = make_blobs(60, centers=2, random_state=0)
    y[5:] = -1
    y[:5] = 0, 1, 0, 1, 0
    model = HNCClassifier(random_state=0).fit(X, y)
    expected = model.predict(X)
    n_calls = calls_of(lambda: clone(model).fit(X, y))
    stop_after(n_calls // 2, lambda: model.fit(X, 1 + y * (y >= 0) - 2 * (y < 0)))
    assert_array_equal(model.predict(X), expected)
    unfitted = clone(model)
    stop_after(n_calls // 2, lambda: unfitted.fit(X, y))
    assert not hasattr(unfitted, "classes_")
