"""Scores from near rows, of training rows and of new ones, against linear systems and loops."""

import numpy as np
import pytest

from pucut.graphs.spaces import near_in
from pucut.judging.folds import pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.scorers import SCORE_NEIGHBORS, WALK_NEIGHBORS, neighbor_score, walk_score
from pucut.judging.spaces import NewRows, Space

N_ROWS, N_NEW, N_POSITIVE = 120, 30, 60


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(4).normal(size=(N_ROWS + N_NEW, 4))


@pytest.fixture(scope="module", params=[0, 20], ids=["", "known negatives"])
def folds(request):
    is_labelled = np.arange(N_ROWS) < 25
    is_negative = np.arange(N_ROWS) >= N_ROWS - request.param
    groups = np.arange(N_ROWS)
    random = np.random.RandomState(0)
    return pu_folds(is_labelled, N_POSITIVE, random, groups, is_negative)


@pytest.fixture(scope="module")
def space(points, folds):
    weights = (np.array([1.0, 2.0, 0.5, 0.5]),) * len(folds.labels)
    here = PointsHere(points[:N_ROWS])
    return Space("s", weights).searched(here, (5,), SCORE_NEIGHBORS, random_state=0)


@pytest.fixture(scope="module")
def new_rows(points, space):
    new = points[N_ROWS:]
    near = near_in(space.final, space.final.near(new))
    return NewRows(None, {None: new}, {"s": near})


def test_walks_of_training_rows_solve_the_system_of_their_fold(space, folds):
    graph = space.final.graph(WALK_NEIGHBORS).toarray()
    steps = graph / graph.sum(axis=1, keepdims=True)
    score = walk_score(space, folds)
    in_folds = [*score.in_folds, score.final.scores]
    for found, codes, target in zip(in_folds, folds.labels, folds.targets, strict=True):
        goes_on = 1.0 - (codes == 1).sum() / N_POSITIVE
        expected = np.linalg.solve(np.eye(N_ROWS) - goes_on * steps, target)
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_new_row_walks_as_if_it_were_in_the_graph_and_nobody_led_to_it(space, folds, new_rows):
    graph, near = space.final.graph(WALK_NEIGHBORS).toarray(), new_rows.near["s"]
    goes_on = 1.0 - folds.is_labelled.sum() / N_POSITIVE
    target = np.append(folds.targets[-1].astype(float), 0.0)
    expected = []
    for indices, similar in zip(near.indices, near.similar, strict=True):
        with_new = np.zeros((N_ROWS + 1, N_ROWS + 1))
        with_new[:-1, :-1] = graph
        with_new[-1, indices[:WALK_NEIGHBORS]] = similar[:WALK_NEIGHBORS]
        steps = with_new / with_new.sum(axis=1, keepdims=True)
        expected.append(np.linalg.solve(np.eye(N_ROWS + 1) - goes_on * steps, target)[-1])
    np.testing.assert_allclose(
        walk_score(space, folds).final.predictor(new_rows), expected, atol=1e-4
    )


def test_neighbours_count_by_similarity(space, folds, new_rows):
    near = new_rows.near["s"]
    target = folds.targets[-1]
    expected = [
        np.average(target[indices], weights=similar)
        for indices, similar in zip(near.indices, near.similar, strict=True)
    ]
    np.testing.assert_allclose(
        neighbor_score(space, folds).final.predictor(new_rows), expected, rtol=1e-12
    )
