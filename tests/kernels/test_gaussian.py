"""The Gaussian kernel by products, in parts that stay in the cache, against distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from pucut.kernels import gaussian
from pucut.kernels.gaussian import GaussianKernel

GAMMA = 0.3


def table(dtype):
    random = np.random.default_rng(0)
    rows = random.normal(size=(25, 4)).astype(dtype)
    rows[random.random(rows.shape) < 0.4] = 0.0
    return rows


@pytest.mark.parametrize("at_once", [1, 30, 1 << 16])  # less than a row, some rows, all of them
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_products_say_what_distances_say(monkeypatch, at_once, dtype, make):
    monkeypatch.setattr(gaussian, "_NUMBERS_AT_ONCE", at_once)
    rows = table(dtype)
    landmarks = rows[:9]
    expected = np.exp(-GAMMA * cdist(rows.astype(np.float64), landmarks, "sqeuclidean"))
    kernel = GaussianKernel(make(landmarks), GAMMA, by_products=True).of(make(rows))
    assert kernel.dtype == dtype
    np.testing.assert_allclose(kernel, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)
    assert kernel.max() <= 1.0


def test_equal_rows_have_equal_kernels_where_they_are_measured():
    rows = table(np.float64)
    kernel = GaussianKernel(rows[:9], GAMMA).of(np.vstack([rows, rows]))
    np.testing.assert_array_equal(kernel[: len(rows)], kernel[len(rows) :])
    np.testing.assert_array_equal(np.diag(kernel[:9]), 1.0)
