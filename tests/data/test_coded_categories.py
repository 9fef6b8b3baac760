"""Columns that may be codes: the indicators against scikit-learn's, and when there are none."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pucut.data.coded_categories import (
    MOST_INDICATORS,
    MOST_VALUES,
    categories_of_parts,
    coded_categories,
    value_counts,
)


def table(seed=0, n_rows=400):
    """Three columns of codes, one of two values, one of many."""
    random = np.random.default_rng(seed)
    codes = [random.integers(0, n, n_rows) for n in (3, 5, MOST_VALUES, 2)]
    return np.column_stack([*codes, random.normal(size=n_rows)]).astype(float)


def test_indicators_are_those_of_scikit_learn():
    points = table()
    found = coded_categories(points).of(points)
    indicators = OneHotEncoder(sparse_output=False).fit_transform(points[:, :3])
    assert_array_equal(found[:, :2], points[:, 3:])
    assert_allclose(found[:, 2:], StandardScaler().fit_transform(indicators), atol=1e-12)


def test_new_rows_and_unknown_values():
    points = table()
    categories = coded_categories(points)
    assert_array_equal(categories.of(points)[7:9], categories.of(points[7:9]))
    strange = points[:1].copy()
    strange[0, 0] = 17.0
    assert_allclose(categories.of(strange)[0, 2:5], -categories.mean[:3] / categories.scale[:3])


@pytest.mark.parametrize(
    ("points", "why"),
    [
        (np.random.default_rng(0).normal(size=(300, 4)), "many values"),
        (np.random.default_rng(0).integers(0, 2, (300, 4)).astype(float), "two values each"),
        (np.arange(4 * 300).reshape(300, 4) % (MOST_VALUES + 1.0), "one value too many"),
        (
            np.random.default_rng(0)
            .integers(0, 10, (300, MOST_INDICATORS // 10 + 1))
            .astype(float),
            "too many indicators",
        ),
        (sp.csr_array(table()), "sparse"),
    ],
)
def test_tables_without_codes(points, why):
    assert coded_categories(points) is None, why


def test_codes_must_be_half_of_the_columns():
    points = table()
    other = np.random.default_rng(1).normal(size=(400, 3))
    assert coded_categories(np.hstack([points, other])) is not None  # 4 of 8 have few values
    assert coded_categories(np.hstack([points, other, other])) is None


def test_a_value_that_comes_late_is_seen():
    points = np.zeros((500, 1))
    points[::2], points[450:] = 1.0, np.arange(50.0)[:, None]
    assert coded_categories(points) is None
    points[450:] = 2.0
    assert [len(values) for values in coded_categories(points).values] == [3]


@pytest.mark.parametrize("at", [[1], [399], [3, 4, 390], [200]])
def test_rows_in_parts_have_the_same_codes(at):
    points = table()
    whole = coded_categories(points)
    parts = categories_of_parts([value_counts(part) for part in np.split(points, at)])
    assert (parts.n_columns, parts.n_indicators) == (whole.n_columns, whole.n_indicators)
    assert parts.n_columns == whole.of(points).shape[1]
    assert_array_equal(parts.of(points), whole.of(points))


def test_parts_have_too_many_values_together():
    points = (np.arange(2.0 * MOST_VALUES) % (MOST_VALUES + 1))[:, None]
    assert categories_of_parts([value_counts(points[:5]), value_counts(points[5:])]) is None
    assert categories_of_parts([value_counts(points[:5]), value_counts(points[1:9])]) is not None
