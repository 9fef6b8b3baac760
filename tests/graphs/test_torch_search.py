"""The search by PyTorch, block by block on the processor, against sorted exact distances."""

import numpy as np
import pytest

from pucut.graphs.neighbors import nearest_neighbors
from pucut.graphs.neighbors.distances import LANES, paired_squared_distances

torch = pytest.importorskip("torch")
torch_search = pytest.importorskip("pucut.graphs.neighbors.torch_search")

from torch.multiprocessing.reductions import StorageWeakRef  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

RNG = np.random.default_rng(0)
WHOLE_NUMBERS = RNG.integers(-1, 2, size=(300, 6)).astype(np.float64)
REAL_NUMBERS = RNG.normal(size=(300, 6))
WHOLE, REAL = WHOLE_NUMBERS[:120], REAL_NUMBERS[:120]  # of these, many combinations are tried
TABLES = {
    "real numbers": REAL,
    "many ties": WHOLE,
    "duplicates": np.repeat(WHOLE[:12], 10, axis=0),
    "duplicates in every block": np.tile(WHOLE[:12], (10, 1)),
    "one row only": np.ones((50, 3)),
    "all at one distance": np.eye(60),
    "one feature, rising": np.sort(REAL[:, :1], axis=0),
    "one feature, falling": -np.sort(REAL[:, :1], axis=0),
    "more features than lanes": RNG.normal(size=(90, LANES + 7)),
    "far from the origin": 1e5 + WHOLE,
    "one row far away": np.vstack([WHOLE, [[1e9] * 6]]),
    "tiny": REAL * 2.0**-100,
    "no features": np.empty((20, 0)),
}
LITTLE = 1 << 16  # bytes: some twenty rows of these tables in a block


def wanted_rows(points, queries, k):
    """The first k by distance and row number, of all distances; and the distances."""
    shape = (len(queries), len(points))
    query, column = (part.ravel() for part in np.indices(shape))
    distances = paired_squared_distances(queries, query, points, column).reshape(shape)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


def check(points, queries, k, memory_limit):
    found = torch_search.nearest_rows(points, queries, k, "cpu", memory_limit)
    wanted = wanted_rows(points, queries, k)
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_array_equal(found[1], wanted[1])


@pytest.fixture
def loads(monkeypatch):
    """The first rows of the blocks that were loaded."""
    numbers = []
    load = torch_search._Loader._load

    def counted(self, number, use_so_far):
        numbers.append(number * self._n_rows)
        return load(self, number, use_so_far)

    monkeypatch.setattr(torch_search._Loader, "_load", counted)
    return numbers


@pytest.fixture
def like_tensor_cores(monkeypatch):
    """Products in low precision first, whose factors lose all but ten digits, as TF32 does."""
    monkeypatch.setitem(torch_search._PRECISIONS, "cpu", (torch_search._TF32, torch_search._SINGLE))
    addmm, used = torch.addmm, []

    def cut_off(values):
        return (values.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)

    def product(bias, first, second):
        used.append(torch.get_float32_matmul_precision())
        if used[-1] == "high":
            first, second = cut_off(first), cut_off(second)
        return addmm(bias, first, second)

    monkeypatch.setattr(torch, "addmm", product)
    return used


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(torch_search, "_LEAST_COLUMNS_FOR_GROUPS", 12)
    monkeypatch.setattr(torch_search, "_GROUP", 3)


@pytest.mark.slow
class TestBlocks:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("memory_limit", [1, LITTLE, 4 * LITTLE, None])
    @pytest.mark.parametrize("name", TABLES)
    def test_the_same_in_any_memory(self, name, memory_limit, dtype):
        points = TABLES[name].astype(dtype)
        check(points, points[::17], 9, memory_limit)

    @pytest.mark.parametrize("name", TABLES)
    def test_the_same_with_groups_of_columns(self, name, small_groups):
        for memory_limit in (1 << 16, 1 << 18, None):
            check(TABLES[name], TABLES[name][::7], 5, memory_limit)

    def test_the_same_with_groups_of_groups(self, monkeypatch, loads):
        points = np.round(RNG.normal(size=(600_000, 2)), 2)
        assert len(points) // torch_search._GROUP > torch_search._LEAST_COLUMNS_FOR_GROUPS
        monkeypatch.setitem(torch_search._MOST_PRODUCTS, "cpu", 1 << 30)
        check(points, points[:4], 12, 1 << 32)
        assert loads == []

    @pytest.mark.parametrize("name", TABLES)
    def test_the_same_from_products_of_tensor_cores(self, name, like_tensor_cores):
        for memory_limit in (LITTLE, None):
            check(TABLES[name], TABLES[name][::7], 9, memory_limit)
        assert "high" in like_tensor_cores

    @pytest.mark.parametrize("k", [1, 30, 118, 119, 120])
    def test_few_and_nearly_all_neighbors(self, k):
        for points in (REAL, WHOLE):
            for memory_limit in (1, LITTLE, None):
                check(points, points[:4], k, memory_limit)

    def test_queries_of_another_type_and_place(self):
        queries = np.vstack([3 + REAL_NUMBERS[:20], [[1e4] * 6], [[1e60] * 6]])
        check(REAL_NUMBERS.astype(np.float32), queries, 5, LITTLE)
        check(REAL_NUMBERS, WHOLE_NUMBERS[:20].astype(np.float32), 5, LITTLE)
        assert torch_search.nearest_rows(REAL_NUMBERS, queries[:0], 5, "cpu")[0].shape == (0, 5)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("memory_limit", [LITTLE, None])
    def test_files_that_are_mapped_and_may_not_be_written_to(self, tmp_path, memory_limit, dtype):
        np.save(tmp_path / "points.npy", WHOLE_NUMBERS.astype(dtype))
        points = np.load(tmp_path / "points.npy", mmap_mode="r")
        assert isinstance(points, np.memmap)
        check(points, points[5:60], 9, memory_limit)

    def test_columns_of_a_wider_table(self):
        wide = RNG.normal(size=(200, 12))
        check(wide[:, ::2], np.asfortranarray(wide)[:30, ::2], 9, LITTLE)


class TestMemory:
    def test_blocks_are_as_small_as_the_limit_asks(self, loads):
        torch_search.nearest_rows(REAL_NUMBERS, REAL_NUMBERS[:10], 3, "cpu", 1 << 30)
        assert loads == []  # moved once, as a whole
        torch_search.nearest_rows(REAL_NUMBERS, REAL_NUMBERS[:1], 3, "cpu", 1)
        assert loads == 2 * list(range(0, 300, 3))  # k rows each; once for mean and scale
        loads.clear()
        torch_search.nearest_rows(REAL_NUMBERS, REAL_NUMBERS[:10], 3, "cpu", LITTLE)
        assert loads == 2 * list(range(0, 300, 24))

    @pytest.mark.parametrize("points", [REAL_NUMBERS, WHOLE_NUMBERS], ids=["real", "ties"])
    def test_what_is_held_at_a_time_is_within_the_limit(self, points):
        points, memory_limit = np.tile(points, (20, 4)).astype(np.float32), 1 << 22
        with Held() as held:
            torch_search.nearest_rows(points, points[:300], 9, "cpu", memory_limit)
        assert memory_limit / 8 < held.most <= memory_limit

    def test_a_limit_that_is_none(self):
        with pytest.raises(ValueError, match=r"memory_limit must be at least 1 .*found 0"):
            torch_search.nearest_rows(REAL_NUMBERS, REAL_NUMBERS, 3, "cpu", 0)


class Held(TorchDispatchMode):
    """The most bytes of tensors that were alive at a time."""

    def __init__(self):
        super().__init__()
        self.most = 0
        self._alive = {}

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        for value in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(value, torch.Tensor):
                storage = value.untyped_storage()
                self._alive[storage.data_ptr()] = StorageWeakRef(storage), storage.nbytes()
        self._alive = {key: pair for key, pair in self._alive.items() if not pair[0].expired()}
        self.most = max(self.most, sum(size for _, size in self._alive.values()))
        return result


class TestPrecision:
    def test_rows_that_low_precision_cannot_tell_apart_are_searched_again(self, like_tensor_cores):
        points = np.round(1 + 0.01 * RNG.normal(size=(400, 3)), 4)
        points[:200] *= -1
        check(points, points[::9], 8, None)
        assert like_tensor_cores[:2] == ["high", "highest"]

    def test_the_slack_is_needed(self, like_tensor_cores, monkeypatch):
        sure_of_itself = torch_search._Precision("high", 0.0, 2.0**-24)
        monkeypatch.setitem(torch_search._PRECISIONS, "cpu", (sure_of_itself,))
        points = np.round(1 + 0.01 * RNG.normal(size=(400, 3)), 4)
        points[:200] *= -1
        with pytest.raises(AssertionError):
            check(points, points[::9], 8, None)

    @pytest.mark.parametrize("n_features", [1, 50, 700])
    def test_lower_bounds_are_below_distances_where_rounding_is_worst(
        self, n_features, like_tensor_cores
    ):
        # Nearly a unit of the last digit kept is cut off, and all products have the same sign.
        worst = 1 + 2.0**-10 - 2.0**-23
        signs = np.array([[1.0], [-1.0]]) * worst
        points = np.repeat(signs * 2.0 ** RNG.integers(-3, 1, size=n_features), 2, axis=0)
        search = torch_search._Search(points, 1, torch.device("cpu"), 1 << 30)
        (block,) = search._blocks()
        values, norms = search._rounded(torch.from_numpy(points))
        torch.set_float32_matmul_precision("high")
        try:
            lower = torch.addmm(block.lowered[0], values * -2, block.columns.T)
        finally:
            torch.set_float32_matmul_precision("highest")
        exact = ((points[:, None] - points) ** 2).sum(axis=2)
        bounds = search._as_bounds(torch.from_numpy(exact), norms[:, None], 0)
        assert (lower <= bounds).all()
        # Nearly all of the slack was needed for equal rows, and less would not have done.
        room = (bounds - lower)[0, 1] / (2 * norms[0] * search._slacks[0])
        assert 0 <= room < (0.1 if n_features < 100 else 0.5)

    def test_the_precision_of_products_stays_as_it_was(self):
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("medium")
        try:
            nearest_neighbors(REAL_NUMBERS, 2, "torch")
            assert torch.get_float32_matmul_precision() == "medium"
        finally:
            torch.set_float32_matmul_precision(before)
