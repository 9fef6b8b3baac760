"""Which weights of features make a space."""

import numpy as np
import pytest
import scipy.sparse as sp

from pucut.graphs.spaces import common_scale, varying_columns


def test_columns_with_a_scale_in_common():
    random = np.random.default_rng(0)
    deviation = np.repeat([1.0, 2.0, 4.0], 10)
    points = random.normal(size=(50, 30))
    weights = common_scale(deviation, varying_columns(points))
    # A distance in weighted, standardised points is one between the columns as they were.
    assert weights.sum() == pytest.approx(30.0)
    np.testing.assert_allclose(weights / weights[0], deviation**2)
    # A constant column has no scale: it was divided by 1.
    points[:, 29] = 0.0
    varies = varying_columns(points)
    others = common_scale(deviation, varies)[:29]
    np.testing.assert_allclose(others / others[0], deviation[:29] ** 2)
    assert common_scale(deviation, varies)[29] == 0.0
    np.testing.assert_array_equal(varying_columns(sp.csr_array(points)), varies)


@pytest.mark.parametrize(
    ("deviation", "why"),
    [
        (np.ones(30), "all alike: the space would be that of standardised columns"),
        (np.r_[np.ones(29), 100.0], "one column would decide"),
        (np.array([1.0, 2.0, 3.0, 4.0]), "few columns are alike by chance"),
        (np.zeros(30), "nothing varies"),
    ],
)
def test_columns_without_a_scale_in_common(deviation, why):
    points = np.random.default_rng(0).normal(size=(20, len(deviation)))
    assert common_scale(deviation, varying_columns(points)) is None, why
