"""The space of weighted points, in this process and on workers: distances against all pairs."""

import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from pucut.dask.partitions import read_partitions
from pucut.dask.place import PointsOnWorkers
from pucut.graphs.similarity import Gaussian
from pucut.judging.places import PointsHere

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

WEIGHTS = np.array([0.5, 2.0, 0.5])
PLACES = pytest.mark.parametrize("on_workers", [False, True], ids=["here", "on workers"])


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def points(n_rows, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, 3))


def space_of(X, on_workers, in_place):
    place = PointsHere(X.copy())
    if on_workers:
        place = PointsOnWorkers(read_partitions(da.from_array(X, chunks=((40, 1, 49), 2))))
    return place.space("plain", WEIGHTS, 5, in_place=in_place, method="exact", random_state=0)


def nearest(queries, rows):
    return euclidean_distances(queries * np.sqrt(WEIGHTS), rows * np.sqrt(WEIGHTS)).min(axis=1)


@PLACES
@pytest.mark.parametrize("in_place", [False, True])
def test_distances_are_those_of_all_pairs(on_workers, in_place):
    X, new = points(90), points(20, seed=1)
    space = space_of(X, on_workers, in_place)
    assert space.are_weighted == in_place
    is_inside = np.arange(90) % 3 == 0
    for given in (new, new[:1]):
        inside, outside = space.distances(given.copy(), is_inside, in_place=True)
        np.testing.assert_allclose(inside, nearest(given, X[is_inside]))
        np.testing.assert_allclose(outside, nearest(given, X[~is_inside]))
    everything, nothing = np.ones(90, dtype=bool), np.zeros(90, dtype=bool)
    np.testing.assert_allclose(space.distances(new, everything)[0], nearest(new, X))
    assert np.isinf(space.distances(new, everything)[1]).all()
    apart = space.distances_between(is_inside, ~is_inside)
    np.testing.assert_allclose(apart, nearest(X[is_inside], X[~is_inside]))
    assert np.isinf(space.distances_between(is_inside, nothing)).all()


@PLACES
def test_the_kernel_is_the_given_one(on_workers):
    kernel = Gaussian(2.0)
    place = PointsHere(points(90))
    if on_workers:
        place = PointsOnWorkers(read_partitions(da.from_array(points(90), chunks=(40, 3))))
    assert place.space("plain", WEIGHTS, 5, kernel=kernel, method="exact").kernel is kernel


def test_what_can_be_made_again_is_not_pickled():
    X = points(90)
    space = space_of(X, on_workers=False, in_place=False)
    size = len(pickle.dumps(space))
    space.distances(X, np.arange(90) < 30)
    space.near(X)
    assert len(pickle.dumps(space)) == size


def test_a_place_on_workers_loses_its_points_to_a_space():
    """Workers hold the points once, weighted."""
    place = PointsOnWorkers(read_partitions(da.from_array(points(90), chunks=(40, 3))))
    space = place.space("plain", WEIGHTS, 5, in_place=True, method="exact", random_state=0)
    assert place.points is space.points
    np.testing.assert_allclose(space.points.gathered(), points(90) * np.sqrt(WEIGHTS))
