"""Checks of how X may be given: in memory of every layout, in files, frames and sparse matrices."""

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from pucut.utils.estimator_checks._tools import (
    answers,
    assert_same_answers,
    assert_valid_answers,
    fitted,
    pu_table,
    raises,
)


def check_pu_read_only_memory(estimator: Any) -> None:
    """Memory-mapped, read-only input is read where it lies, and not changed."""
    X, y, truth = pu_table()
    prior = float(truth.mean())
    # Windows does not remove a file that is still mapped.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "table.joblib"
        joblib.dump((X, y), file)
        mapped_X, mapped_y = joblib.load(file, mmap_mode="r")
        model = fitted(estimator, mapped_X, mapped_y, prior=prior)
        assert_same_answers(fitted(estimator, X, y, prior=prior), model, X, mapped_X)


def check_pu_input_is_not_changed(estimator: Any) -> None:
    """`fit` and the answers leave X and y as they were."""
    X, y, truth = pu_table()
    before = X.copy(), y.copy()
    answers(fitted(estimator, X, y, prior=float(truth.mean())), X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def check_pu_memory_layouts_and_types(estimator: Any) -> None:
    """Fortran order, strides and integers make no difference."""
    X, y, truth = pu_table()
    X = np.round(X * 8)
    prior = float(truth.mean())
    expected = fitted(estimator, X, y, prior=prior)
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.astype(np.int64)):
        assert_same_answers(expected, fitted(estimator, other, y, prior=prior), X, other)


def check_pu_data_frames(estimator: Any) -> None:
    """Frames of pandas and polars are answered alike; names are remembered and compared."""
    if not (find_spec("pandas") and find_spec("polars")):
        raise SkipTest("pandas and polars are not both installed")
    import pandas as pd
    import polars as pl

    X, y, truth = pu_table()
    prior = float(truth.mean())
    names = ["a", "b", "<script>", "d e"]
    expected = fitted(estimator, X, y, prior=prior)
    for frame in (
        pd.DataFrame(X, columns=names, index=range(len(X), 0, -1)),
        pl.DataFrame(X, schema=names),
    ):
        model = fitted(estimator, frame, y, prior=prior)
        assert model.feature_names_in_.tolist() == names
        assert_same_answers(expected, model, X, frame)
    with raises(ValueError, match="feature names"):
        fitted(estimator, pd.DataFrame(X, columns=names), y, prior=prior).predict(
            pd.DataFrame(X, columns=[*names[:3], "x"])
        )


def check_pu_sparse(estimator: Any) -> None:
    """Sparse X, where the tags allow it, is learned from, in every format alike."""
    if not get_tags(estimator).input_tags.sparse:
        raise SkipTest("the estimator says that it does not take sparse X")
    X, y, truth = pu_table(300)
    X = np.maximum(X, 0.0)
    prior = float(truth.mean())
    csr = fitted(estimator, sp.csr_array(X), y, prior=prior)
    csc = fitted(estimator, sp.csc_matrix(X), y, prior=prior)
    assert_valid_answers(csr, sp.csr_array(X))
    assert_same_answers(csr, csc, sp.csr_array(X), sp.csc_matrix(X))
    assert ((csr.transduction_ == csr.classes_[1]) == truth)[y == 0].mean() > 0.75


def check_pu_unsorted_sparse_rows(estimator: Any) -> None:
    """However the entries of a sparse row are stored, answers are the same bits."""
    if not get_tags(estimator).input_tags.sparse:
        raise SkipTest("it takes no sparse X")
    X, y, truth = pu_table(90)
    sorted_X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    unsorted = sorted_X.copy()
    for begin, end in zip(unsorted.indptr[:-1], unsorted.indptr[1:], strict=True):
        unsorted.indices[begin:end] = unsorted.indices[begin:end][::-1]
        unsorted.data[begin:end] = unsorted.data[begin:end][::-1]
    unsorted.has_sorted_indices = False
    unsorted.has_canonical_format = False
    model, other = (
        fitted(estimator, each, y, prior=float(truth.mean())) for each in (sorted_X, unsorted)
    )
    for asked in (sorted_X, unsorted):
        for one, two in zip(answers(model, sorted_X), answers(other, asked), strict=True):
            np.testing.assert_array_equal(one, two)
