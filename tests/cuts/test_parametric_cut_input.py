"""Bad input: which error, and that its message names the argument and the first bad place."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from pucut import parametric_cut
from tests.helpers.graphs import make_problem

N_NODES = 5


def good_arguments():
    """A ring of five nodes that is accepted; every test spoils one thing."""
    ring = [(i, (i + 1) % N_NODES, 1.0) for i in range(N_NODES)]
    problem = make_problem(N_NODES, ring, source=(0, 1), sink=(0.5, 0))
    return problem.arguments()


def rejected(error, **changes):
    """The message of the error that the changed arguments raise."""
    with pytest.raises(error) as caught:
        parametric_cut(**{**good_arguments(), **changes})
    return str(caught.value)


def assert_says(message, *words):
    """Each word stands in the message on its own: "3" is not found in "13"."""
    for word in words:
        assert re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.]*\w)", message), (word, message)


def changed(array, places, value):
    array = array.astype(np.float64).copy()
    array[places] = value
    return array


def test_good_arguments_are_good():
    assert parametric_cut(**good_arguments()).breakpoints.tolist() == [0.5]


# --- graph ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [
        lambda graph: graph.toarray(),
        lambda graph: graph.toarray().tolist(),
        lambda graph: graph.tocsc(),
        lambda graph: graph.tocoo(),
        lambda graph: sp.coo_matrix(graph),
        lambda graph: graph.tolil(),
        lambda graph: graph.todok(),
        lambda graph: graph.tobsr(),
        lambda graph: graph.todia(),
    ],
    ids=["dense", "list", "csc", "coo", "coo_matrix", "lil", "dok", "bsr", "dia"],
)
def test_graph_of_another_format(convert):
    message = rejected(TypeError, graph=convert(good_arguments()["graph"]))
    assert_says(message, "graph")
    assert ".tocsr()" in message


def test_graph_missing():
    assert_says(rejected(TypeError, graph=None), "graph")


def test_graph_of_complex_numbers():
    message = rejected(TypeError, graph=good_arguments()["graph"].astype(np.complex128))
    assert_says(message, "graph", "complex128")


def test_graph_of_objects():
    graph = good_arguments()["graph"]
    graph.data = graph.data.astype(object)
    assert_says(rejected(TypeError, graph=graph), "graph", "object")


def test_graph_not_square():
    message = rejected(ValueError, graph=sp.csr_array((N_NODES, N_NODES + 1)))
    assert_says(message, "graph", "5", "6")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0, -1e-300])
def test_graph_with_a_bad_weight(bad):
    weights = good_arguments()["graph"].toarray()
    weights[2, 3] = weights[3, 2] = bad
    weights[3, 4] = weights[4, 3] = bad
    assert_says(rejected(ValueError, graph=sp.csr_array(weights)), "graph", "2", "3")


@pytest.mark.parametrize("other", [0.0, 2.0, np.nextafter(1.0, 2.0)])
def test_graph_not_symmetric(other):
    """Even in the last bit, and also if one direction is missing: which one was intended?"""
    weights = good_arguments()["graph"].toarray()
    weights[3, 2] = other
    assert_says(rejected(ValueError, graph=sp.csr_array(weights)), "graph", "2", "3")


def full_graph():
    return sp.csr_array(np.ones((40, 40)))


@pytest.mark.parametrize(
    ("name", "spoil", "words"),
    [
        ("data", lambda values: values[:512], ["512", "1600"]),
        ("data", lambda values: np.tile(values, 2), ["3200", "1600"]),
        ("indices", lambda values: values[:512], ["512", "1600"]),
        ("indices", lambda values: values.astype(np.int64) + 2**32, ["4294967296", "39"]),
        ("indices", lambda values: values - 1, ["-1", "39"]),
        ("indices", lambda values: values + 1, ["40", "39"]),
        ("indices", lambda values: values.astype(np.float64), ["indices", "float64"]),
        ("indptr", lambda values: values - 1, ["indptr", "0"]),
        ("indptr", lambda values: values[:-1], ["indptr", "41", "40"]),
        ("indptr", lambda values: values.astype(np.int64) * 2**40, ["indptr", "1600"]),
        ("indptr", lambda values: values[::-1].copy(), ["indptr", "0"]),
        ("indptr", lambda values: np.where(np.arange(41) == 7, -5, values), ["indptr", "6"]),
        ("indptr", lambda values: values + (np.arange(41) == 40), ["indptr", "40"]),
    ],
)
@pytest.mark.parametrize("is_canonical", [True, False])
def test_graph_whose_arrays_do_not_match(name, spoil, words, is_canonical):
    """Neither SciPy nor the engine may follow them: they would read or write foreign memory."""
    graph = full_graph()
    values = spoil(getattr(graph, name))
    graph.has_canonical_format = is_canonical
    graph.has_sorted_indices = is_canonical
    setattr(graph, name, values)
    ends = (np.ones(40), np.zeros(40))
    assert_says(rejected(ValueError, graph=graph, source=ends, sink=ends), "graph", *words)


# --- source and sink -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["source", "sink"])
@pytest.mark.parametrize(
    "pair",
    [None, 1.0, np.zeros(N_NODES), (np.zeros(N_NODES),), (np.zeros(N_NODES),) * 3],
    ids=["none", "number", "one array", "tuple of one", "tuple of three"],
)
def test_arcs_that_are_no_pair(name, pair):
    assert_says(rejected((TypeError, ValueError), **{name: pair}), name)


@pytest.mark.parametrize("part", ["base", "slope"])
@pytest.mark.parametrize("name", ["source", "sink"])
@pytest.mark.parametrize(
    "values",
    [
        0.0,
        np.float64(0.0),
        np.zeros(N_NODES - 1),
        np.zeros(N_NODES + 1),
        np.zeros(1),
        np.zeros((N_NODES, 1)),
        np.zeros((1, N_NODES)),
        np.zeros(0),
        None,
        "00000",
        np.zeros(N_NODES, dtype=complex),
        np.array(["0"] * N_NODES),
        np.array([None] * N_NODES),
    ],
    ids=lambda values: f"{type(values).__name__} {getattr(values, 'shape', values)}",
)
def test_arcs_of_wrong_shape_or_type(name, part, values):
    pair = list(good_arguments()[name])
    pair[("base", "slope").index(part)] = values
    assert_says(rejected((TypeError, ValueError), **{name: tuple(pair)}), f"{name} {part}")


def test_arcs_of_wrong_length_show_both_lengths():
    base, slope = good_arguments()["source"]
    message = rejected(ValueError, source=(np.zeros(7), slope))
    assert_says(message, "source base", "7", "5")
    message = rejected(ValueError, source=(base, np.zeros(7)))
    assert_says(message, "source slope", "7", "5")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("part", ["base", "slope"])
@pytest.mark.parametrize("name", ["source", "sink"])
def test_arcs_not_finite(name, part, bad):
    pair = list(good_arguments()[name])
    position = ("base", "slope").index(part)
    pair[position] = changed(pair[position], [3, 4], bad)
    assert_says(rejected(ValueError, **{name: tuple(pair)}), f"{name} {part}", "3")


@pytest.mark.parametrize(
    ("source_slope", "sink_slope"),
    [
        ([1, 1, 1, 1, -1], [0, 0, 0, 0, 0]),
        ([0, 0, 0, 0, 0], [1, 1, 1, -1, 1]),
        ([1, 1, 1, 1, 1], [1, 0, 0, 0, 0]),
        ([-1, -1, -1, -1, -1], [-1, 0, 0, 0, 0]),
        ([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]),
        ([0, 0, 0, 0, -1e-300], [0, 0, 0, 0, -1e-300]),
    ],
)
def test_slopes_that_do_not_nest(source_slope, sink_slope):
    base = np.full(N_NODES, 5.0)
    message = rejected(
        ValueError,
        source=(base, np.array(source_slope, dtype=float)),
        sink=(base, np.array(sink_slope, dtype=float)),
    )
    assert_says(message, "slope")


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_slopes_of_negative_zero_are_zero(zero):
    arguments = good_arguments()
    arguments["sink"] = (arguments["sink"][0], np.full(N_NODES, zero))
    path = parametric_cut(**arguments)
    assert path.grows is True
    assert path.breakpoints.tolist() == [0.5]


@pytest.mark.parametrize(
    ("name", "pair", "lambda_range", "node"),
    [
        ("source", ([1, 1, -1e-9, 1, -1], [0, 0, 0, 0, 0]), (0.0, 1.0), "2"),
        ("source", ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1]), (-1.0, 1.0), "0"),
        ("source", ([1, 1, 1, 0, 1], [1, 1, 1, 1, 1]), (-1.0, 1.0), "3"),
        ("sink", ([0, -1, 0, -1, 0], [0, 0, 0, 0, 0]), (0.0, 1.0), "1"),
        ("sink", ([1, 1, 1, 1, 1], [-1, -1, -1, -1, -2]), (0.0, 1.0), "4"),
        ("sink", ([1, 1, 1, 1, 1], [-1, -2, -1, -1, -1]), (0.0, 0.75), "1"),
    ],
)
def test_negative_capacity(name, pair, lambda_range, node):
    pair = tuple(np.array(values, dtype=float) for values in pair)
    lift = np.full(N_NODES, 5.0)
    others = {"source": (lift, np.zeros(N_NODES)), "sink": (lift, np.zeros(N_NODES))}
    message = rejected(ValueError, **{**others, name: pair, "lambda_range": lambda_range})
    assert_says(message, name, node)


def test_capacity_may_reach_zero_at_an_end():
    arguments = good_arguments()
    arguments["sink"] = (np.ones(N_NODES), -np.ones(N_NODES))
    assert parametric_cut(**arguments).breakpoints.tolist() == [0.5]


@pytest.mark.parametrize("name", ["source", "sink"])
def test_capacity_that_overflows(name):
    slope = np.zeros(N_NODES)
    slope[2] = 1e308 if name == "source" else -1e308
    base = np.zeros(N_NODES) if name == "source" else np.full(N_NODES, 1.7e308)
    range_beyond = (0.0, 1000.0) if name == "source" else (-1000.0, 0.0)
    lift = np.full(N_NODES, 5.0)
    others = {"source": (lift, np.zeros(N_NODES)), "sink": (lift, np.zeros(N_NODES))}
    message = rejected(ValueError, **{**others, name: (base, slope), "lambda_range": range_beyond})
    assert_says(message, name, "2")


# --- lambda_range --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        (1.0, 0.0),
        (0.0, np.nan),
        (np.nan, 1.0),
        (np.nan, np.nan),
        (0.0, np.inf),
        (-np.inf, 0.0),
        (np.inf, np.inf),
    ],
)
def test_lambda_range_not_finite_or_reversed(bad):
    assert_says(rejected(ValueError, lambda_range=bad), "lambda_range")


@pytest.mark.parametrize("bad", [None, 1.0, (0.0,), (0.0, 0.5, 1.0), ("a", "b"), (0.0, 1j)])
def test_lambda_range_that_is_no_pair(bad):
    assert_says(rejected((TypeError, ValueError), lambda_range=bad), "lambda_range")


# --- seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["source_seeds", "sink_seeds"])
@pytest.mark.parametrize(
    ("seeds", "found"),
    [([0, 5], "5"), ([7, 8], "7"), ([-1], "-1"), (np.array([2**40]), str(2**40))],
)
def test_seeds_out_of_range(name, seeds, found):
    """-1 is not the last node: a wrapped index is far more often a mistake than intended."""
    assert_says(rejected(ValueError, **{name: seeds}), name, found)


@pytest.mark.parametrize("name", ["source_seeds", "sink_seeds"])
@pytest.mark.parametrize("length", [0, 4, 6])
def test_seed_mask_of_wrong_length(name, length):
    message = rejected(ValueError, **{name: np.zeros(length, dtype=bool)})
    assert_says(message, name, str(length), "5")


@pytest.mark.parametrize("name", ["source_seeds", "sink_seeds"])
@pytest.mark.parametrize(
    "seeds",
    [[0.0, 1.0], [0.5], ["0"], [None], [[0, 1]], np.zeros((5, 1), dtype=bool), 3, True, "all"],
)
def test_seeds_of_wrong_type_or_shape(name, seeds):
    assert_says(rejected((TypeError, ValueError), **{name: seeds}), name)


@pytest.mark.parametrize(
    ("source_seeds", "sink_seeds"),
    [
        ([4, 2, 0], [3, 2, 4]),
        ([2], np.array([False, False, True, False, False])),
        (np.array([True, False, True, True, False]), [3, 2]),
    ],
)
def test_seeds_on_both_sides(source_seeds, sink_seeds):
    message = rejected(ValueError, source_seeds=source_seeds, sink_seeds=sink_seeds)
    assert_says(message, "source_seeds", "sink_seeds", "2")


def test_seeds_are_keyword_only():
    arguments = good_arguments()
    positional = [arguments[name] for name in ("graph", "source", "sink", "lambda_range")]
    with pytest.raises(TypeError):
        parametric_cut(*positional, [0])


# --- questions to the result ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def path():
    return parametric_cut(**{**good_arguments(), "lambda_range": (0.25, 0.75)})


@pytest.mark.parametrize("lam", [0.2, 0.8, np.nan, np.inf, -np.inf, np.nextafter(0.75, 1.0)])
def test_lambda_outside_the_range(path, lam):
    for ask in (
        path.source_set,
        path.cut_value,
        lambda lam: list(path.source_sets([0.5, lam])),
        lambda lam: path.cut_value(np.array([0.5, lam])),
    ):
        with pytest.raises(ValueError, match=r"0\.25.*0\.75"):
            ask(lam)


@pytest.mark.parametrize("ties", ["", "Source", "both", None, True])
def test_unknown_ties(path, ties):
    with pytest.raises(ValueError, match=r"ties.*source.*sink"):
        path.source_set(0.5, ties=ties)
    with pytest.raises(ValueError, match=r"ties.*source.*sink"):
        list(path.source_sets([0.5], ties=ties))


def test_ends_of_the_range_may_be_asked(path):
    assert path.source_set(0.25).tolist() == [False] * N_NODES
    assert path.source_set(0.75).tolist() == [True] * N_NODES


# --- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, -1, 1.0, "2", True])
def test_number_of_threads(bad):
    assert_says(rejected((TypeError, ValueError), n_threads=bad), "n_threads")


@pytest.mark.parametrize("name", ["graph", "source", "sink"])
def test_capacities_that_add_up_to_too_much(name):
    graph, base = good_arguments()["graph"], np.full(N_NODES, 1e300)
    changed_arguments = {
        "graph": {"graph": graph * 1e308},
        "source": {"source": (base, 0 * base)},
        "sink": {"sink": (base, 0 * base)},
    }[name]
    assert_says(rejected(ValueError, **changed_arguments), "weights", "capacities", "divide")
