"""Points whose neighbours are looked for, and when two lists of them are the same."""

import numpy as np

EXACT_METHODS = ("exact", "torch")


def binary(n_rows, n_features, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (n_rows, n_features)).astype(np.float64)


def blobs(n_rows, n_features=8, n_blobs=30, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_blobs, n_features))
    return centers[rng.integers(n_blobs, size=n_rows)] + rng.normal(0, 0.3, (n_rows, n_features))


def same(first, second):
    np.testing.assert_array_equal(first.indices, second.indices)
    np.testing.assert_array_equal(first.squared_distances, second.squared_distances)
