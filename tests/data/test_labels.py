"""The label convention, for every kind of column users have."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pucut.data.labels import checked_prior, checked_pu_labels

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "labelled", "classes"),
    [
        ([0, 1, 1], [0, 1, 1], [0, 1]),
        (np.array([-1, 1, -1]), [0, 1, 0], [-1, 1]),
        ([2.5, 7.0], [0, 1], [2.5, 7.0]),
        ([True, False], [1, 0], [False, True]),
        (["no", "yes", "no"], [0, 1, 0], ["no", "yes"]),
        (np.array(["no", "yes"], dtype=object), [0, 1], ["no", "yes"]),
        ((0, 1), [0, 1], [0, 1]),
        # Missing values in addition to two others are unlabelled.
        ([0.0, 1.0, NAN], [0, 1, 0], [0.0, 1.0]),
        (["a", "b", None], [0, 1, 0], ["a", "b"]),
        ([None, 1, 0], [0, 1, 0], [0, 1]),
        # Missing values in addition to one other are the only mark of the unlabelled.
        (["known", None], [1, 0], [None, "known"]),
        ([None, 1], [0, 1], [None, 1]),
        ([True, None], [1, 0], [False, True]),
        (pd.Series([1, 0, 1]), [1, 0, 1], [0, 1]),
        (pd.Series([1, None, 0], dtype="Int64"), [1, 0, 0], [0, 1]),
        (pd.Series([True, None, False], dtype="boolean"), [1, 0, 0], [False, True]),
        (pd.Series([True, None], dtype="boolean"), [1, 0], [False, True]),
        (pd.Series(["x", "y", None], dtype="string"), [0, 1, 0], ["x", "y"]),
        (pd.Series(["y", None], dtype="string"), [1, 0], [None, "y"]),
        (pd.Series(["x", "y", None], dtype="category"), [0, 1, 0], ["x", "y"]),
        (pd.Series([1, 2, 1], dtype="category"), [0, 1, 0], [1, 2]),
        (pd.Series(["x", "y"], dtype=object, index=[5, 3]), [0, 1], ["x", "y"]),
        (pd.Series([0, 1], dtype="int64[pyarrow]"), [0, 1], [0, 1]),
        (pl.Series([1, None, 0]), [1, 0, 0], [0, 1]),
        (pl.Series([True, None]), [1, 0], [False, True]),
        (pl.Series(["a", None, "b"]), [0, 0, 1], ["a", "b"]),
        (pl.Series(["a", "b"], dtype=pl.Categorical), [0, 1], ["a", "b"]),
    ],
    ids=lambda value: f"{type(value).__module__.split('.')[0]}-{getattr(value, 'dtype', '')}",
)
def test_every_kind_of_column_is_read(y, labelled, classes):
    labels = checked_pu_labels(y)
    assert labels.is_labelled.dtype == np.bool_
    assert labels.is_labelled.tolist() == [bool(mark) for mark in labelled]
    assert labels.classes.tolist() == classes
    assert labels.n_labelled == sum(labelled)
    assert labels.labelled_share == sum(labelled) / len(labelled)


def test_numbers_beside_nan_keep_nan_as_the_other_value():
    labels = checked_pu_labels([1.0, NAN, 1.0])
    assert labels.is_labelled.tolist() == [True, False, True]
    np.testing.assert_array_equal(labels.classes, [NAN, 1.0])


def test_predictions_are_written_in_the_values_of_y():
    labels = checked_pu_labels(["benign", "harmful", "benign"])
    assert labels.encode(np.array([True, False])).tolist() == ["harmful", "benign"]


@pytest.mark.parametrize(
    ("y", "pos_label", "labelled"),
    [
        ([0, 1], 0, [1, 0]),
        (["p", "u", None], "p", [1, 0, 0]),
        ([True, False], False, [0, 1]),
        ([1.0, NAN], 1, [1, 0]),
    ],
)
def test_pos_label_overrides_the_order(y, pos_label, labelled):
    labels = checked_pu_labels(y, pos_label=pos_label)
    assert labels.is_labelled.tolist() == [bool(mark) for mark in labelled]
    assert labels.classes[1] == pos_label


@pytest.mark.parametrize(
    ("y", "pos_label", "error", "message"),
    [
        ([0, 0, 0], None, ValueError, "only one class, 0"),
        (["a", "a"], None, ValueError, "only one class, 'a'"),
        ([None, None], None, ValueError, "only missing values"),
        ([NAN, NAN], None, ValueError, "only missing values"),
        ([], None, ValueError, "y holds no class"),
        ([-1, 0, 1], None, ValueError, r"y holds 3 values \(-1, 0, 1\), which is ambiguous"),
        ([-1, 0, 1], 1, ValueError, "ambiguous"),
        (list(range(9)), None, ValueError, r"9 values \(0, 1, 2, 3, 4, \.\.\.\)"),
        (["a", "b", "c"], None, ValueError, "Only binary classification is supported"),
        ([0.1, 0.2, 0.3], None, ValueError, "Unknown label type: continuous"),
        ([0, 1], 2, ValueError, "pos_label is 2, which is not a value of y"),
        ([1, "a"], None, ValueError, "one kind that can be ordered, found int and str"),
        ([1.0, np.inf], None, ValueError, "must not be infinite"),
        ([[1, 0], [0, 1]], None, ValueError, "1d array"),
        ([1 + 2j, 2], None, ValueError, "Complex data not supported"),
    ],
)
def test_what_is_not_pu_data_is_refused_with_what_was_found(y, pos_label, error, message):
    with pytest.raises(error, match=message):
        checked_pu_labels(y, pos_label=pos_label)


def test_the_number_of_labels_is_compared_with_that_of_rows():
    with pytest.raises(ValueError, match="X has 3 rows, y has 2 labels"):
        checked_pu_labels([0, 1], n_samples=3)


def test_a_prior_may_be_the_labelled_fraction_itself():
    labels = checked_pu_labels([1, 0, 0])
    assert checked_prior(1 / 3, labels) == 1 / 3
    assert checked_prior(np.nextafter(1 / 3, 0.0), labels) == 1 / 3
    assert checked_prior(np.float32(0.5), labels) == 0.5


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        (0.0, ValueError, "above 0 and below 1, found 0.0"),
        (1.0, ValueError, "above 0 and below 1, found 1.0"),
        (NAN, ValueError, "above 0 and below 1, found nan"),
        (-0.2, ValueError, "found -0.2"),
        (0.2, ValueError, r"prior is 0.2, below the labelled fraction 0.333333 \(1 of 3 samples"),
        ("half", TypeError, "number between 0 and 1, found 'half'"),
        (True, TypeError, "found True"),
        (None, TypeError, "found None"),
    ],
)
def test_an_impossible_prior_is_refused(prior, error, message):
    with pytest.raises(error, match=message):
        checked_prior(prior, checked_pu_labels([1, 0, 0]))
