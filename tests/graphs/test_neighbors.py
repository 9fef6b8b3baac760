"""Neighbours against sorted exact distances, whichever way they were found."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.neighbors import KNeighborsTransformer

from pucut.graphs.neighbors import NeighborIndex, blocks, clusters, nearest_neighbors, nearest_to
from pucut.graphs.neighbors.distances import LANES, paired_squared_distances
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from pucut.graphs.neighbors.lists import without_itself, without_itself_in_place

torch_search = pytest.importorskip("pucut.graphs.neighbors.torch_search")

EXACT_METHODS = ("exact", "torch")


def sorted_exactly(points, k):
    """All other rows by (distance, row number), in rationals; the first k."""
    rows = [[Fraction(float(value)) for value in row] for row in points]
    lists = []
    for i, row in enumerate(rows):
        others = [
            (sum((a - b) ** 2 for a, b in zip(row, other, strict=True)), j)
            for j, other in enumerate(rows)
            if j != i
        ]
        lists.append([j for _, j in sorted(others)[:k]])
    return np.array(lists)


def sorted_by_numpy(points, k):
    distances = ((points[:, None, :].astype(np.float64) - points) ** 2).sum(axis=2)
    np.fill_diagonal(distances, -1)
    return np.argsort(distances, axis=1, kind="stable")[:, 1 : k + 1]


def binary(n_rows, n_features, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (n_rows, n_features)).astype(np.float64)


def blobs(n_rows, n_features=8, n_blobs=30, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_blobs, n_features))
    return centers[rng.integers(n_blobs, size=n_rows)] + rng.normal(0, 0.3, (n_rows, n_features))


def same(first, second):
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_array_equal(first.squared_distances, second.squared_distances)


class TestExact:
    @settings(deadline=None, max_examples=40)
    @given(
        points=hnp.arrays(
            np.float64,
            st.tuples(st.integers(2, 24), st.integers(1, 5)),
            elements=st.integers(-2, 2).map(float),
        ),
        data=st.data(),
    )
    def test_whole_numbers_with_many_ties_and_duplicates(self, points, data):
        k = data.draw(st.integers(1, len(points) - 1))
        wanted = sorted_exactly(points, k)
        for method in EXACT_METHODS:
            for given_points in (points, points.astype(np.float32), sp.csr_array(points)):
                lists = nearest_neighbors(given_points, k, method)
                np.testing.assert_array_equal(lists.indices, wanted)
                assert lists.method == method
                assert lists.recall == 1.0
                assert lists.indices.dtype == np.int32
                assert lists.squared_distances.dtype == np.float64

    @pytest.mark.parametrize("method", EXACT_METHODS)
    @pytest.mark.parametrize(("n_rows", "n_features"), [(700, 4), (300, 90), (900, 1)])
    def test_real_numbers(self, method, n_rows, n_features):
        points = np.random.default_rng(0).normal(size=(n_rows, n_features))
        lists = nearest_neighbors(points, 15, method)
        np.testing.assert_array_equal(lists.indices, sorted_by_numpy(points, 15))
        for row in (0, n_rows - 1):
            wanted = ((points[row] - points[lists.indices[row]]) ** 2).sum(axis=1)
            np.testing.assert_allclose(lists.squared_distances[row], wanted, rtol=1e-13)

    @pytest.mark.parametrize("method", EXACT_METHODS)
    @pytest.mark.parametrize(
        "points",
        [
            pytest.param(binary(1000, 7), id="few values"),
            pytest.param(binary(400, 70), id="ties without duplicates"),
            pytest.param(np.repeat(binary(20, 70), 20, axis=0), id="duplicates"),
            pytest.param(np.eye(150), id="all at one distance"),
            pytest.param(1e7 + binary(400, 12), id="far from the origin"),
            pytest.param(np.vstack([binary(500, 12), [[1e9] * 12]]), id="one row far away"),
            pytest.param(
                np.vstack([i * 1e5 + np.round(blobs(300, 3), 3) for i in range(3)]),
                id="dense parts",
            ),
            pytest.param(binary(300, 12) * 2.0**-400, id="tiny"),
            pytest.param(binary(300, 12) * 2.0**400, id="huge"),
        ],
    )
    def test_where_rounding_would_decide(self, method, points):
        k = 15
        lists = nearest_neighbors(points, k, method)
        np.testing.assert_array_equal(lists.indices, sorted_by_numpy(points, k))

    @pytest.mark.parametrize("method", EXACT_METHODS)
    def test_more_columns_than_a_block(self, method):
        points = np.round(np.random.default_rng(0).normal(size=(20_000, 3)), 2)
        queries = np.round(np.random.default_rng(1).normal(size=(50, 3)), 2)
        assert group_equal_rows(points).n_groups > torch_search._LEAST_COLUMNS_FOR_GROUPS
        lists = nearest_to(points, queries, 20, method)
        distances = (
            (queries[:, 0, None] - points[:, 0]) ** 2 + (queries[:, 2, None] - points[:, 2]) ** 2
        ) + (queries[:, 1, None] - points[:, 1]) ** 2
        exact = paired_squared_distances(
            queries, np.repeat(np.arange(50), 20_000), points, np.tile(np.arange(20_000), 50)
        ).reshape(50, 20_000)
        np.testing.assert_allclose(exact, distances, rtol=1e-14)
        wanted = np.argsort(exact, axis=1, kind="stable")[:, :20]
        np.testing.assert_array_equal(lists.indices, wanted)

    @pytest.mark.parametrize("method", EXACT_METHODS)
    def test_queries_far_away_round_more_than_the_points_do(self, method):
        rng = np.random.default_rng(0)
        sides = rng.choice([-1.0, 1.0], size=(1000, 1))
        points = sides * [1.0, 0.5, 0.25] + 1e-8 * rng.integers(0, 40, size=(1000, 3))
        queries = 1e4 * rng.normal(size=(20, 3))
        exact = paired_squared_distances(
            queries, np.repeat(np.arange(20), 1000), points, np.tile(np.arange(1000), 20)
        ).reshape(20, 1000)
        wanted = np.argsort(exact, axis=1, kind="stable")[:, :8]
        np.testing.assert_array_equal(nearest_to(points, queries, 8, method).indices, wanted)

    @pytest.mark.parametrize("method", ["exact", "approximate", "torch"])
    def test_a_query_beyond_single_precision(self, method):
        points, queries = blobs(600, 3), np.array([[0.0, 0, 0], [1e60, 0, 0]])
        lists = nearest_to(points, queries, 5, method, random_state=0)
        assert np.isfinite(lists.squared_distances).all()
        same(lists.nearest(1), nearest_to(points, queries, 1, "exact"))

    @pytest.mark.parametrize("method", EXACT_METHODS)
    def test_every_other_row(self, method):
        points = binary(60, 5)
        lists = nearest_neighbors(points, 59, method)
        np.testing.assert_array_equal(lists.indices, sorted_by_numpy(points, 59))

    def test_ten_thousand_equal_rows(self):
        lists = nearest_neighbors(np.ones((10_000, 20)), 3)
        assert lists.indices[0].tolist() == [1, 2, 3]
        assert lists.indices[1].tolist() == [0, 2, 3]
        assert lists.indices[9_999].tolist() == [0, 1, 2]
        assert not lists.squared_distances.any()

    def test_too_many_ties_for_a_block(self, monkeypatch):
        points = np.eye(120)
        wanted = nearest_neighbors(points, 5)
        monkeypatch.setattr(blocks, "_MOST_CANDIDATES", 100)
        same(nearest_neighbors(points, 5), wanted)

    @pytest.mark.parametrize("method", EXACT_METHODS)
    def test_distances_are_symmetric_to_the_bit(self, method):
        points = np.random.default_rng(0).normal(size=(80, LANES + 7))
        lists = nearest_neighbors(points, 79, method)
        table = np.zeros((80, 80))
        np.put_along_axis(table, lists.indices, lists.squared_distances, axis=1)
        np.testing.assert_array_equal(table, table.T)

    def test_permuted_rows_have_the_same_neighbours(self):
        points = np.random.default_rng(0).normal(size=(500, 6))
        order = np.random.default_rng(1).permutation(500)
        lists, permuted = (nearest_neighbors(rows, 9) for rows in (points, points[order]))
        np.testing.assert_array_equal(order[permuted.indices], lists.indices[order])
        np.testing.assert_array_equal(permuted.squared_distances, lists.squared_distances[order])

    def test_single_and_double_precision_agree_on_the_same_values(self):
        points = blobs(800).astype(np.float32)
        for method in EXACT_METHODS:
            same(
                nearest_neighbors(points, 7, method),
                nearest_neighbors(points.astype(np.float64), 7, method),
            )

    @pytest.mark.parametrize("n_features", [3, LANES, 3 * LANES + 5])
    def test_dense_sparse_and_torch_agree_to_the_bit(self, n_features):
        rng = np.random.default_rng(0)
        points = rng.normal(size=(400, n_features)) * (rng.random((400, n_features)) < 0.3)
        dense = nearest_neighbors(points, 12, "exact")
        same(nearest_neighbors(sp.csr_array(points), 12, "exact"), dense)
        same(nearest_neighbors(sp.csr_matrix(points), 12, "exact"), dense)
        same(nearest_neighbors(points, 12, "torch"), dense)
        same(nearest_neighbors(sp.csr_array(points), 12, "torch"), dense)

    def test_sparse_rows_with_stored_zeros_and_repeated_entries(self):
        points = binary(50, 6)
        coo = sp.coo_array(points)
        rows, columns = coo.coords
        twice = sp.csr_array(
            (
                np.concatenate([coo.data / 2, coo.data / 2, [0.0]]),
                (np.concatenate([rows, rows, [0]]), np.concatenate([columns, columns, [0]])),
            ),
            shape=points.shape,
        )
        same(nearest_neighbors(twice, 5), nearest_neighbors(points, 5))


class TestEqualRows:
    def test_zero_has_no_sign(self):
        groups = group_equal_rows(np.array([[0.0], [1.0], [-0.0], [1.0]]))
        assert groups.group_of.tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_groups_are_numbered_by_their_first_row(self, make):
        points = binary(200, 4)
        groups = group_equal_rows(make(points))
        _, first, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
        np.testing.assert_array_equal(groups.first_members, np.sort(first))
        np.testing.assert_array_equal(
            groups.first_members[groups.group_of], first[inverse.reshape(-1)]
        )

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_equal_hashes_of_unequal_rows(self, make, monkeypatch):
        points = binary(60, 4)
        monkeypatch.setattr(
            "pucut.graphs.neighbors.equal_rows._multipliers", lambda n: np.zeros(n, dtype=np.uint64)
        )
        assert group_equal_rows(make(points)).n_groups > 2
        np.testing.assert_array_equal(
            nearest_neighbors(make(points), 5).indices, sorted_by_numpy(points, 5)
        )


class TestApproximate:
    def test_recall_is_what_it_says(self):
        points = blobs(6000)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        truth = nearest_neighbors(points, 10, "exact")
        recall = (lists.indices[:, :, None] == truth.indices[:, None, :]).any(axis=2).mean()
        assert lists.method == "approximate"
        assert recall >= 0.98
        assert lists.recall == pytest.approx(recall, abs=0.01)
        assert lists.recall < 1

    def test_a_poor_recall_is_reported_too(self, monkeypatch):
        monkeypatch.setattr(clusters, "TARGET_RECALL", 0.5)
        points = blobs(6000, n_blobs=1)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        truth = nearest_neighbors(points, 10, "exact")
        recall = (lists.indices[:, :, None] == truth.indices[:, None, :]).any(axis=2).mean()
        assert recall < 0.9
        assert lists.recall == pytest.approx(recall, abs=0.04)

    def test_distances_and_ties_are_exact_among_what_was_found(self):
        points = np.round(blobs(3000, 5), 1)
        lists = nearest_neighbors(points, 10, "approximate", random_state=0)
        rows = np.repeat(np.arange(3000), 10)
        exact = paired_squared_distances(points, rows, points, lists.indices.ravel())
        np.testing.assert_array_equal(lists.squared_distances.ravel(), exact)
        assert (lists.indices != np.arange(3000)[:, None]).all()
        step = np.diff(lists.squared_distances, axis=1)
        assert (step >= 0).all()
        assert (np.diff(lists.indices, axis=1)[step == 0] > 0).all()

    def test_depends_on_the_seed_alone(self):
        points = blobs(5000, 6, n_blobs=1).astype(np.float32)
        first = nearest_neighbors(points, 8, "approximate", n_jobs=1, random_state=3)
        for n_jobs in (2, 3, None, -1):
            same(nearest_neighbors(points, 8, "approximate", n_jobs=n_jobs, random_state=3), first)
        other = nearest_neighbors(points, 8, "approximate", random_state=4)
        assert (other.indices != first.indices).any()

    def test_few_rows_are_found_exactly(self):
        for points in (binary(30, 4), blobs(300), np.ones((5, 2))):
            k = min(10, len(points) - 1)
            lists = nearest_neighbors(points, k, "approximate", random_state=0)
            same(lists, nearest_neighbors(points, k, "exact"))
            assert lists.recall == 1.0

    def test_more_neighbours_than_a_cluster_holds(self):
        points = blobs(1100, 4)
        lists = nearest_neighbors(points, 700, "approximate", random_state=0)
        truth = nearest_neighbors(points, 700, "exact")
        assert (np.sort(lists.indices) == np.sort(truth.indices)).mean() > 0.9

    def test_rows_whose_clusters_hold_too_few_are_compared_with_all(self):
        points = blobs(1100, 4)
        engine = clusters.ClusterEngine(points, 5, 1, 0)
        engine._n_visits = 1
        indices, _ = engine.search(points, 1100)
        np.testing.assert_array_equal(np.sort(indices), np.tile(np.arange(1100), (1100, 1)))

    def test_sparse_rows(self):
        points = np.round(blobs(2000, 5), 1)
        dense, sparse = (
            nearest_neighbors(rows, 6, "approximate", random_state=0)
            for rows in (points, sp.csr_array(points))
        )
        same(dense, sparse)

    def test_sparse_rows_too_large_to_be_dense(self):
        points = sp.diags_array(np.arange(1.0, 3001.0), shape=(3000, 200_000), format="csr")
        for method in ("approximate", "torch"):
            with pytest.raises(ValueError, match=r"at most 2147483648 bytes.*method='exact'"):
                nearest_neighbors(points, 1, method)

    def test_auto_chooses_by_the_work(self, monkeypatch):
        points = blobs(3000, 4)
        assert nearest_neighbors(points, 3).method == "exact"
        monkeypatch.setattr("pucut.graphs.neighbors.index.MOST_EXACT_WORK", 1e6)
        assert nearest_neighbors(points, 3, random_state=0).method == "approximate"
        assert nearest_neighbors(sp.csr_array(points), 3, random_state=0).method == "approximate"


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
        searcher = blocks.Searcher(points, most_bytes=100_000)
        blocks.exact_search(searcher, points[:300], 5, 2)
        held = [each.matrix.nbytes + each.gaps.nbytes for each in searcher._ranges.values()]
        assert not searcher._levels
        assert sum(held) <= 100_000 or len(held) == 1

    def test_lists_are_made_in_place_as_by_a_copy(self, monkeypatch):
        monkeypatch.setattr("pucut.graphs.neighbors.lists._ROWS_AT_ONCE", 7)
        random = np.random.default_rng(0)
        indices = np.array([random.permutation(30)[:6] for _ in range(30)], dtype=np.int32)
        distances = random.random((30, 6))
        expected = without_itself(indices, distances)
        found = without_itself_in_place(indices.copy(), distances.copy())
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
