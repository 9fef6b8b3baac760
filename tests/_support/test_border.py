"""The compiled functions refuse arrays that do not match, from any caller."""

import numpy as np
import pytest
from scipy.linalg import cython_blas

from pucut import _core
from pucut.data.tables import read_table
from pucut.trees.growing import grow_forest


def path_of_three():
    return {
        "offsets": np.array([0, 1, 3, 4], dtype=np.int64),
        "neighbors": np.array([1, 0, 2, 1], dtype=np.int32),
        "weights": np.ones(4),
    }


SPOILED = [
    {"weights": np.ones(3)},
    {"weights": np.ones(5)},
    {"neighbors": np.array([1, 0, 3, 1], dtype=np.int32)},
    {"neighbors": np.array([1, 0, -1, 1], dtype=np.int32)},
    {"neighbors": np.array([1, 0, 2], dtype=np.int32)},
    {"offsets": np.array([0, 1, 3, 1 << 40], dtype=np.int64)},
    {"offsets": np.array([0, 3, 1, 4], dtype=np.int64)},
    {"offsets": np.array([0, -1, 3, 4], dtype=np.int64)},
    {"offsets": np.array([], dtype=np.int64)},
]


@pytest.mark.parametrize("spoiled", SPOILED)
def test_graphs(spoiled):
    graph = {**path_of_three(), **spoiled}
    assert _core.check_graph(*graph.values())["fault"] != "none"
    with pytest.raises(ValueError, match="the arrays are no graph"):
        _core.weighted_degrees(**graph)
    three = np.zeros(3)
    with pytest.raises(ValueError, match="the arrays are no graph"):
        _core.solve_levels(
            **graph, pull=three, slope=three, side=np.zeros(3, dtype=np.int8), options={}
        )
    if "weights" not in spoiled:
        with pytest.raises(ValueError, match="the arrays are no graph"):
            _core.reached_from(graph["offsets"], graph["neighbors"], np.zeros(3, dtype=np.uint8))


@pytest.mark.parametrize("name", ["pull", "slope", "side"])
def test_terminals(name):
    arrays = {"pull": np.zeros(3), "slope": np.zeros(3), "side": np.zeros(3, dtype=np.int8)}
    arrays[name] = arrays[name][:2]
    with pytest.raises(ValueError, match=f"{name} has 2 values for 3 nodes"):
        _core.solve_levels(**path_of_three(), **arrays, options={})
    graph = path_of_three()
    with pytest.raises(ValueError, match="seeds has 2 values for 3 nodes"):
        _core.reached_from(graph["offsets"], graph["neighbors"], np.zeros(2, dtype=np.uint8))


@pytest.mark.parametrize("wrong", [3, -1, 1 << 30])
def test_lists_of_neighbors(wrong):
    listed = np.array([1, 2, wrong], dtype=np.int32)
    with pytest.raises(ValueError, match=f"row {wrong} is listed"):
        _core.symmetric_graph(listed, np.ones(3), 1)


POINTS = {
    "points": np.arange(6.0).reshape(3, 2),
    "order": np.array([2, 0, 1], dtype=np.int32),
    "center": np.zeros(2),
    "scale": 0.125,
    "matrix": np.empty(0, dtype=np.float32),
    "gaps": np.empty(0, dtype=np.float32),
    "range_ends": np.array([1, 3]),
    "directions": np.empty(0),
    "low": np.empty(0),
    "high": np.empty(0),
}
QUERIES = {
    "rows": np.ones((2, 2), dtype=np.float32),
    "numbers": np.array([1, 0], dtype=np.int32),
    "visited": np.array([1, 1], dtype=np.int32),
}
PRODUCTS = {name: cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")}


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ({"order": np.array([0, 1], dtype=np.int32)}, "the order has other rows"),
        ({"order": np.array([0, 1, 3], dtype=np.int32)}, "the order names a row"),
        ({"center": np.zeros(3)}, "the centre has other features"),
        ({"matrix": np.ones(6, dtype=np.float32)}, "rounded rows and gaps"),
        (
            {"matrix": np.ones(6, dtype=np.float32), "gaps": np.ones(2, dtype=np.float32)},
            "rounded rows are not the points",
        ),
        ({"range_ends": np.array([2, 1])}, "ranges do not ascend"),
        ({"range_ends": np.array([1, 4])}, "ranges do not end with the columns"),
        ({"low": np.zeros(2)}, "boxes are not those"),
        ({"high": np.zeros(2)}, "boxes are not those"),
        ({"directions": np.array([1.0, 0.0])}, "boxes are not those"),
        (dict.fromkeys(("directions", "low", "high"), np.zeros(3)), "boxes are not those"),
        ({"rows": np.ones((2, 3))}, "the queries have other features"),
        ({"numbers": np.array([0, 2], dtype=np.int32)}, "a query is a row"),
        ({"numbers": np.empty(0, dtype=np.int32)}, "visits of the queries"),
        ({"visited": np.array([1, 2], dtype=np.int32)}, "visits a range"),
        ({"visited": np.array([0, 1], dtype=np.int32)}, "fewer than k columns"),
        ({"visited": np.ones(3, dtype=np.int32)}, "visits of the queries"),
        ({"sgemm": PRODUCTS["dgemm"]}, "products are not those"),
        ({"dgemm": cython_blas.__pyx_capi__["dgemv"]}, "products are not those"),
    ],
)
def test_rows_and_their_neighbors(spoiled, words):
    found = _core.nearest_rows(POINTS, QUERIES, PRODUCTS, 2, 1)
    assert found["indices"].tolist() == [0, 1, 0, 1]
    points, queries, products = (
        {name: spoiled.get(name, value) for name, value in given.items()}
        for given in (POINTS, QUERIES, PRODUCTS)
    )
    with pytest.raises(ValueError, match=words):
        _core.nearest_rows(points, queries, products, 2, 1)


@pytest.mark.parametrize("k", [0, 4])
def test_more_neighbors_than_points(k):
    queries = QUERIES | {"visited": np.empty(0, dtype=np.int32)}
    with pytest.raises(ValueError, match="k is not from 1"):
        _core.nearest_rows(POINTS, queries, PRODUCTS, k, 1)


def test_leaves():
    leaves = np.array([0, 1, 0, 1], dtype=np.int32)
    _core.find_proximities(leaves, 2, 2, 2, 1, 1)
    for arguments in ((3, 2, 2, 1), (2, 2, 1, 1), (2, 2, 2, 2), (2, 0, 2, 1), (-2, -2, 2, 1)):
        with pytest.raises(ValueError, match="lea"):
            _core.find_proximities(leaves, *arguments, 1)


def test_tables():
    X = np.arange(12.0).reshape(6, 2)
    forest = grow_forest(X, np.arange(6) < 3, 0.5, n_trees=2, random_state=0)
    table = read_table(X).compiled
    _core.score_rows(forest._nodes(), table, 0, 2, 1)
    rows = [np.array([0, 6], dtype=np.int32), np.array([1, 1], dtype=np.int32)]
    for spoiled, words in (
        ({"values": table["values"][:1]}, "columns do not match"),
        ({"values": [column[:5] for column in table["values"]]}, "differ in length"),
        ({"values": [np.ones(2), np.ones(2)], "rows": rows}, "rows of a sparse column"),
        ({"n_categories": np.array([4, 0], dtype=np.int32)}, "category 4"),
        ({"values": [], "n_categories": np.array([], dtype=np.int32)}, "rows and columns"),
    ):
        with pytest.raises(ValueError, match=words):
            _core.score_rows(forest._nodes(), {**table, **spoiled}, 0, 2, 1)
    for first, last in ((0, 3), (-1, 1), (2, 1)):
        with pytest.raises(ValueError, match="trees that are not"):
            _core.score_rows(forest._nodes(), table, first, last, 1)
