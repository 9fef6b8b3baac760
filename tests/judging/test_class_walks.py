"""Probabilities of classes from walks, against linear systems, and where walks are needed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding
from pucut.judging.class_scorers import UNKNOWN, UNKNOWN_UNJUDGED, class_walks
from pucut.judging.folds import LabelFolds
from pucut.judging.places import PointsHere
from pucut.judging.spaces import NewRows, Space, near_rows

N_ROWS, N_NEW, K = 150, 20, 5


def folds_of(codes, *hidden):
    """Folds that hide these rows."""
    fold = np.full(len(codes), -1)
    for k, rows in enumerate(hidden):
        fold[rows] = k
    return LabelFolds(codes, fold, np.arange(len(codes)))


def searched(points, folds, n_neighbors=K):
    weights = (np.ones(points.shape[1]),) * len(folds.labels)
    return Space("s", weights).searched(PointsHere(points), (n_neighbors,), method="exact")


def walks(space, folds, n_threads=1):
    return class_walks(space, space.graphs(space.n_neighbors[0]), folds, n_threads)


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(N_ROWS + N_NEW, 3))


@pytest.fixture(scope="module")
def space(points, folds):
    return searched(points[:N_ROWS], folds)


@pytest.fixture(scope="module")
def folds(points):
    """The labels that the first fold hides follow the points, the others are drawn at random."""
    codes = np.full(N_ROWS, -1)
    codes[:30] = np.digitize(points[:30, 0], [-0.5, 0.5])
    codes[30:60] = np.random.default_rng(1).integers(0, 3, 30)
    return folds_of(codes, np.arange(20), np.arange(30, 50))


def met_by_walks(graph, codes):
    """How many labelled rows of each class are met, by solving the system."""
    steps = graph / graph.sum(axis=1, keepdims=True)
    goes_on = 1.0 - np.mean(codes >= 0)
    targets = codes[:, None] == np.arange(3)
    return np.linalg.solve(np.eye(len(graph)) - goes_on * steps, targets.astype(float))


def shares_of(met, codes, unknown):
    shares = np.bincount(codes[codes >= 0], minlength=3) / np.sum(codes >= 0)
    return (met + unknown * shares) / (met.sum(axis=1, keepdims=True) + unknown)


def test_probabilities_are_shares_of_the_rows_met(space, folds):
    """The unknown part is the one that suits the rows that other folds hide."""
    score = walks(space, folds)
    met = [met_by_walks(space.final.graph(K).toarray(), codes) for codes in folds.labels]
    chosen = []
    for k, (found, codes) in enumerate(
        zip([*score.in_folds, score.final.scores], folds.labels, strict=True)
    ):
        losses = []
        for unknown in UNKNOWN:
            errors = []
            for other, rows in enumerate(folds.hidden_rows):
                shares = shares_of(met[other], folds.labels[other], unknown)[rows]
                truth = np.eye(3)[folds.codes[rows]]
                errors += [] if other == k else list(np.square(shares - truth).sum(axis=1))
            losses.append(np.mean(errors))
        chosen.append(UNKNOWN[int(np.argmin(losses))])
        assert_allclose(found, shares_of(met[k], codes, chosen[-1]), atol=1e-3)
        assert_allclose(found.sum(axis=1), 1.0)
    assert chosen[0] > chosen[1]


def test_the_unknown_part_is_learned(space):
    """Labels drawn at random teach nothing, those of a graph without noise all there is to know."""
    random = np.random.default_rng(1)
    by_chance = np.where(np.arange(N_ROWS) < 90, random.integers(0, 2, N_ROWS), -1)
    planted = np.where(np.arange(N_ROWS) < 90, space.final.points[:, 0] > 0.0, -1)
    unknown = []
    for codes in (by_chance, planted):
        folds = folds_of(codes, np.arange(45), np.arange(45, 90))
        unknown.append(walks(space, folds).final.predictor.unknown)
    assert unknown[0] == UNKNOWN[-1]
    assert unknown[1] < 0.3


def test_a_new_row_walks_as_if_it_were_in_the_graph_and_nobody_led_to_it(points, space, folds):
    new = points[N_ROWS:]
    near = near_rows(space.final, new)
    predictor = walks(space, folds).final.predictor
    found = predictor(NewRows(None, {None: new}, {"s": near}))
    graph = space.final.graph(K)
    codes = np.append(folds.codes, -1)
    goes_on = 1.0 - np.mean(folds.codes >= 0)
    for row in range(N_NEW):
        with_new = np.zeros((N_ROWS + 1, N_ROWS + 1))
        with_new[:-1, :-1] = graph.toarray()
        with_new[-1, near.indices[row]] = near.similar[row]
        steps = with_new / with_new.sum(axis=1, keepdims=True)
        targets = (codes[:, None] == np.arange(3)).astype(float)
        met = np.linalg.solve(np.eye(N_ROWS + 1) - goes_on * steps, targets)
        assert_allclose(found[row], shares_of(met, codes, predictor.unknown)[-1], atol=1e-3)


def test_threads_change_nothing(space, folds):
    one, two = (walks(space, folds, n_threads) for n_threads in (1, 2))
    assert_array_equal(one.in_folds, two.in_folds)
    assert_array_equal(one.final.scores, two.final.scores)


def test_rows_that_no_walk_leads_to_a_label_have_the_shares_of_the_classes():
    apart = np.concatenate([np.zeros((10, 1)), np.full((10, 1), 50.0)])
    apart += np.random.default_rng(0).uniform(size=(20, 1))
    codes = np.full(20, -1)
    codes[:4] = 0, 1, 1, 1
    folds = folds_of(codes)
    score = walks(searched(apart, folds, 3), folds)
    assert score.final.predictor.unknown == UNKNOWN_UNJUDGED
    assert_allclose(score.final.scores[10:], [[0.25, 0.75]] * 10)


def test_few_labels_in_clusters():
    """On digits a walk knows more than all learners do, and the mixture has to hear it."""
    X, truth = load_digits(return_X_y=True)
    gained = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        y = np.full(len(truth), -1)
        for digit in range(10):
            y[random.choice(np.flatnonzero(truth == digit), 3, replace=False)] = digit
        hidden = y == -1
        model = HNCClassifier(random_state=0).fit(X, y)
        weights = model.score_weights_
        assert weights["walks"] == max(weights.values())
        scaled = learn_encoding(X)[1]
        spreading = LabelSpreading(kernel="knn", max_iter=1000).fit(scaled, y)
        by_both = (each.transduction_[hidden] == truth[hidden] for each in (model, spreading))
        gained.append(np.subtract(*map(np.mean, by_both)))
    assert np.mean(gained) > 0.0
