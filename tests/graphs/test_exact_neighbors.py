"""Exact neighbours against sorted exact distances, whichever way they were found."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pucut.graphs.neighbors import dense_search, nearest_neighbors, nearest_to, sparse_search
from pucut.graphs.neighbors.dense_search import DenseSearcher
from pucut.graphs.neighbors.distances import LANES, paired_squared_distances
from pucut.graphs.neighbors.equal_rows import group_equal_rows
from tests.helpers.neighbors import EXACT_METHODS, binary, blobs, same

torch_search = pytest.importorskip("pucut.graphs.neighbors.torch_search")


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


WHERE_ROUNDING_WOULD_DECIDE = [
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
]


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
    @pytest.mark.parametrize("points", WHERE_ROUNDING_WOULD_DECIDE)
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

    @pytest.mark.parametrize("is_sparse", [False, True])
    def test_one_query_at_a_time(self, is_sparse):
        """Fewer rounds, of larger pieces, and more that pass the first threshold."""
        points = blobs(5000, 7)
        points = sp.csr_array(points) if is_sparse else points
        # The nearest rows stand last: all others pass.
        queries = points[-40:]
        together = nearest_to(points, queries, 12, "exact", n_jobs=2)
        for row in range(40):
            alone = nearest_to(points, queries[[row]], 12, "exact", n_jobs=2)
            np.testing.assert_array_equal(alone.indices[0], together.indices[row])
            np.testing.assert_array_equal(
                alone.squared_distances[0], together.squared_distances[row]
            )

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
        points = sp.csr_array(np.eye(120))
        wanted = nearest_neighbors(points, 5)
        monkeypatch.setattr(sparse_search, "_MOST_CANDIDATES", 100)
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
        rows, columns = coo.row, coo.col
        twice = sp.csr_array(
            (
                np.concatenate([coo.data / 2, coo.data / 2, [0.0]]),
                (np.concatenate([rows, rows, [0]]), np.concatenate([columns, columns, [0]])),
            ),
            shape=points.shape,
        )
        same(nearest_neighbors(twice, 5), nearest_neighbors(points, 5))


class TestBoxes:
    """Small ones, so that small tables have many of them."""

    @pytest.fixture
    def small_boxes(self, monkeypatch):
        monkeypatch.setattr(dense_search, "_ROWS_OF_A_BOX", 8)

    @pytest.mark.parametrize("points", WHERE_ROUNDING_WOULD_DECIDE)
    def test_where_rounding_would_decide(self, small_boxes, monkeypatch, points):
        monkeypatch.setattr(dense_search, "_QUERIES_AT_ONCE", 130)
        lists = nearest_neighbors(points, 15, "exact")
        np.testing.assert_array_equal(lists.indices, sorted_by_numpy(points, 15))

    @pytest.mark.parametrize("spread", [0.0, 0.5, 5.0, 1e5, 1e20])
    def test_queries_in_between_and_outside(self, small_boxes, spread):
        random = np.random.default_rng(0)
        points = np.round(random.normal(size=(600, 6)) * [9, 5, 3, 1, 0.1, 0.1], 1)
        queries = points[:50] + spread * random.normal(size=(50, 6))
        exact = paired_squared_distances(
            queries, np.repeat(np.arange(50), 600), points, np.tile(np.arange(600), 50)
        ).reshape(50, 600)
        for k in (1, 12, 600):
            wanted = np.argsort(exact, axis=1, kind="stable")[:, :k]
            found = nearest_to(points, queries, k, "exact", n_jobs=2)
            np.testing.assert_array_equal(found.indices, wanted)
            np.testing.assert_array_equal(
                found.squared_distances, np.take_along_axis(exact, wanted, axis=1)
            )

    def test_small_tables_have_none(self, small_boxes):
        for n_rows, have_boxes in ((100, False), (127, False), (128, True)):
            searcher = DenseSearcher(blobs(n_rows, 9), 1).in_boxes()
            assert (searcher._boxes["low"].size > 0) is have_boxes
        assert not DenseSearcher(np.empty((128, 0)), 1).in_boxes()._boxes["low"].size

    def test_every_point_is_in_one_box(self, monkeypatch):
        points = blobs(3000, 9)
        directions = dense_search.main_directions(points - points.mean(axis=0))
        np.testing.assert_allclose(directions @ directions.T, np.eye(4), atol=1e-14)
        monkeypatch.setattr(dense_search, "_FEWEST_BOXES", 1)
        searcher = DenseSearcher(points, 1).in_boxes()
        directions, low, high = (
            searcher._boxes[name].reshape(4, -1) for name in ("directions", "low", "high")
        )
        places = searcher.scaled(points) @ directions.T
        assert np.sort(searcher._order).tolist() == list(range(3000))
        starts = [0, *searcher._range_ends[:-1]]
        assert len(starts) == 3000 // dense_search._ROWS_OF_A_BOX
        for box, (start, end) in enumerate(zip(starts, searcher._range_ends, strict=True)):
            inside = places[searcher._order[start:end]]
            assert len(inside) >= dense_search._ROWS_OF_A_BOX
            assert (inside.min(axis=0) == low[:, box]).all()
            assert (inside.max(axis=0) == high[:, box]).all()

    def test_directions_are_those_of_the_largest_spread(self):
        random = np.random.default_rng(0)
        turned = np.linalg.qr(random.normal(size=(12, 12)))[0]
        spreads = np.array([9.0, 7.0, 5.0, 3.0] + 8 * [0.01])
        rows = random.normal(size=(2000, 12)) * spreads @ turned
        directions = dense_search.main_directions(rows)
        np.testing.assert_allclose(np.linalg.norm(directions @ turned[:4].T, axis=1), 1, atol=1e-4)


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
            "pucut.graphs.neighbors.equal_rows._mixed",
            lambda values: np.zeros(values.shape, dtype=np.uint64),
        )
        assert group_equal_rows(make(points)).n_groups > 2
        np.testing.assert_array_equal(
            nearest_neighbors(make(points), 5).indices, sorted_by_numpy(points, 5)
        )
