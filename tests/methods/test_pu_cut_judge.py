"""The judge of the chooser: hidden rows are hidden from cuts, and recall on them is honest."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.judging import weights as weights_module
from pucut.judging.folds import pu_folds
from pucut.judging.losses import ranks
from pucut.judging.mixing import mix_ranks
from pucut.judging.places import PointsHere
from pucut.judging.scorers import kernel_score, walk_score
from pucut.judging.spaces import Space
from pucut.judging.weights import recall_error
from pucut.methods.pu_cut import _cuts
from pucut.methods.pu_cut._cuts import VARIANCE_IN_TURN, choose_cuts


def first(n_labelled, n_rows):
    return np.arange(n_rows) < n_labelled


def levels_by_fold(monkeypatch, scores, spaces, folds):
    """The levels of all cuts, fold by fold and in the final fit, all candidates kept."""
    found = []

    def watched(*arguments, **options):
        found.append(score_cut(*arguments, **options))
        return found[-1]

    score_cut = _cuts.score_cut
    with monkeypatch.context() as patch:
        patch.setattr(_cuts, "score_cut", watched)
        patch.setattr(weights_module, "CLEARLY_BEHIND", np.inf)
        choose_cuts(scores, spaces, folds, n_threads=1)
    n_hidden, n_kinds = folds.n_folds, len(spaces) * len(_cuts.GAMMAS)
    hidden, final = found[: n_hidden * n_kinds], found[n_hidden * n_kinds :]
    by_fold = [hidden[k::n_hidden] for k in range(n_hidden)]
    return [[path.switch for path in paths] for paths in (*by_fold, final)]


@pytest.mark.parametrize("hiding", [0, 1])
def test_a_hidden_label_changes_no_cut_of_its_fold(hiding, monkeypatch):
    """The data term is the same in both; the scores have tests of their own."""
    X, truth = make_classification(240, 5, n_informative=3, n_redundant=0, random_state=0)
    is_labelled = pu_split(truth == 1, 0.5, random_state=0)
    folds = pu_folds(is_labelled, 120, np.random.RandomState(0), np.arange(240))
    assert folds.n_folds == 3
    never_known = folds.fold == hiding
    other = replace(
        folds,
        codes=np.where(never_known, -1, folds.codes),
        fold=np.where(never_known, -1, folds.fold),
    )
    ones = (np.ones(5),) * 4
    space = Space("plain", ones).searched(PointsHere(X), (5,), 15, random_state=0)
    scores = [walk_score(space, folds), kernel_score(space, folds, 0)]
    data_term = tuple(ranks(each) for each in (*scores[1].in_folds, scores[1].final.scores))
    mixed = replace(mix_ranks(scores, folds), ranks=data_term)
    found, again = (levels_by_fold(monkeypatch, mixed, [space], each) for each in (folds, other))
    assert len(found[hiding]) == len(_cuts.GAMMAS)
    for level, same in zip(found[hiding], again[hiding], strict=True):
        np.testing.assert_array_equal(level, same)
    assert any((a != b).any() for a, b in zip(found[-1], again[-1], strict=True))


def noise(random):
    """Features that know nothing of the class."""
    return random.normal(size=(400, 6))


def twins(random):
    """The same, but every row has a neighbour that is nearly a copy of it."""
    half = random.normal(size=(200, 6))
    return np.vstack([half, half + 1e-3 * random.normal(size=half.shape)])


@pytest.mark.parametrize("make", [noise, twins])
def test_the_judge_finds_no_more_than_chance_where_there_is_nothing_to_find(make):
    """A judge whose scores know of hidden rows finds most of them.

    Hidden rows that gave their neighbours a score get it back by the cuts: when they were hidden
    from the cuts alone, 79 and 76 % of them were found again here. Chance finds 48 and 47 %.
    """
    n_labelled = {noise: 20, twins: 30}[make]
    found, expected = [], []
    for seed in range(10, 30):
        random = np.random.default_rng(seed)
        X, is_positive = make(random), random.permutation(first(200, 400))
        is_labelled = np.zeros(400, dtype=bool)
        is_labelled[random.choice(np.flatnonzero(is_positive), n_labelled, replace=False)] = True
        model = PUCutClassifier(prior=0.5, n_estimators=20, random_state=seed)
        mixture = model.fit(X, is_labelled).selection_[-1]
        n_known = n_labelled * 4 // 5
        expected.append((200 - n_known) / (400 - n_known))
        found.append(mixture.hidden_recall)
        error = np.sqrt(VARIANCE_IN_TURN * 0.25 / n_labelled)
        assert mixture.standard_error == pytest.approx(error, rel=0.3)
    # Every label is hidden once, so that all of these are draws.
    assert abs(np.mean(found) - np.mean(expected)) < 2 * np.sqrt(0.25 / (20 * n_labelled))


def test_hidden_recall_is_the_share_of_unlabelled_positives_that_is_found():
    """Clusters that few labels reach: what is said of hidden rows holds for the others."""
    apart, errors = [], []
    for seed in range(6):
        X, truth = make_classification(
            500, 6, n_informative=4, n_clusters_per_class=4, class_sep=1.2, random_state=seed
        )
        is_positive = truth == 1
        is_labelled = pu_split(is_positive, 0.1, random_state=seed)
        model = PUCutClassifier(prior=is_positive.mean(), n_estimators=20, random_state=seed)
        mixture = model.fit(X, is_labelled).selection_[-1]
        recall = model.transduction_[is_positive & ~is_labelled].mean()
        apart.append(mixture.hidden_recall - recall)
        errors.append(recall_error(mixture.hidden_recall, int(is_labelled.sum())))
    assert abs(np.mean(apart)) < 2 * np.sqrt(np.mean(np.square(errors)) / 6)
    assert all(abs(a) < 3 * e for a, e in zip(apart, errors, strict=True))


def test_known_negatives_make_the_mixture_better():
    """Negatives of a kind that no positive tells apart: with labels of them they are found."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    truth = np.arange(400) < 160
    X[truth, 0] += 2.0
    near = (np.arange(400) >= 160) & (np.arange(400) < 280)  # next to the positives
    X[near, 0] += 1.6
    y = np.where(truth & (random.random(400) < 0.2), 1, -1)
    y[np.flatnonzero(near)[:40]] = 0
    judged = (y == -1) & (truth | near)

    def accuracy(labels, **names):
        model = PUCutClassifier(prior=0.4, n_estimators=30, random_state=0, **names)
        model.fit(X, labels)
        return ((model.transduction_ == 1) == truth)[judged].mean(), model

    without, _ = accuracy((y == 1).astype(int))
    found, model = accuracy(y, neg_label=0)
    assert found > without + 0.02
    assert (model.scores_[y == 0] < 0.0).all()
    assert (model.scores_[y == 1] > 0.0).all()
    assert all(0.0 <= each.hidden_recall <= 1.0 for each in model.selection_)
