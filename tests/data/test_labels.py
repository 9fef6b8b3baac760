"""The label convention, for every kind of column users have."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pucut.data.labels import checked_prior, checked_pu_labels
from pucut.exceptions import UnclearLabelsWarning

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
        # Missing values in addition to a mark of the unlabelled.
        ([-1.0, 1.0, NAN], [0, 1, 0], [-1.0, 1.0]),
        (["unknown", "yes", None], [0, 1, 0], ["unknown", "yes"]),
        # Missing values as the only mark of the unlabelled: predictions need another value.
        (["known", None], [1, 0], ["negative", "known"]),
        (["yes", None], [1, 0], ["negative", "yes"]),
        ([None, 1], [0, 1], [0, 1]),
        ([1.0, NAN, 1.0], [1, 0, 1], [0.0, 1.0]),
        ([True, None], [1, 0], [False, True]),
        # Texts: what their words mean, whatever the alphabet says.
        (["positive", "unlabelled"], [1, 0], ["unlabelled", "positive"]),
        (["P", "U"], [1, 0], ["U", "P"]),
        (["known", "other"], [1, 0], ["other", "known"]),
        (["cancer", "unknown"], [1, 0], ["unknown", "cancer"]),
        (["yes", "zebra"], [1, 0], ["zebra", "yes"]),
        (["10", "9"], [1, 0], ["9", "10"]),
        (np.array(["yes", np.nan]), [1, 0], ["nan", "yes"]),
        # Spellings of one word.
        (["yes", "Yes", "YES", "y", "no", " No", "yes"], [1, 1, 1, 1, 0, 0, 1], [" No", "yes"]),
        (pd.Series([1, 0, 1]), [1, 0, 1], [0, 1]),
        (pd.Series([1, None, -1], dtype="Int64"), [1, 0, 0], [-1, 1]),
        (pd.Series([True, None], dtype="boolean"), [1, 0], [False, True]),
        (pd.Series(["u", "y", None], dtype="string"), [0, 1, 0], ["u", "y"]),
        (pd.Series(["y", None], dtype="string"), [1, 0], ["negative", "y"]),
        (pd.Series(["u", "y", None], dtype="category"), [0, 1, 0], ["u", "y"]),
        (pd.Series([1, 2, 1], dtype="category"), [0, 1, 0], [1, 2]),
        (pd.Series(["x", "y"], dtype=object, index=[5, 3]), [0, 1], ["x", "y"]),
        (pd.Series([0, 1], dtype="int64[pyarrow]"), [0, 1], [0, 1]),
        (pl.Series([1, None, -1]), [1, 0, 0], [-1, 1]),
        (pl.Series([True, None]), [1, 0], [False, True]),
        (pl.Series(["no", "yes"]), [0, 1], ["no", "yes"]),
        (pl.Series(["no", "yes"], dtype=pl.Categorical), [0, 1], ["no", "yes"]),
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


def test_predictions_are_written_in_the_values_of_y():
    labels = checked_pu_labels(["benign", "harmful", "benign"], pos_label="harmful")
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
        (["yes", "positive"], None, ValueError, "'yes', which both mean positive"),
        (["no", "unlabelled"], None, ValueError, "no word for labelled positives"),
        (["no", "NO", "n"], None, ValueError, "only one class, 'NO'"),
        (["no", None], None, ValueError, "no word for labelled positives"),
        ([0, None], None, ValueError, "only 0 and missing values: no positive is labelled"),
        ([False, None], None, ValueError, "only False and missing values"),
        (["yes", "no", "unknown"], None, ValueError, "pos_label='yes', neg_label='no'"),
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


@pytest.mark.parametrize(
    ("y", "labelled", "message"),
    [
        (["a", "b"], [0, 1], r"y holds 'a' and 'b', .* Write pos_label='b' .* pos_label='a'"),
        ([1.0, 0.0, NAN], [1, 0, 0], r"0.0 counts as unlabelled.* write neg_label=0.0"),
        (["yes", "no", None], [1, 0, 0], "write neg_label='no'"),
        (pd.Series([True, None, False], dtype="boolean"), [1, 0, 0], "write neg_label=False"),
        (pl.Series([1, None, 0]), [1, 0, 0], "write neg_label=0"),
    ],
)
def test_what_may_be_meant_otherwise_is_said(y, labelled, message):
    with pytest.warns(UnclearLabelsWarning, match=message):
        labels = checked_pu_labels(y)
    assert labels.is_labelled.tolist() == [bool(mark) for mark in labelled]
    assert not labels.is_negative.any()


@pytest.mark.parametrize(
    ("y", "names", "signs", "classes"),
    [
        ([1, 0, -1, 1], {"neg_label": 0}, [1, -1, 0, 1], [0, 1]),
        ([1.0, 0.0, NAN], {"neg_label": 0}, [1, -1, 0], [0.0, 1.0]),
        ([5, 3, 1], {"neg_label": 1, "pos_label": 3}, [0, 1, -1], [1, 3]),
        (["yes", "no", None], {"neg_label": "no"}, [1, -1, 0], ["no", "yes"]),
        (["yes", "no", "Y", "maybe", "No"], {"neg_label": "N"}, [1, -1, 1, 0, -1], ["No", "Y"]),
        (["P", "U", "N"], {"neg_label": "N"}, [1, 0, -1], ["N", "P"]),
        (["a", "b", "c"], {"neg_label": "c", "pos_label": "a"}, [1, 0, -1], ["c", "a"]),
        (pd.Series([True, None, False], dtype="boolean"), {"neg_label": False}, [1, 0, -1], [0, 1]),
        (pl.Series(["yes", None, "no"]), {"neg_label": "no"}, [1, 0, -1], ["no", "yes"]),
    ],
)
def test_known_negatives_are_read_and_the_rest_is_unlabelled(y, names, signs, classes):
    labels = checked_pu_labels(y, **names)
    assert labels.signs.tolist() == signs
    assert labels.classes.tolist() == classes
    assert labels.n_negative == signs.count(-1)
    assert labels.largest_prior == (len(signs) - signs.count(-1)) / len(signs)
    np.testing.assert_array_equal(labels.is_unlabelled, np.array(signs) == 0)
    assert labels.in_order(np.arange(len(signs))[::-1]).signs.tolist() == signs[::-1]
    assert checked_pu_labels(labels) is labels


def test_without_neg_label_no_negative_is_known():
    labels = checked_pu_labels([1, 0, 0])
    assert labels.is_negative.tolist() == [False, False, False]
    assert labels.largest_prior == 1.0


@pytest.mark.parametrize(
    ("y", "names", "message"),
    [
        ([2, 1, 0], {"neg_label": 0}, "neg_label is 0: give pos_label as well"),
        (["no", "control"], {"neg_label": "no"}, "give pos_label as well"),
        (["no", None], {"neg_label": "no"}, "give pos_label as well"),
        (["a", "b", "c"], {"neg_label": "a"}, "give pos_label as well"),
        ([1, 0, -1], {"neg_label": 1, "pos_label": 1}, "both 1"),
        ([1, 0, -1], {"neg_label": 0, "pos_label": 7}, "pos_label is 7, which is not a value"),
    ],
)
def test_a_negative_label_that_leaves_the_positive_open_is_refused(y, names, message):
    with pytest.raises(ValueError, match=message):
        checked_pu_labels(y, **names)


def test_a_negative_label_that_y_does_not_hold_is_said():
    with pytest.warns(UnclearLabelsWarning, match="neg_label is 7, which is not a value of y"):
        labels = checked_pu_labels([1, -1, -1], neg_label=7)
    assert labels.signs.tolist() == [1, 0, 0]


def test_known_negatives_bound_the_prior():
    labels = checked_pu_labels([1, 0, -1, -1], neg_label=0)
    assert checked_prior(0.75, labels) == 0.75
    assert checked_prior(np.nextafter(0.75, 1.0), labels) == 0.75
    with pytest.raises(ValueError, match=r"0.76, above 0.75: 1 of 4 samples are known negatives"):
        checked_prior(0.76, labels)


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
