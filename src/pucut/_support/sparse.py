"""Sparse matrices that SciPy has no array for in the oldest release that pucut allows."""

import scipy.sparse as sp

from pucut._support.checks import FloatArray


def diagonal_array(values: FloatArray) -> sp.dia_array:
    """Zeros but for these values on the diagonal: `diags_array`, which came with SciPy 1.12."""
    return sp.dia_array((values[None, :], [0]), shape=(len(values), len(values)))
