"""A forest is checked when it is made or loaded: its arrays may come from a file."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pucut.trees.forest import forest_apply, forest_scores
from pucut.trees.growing import grow_forest


@pytest.fixture(scope="module")
def grown():
    random = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(80)])[random.integers(80, size=200)]
    X = pd.DataFrame({"x": random.normal(size=200), "c": pd.Categorical(words)})
    return grow_forest(X, np.arange(200) < 60, 0.5, n_trees=3, random_state=0), X


def changed(array, where, value):
    array = array.copy()
    array[where] = value
    return array


def inner(forest):
    return forest.feature >= 0


def by_category(forest):
    return forest.feature == 1


SPOILS = {
    "children far away": lambda f: {"left": changed(f.left, inner(f), 1 << 30)},
    "children above": lambda f: {"left": changed(f.left, inner(f), 0)},
    "children before all": lambda f: {"left": changed(f.left, inner(f), -5)},
    "child behind its tree": lambda f: {"left": changed(f.left, 0, f.offsets[1] - 1)},
    "feature": lambda f: {"feature": changed(f.feature, 0, 2)},
    "features": lambda f: {"feature": changed(f.feature, inner(f), 1 << 30)},
    "negative feature": lambda f: {"feature": changed(f.feature, 0, -2)},
    "no leaves": lambda f: {"feature": changed(f.feature, ~inner(f), 0)},
    "masks too short": lambda f: {"masks": f.masks[:1]},
    "no masks": lambda f: {"masks": f.masks[:0]},
    "mask far away": lambda f: {"threshold": changed(f.threshold, by_category(f), 1e9)},
    "mask before all": lambda f: {"threshold": changed(f.threshold, by_category(f), -1.0)},
    "half a mask": lambda f: {"threshold": changed(f.threshold, by_category(f), 0.5)},
    "threshold": lambda f: {"threshold": changed(f.threshold, 0, np.nan)},
    "short threshold": lambda f: {"threshold": f.threshold[:-1]},
    "short left": lambda f: {"left": f.left[:-1]},
    "short feature": lambda f: {"feature": f.feature[:-1]},
    "short missing_left": lambda f: {"missing_left": f.missing_left[:1]},
    "offsets too far": lambda f: {"offsets": f.offsets * 100},
    "offsets from 1": lambda f: {"offsets": f.offsets + 1},
    "falling offsets": lambda f: {"offsets": f.offsets[[0, 2, 1, 3]]},
    "empty tree": lambda f: {"offsets": f.offsets[[0, 0, 2, 3]]},
    "no tree": lambda f: {"offsets": f.offsets[:1]},
    "no offsets": lambda f: {"offsets": f.offsets[:0]},
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_spoiled_forests_are_refused(grown, spoil):
    forest, X = grown
    arrays = spoil(forest)
    with pytest.raises(ValueError, match="the arrays are no forest"):
        replace(forest, **arrays)
    # As from a pickle or a model file, which do not call the constructor.
    with pytest.raises(ValueError, match="the arrays are no forest"):
        type(forest).__new__(type(forest)).__setstate__({**vars(forest), **arrays})
    # Even one whose arrays were exchanged behind its back.
    late = copy.copy(forest)
    late.__dict__.update(arrays)
    for ask in (forest_scores, forest_apply):
        with pytest.raises(ValueError, match="the arrays are no forest"):
            ask(late, X)


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_a_single_row_stops_where_it_meets_a_fault(grown, spoil):
    """Of a single row only the nodes that it comes to are checked."""
    forest, X = grown
    assert len(forest.left) / 32 / forest.n_trees > 1  # else all nodes are checked
    late = copy.copy(forest)
    late.__dict__.update(spoil(forest))
    refused = []
    for row in range(40):
        try:
            found = forest_scores(late, X[row : row + 1])
        except ValueError as error:
            refused.append(str(error))
        else:
            assert found.leaf == forest_scores(forest, X[row : row + 1]).leaf
    assert refused
    assert all("the arrays are no forest" in said for said in refused)


def test_a_row_alone_has_the_scores_that_it_has_among_others(grown):
    forest, X = grown
    X = X.copy()
    X.loc[::5, "x"] = np.nan
    X.loc[::7, "c"] = None
    together = forest_scores(forest, X)
    for row in range(len(X)):
        alone = forest_scores(forest, X[row : row + 1])
        assert alone.leaf[0] == together.leaf[row]
        assert alone.vote[0] == together.vote[row]


def test_a_grown_forest_is_taken(grown):
    forest, X = grown
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(forest_scores(again, X).leaf, forest_scores(forest, X).leaf)
