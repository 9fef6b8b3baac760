"""What HNCClassifier chooses: labels hidden from everything, and spaces that were planted."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.semi_supervised import LabelSpreading

from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding
from pucut.judging.folds import ENOUGH_HIDDEN, class_folds
from pucut.judging.places import PointsHere
from pucut.semi_supervised._learning import LearningOptions, learn_classes


def folds_of(codes):
    """Folds of rows that are all different."""
    return class_folds(codes, np.random.RandomState(0), np.arange(len(codes)))


def test_folds_leave_a_label_of_every_class():
    codes = np.array([0, 0, -1, 1, 2, 2, 2, 2, -1, 2])
    folds = folds_of(codes)
    assert_array_equal(np.sort(folds.judges), [0, 1, 4, 5, 6, 7, 9])
    assert_array_equal(folds.labels[-1], codes)
    for labels, rows in zip(folds.labels, folds.hidden_rows, strict=False):
        assert set(labels) >= {0, 1, 2}
        assert (labels[rows] == -1).all()
        others = np.setdiff1d(np.arange(10), rows)
        assert_array_equal(labels[others], codes[others])
    assert folds_of(np.array([0, 1, -1])).n_folds == 0


def test_copies_are_hidden_together():
    codes, groups = np.tile([0, 1, 1, 0, 0, 1], 2), np.tile(np.arange(6), 2)
    for rows in class_folds(codes, np.random.RandomState(0), groups).hidden_rows:
        assert not set(groups[rows]) & set(np.delete(groups, rows))


def test_no_more_folds_than_are_needed():
    for n_labels in (20, 100, 300, 1200):
        folds = folds_of(np.arange(n_labels) % 2)
        sizes = [len(rows) for rows in folds.hidden_rows]
        assert sum(sizes) >= min(ENOUGH_HIDDEN, n_labels)
        assert sum(sizes[:-1]) < ENOUGH_HIDDEN
        assert len(folds.judges) == sum(sizes)


def test_a_fold_is_judged_by_the_rows_of_others():
    folds = folds_of(np.arange(20) % 2)
    for k, rows in enumerate(folds.hidden_rows):
        assert not np.isin(folds.judges[folds.may_judge(k)], rows).any()
    assert folds.may_judge(folds.n_folds).all()


def test_hidden_rows_do_not_know_their_labels():
    random = np.random.RandomState(0)
    X, codes = random.normal(size=(150, 4)), random.randint(0, 2, 150)
    folds = folds_of(codes)
    encoding, points = learn_encoding(X)
    options = LearningOptions(True, "auto", 5, None, 30)
    learned = learn_classes(encoding, PointsHere(points), folds, options, random)
    hits = [
        np.argmax(pulls[rows], axis=1) == codes[rows]
        for pulls, rows in zip(learned.pulls, folds.hidden_rows, strict=False)
    ]
    assert np.mean(np.concatenate(hits)) < 0.65


def few_labels(truth, n_labels, seed=0):
    random = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for code in np.unique(truth):
        y[random.choice(np.flatnonzero(truth == code), n_labels, replace=False)] = code
    return y


def right(model, X, y, truth):
    found = model.fit(X, y).transduction_
    return np.mean(found[y == -1] == truth[y == -1])


def test_a_planted_common_scale_is_found():
    """Eight groups, apart in ten large columns; standardised, the others are as large."""
    random = np.random.default_rng(0)
    group = random.integers(0, 8, 600)
    centres = random.normal(size=(8, 10)) * 6.0
    X = np.hstack(
        [centres[group] + random.normal(size=(600, 10)) * 2.0, random.normal(size=(600, 40))]
    )
    truth = group % 2
    y = few_labels(truth, 20)
    model = HNCClassifier(random_state=0)
    accuracy = right(model, X, y, truth)
    assert model.space_ == "common scale"
    scale = X.std(axis=0) ** 2
    np.testing.assert_allclose(model.feature_weights_, scale * (50 / scale.sum()))
    np.testing.assert_allclose(model.feature_importances_, scale / scale.sum())
    assert accuracy > right(HNCClassifier(feature_weights=None, random_state=0), X, y, truth)
    assert accuracy >= right(LabelSpreading(kernel="knn"), X, y, truth)
    assert accuracy > 0.97


@pytest.mark.parametrize("dtype", [float, np.float32])
def test_a_table_of_coded_categories(dtype):
    """The order of the codes means nothing: classes depend on the even and the odd ones."""
    random = np.random.default_rng(0)
    X = random.integers(0, 6, (800, 5)).astype(dtype)
    truth = ((X[:, 0] % 2 + X[:, 1] % 2 + X[:, 2] % 2) >= 2).astype(int)
    y = few_labels(truth, 50)
    model = HNCClassifier(random_state=0)
    accuracy = right(model, X, y, truth)
    assert model.space_ == "columns as categories"
    assert accuracy > right(HNCClassifier(feature_weights=None, random_state=0), X, y, truth) + 0.1
    assert accuracy > right(LabelSpreading(kernel="knn"), X, y, truth) + 0.1
    assert accuracy > 0.9
    # Unseen rows are read in the same way, also if a code has never been seen.
    assert np.mean(model.predict(X) == truth) > 0.9
    assert np.isfinite(model.predict_proba(np.full((1, 5), 9.0, dtype=dtype))).all()


def test_sparse_rows_are_learned_from_like_dense_ones():
    random = np.random.default_rng(0)
    X = random.poisson(1.0, (200, 12)) * np.linspace(1.0, 4.0, 12)
    truth = (X @ random.normal(size=12) > 0.0).astype(int)
    y = few_labels(truth, 25)
    dense, sparse = HNCClassifier(random_state=0), HNCClassifier(random_state=0)
    accuracy = right(dense, X, y, truth)
    assert accuracy > 0.8
    assert right(sparse, sp.csr_array(X), y, truth) > accuracy - 0.05
    columns = HNCClassifier(random_state=0).fit(sp.csc_array(X), y)
    assert_array_equal(
        columns.predict_proba(sp.csc_array(X)), sparse.predict_proba(sp.csr_array(X))
    )
