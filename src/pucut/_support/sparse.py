"""Sparse matrices that the oldest SciPy allowed has no function for."""

import scipy.sparse as sp

from pucut._support.checks import FloatArray


def diagonal_array(values: FloatArray) -> sp.dia_array:
    """Make a diagonal matrix, as `diags_array` does from SciPy 1.12 on."""
    return sp.dia_array((values[None, :], [0]), shape=(len(values), len(values)))
