"""What HNCClassifier chooses: labels hidden from everything, and spaces that were planted."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.semi_supervised import LabelSpreading

from pucut import HNCClassifier
from pucut.data.encoding import learn_encoding
from pucut.semi_supervised._class_scores import mix_opinions, regressions, tree_opinion
from pucut.semi_supervised._class_spaces import class_spaces, neighbors_in_worlds
from pucut.semi_supervised._class_walks import walk_opinion
from pucut.semi_supervised._class_worlds import ENOUGH_HIDDEN, ClassWorlds, class_worlds


def worlds_of(codes):
    """Of rows that are all different."""
    return class_worlds(codes, np.random.RandomState(0), np.arange(len(codes)))


def test_worlds_leave_a_label_of_every_class():
    codes = np.array([0, 0, -1, 1, 2, 2, 2, 2, -1, 2])
    worlds = worlds_of(codes)
    assert_array_equal(np.sort(np.concatenate(worlds.folds)), [0, 1, 4, 5, 6, 7, 9])
    assert_array_equal(worlds.labels[-1], codes)
    for labels, fold in zip(worlds.labels, worlds.folds, strict=False):
        assert set(labels) >= {0, 1, 2}
        assert (labels[fold] == -1).all()
        others = np.setdiff1d(np.arange(10), fold)
        assert_array_equal(labels[others], codes[others])
    assert worlds_of(np.array([0, 1, -1])).folds == ()


def test_copies_are_hidden_together():
    codes, groups = np.tile([0, 1, 1, 0, 0, 1], 2), np.tile(np.arange(6), 2)
    for fold in class_worlds(codes, np.random.RandomState(0), groups).folds:
        assert not set(groups[fold]) & set(np.delete(groups, fold))


def test_no_more_worlds_than_are_needed():
    for n_labels in (20, 100, 300, 1200):
        worlds = worlds_of(np.arange(n_labels) % 2)
        sizes = [len(fold) for fold in worlds.folds]
        assert sum(sizes) >= min(ENOUGH_HIDDEN, n_labels)
        assert sum(sizes[:-1]) < ENOUGH_HIDDEN
        assert len(worlds.hidden_codes) == sum(sizes)


def test_a_world_is_judged_by_the_rows_of_others():
    worlds = worlds_of(np.arange(20) % 2)
    order = np.concatenate(worlds.folds)
    for world, fold in enumerate(worlds.folds):
        assert not np.isin(order[worlds.judging(world)], fold).any()
    assert worlds.judging(len(worlds.folds)).all()
    single = ClassWorlds(worlds.codes, worlds.folds[:1])
    assert single.judging(0).all()


def learned(X, codes, folds):
    """All that a world knows: probabilities of learners, importances, neighbours by them."""
    worlds, random = ClassWorlds(codes, folds), np.random.RandomState(0)
    encoding, points = learn_encoding(X)
    trees = tree_opinion(points, worlds, 30, random, 1)
    spaces = class_spaces("auto", encoding, points, trees.importances)
    placed = [space.of(points) for space in spaces]
    others = regressions(points, placed, spaces, worlds, random, 1)
    near = [neighbors_in_worlds(space, at, 5, 0) for space, at in zip(spaces, placed, strict=True)]
    graphs = [[one.graph(5) for one in of_space] for of_space in near]
    walks = [walk_opinion(of_space, worlds, 1) for of_space in graphs]
    return [trees, *others, *walks], near, worlds, spaces


def test_hidden_labels_change_no_bit_of_their_world():
    random = np.random.default_rng(0)
    X = np.hstack([random.integers(0, 4, (150, 6)), random.normal(size=(150, 2))])
    codes = np.where(np.arange(150) < 60, (X[:, 0] + X[:, 1] + (X[:, 6] > 0.0)) % 3, -1).astype(int)
    folds = worlds_of(codes).folds
    changed = codes.copy()
    changed[folds[0]] = (codes[folds[0]] + 1) % 3
    one, other = learned(X, codes, folds), learned(X, changed, folds)
    assert len(one[1]) == 3  # alike, importance to trees, columns as categories
    for mine, theirs in zip(one[0], other[0], strict=True):
        assert_array_equal(mine.of_worlds[0], theirs.of_worlds[0])
        assert (mine.of_worlds[1] != theirs.of_worlds[1]).any()
    for mine, theirs in zip(one[1], other[1], strict=True):
        assert_array_equal(mine[0].lists.indices, theirs[0].lists.indices)
        assert_array_equal(mine[0].lists.squared_distances, theirs[0].lists.squared_distances)
    assert (one[1][1][1].weights != other[1][1][1].weights).any()


def test_hidden_rows_do_not_know_their_labels():
    random = np.random.RandomState(0)
    X, codes = random.normal(size=(150, 4)), random.randint(0, 2, 150)
    opinions, _, worlds, spaces = learned(X, codes, worlds_of(codes).folds)
    mixed = mix_opinions(opinions, spaces, worlds).of_worlds
    hits = [
        np.argmax(of[fold], axis=1) == codes[fold]
        for of, fold in zip(mixed, worlds.folds, strict=False)
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
