"""Probabilities of classes from walks, against linear systems, and where walks are needed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding
from pucut.graphs.spaces import near_in, weighted_space
from pucut.semi_supervised._class_scores import NewPoints
from pucut.semi_supervised._class_walks import UNKNOWN, UNKNOWN_UNJUDGED, walk_opinion
from pucut.semi_supervised._class_worlds import ClassWorlds

N_ROWS, N_NEW, K = 150, 20, 5


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(N_ROWS + N_NEW, 3))


@pytest.fixture(scope="module")
def space(points):
    return weighted_space("s", points[:N_ROWS], np.ones(3), K, method="exact")


@pytest.fixture(scope="module")
def worlds(points):
    """The labels that the first world hides follow the points, the others are drawn at random."""
    codes = np.full(N_ROWS, -1)
    codes[:30] = np.digitize(points[:30, 0], [-0.5, 0.5])
    codes[30:60] = np.random.default_rng(1).integers(0, 3, 30)
    return ClassWorlds(codes, (np.arange(20), np.arange(30, 50)))


def met_by_walks(graph, codes):
    """How many labelled rows of each class are met, by solving the system."""
    steps = graph / graph.sum(axis=1, keepdims=True)
    goes_on = 1.0 - np.mean(codes >= 0)
    targets = codes[:, None] == np.arange(3)
    return np.linalg.solve(np.eye(len(graph)) - goes_on * steps, targets.astype(float))


def shares_of(met, codes, unknown):
    shares = np.bincount(codes[codes >= 0], minlength=3) / np.sum(codes >= 0)
    return (met + unknown * shares) / (met.sum(axis=1, keepdims=True) + unknown)


def test_probabilities_are_shares_of_what_is_met(space, worlds):
    """How much is unknown is what suits the rows that other worlds hide."""
    graph = space.graph(K)
    found = walk_opinion([graph] * 3, worlds, 1).of_worlds
    met = [met_by_walks(graph.toarray(), codes) for codes in worlds.labels]
    chosen = []
    for world, (of_world, codes) in enumerate(zip(found, worlds.labels, strict=True)):
        losses = []
        for unknown in UNKNOWN:
            errors = []
            for other, fold in enumerate(worlds.folds):
                said = shares_of(met[other], worlds.labels[other], unknown)[fold]
                truth = np.eye(3)[worlds.codes[fold]]
                errors += [] if other == world else list(np.square(said - truth).sum(axis=1))
            losses.append(np.mean(errors))
        chosen.append(UNKNOWN[int(np.argmin(losses))])
        assert_allclose(of_world, shares_of(met[world], codes, chosen[-1]), atol=1e-3)
        assert_allclose(of_world.sum(axis=1), 1.0)
    assert chosen[0] > chosen[1]


def test_what_is_unknown_is_learned(space):
    """Labels drawn at random teach nothing, those of a graph without noise all there is to know."""
    random = np.random.default_rng(1)
    by_chance = np.where(np.arange(N_ROWS) < 90, random.integers(0, 2, N_ROWS), -1)
    planted = np.where(np.arange(N_ROWS) < 90, space.points[:, 0] > 0.0, -1)
    unknown = []
    for codes in (by_chance, planted):
        worlds = ClassWorlds(codes, (np.arange(45), np.arange(45, 90)))
        unknown.append(walk_opinion([space.graph(K)] * 3, worlds, 1).learner.unknown)
    assert unknown[0] == UNKNOWN[-1]
    assert unknown[1] < 0.3


def test_a_new_row_walks_as_if_it_were_in_the_graph_and_nobody_led_to_it(points, space, worlds):
    new = points[N_ROWS:]
    lists = space.near(new)
    near = near_in(space, lists)
    graph = space.graph(K)
    learner = walk_opinion([graph] * 3, worlds, 1).learner
    found = learner.of(NewPoints(new, {}, near))
    codes = np.append(worlds.codes, -1)
    goes_on = 1.0 - np.mean(worlds.codes >= 0)
    for row in range(N_NEW):
        with_new = np.zeros((N_ROWS + 1, N_ROWS + 1))
        with_new[:-1, :-1] = graph.toarray()
        with_new[-1, near.indices[row]] = near.similar[row]
        steps = with_new / with_new.sum(axis=1, keepdims=True)
        targets = (codes[:, None] == np.arange(3)).astype(float)
        met = np.linalg.solve(np.eye(N_ROWS + 1) - goes_on * steps, targets)
        assert_allclose(found[row], shares_of(met, codes, learner.unknown)[-1], atol=1e-3)


def test_threads_change_nothing(space, worlds):
    graphs = [space.graph(K)] * 3
    one, two = (walk_opinion(graphs, worlds, n_threads) for n_threads in (1, 2))
    for mine, theirs in zip(one.of_worlds, two.of_worlds, strict=True):
        assert_array_equal(mine, theirs)


def test_rows_that_no_walk_leads_to_a_label_have_the_shares_of_the_classes():
    apart = np.concatenate([np.zeros((10, 1)), np.full((10, 1), 50.0)])
    apart += np.random.default_rng(0).uniform(size=(20, 1))
    codes = np.full(20, -1)
    codes[:4] = 0, 1, 1, 1
    graph = weighted_space("s", apart, np.ones(1), 3, method="exact").graph(3)
    opinion = walk_opinion([graph], ClassWorlds(codes, ()), 1)
    assert opinion.learner.unknown == UNKNOWN_UNJUDGED
    (found,) = opinion.of_worlds
    assert_allclose(found[10:], [[0.25, 0.75]] * 10)


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
