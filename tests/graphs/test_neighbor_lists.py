"""Neighbours of new rows, lists that are given, and how much memory a search takes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsTransformer

from pucut.graphs.neighbors import NeighborIndex, nearest_neighbors, nearest_to
from pucut.graphs.neighbors.dense_search import DenseSearcher
from pucut.graphs.neighbors.equal_rows import first_of_each
from pucut.graphs.neighbors.lists import without_itself, without_itself_in_place
from tests.helpers.neighbors import EXACT_METHODS, binary, blobs, same

pytest.importorskip("torch")


class TestQueries:
    @pytest.mark.parametrize("method", EXACT_METHODS)
    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_nothing_is_left_out(self, method, make):
        points, queries = binary(200, 6), binary(50, 6, seed=1)
        distances = ((queries[:, None, :] - points) ** 2).sum(axis=2)
        for k in (1, 10, 200):
            lists = nearest_to(make(points), make(queries), k, method)
            wanted = np.argsort(distances, axis=1, kind="stable")[:, :k]
            np.testing.assert_array_equal(lists.indices, wanted)

    @pytest.mark.parametrize("method", ["exact", "torch", "approximate"])
    def test_one_query_gets_the_answer_it_gets_among_others(self, method):
        points, queries = blobs(3000, 5), blobs(40, 5, seed=1)
        index = NeighborIndex(points, 5, method, random_state=0)
        together = index.query(queries)
        for row in range(40):
            alone = index.query(queries[[row]])
            np.testing.assert_array_equal(alone.indices[0], together.indices[row])

    @pytest.mark.parametrize(
        "method",
        ["exact", "torch", "approximate", KNeighborsTransformer(n_neighbors=6)],
        ids=["exact", "torch", "approximate", "transformer"],
    )
    def test_an_index_is_pickled_and_asked_again(self, method):
        points, queries = blobs(1500, 5), blobs(30, 5, seed=1)
        index = NeighborIndex(points, 5, method, random_state=0)
        neighbors = index.neighbors()
        same(neighbors, nearest_neighbors(points, 5, method, random_state=0))
        again = pickle.loads(pickle.dumps(index))
        same(again.neighbors(), neighbors)
        same(again.query(queries), index.query(queries))
        same(again.query(queries, 2), index.query(queries).nearest(2))

    def test_approximate_queries_find_most(self):
        points, queries = blobs(6000), blobs(500, seed=0)
        lists = nearest_to(points, queries, 10, "approximate", random_state=0)
        truth = nearest_to(points, queries, 10, "exact")
        assert (lists.indices[:, :, None] == truth.indices[:, None, :]).any(axis=2).mean() > 0.97

    def test_wrong_number_of_features(self):
        with pytest.raises(ValueError, match=r"queries must have 6 features.*found 5"):
            nearest_to(binary(20, 6), binary(3, 5), 2)


class TestGraphs:
    @pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
    def test_a_transformer_finds_the_same(self, algorithm):
        points = np.random.default_rng(0).normal(size=(300, 4))
        transformer = KNeighborsTransformer(n_neighbors=9, algorithm=algorithm)
        wanted = nearest_neighbors(points, 7, "exact")
        lists = nearest_neighbors(points, 7, transformer)
        np.testing.assert_array_equal(lists.indices, wanted.indices)
        np.testing.assert_allclose(lists.squared_distances, wanted.squared_distances, rtol=1e-9)
        assert lists.method == "transformer"
        assert np.isnan(lists.recall)
        assert not hasattr(transformer, "n_samples_fit_")
        queries = np.random.default_rng(1).normal(size=(20, 4))
        np.testing.assert_array_equal(
            nearest_to(points, queries, 7, transformer).indices,
            nearest_to(points, queries, 7, "exact").indices,
        )

    def test_a_graph_with_zeros_ties_and_itself(self):
        # Row 0: itself and row 3 at 0, rows 1 and 2 at 2.
        graph = sp.csr_array(
            (
                [0.0, 2.0, 2.0, 0.0, 1.0, 3.0, 2.0, 2.0, 1.0, 1.0, 0.0, 1.0, 1.0],
                [0, 2, 1, 3, 2, 0, 3, 0, 1, 3, 0, 2, 1],
                [0, 4, 7, 10, 13],
            ),
            shape=(4, 4),
        )
        lists = nearest_neighbors(np.zeros((4, 1)), 2, graph)
        assert lists.method == "precomputed"
        assert lists.indices.tolist() == [[3, 1], [2, 3], [1, 3], [0, 1]]
        assert lists.squared_distances.tolist() == [[0, 4], [1, 4], [1, 1], [0, 1]]
        assert graph.nnz == 13
        queries = nearest_to(np.zeros((4, 1)), np.zeros((4, 1)), 2, graph)
        assert queries.indices.tolist() == [[0, 3], [2, 3], [1, 3], [0, 1]]

    def test_too_few_neighbours(self):
        graph = sp.csr_array(np.array([[0, 1, 2], [1, 0, 0], [2, 1, 0]], dtype=float))
        with pytest.raises(ValueError, match=r"n_neighbors=2 .* holds 1 of row 1, itself not"):
            nearest_neighbors(np.zeros((3, 1)), 2, graph)

    def test_wrong_distances_and_shapes(self):
        graph = sp.csr_array(np.array([[0, 1, 2], [1, 0, -3], [2, 1, 0]], dtype=float))
        with pytest.raises(ValueError, match=r"found -3.0 from row 1 to row 2"):
            nearest_neighbors(np.zeros((3, 1)), 1, graph)
        graph.data[:] = np.nan
        with pytest.raises(ValueError, match="found nan"):
            nearest_neighbors(np.zeros((3, 1)), 1, graph)
        with pytest.raises(ValueError, match="must be 4 x 4, found 3 x 3"):
            nearest_neighbors(np.zeros((4, 1)), 1, graph)

    def test_a_transformer_without_distances(self):
        with pytest.raises(ValueError, match="mode='distance', found 'connectivity'"):
            nearest_neighbors(binary(9, 2), 1, KNeighborsTransformer(mode="connectivity"))


class TestLists:
    @pytest.mark.parametrize("method", EXACT_METHODS)
    def test_smaller_k_are_the_first_columns(self, method):
        points = binary(150, 6)
        lists = nearest_neighbors(points, 12, method)
        for k in (1, 5, 12):
            fewer = lists.nearest(k)
            same(fewer, nearest_neighbors(points, k, method))
            assert np.shares_memory(fewer.indices, lists.indices)
            assert fewer.method == method

    @pytest.mark.parametrize("k", [0, 4, 1.5, "2"])
    def test_smaller_k_only(self, k):
        lists = nearest_neighbors(binary(9, 3), 3)
        with pytest.raises(ValueError, match=rf"from 1 to 3, found {k!r}"):
            lists.nearest(k)

    def test_threads_do_not_change_a_bit(self):
        points = binary(1500, 20)
        lists = nearest_neighbors(points, 10, n_jobs=1)
        for n_jobs in (2, 5, -1, None):
            same(nearest_neighbors(points, 10, n_jobs=n_jobs), lists)

    def test_arguments_that_are_not_allowed(self):
        points = binary(9, 3)
        with pytest.raises(ValueError, match=r"n_neighbors must be from 1 to 8 .* found 9"):
            nearest_neighbors(points, 9)
        with pytest.raises(ValueError, match=r"n_neighbors must be from 1 to 9 .* found 10"):
            nearest_to(points, points, 10)
        with pytest.raises(ValueError, match="n_neighbors must be from 1 to 8"):
            nearest_neighbors(points, 0)
        with pytest.raises(TypeError, match=r"n_neighbors must be a whole number, found 2.5"):
            nearest_neighbors(points, 2.5)
        with pytest.raises(ValueError, match=r"method must be one of auto, exact.*found 'fast'"):
            nearest_neighbors(points, 2, "fast")
        with pytest.raises(TypeError, match=r"method must be one of auto, exact.*found 3"):
            nearest_neighbors(points, 2, 3)
        with pytest.raises(ValueError, match="at least 1, found 0"):
            nearest_neighbors(points, 2, n_jobs=0)
        with pytest.raises(ValueError, match="from 1 to 3 for this index, found 4"):
            NeighborIndex(points, 3).query(points, 4)

    def test_input_stays_as_it_was(self):
        for points in (binary(60, 4), sp.csr_array(binary(60, 4))):
            before = points.copy()
            for method in ("exact", "approximate", "torch"):
                nearest_neighbors(points, 5, method, random_state=0)
            assert abs(points - before).sum() == 0

    def test_arrays_that_may_not_be_written_to(self):
        points = binary(60, 4)
        points.flags.writeable = False
        for method in ("exact", "approximate", "torch"):
            nearest_neighbors(points, 5, method, random_state=0)


class TestMemory:
    """The memory for points in low precision changes only the time."""

    @pytest.mark.parametrize("most_bytes", [1, 2000, 40_000, 10**9])
    @pytest.mark.parametrize("method", ["exact", "approximate"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_results_do_not_depend_on_the_limit(self, method, dtype, most_bytes):
        points = blobs(3000).astype(dtype)
        options = {"n_jobs": 2, "random_state": 0}
        free = nearest_neighbors(points, 5, method, **options)
        limited = nearest_neighbors(points, 5, method, **options, most_bytes=most_bytes)
        same(limited, free)
        assert limited.recall == free.recall
        index = NeighborIndex(points, 5, method, **options, most_bytes=most_bytes)
        asked = points[:50] + dtype(0.1)
        same(index.query(asked), nearest_to(points, asked, 5, method, **options))

    def test_no_more_is_held_than_the_limit(self):
        points = blobs(3000)
        needed = 3000 * (points.shape[1] + 2) * 4
        for most_bytes, held in ((needed, needed), (needed - 1, 0)):
            searcher = DenseSearcher(points, 2, most_bytes)
            searcher.nearest(points[:300], 5)
            assert sum(part.nbytes for part in searcher._rounded.values()) == held

    def test_lists_are_made_in_place_as_by_a_copy(self, monkeypatch):
        monkeypatch.setattr("pucut.graphs.neighbors.lists._ROWS_AT_ONCE", 7)
        random = np.random.default_rng(0)
        indices = np.array([random.permutation(30)[:6] for _ in range(30)], dtype=np.int32)
        distances = random.random((30, 6))
        expected = without_itself(indices, distances)
        found = without_itself_in_place(indices.copy(), distances.copy())
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_first_of_each_list_by_distance_and_number():
    random = np.random.default_rng(0)
    for _ in range(300):
        n_lists, k = random.integers(1, 8), random.integers(1, 6)
        # Also with one list that is much longer than the others.
        lengths = random.integers(k, k + random.integers(1, 12), n_lists)
        lengths[0] += random.choice([0, 60])
        query = np.repeat(np.arange(n_lists), lengths)
        distances = random.integers(random.integers(1, 30), size=len(query)).astype(float)
        rows = np.concatenate([random.permutation(100)[:length] for length in lengths])
        found, apart = first_of_each(query, distances, rows, n_lists, k)
        for number in range(n_lists):
            own = query == number
            wanted = sorted(zip(distances[own], rows[own], strict=True))[:k]
            assert list(zip(apart[number], found[number], strict=True)) == wanted
