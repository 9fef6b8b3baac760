"""The contract of a PU classifier, as checks in the manner of scikit-learn's.

Each `check_pu_*` takes an unfitted estimator. `PU_CHECKS` lists them all;
`parametrize_with_pu_checks` runs them over estimators.
"""

import copy
import pickle
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import pucut
from pucut import (
    ElkanNotoClassifier,
    PUCutClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)
from pucut.data.labels import checked_pu_labels

N_SAMPLES = 160


def pu_table(n_samples=N_SAMPLES, labelled_share=0.5, seed=0):
    """Two classes that overlap a little: X, y (1 = labelled positive), and the truth."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_samples) < 0.5
    X = random.normal(size=(n_samples, 4))
    X[:, :2] += 3.0 * is_positive[:, None]
    is_labelled = is_positive & (random.random(n_samples) < labelled_share)
    return X, is_labelled.astype(int), is_positive


def fitted(estimator, X, y, **params):
    estimator = clone(estimator).set_params(**params)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator.fit(X, y)


def answers(estimator, X):
    return estimator.predict(X), estimator.predict_proba(X), estimator.decision_function(X)


def assert_same_answers(first, second, X, other_X=None):
    for one, other in zip(
        answers(first, X), answers(second, X if other_X is None else other_X), strict=True
    ):
        assert_same_answer(one, other)


def assert_same_answer(one, other):
    """Classes are equal; numbers too, up to the order in which a library adds its products."""
    if one.dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(one, other)


def assert_valid_answers(estimator, X, prior=None):
    predicted, probability, decision = answers(estimator, X)
    assert set(np.unique(predicted)) <= set(estimator.classes_)
    assert probability.shape == (len(predicted), 2)
    assert np.isfinite(probability).all()
    assert np.isfinite(decision).all()
    assert probability.min() >= 0.0
    assert probability.max() <= 1.0
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(predicted == estimator.classes_[1], decision > 0)
    # Probabilities never contradict the ranking.
    order = np.argsort(decision, kind="stable")
    assert (np.diff(probability[order, 1]) >= -1e-9).all()


_OURS = str(Path(pucut.__file__).parent)


class Stopped(BaseException):
    """Like a KeyboardInterrupt, which pytest keeps for itself."""


def calls_of(work):
    """How many functions are called, in this thread."""
    count = 0

    def counting(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def stop_after(n_calls, work):
    """Stops the work at our first function after so many calls.

    Not within the standard library: a lock that it holds at that moment would never be released.
    """
    left = n_calls

    def stopping(frame, event, argument):
        nonlocal left
        left -= event == "call"
        if left <= 0 and event == "call" and frame.f_code.co_filename.startswith(_OURS):
            sys.setprofile(None)
            raise Stopped

    sys.setprofile(stopping)
    try:
        work()
    except BaseException:
        if left <= 0:  # compiled code may have turned it into an error of its own
            return
        raise
    finally:
        sys.setprofile(None)
    pytest.fail(f"over before {n_calls} calls")


def check_pu_learns(estimator):
    """Better than chance on training rows and on others, with the true prior."""
    X, y, truth = pu_table(400)
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    unlabelled = y == 0
    # Marking everything unlabelled as one class would be right on half to two thirds of them.
    transduction = model.transduction_ == model.classes_[1]
    assert (transduction == truth)[unlabelled].mean() > 0.85
    new_X, _, new_truth = pu_table(400, seed=1)
    assert ((model.predict(new_X) == model.classes_[1]) == new_truth).mean() > 0.85


def check_pu_labels_of_every_kind(estimator):
    """Answers are the same, in the values of `y`, whatever these are.

    Some of the kinds: tests/data/test_labels.py has them all.
    """
    X, y, truth = pu_table()
    prior = float(truth.mean())
    expected = fitted(estimator, X, y, prior=prior)
    kinds = {
        "bool": y.astype(bool),
        "list of None": [1 if mark else None for mark in y],
        "category": pd.Series(
            np.where(y == 1, "yes", "no"), dtype="category", index=range(7, 7 + len(y))
        ),
        "polars": pl.Series(y),
    }
    for kind, values in kinds.items():
        model = fitted(estimator, X, values, prior=prior)
        np.testing.assert_array_equal(model.classes_, checked_pu_labels(values).classes)
        np.testing.assert_array_equal(
            model.decision_function(X), expected.decision_function(X), err_msg=kind
        )
        is_second = expected.predict(X).astype(int)
        np.testing.assert_array_equal(model.predict(X), model.classes_[is_second], err_msg=kind)
    reverse = fitted(estimator, X, 1 - y, prior=prior, pos_label=0)
    np.testing.assert_array_equal(reverse.predict(X), 1 - expected.predict(X))


def check_pu_bad_labels(estimator):
    X, y, _ = pu_table()
    with pytest.raises(ValueError, match="only one class"):
        clone(estimator).fit(X, np.zeros_like(y))
    with pytest.raises(ValueError, match="only one class"):  # all positive
        clone(estimator).fit(X, np.ones_like(y))
    with pytest.raises(ValueError, match="ambiguous"):
        clone(estimator).fit(X, np.arange(len(y)) % 3 - 1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(estimator).fit(X, y[:-1])
    with pytest.raises(ValueError, match="pos_label is 'yes'"):
        clone(estimator).set_params(pos_label="yes").fit(X, y)
    with pytest.raises(ValueError, match="y"):
        clone(estimator).fit(X, None)


def check_pu_bad_prior(estimator):
    X, y, _ = pu_table()
    for prior in (0.0, 1.0, -1.0, 2.0, np.nan, "most", None):
        with pytest.raises(ValueError, match="prior"):
            clone(estimator).set_params(prior=prior).fit(X, y)
    share = y.mean()
    with pytest.raises(ValueError, match=rf"prior is 0\.01, below the labelled fraction {share}"):
        clone(estimator).set_params(prior=0.01).fit(X, y)


def check_pu_prior_at_its_limits(estimator):
    """From "no positive is left" to "nearly all are positive"."""
    X, y, _ = pu_table()
    for prior in (float(y.mean()), 0.999):
        model = fitted(estimator, X, y, prior=prior)
        assert model.prior_ == prior
        assert_valid_answers(model, X)


def check_pu_prior_auto(estimator):
    X, y, _ = pu_table()
    model = fitted(estimator, X, y, prior="auto")
    assert y.mean() <= model.prior_ < 1.0
    assert_valid_answers(model, X)


def check_pu_threshold_meets_the_prior(estimator):
    """The share of positives among the training rows is the prior, as nearly as ties allow."""
    if isinstance(estimator, ElkanNotoClassifier):
        pytest.skip("its rule is a probability above 1/2")
    if isinstance(estimator, TwoHNCClassifier):
        pytest.skip("its rule is the nearest of the nested partitions")
    if "threshold" in estimator.get_params():
        estimator = clone(estimator).set_params(threshold="prior")
    X, y, _ = pu_table(400)
    for prior in (0.4, 0.55, 0.7):
        model = fitted(estimator, X, y, prior=prior)
        positive = model.transduction_ == model.classes_[1]
        assert positive[y == 1].all()
        largest_tie = np.unique(model.scores_, return_counts=True)[1].max()
        # Where the cut itself gives the scores, the sides meet at 0.
        meeting = 0.0 if isinstance(estimator, PUCutClassifier) else model.threshold_
        assert abs(positive.sum() - prior * len(y)) <= max(1, largest_tie)
        above = model.scores_ > meeting
        assert abs(above.sum() - prior * len(y)) <= max(1, largest_tie)


def check_pu_answers(estimator):
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    assert_valid_answers(model, X)
    assert_valid_answers(model, pu_table(seed=1)[0])
    assert model.scores_.shape == (len(X),)
    assert np.isfinite(model.scores_).all()
    assert model.transduction_.shape == (len(X),)
    assert (model.transduction_[y == 1] == model.classes_[1]).all()


def check_pu_rows_are_answered_one_by_one(estimator):
    """An answer never depends on which other rows are asked about."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    asked = pu_table(30, seed=2)[0]
    together = answers(model, asked)
    for rows in (slice(0, 1), slice(3, 11), slice(None, None, -1)):
        for one, all_rows in zip(answers(model, asked[rows]), together, strict=True):
            assert_same_answer(one, all_rows[rows])


def check_pu_same_random_state_same_answers(estimator):
    X, y, truth = pu_table()
    prior = float(truth.mean())
    assert_same_answers(
        fitted(estimator, X, y, prior=prior), fitted(estimator, X, y, prior=prior), X
    )


def check_pu_clone_pickle_copy(estimator):
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    assert_same_answers(model, pickle.loads(pickle.dumps(model)), X)
    assert_same_answers(model, copy.deepcopy(model), X)
    again = clone(model).fit(X, y)
    assert_same_answers(model, again, X)


def check_pu_read_only_memory(estimator, folder):
    """Memory-mapped, read-only input is read where it lies, and not changed."""
    X, y, truth = pu_table()
    joblib.dump((X, y), folder / "table.joblib")
    mapped_X, mapped_y = joblib.load(folder / "table.joblib", mmap_mode="r")
    prior = float(truth.mean())
    model = fitted(estimator, mapped_X, mapped_y, prior=prior)
    assert_same_answers(fitted(estimator, X, y, prior=prior), model, X, mapped_X)


def check_pu_input_is_not_changed(estimator):
    X, y, truth = pu_table()
    before = X.copy(), y.copy()
    answers(fitted(estimator, X, y, prior=float(truth.mean())), X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def check_pu_memory_layouts_and_types(estimator):
    """Fortran order, strides and integers make no difference."""
    X, y, truth = pu_table()
    X = np.round(X * 8)
    prior = float(truth.mean())
    expected = fitted(estimator, X, y, prior=prior)
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.astype(np.int64)):
        assert_same_answers(expected, fitted(estimator, other, y, prior=prior), X, other)


def check_pu_data_frames(estimator):
    """pandas and polars, with names that are remembered and compared."""
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
    with pytest.raises(ValueError, match="feature names"):
        fitted(estimator, pd.DataFrame(X, columns=names), y, prior=prior).predict(
            pd.DataFrame(X, columns=[*names[:3], "x"])
        )


def check_pu_sparse(estimator):
    if not get_tags(estimator).input_tags.sparse:
        pytest.skip("the estimator says that it does not take sparse X")
    X, y, truth = pu_table(300)
    X = np.maximum(X, 0.0)
    prior = float(truth.mean())
    csr = fitted(estimator, sp.csr_array(X), y, prior=prior)
    csc = fitted(estimator, sp.csc_matrix(X), y, prior=prior)
    assert_valid_answers(csr, sp.csr_array(X))
    assert_same_answers(csr, csc, sp.csr_array(X), sp.csc_matrix(X))
    assert ((csr.transduction_ == csr.classes_[1]) == truth)[y == 0].mean() > 0.75


def check_pu_one_positive(estimator):
    X, y, _ = pu_table()
    y[np.flatnonzero(y)[1:]] = 0
    model = fitted(estimator, X, y, prior=0.5)
    assert_valid_answers(model, X)
    assert_valid_answers(fitted(estimator, X, y, prior="auto"), X)


def check_pu_one_unlabelled(estimator):
    X, y, _ = pu_table()
    y[:] = 1
    y[3] = 0
    assert_valid_answers(fitted(estimator, X, y, prior=float(y.mean())), X)
    assert_valid_answers(fitted(estimator, X, y, prior="auto"), X)


def check_pu_constant_features(estimator):
    X, y, truth = pu_table()
    with_constant = np.column_stack([X, np.full(len(X), 7.0)])
    assert_valid_answers(fitted(estimator, with_constant, y, prior=0.55), with_constant)
    nothing = np.ones_like(X)
    assert_valid_answers(fitted(estimator, nothing, y, prior=0.55), nothing)
    assert_valid_answers(fitted(estimator, nothing, y, prior="auto"), nothing)
    assert truth.any()


def check_pu_duplicates(estimator):
    """Rows that are equal, labelled and not, get equal answers."""
    X, y, _ = pu_table(60)
    X, y = np.tile(X, (4, 1)), np.concatenate([y, np.zeros(3 * len(y), dtype=int)])
    model = fitted(estimator, X, y, prior=0.5)
    assert_valid_answers(model, X)
    for answer in answers(model, X):
        np.testing.assert_array_equal(answer[:60], answer[60:120])


def check_pu_few_rows(estimator):
    X, y, _ = pu_table(8)
    y[:] = 0
    y[:3] = 1
    assert_valid_answers(fitted(estimator, X, y, prior=0.5), X)
    assert_valid_answers(fitted(estimator, X[:2], np.array([1, 0]), prior=0.6), X)


def check_pu_bad_X(estimator):
    X, y, _ = pu_table()
    model = fitted(estimator, X, y, prior=0.6)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
    with pytest.raises(ValueError, match=r"0 sample|minimum of 1|no rows|inconsistent|no class"):
        clone(estimator).fit(X[:0], y[:0])


def check_pu_infinity_is_answered_or_refused(estimator):
    X, y, _ = pu_table()
    X[3, 1] = np.inf
    try:
        model = fitted(estimator, X, y, prior=0.6)
    except ValueError:
        with pytest.raises(ValueError, match="infinity"):
            fitted(estimator, X, y, prior=0.6)
    else:
        assert_valid_answers(model, X)


def check_pu_sample_weight_is_not_ignored(estimator):
    """Weights either change the answers, or are refused."""
    X, y, truth = pu_table()
    weights = np.where(truth, 5.0, 0.1)
    model = clone(estimator).set_params(prior=0.6)
    if not has_fit_parameter(model, "sample_weight"):
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(X, y, sample_weight=weights)
        return
    model.fit(X, y, sample_weight=weights)
    unweighted = fitted(estimator, X, y, prior=0.6)
    assert not np.array_equal(model.decision_function(X), unweighted.decision_function(X))


def check_pu_parameters_after_fit_change_nothing(estimator):
    """What `fit` has learned answers: parameters are for the next `fit`."""
    X, y, truth = pu_table()
    model = fitted(estimator, X, y, prior=float(truth.mean()))
    assert_answers_rest_on_fit_alone(model, answers, X)


def assert_answers_rest_on_fit_alone(model, answers_of, X):
    """Answers are the same whatever the parameters are set to after `fit`, one after the other.

    To something that is no value of any of them: who looks at it must stumble. In place of an
    estimator stands another one, since scikit-learn asks it what X may hold.
    """
    expected = answers_of(model, X)
    for name, value in model.get_params().items():
        other = DummyRegressor() if hasattr(value, "fit") or name == "estimator" else object()
        changed = copy.deepcopy(model).set_params(**{name: other})
        for one, found in zip(expected, answers_of(changed, X), strict=True):
            np.testing.assert_array_equal(one, found, err_msg=name)


def check_pu_unsorted_sparse_rows(estimator):
    """However the entries of a sparse row are stored, answers are the same bits."""
    if not get_tags(estimator).input_tags.sparse:
        pytest.skip("it takes no sparse X")
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


def check_pu_extreme_scale(estimator):
    """Units do not matter, however small or large: what is told apart stays so."""
    if isinstance(estimator, PUThresholdClassifier | ElkanNotoClassifier):
        pytest.skip("what X may hold is up to the wrapped classifier")
    X, y, truth = pu_table(160)

    # Folds depend on the values, so that it is not quite the same. Small networks differ by their
    # first weights and batches as well: several of them are needed to tell.
    seeds = range(4) if "max_epochs" in estimator.get_params() else [0]

    def accuracy(factor):
        return np.mean([accuracy_of(factor, seed) for seed in seeds])

    def accuracy_of(factor, seed):
        params = {"random_state": seed} if "random_state" in estimator.get_params() else {}
        model = clone(estimator).set_params(prior=float(truth.mean()), **params)
        predicted = model.fit(factor * X, y).predict(factor * X)
        return min((model.transduction_ == truth).mean(), (predicted == truth).mean())

    usual = accuracy(1.0)
    for factor in (1e-310, 1e-200, 1e200, 1e307):
        assert accuracy(factor) > usual - 0.1


def check_pu_row_order(estimator):
    """The same table in any order gives the same answers, to the bit, ties included."""
    X, y, truth = pu_table(90)
    new_X, _, _ = pu_table(40, seed=1)
    prior = float(truth.mean())
    for table, new in ((X, new_X), (np.round(X), np.round(new_X))):  # of whole numbers all are tied
        model = fitted(estimator, table, y, prior=prior)
        for order in (np.arange(len(y))[::-1], np.random.default_rng(2).permutation(len(y))):
            other = fitted(estimator, table[order], y[order], prior=prior)
            for one, two in zip(answers(model, new), answers(other, new), strict=True):
                np.testing.assert_array_equal(one, two)
            for name in ("scores_", "transduction_"):
                np.testing.assert_array_equal(
                    _by_row(table, getattr(model, name)),
                    _by_row(table[order], getattr(other, name)),
                )


def _by_row(table, values):
    """Values next to their rows, sorted: equal rows may change places."""
    return np.array(sorted(zip(map(tuple, table), values.tolist(), strict=True)), dtype=object)


def check_pu_interrupted_fit(estimator):
    """A fit that is stopped changes nothing: not fitted, or as before, in the old classes."""
    X, y, truth = pu_table(60)
    before = fitted(estimator, X, y, prior=float(truth.mean()))
    expected = answers(before, X)
    names = np.where(y == 1, "yes", "no")
    # The first fit fills caches.
    n_calls = min(calls_of(lambda: clone(before).fit(X[:, :3], names)) for _ in range(2))
    for share in (0.05, 0.5, 0.8):
        unfitted = clone(before)
        for model in (unfitted, before):
            stop_after(int(share * n_calls), lambda model=model: model.fit(X[:, :3], names))
        with pytest.raises(NotFittedError):
            unfitted.predict(X)
        for one, other in zip(answers(before, X), expected, strict=True):
            np.testing.assert_array_equal(one, other)


PU_CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_pu_")]


def parametrize_with_pu_checks(estimators):
    """A decorator like scikit-learn's: the test takes `estimator` and `check`."""
    pairs = [(estimator, check) for estimator in estimators for check in PU_CHECKS]
    return pytest.mark.parametrize(
        ("estimator", "check"), pairs, ids=[f"{model!r}-{check.__name__}" for model, check in pairs]
    )


def run_scikit_learn_check(estimator, check):
    """A check of scikit-learn's with a given prior: an estimate takes longer than all the rest.

    Some of these checks label nine rows of ten, which the prior must not be below. Some want to
    see classes told apart, and label all the positives there are, which are half of the rows.
    """
    if "prior" in estimator.get_params():
        labels_all = check.func.__name__ == "check_classifiers_train"
        estimator.set_params(prior=0.5 if labels_all else 0.95)
    check(estimator)


def run_pu_check(estimator, check, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if check is check_pu_read_only_memory:
            check(estimator, tmp_path)
        else:
            check(estimator)
