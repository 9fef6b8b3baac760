"""Checks of how X is given and what it holds, and of what an estimator keeps of a fit."""

import copy
import inspect
import pickle
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils._testing import raises

from pucut.methods import ElkanNotoClassifier, PUThresholdClassifier
from pucut.utils.estimator_checks._tools import (
    answers,
    assert_answers_rest_on_fit_alone,
    assert_same_answers,
    assert_same_bits,
    assert_valid_answers,
    calls_of,
    fitted,
    fitted_table,
    pu_table,
    stop_after,
)


def check_pu_read_only_memory(estimator: Any) -> None:
    """Memory-mapped, read-only input is read where it lies, and not changed."""
    expected, X, y, _ = fitted_table(estimator)
    # Windows does not remove a file that is still mapped.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "table.joblib"
        joblib.dump((X, y), file)
        mapped_X, mapped_y = joblib.load(file, mmap_mode="r")
        model = fitted(estimator, mapped_X, mapped_y, prior=expected.prior)
        assert_same_answers(expected, model, X, mapped_X)


def check_pu_input_is_not_changed(estimator: Any) -> None:
    """`fit` and the answers leave X and y as they were."""
    X, y, truth = pu_table()
    before = X.copy(), y.copy()
    answers(fitted(estimator, X, y, prior=float(truth.mean())), X)
    assert_same_bits((X, y), before)


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

    expected, X, y, _ = fitted_table(estimator)
    prior = expected.prior
    names = ["a", "b", "<script>", "d e"]
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
        assert_same_bits(answers(model, sorted_X), answers(other, asked))


def check_pu_constant_features(estimator: Any) -> None:
    """Features that say nothing do no harm, nor does a table of nothing else."""
    X, y, truth = pu_table()
    with_constant = np.column_stack([X, np.full(len(X), 7.0)])
    assert_valid_answers(fitted(estimator, with_constant, y, prior=0.55), with_constant)
    nothing = np.ones_like(X)
    assert_valid_answers(fitted(estimator, nothing, y, prior=0.55), nothing)
    assert_valid_answers(fitted(estimator, nothing, y, prior="auto"), nothing)
    assert truth.any()


def check_pu_duplicates(estimator: Any) -> None:
    """Rows that are equal, labelled and not, get equal answers."""
    X, y, _ = pu_table(60)
    X, y = np.tile(X, (4, 1)), np.concatenate([y, np.zeros(3 * len(y), dtype=int)])
    model = fitted(estimator, X, y, prior=0.5)
    assert_valid_answers(model, X)
    for answer in answers(model, X):
        np.testing.assert_array_equal(answer[:60], answer[60:120])


def check_pu_few_rows(estimator: Any) -> None:
    """Eight rows are answered, and two."""
    X, y, _ = pu_table(8)
    y[:] = 0
    y[:3] = 1
    assert_valid_answers(fitted(estimator, X, y, prior=0.5), X)
    assert_valid_answers(fitted(estimator, X[:2], np.array([1, 0]), prior=0.6), X)


def check_pu_bad_X(estimator: Any) -> None:
    """Too few features, one row alone and no row at all are refused, with a reason."""
    X, y, _ = pu_table()
    model = fitted(estimator, X, y, prior=0.6)
    with raises(ValueError, match="features"):
        model.predict(X[:, :3])
    with raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
    with raises(ValueError, match=r"0 sample|minimum of 1|no rows|inconsistent|no class"):
        clone(estimator).fit(X[:0], y[:0])


def check_pu_infinity_is_answered_or_refused(estimator: Any) -> None:
    """Infinite values get a valid answer, or an error that names them."""
    X, y, _ = pu_table()
    X[3, 1] = np.inf
    try:
        model = fitted(estimator, X, y, prior=0.6)
    except ValueError:
        with raises(ValueError, match="infinity"):
            fitted(estimator, X, y, prior=0.6)
    else:
        assert_valid_answers(model, X)


def check_pu_extreme_scale(estimator: Any) -> None:
    """Units do not matter, however small or large: what is told apart stays so."""
    if isinstance(estimator, PUThresholdClassifier | ElkanNotoClassifier):
        raise SkipTest("what X may hold is up to the wrapped classifier")
    X, y, truth = pu_table(160)

    # Folds depend on the values, so that it is not quite the same. Small networks differ by their
    # first weights and batches as well: several of them are needed to tell.
    seeds = range(4) if "max_epochs" in estimator.get_params() else [0]

    def accuracy(factor: float, seed: int) -> float:
        params = {"random_state": seed} if "random_state" in estimator.get_params() else {}
        model = clone(estimator).set_params(prior=float(truth.mean()), **params)
        predicted = model.fit(factor * X, y).predict(factor * X)
        return float(min((model.transduction_ == truth).mean(), (predicted == truth).mean()))

    usual, *others = (
        np.mean([accuracy(factor, seed) for seed in seeds])
        for factor in (1.0, 1e-310, 1e-200, 1e200, 1e307)
    )
    assert min(others) > usual - 0.1


def check_pu_row_order(estimator: Any) -> None:
    """The same table in any order gives the same answers, to the bit, ties included."""
    X, y, truth = pu_table(90)
    new_X, _, _ = pu_table(40, seed=1)
    prior = float(truth.mean())
    for table, new in ((X, new_X), (np.round(X), np.round(new_X))):  # of whole numbers all are tied
        model = fitted(estimator, table, y, prior=prior)
        for order in (np.arange(len(y))[::-1], np.random.default_rng(2).permutation(len(y))):
            other = fitted(estimator, table[order], y[order], prior=prior)
            assert_same_bits(answers(model, new), answers(other, new))
            for name in ("scores_", "transduction_"):
                np.testing.assert_array_equal(
                    _by_row(table, getattr(model, name)),
                    _by_row(table[order], getattr(other, name)),
                )


def _by_row(table: Any, values: Any) -> Any:
    """Return values next to their rows, sorted: equal rows may change places."""
    return np.array(sorted(zip(map(tuple, table), values.tolist(), strict=True)), dtype=object)


def check_pu_same_random_state_same_answers(estimator: Any) -> None:
    """Two fits with the same random state give the same answers."""
    model, X, _, _ = fitted_table(estimator)
    assert_same_answers(model, fitted_table(estimator)[0], X)


def check_pu_clone_pickle_copy(estimator: Any) -> None:
    """A copy, a pickle and a fitted clone answer as the original does."""
    model, X, y, _ = fitted_table(estimator)
    assert_same_answers(model, pickle.loads(pickle.dumps(model)), X)
    assert_same_answers(model, copy.deepcopy(model), X)
    assert_same_answers(model, clone(model).fit(X, y), X)


def check_pu_parameters_after_fit_change_nothing(estimator: Any) -> None:
    """Predictions rest on the last `fit`: parameters set later are for the next one."""
    model, X, _, _ = fitted_table(estimator)
    assert_answers_rest_on_fit_alone(model, answers, X)


def check_pu_interrupted_fit(estimator: Any) -> None:
    """A fit that is stopped changes nothing: not fitted, or as before, in the old classes."""
    before, X, y, _ = fitted_table(estimator, 60)
    expected = answers(before, X)
    names = np.where(y == 1, "yes", "no")
    file = inspect.unwrap(type(estimator).fit).__code__.co_filename
    # The first fit fills caches.
    n_calls = min(calls_of(lambda: clone(before).fit(X[:, :3], names), file) for _ in range(2))
    for share in (0.05, 0.5, 0.8):
        unfitted = clone(before)
        for model in (unfitted, before):
            fit = partial(model.fit, X[:, :3], names)
            stop_after(max(1, int(share * n_calls)), fit, file)
        with raises(NotFittedError, match="not fitted"):
            unfitted.predict(X)
        assert_same_bits(answers(before, X), expected)
