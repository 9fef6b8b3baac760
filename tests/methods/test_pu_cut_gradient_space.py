"""The space of the directions along which a regression of the labels changes."""

import pickle

import numpy as np
import pytest

from pucut import PUCutClassifier
from pucut.data.row_order import in_given_order
from pucut.datasets import pu_split
from pucut.judging.folds import pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.spaces import IDENTITY
from pucut.kernels.gradients import directions_of_change
from pucut.methods.pu_cut._candidates import (
    EncodedRows,
    Making,
    Options,
    Task,
    _along_gradients,
    names_of_spaces,
)

NAME = "directions of change"


def diagonal_table(n_rows=1700, n_columns=6, seed=0):
    """The class depends on the sum of all columns, and on no single one of them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    is_positive = np.abs(X.sum(axis=1)) < 1.5
    return X, is_positive, pu_split(is_positive, 0.85, random_state=seed)


def fitted(X, is_labelled, **params):
    return PUCutClassifier(prior=0.45, n_estimators=10, random_state=0, **params).fit(
        X, is_labelled
    )


@pytest.fixture(scope="module")
def table():
    return diagonal_table()


@pytest.fixture(scope="module")
def model(table):
    return fitted(table[0], table[2])


def spaces_of(model):
    return {space.name: space for space in model.mixture_.spaces}


def test_neighbours_there_share_a_class_more_often_than_in_any_other_space(table, model):
    _, is_positive, is_labelled = table

    def agreement(space):
        nearest = space.lists.indices[:, 0]
        in_order = is_positive[model.row_order_]
        others = ~is_labelled[model.row_order_]
        return np.mean(in_order[nearest][others] == in_order[others])

    found = {name: agreement(space) for name, space in spaces_of(model).items()}
    assert found.pop(NAME) > max(found.values()) + 0.05
    assert max(each.weight for each in model.selection_ if NAME in each.name) > 0.05


def test_new_rows_are_turned_as_those_of_fit_were(table, model):
    X, _, _ = table
    turned = next(each for each in model.mixture_.searched if each.name == NAME)
    points = in_given_order(turned.final.points, model.row_order_)
    encoded = model._encoding.encode(X)
    np.testing.assert_array_equal(turned.transform.of(X, encoded), points)
    scores = model.decision_function(X[:40])
    np.testing.assert_array_equal(
        scores, np.concatenate([model.decision_function(X[row : row + 1]) for row in range(40)])
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X[:40]), scores)


def test_hidden_labels_do_not_change_it(table):
    """The directions are those of a table in which the hidden labels were never known."""
    X, _, is_labelled = table
    groups = np.arange(len(X))
    folds = pu_folds(is_labelled, 800, np.random.RandomState(0), groups)
    known = is_labelled & ~folds.is_hidden
    assert known.sum() < is_labelled.sum()
    here, options = PointsHere(X), Options("auto", None, None, "auto", 10, {}, {}, None, 1)
    task = Task(X, here, np.ones(6), False, None, folds, 0.5, options, None)
    encoded = EncodedRows(here, IDENTITY, np.random.RandomState(1))
    space = _along_gradients(Making(task, encoded, ()))
    np.testing.assert_array_equal(
        space.transform.matrix,
        directions_of_change(X, known.astype(np.float64), np.random.RandomState(1), groups),
    )


def test_it_is_only_made_where_labels_are_many_and_columns_few():
    wanted = {(20, 600, 700): True, (60, 600, 700): True, (61, 600, 700): False}
    wanted |= {(20, 595, 700): False, (100, 9000, 9001): True, (101, 9000, 9001): False}
    wanted |= {(1, 9000, 9001): False, (20, 600, 1200): False}  # with few labels, several folds

    def has_gradients(n_columns, n_labelled, n_positive):
        plan = PUCutClassifier()._plan(10_000, n_columns, 8, n_labelled, n_positive=n_positive)
        return plan.has_gradients

    assert {each: has_gradients(*each) for each in wanted} == wanted
    assert NAME in names_of_spaces("auto")
    assert NAME not in names_of_spaces("pu_trees")
