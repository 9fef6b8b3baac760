"""One graph, many ways to store it: the same path to the last bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut import parametric_cut
from tests.helpers.checks import (
    same_bits,
    solve,
)
from tests.helpers.graphs import (
    medium_problem,
    random_problem,
    with_hnc_arcs,
)


def _from_entries(rows, columns, values, shape):
    """A CSR matrix with exactly these entries in this order within each row."""
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    matrix = sp.csr_array(shape)
    matrix.data, matrix.indices = values[order], columns[order].astype(np.int32)
    matrix.indptr = indptr.astype(np.int32)
    return matrix


def _entries(graph):
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return rows, graph.indices.astype(np.int64), graph.data


def unsorted_indices(graph):
    rows, columns, values = _entries(graph)
    return _from_entries(rows[::-1], columns[::-1], values[::-1], graph.shape)


def split_in_two(graph):
    rows, columns, values = _entries(graph)
    twice = np.concatenate
    return _from_entries(
        twice([rows, rows]),
        twice([columns, columns]),
        twice([values * 0.25, values * 0.75]),
        graph.shape,
    )


def with_self_loops(graph):
    rows, columns, values = _entries(graph)
    nodes = np.arange(graph.shape[0])
    return _from_entries(
        np.concatenate([rows, nodes]),
        np.concatenate([columns, nodes]),
        np.concatenate([values, 1.0 + nodes]),
        graph.shape,
    )


def with_zeros_on_one_side(graph):
    """An explicit zero at (i, j) and nothing at (j, i): no edge either way."""
    rows, columns, values = _entries(graph)
    present = graph.toarray() != 0
    more_rows, more_columns = np.nonzero(np.triu(~present, k=1))
    return _from_entries(
        np.concatenate([rows, more_rows]),
        np.concatenate([columns, more_columns]),
        np.concatenate([values, np.zeros(len(more_rows))]),
        graph.shape,
    )


def without_zeros(graph):
    smaller = graph.copy()
    smaller.eliminate_zeros()
    return smaller


def with_wide_indices(graph):
    wide = graph.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


def read_only(graph):
    frozen = graph.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.setflags(write=False)
    return frozen


FORMS = {
    "matrix": sp.csr_matrix,
    "unsorted indices": unsorted_indices,
    "entries split in two": split_in_two,
    "self-loops": with_self_loops,
    "zeros on one side": with_zeros_on_one_side,
    "no stored zeros": without_zeros,
    "64-bit indices": with_wide_indices,
    "read-only": read_only,
    "float32": lambda graph: graph.astype(np.float32),
    "int64": lambda graph: graph.astype(np.int64),
    "uint8": lambda graph: graph.astype(np.uint8),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_storage_of_the_graph_does_not_matter(form, number):
    problem = medium_problem(number, n_nodes=60)
    arguments = problem.arguments()
    other_form = FORMS[form](arguments["graph"])
    assert same_bits(parametric_cut(**{**arguments, "graph": other_form}), solve(problem))


def test_boolean_weights_count_as_one():
    ones = medium_problem(0, n_nodes=60)
    ones = with_hnc_arcs(ones.replace(edge_weight=np.ones(len(ones.edge_weight))), grows=True)
    arguments = ones.arguments()
    boolean = {**arguments, "graph": arguments["graph"].astype(bool)}
    assert same_bits(parametric_cut(**boolean), solve(ones))


def test_rounded_weights_are_taken_as_they_are():
    """float32 weights count at their float32 value, not at the decimal they came from."""
    problem = medium_problem(1, n_nodes=60)
    short = np.random.default_rng(0).random(len(problem.edge_weight)).astype(np.float32)
    arguments = problem.replace(edge_weight=short.astype(np.float64)).arguments()
    as_float32 = {**arguments, "graph": arguments["graph"].astype(np.float32)}
    assert same_bits(parametric_cut(**as_float32), parametric_cut(**arguments))


@pytest.mark.parametrize(
    "convert",
    [
        lambda array: array.astype(np.float32),
        lambda array: array.astype(np.int64),
        lambda array: np.repeat(array, 2)[::2],
        lambda array: array[::-1].copy()[::-1],
        lambda array: array.astype(">f8"),
    ],
    ids=["float32", "int64", "strided", "reversed view", "big-endian"],
)
def test_storage_of_the_arcs_does_not_matter(convert):
    problem = medium_problem(2, n_nodes=60)
    arguments = problem.arguments()
    for name in ("source", "sink"):
        arguments[name] = tuple(convert(array) for array in arguments[name])
    assert same_bits(parametric_cut(**arguments), solve(problem))


@pytest.mark.parametrize(
    "express",
    [
        lambda nodes, n: np.isin(np.arange(n), nodes),
        lambda nodes, n: np.isin(np.arange(n), nodes).tolist(),
        lambda nodes, n: list(nodes),
        lambda nodes, n: [*reversed(nodes), *nodes],
        lambda nodes, n: np.array(nodes, dtype=np.uint16),
    ],
    ids=["mask", "list of booleans", "list", "duplicates, any order", "unsigned"],
)
def test_seeds_as_mask_or_as_indices(express):
    problem = medium_problem(0, n_nodes=60)
    assert problem.source_seeds
    assert problem.sink_seeds
    arguments = problem.arguments()
    arguments["source_seeds"] = express(problem.source_seeds, problem.n_nodes)
    arguments["sink_seeds"] = express(problem.sink_seeds, problem.n_nodes)
    assert same_bits(parametric_cut(**arguments), solve(problem))


@pytest.mark.parametrize(
    "nothing", [None, [], (), np.array([], dtype=np.int64), np.zeros(60, bool)]
)
def test_no_seeds(nothing):
    problem = medium_problem(2, n_nodes=60).replace(source_seeds=(), sink_seeds=())
    arguments = {**problem.arguments(), "source_seeds": nothing, "sink_seeds": nothing}
    assert same_bits(parametric_cut(**arguments), solve(problem))


def test_lambda_range_defaults_to_zero_and_one():
    problem = medium_problem(0, n_nodes=60)
    arguments = problem.arguments()
    del arguments["lambda_range"]
    assert same_bits(parametric_cut(**arguments), solve(problem))


def test_inputs_are_left_unchanged():
    problem = random_problem("integer", 5, n_nodes=7)
    arguments = problem.arguments()
    arguments["graph"] = split_in_two(with_self_loops(unsorted_indices(problem.graph())))
    graph = arguments["graph"]
    arrays = [
        *(graph.data, graph.indices, graph.indptr),
        *(*arguments["source"], *arguments["sink"]),
        *(arguments["source_seeds"], arguments["sink_seeds"]),
    ]
    before = [array.tobytes() for array in arrays]
    path = parametric_cut(**arguments)
    path.source_set(0.5)[:] = True
    assert [array.tobytes() for array in arrays] == before
    assert graph.data is arrays[0]


def test_result_does_not_follow_later_changes_of_the_input():
    problem = medium_problem(2, n_nodes=60)
    arguments = problem.arguments()
    path, untouched = parametric_cut(**arguments), solve(medium_problem(2, n_nodes=60))
    arguments["graph"].data[:] = 7.0
    for array in (*arguments["source"], *arguments["sink"]):
        array[:] = 0.0
    assert same_bits(path, untouched)
