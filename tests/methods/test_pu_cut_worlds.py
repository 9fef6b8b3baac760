"""Worlds that hide labels: how they are made, and that what is hidden is hidden from everything."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.judging.places import PointsHere
from pucut.methods.pu_cut import _cuts, _mixing
from pucut.methods.pu_cut._cuts import choose_cuts
from pucut.methods.pu_cut._hidden_recall import VARIANCE_IN_TURN
from pucut.methods.pu_cut._mixed_score import JudgedScores, mix_scores
from pucut.methods.pu_cut._mixing import ranks, recall_error, recall_weights
from pucut.methods.pu_cut._near_scores import walk_score
from pucut.methods.pu_cut._scores import (
    BaseScore,
    UnfinishedScore,
    kernel_score,
    linear_score,
    tree_kinds,
    tree_score,
)
from pucut.methods.pu_cut._spaces import space_of_worlds
from pucut.methods.pu_cut._worlds import HIDDEN_FOLDS, Worlds, hidden_worlds, n_hidden_worlds
from pucut.trees.feature_weights import weights_of_importances
from pucut.trees.forest import forest_importances
from pucut.trees.growing import grow_forest


def first(n_labelled, n_rows):
    return np.arange(n_rows) < n_labelled


def own_groups(is_labelled, n_positive, seed=0):
    """Worlds of a table without copies."""
    groups = np.arange(len(is_labelled))
    return hidden_worlds(is_labelled, n_positive, np.random.RandomState(seed), groups)


# One row cannot be hidden; all folds until three of them hide 30 rows; three until two hide enough,
# which are 120 rows if most positives are labelled and 600 otherwise; one if it does.
FEW = [(1, 0), (2, 2), (4, 4), (5, 5), (47, 5), (50, 3), (295, 3)]
MOST_LABELLED = [*FEW, (300, 2), (595, 2), (600, 1)]
MOST_UNLABELLED = [*FEW, (600, 3), (1495, 3), (1500, 2), (2995, 2), (3000, 1)]


@pytest.mark.parametrize(
    ("n_labelled", "n_positive", "n_worlds"),
    [(n, 2 * n - 1, n_worlds) for n, n_worlds in MOST_LABELLED]
    + [(n, 2 * n, n_worlds) for n, n_worlds in MOST_UNLABELLED],
)
def test_there_are_worlds_until_enough_rows_are_hidden(n_labelled, n_positive, n_worlds):
    is_labelled = first(n_labelled, 7000)
    worlds = own_groups(is_labelled, n_positive)
    assert worlds.n_hidden_worlds == n_worlds == n_hidden_worlds(n_labelled, n_positive)
    assert len(worlds.labels) == n_worlds + 1
    np.testing.assert_array_equal(worlds.labels[-1], is_labelled)
    # Folds are as even as can be, have labelled rows only, and are hidden once.
    sizes = np.bincount(worlds.fold[worlds.is_hidden], minlength=n_worlds)
    fifth = n_labelled / min(HIDDEN_FOLDS, n_labelled)
    assert all(np.floor(fifth) <= size <= np.ceil(fifth) for size in sizes)
    assert not (worlds.is_hidden & ~is_labelled).any()
    hidden = np.array([is_labelled & ~labels for labels in worlds.labels[:-1]]).reshape(-1, 7000)
    np.testing.assert_array_equal(hidden.sum(axis=0), worlds.is_hidden)
    assert worlds.n_hidden == worlds.is_hidden.sum() == sizes.sum()


def test_folds_are_drawn():
    one, same, other = (own_groups(first(40, 90), 60, seed).fold for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_without_copies_the_folds_are_those_of_the_rows():
    """As they were dealt before there were groups, to the bit."""
    is_labelled = np.random.default_rng(0).random(300) < 0.3
    n_labelled = int(is_labelled.sum())
    dealt = np.random.RandomState(7).permutation(np.arange(n_labelled) % HIDDEN_FOLDS)
    expected = np.where(dealt < n_hidden_worlds(n_labelled, 150), dealt, -1)
    np.testing.assert_array_equal(own_groups(is_labelled, 150, 7).fold[is_labelled], expected)


def test_no_world_knows_a_copy_of_a_row_that_it_hides():
    """20 rows twice and 30 once are labelled; 50 groups, and 3 worlds hide 10 of them each."""
    groups = np.concatenate([np.arange(150), np.arange(20)])
    is_labelled = groups < 50
    worlds = hidden_worlds(is_labelled, 100, np.random.RandomState(0), groups)
    assert worlds.n_hidden_worlds == 3
    for world, labels in enumerate(worlds.labels[:-1]):
        hidden = set(groups[worlds.fold == world])
        assert len(hidden) == 10
        assert not hidden & set(groups[labels])
    # Copies count once, by their mean.
    score = np.random.default_rng(0).random(len(groups))
    found = worlds.found([score] * 4)
    assert len(found) == 30 == len(worlds.judging(0))
    np.testing.assert_array_equal(worlds.judging(1), np.arange(30) // 10 != 1)
    twice = {group: np.flatnonzero(groups == group) for group in range(20)}
    some = next(group for group in range(20) if worlds.fold[group] == 0)
    place = list(dict.fromkeys(groups[worlds.fold == 0])).index(some)
    score[twice[some]] = [2.0, -1.0]
    assert worlds.found([score] * 4)[place] == 0.5
    alone = hidden_worlds(np.ones(4, bool), 4, np.random.RandomState(0), np.zeros(4, int))
    assert alone.n_hidden_worlds == 0


def test_found_rows_are_among_as_many_as_the_prior_says():
    """Six labelled rows, two of which each world hides, among ten; seven are positive."""
    fold = np.array([0, 0, 1, 1, -1, -1, -1, -1, -1, -1])
    worlds = Worlds(first(6, 10), fold, 7, np.arange(10))
    # World 0 asks about rows 0, 1 and 6 to 9, and 7 - 4 = 3 of them are positive.
    score = np.array([3.0, 1.0, 9.0, 9.0, 9.0, 9.0, 2.0, 1.0, 1.0, 0.0])
    # Rows 0 and 6 are; row 1 shares the last place with rows 7 and 8.
    np.testing.assert_allclose(worlds.found([score, score, score])[:2], [1.0, 1 / 3])
    # World 1 asks about rows 2 and 3, which are above all others.
    np.testing.assert_array_equal(worlds.found([score, score, score])[2:], [1.0, 1.0])
    everywhere = Worlds(first(6, 10), fold, 10, np.arange(10))
    np.testing.assert_array_equal(everywhere.found([-score] * 3), 1.0)
    none = Worlds(first(1, 4), np.full(4, -1), 2, np.arange(4))
    assert none.found([np.zeros(4)]).shape == (0,)


def test_chance_finds_what_is_wanted_of_what_is_asked():
    random = np.random.default_rng(0)
    worlds = own_groups(first(60, 300), 150)
    found = [worlds.found([random.random(300) for _ in worlds.labels]).mean() for _ in range(400)]
    # 48 rows are known, 252 are asked about, and 102 of them are wanted.
    assert np.mean(found) == pytest.approx(102 / 252, abs=0.01)


def test_labelled_rows_have_their_rank_in_the_world_that_hid_them():
    fold = np.array([0, 1, -1, -1, -1, -1, -1])
    worlds = Worlds(first(3, 7), fold, 5, np.arange(7))
    of_world_0 = np.array([2.5, 99.0, 99.0, 1.0, 2.0, 3.0, 4.0])
    of_world_1 = np.array([99.0, 4.0, 99.0, 1.0, 2.0, 3.0, 4.0])
    rank = worlds.hidden_ranks([of_world_0, of_world_1, np.full(7, 99.0)])
    np.testing.assert_allclose(rank[:2], [2 / 4, 3.5 / 4])
    assert rank[2] == pytest.approx((2 / 4 + 3.5 / 4) / 2)  # never hidden: the median of both
    assert np.isnan(rank[3:]).all()
    alone = Worlds(first(1, 3), np.full(3, -1), 2, np.arange(3))
    np.testing.assert_array_equal(alone.hidden_ranks([np.zeros(3)]), [1.0, np.nan, np.nan])


def test_known_negatives_are_hidden_and_judge_too():
    """Six positives and four negatives are known among twenty rows, nine of which are positive."""
    is_negative = (np.arange(20) >= 6) & (np.arange(20) < 10)
    worlds = hidden_worlds(first(6, 20), 9, np.random.RandomState(0), np.arange(20), is_negative)
    assert worlds.n_hidden_worlds == 5
    assert (worlds.fold[is_negative] >= 0).all()
    assert (worlds.fold[10:] == -1).all()
    for world in range(5):
        hidden = worlds.fold == world
        np.testing.assert_array_equal(worlds.negatives[world], is_negative & ~hidden)
        np.testing.assert_array_equal(worlds.labels[world], first(6, 20) & ~hidden)
    np.testing.assert_array_equal(worlds.negatives[-1], is_negative)
    order = np.argsort(worlds.fold[:10], kind="stable")  # the order of those that are judged
    np.testing.assert_array_equal(worlds.is_hidden_positive, order < 6)
    # Scores that know the truth get all rows right; the same scores reversed get none.
    truth = np.where(np.arange(20) < 6, 2.0, np.where(is_negative, -2.0, 0.0))
    truth += np.linspace(0.0, 0.5, 20)
    np.testing.assert_array_equal(worlds.found([truth] * 6), 1.0)
    np.testing.assert_array_equal(worlds.found([-truth] * 6), 0.0)
    rank = worlds.hidden_ranks([truth] * 6)
    np.testing.assert_array_equal(rank[:10], np.where(is_negative[:10], 0.0, 1.0))
    # 3 of 10 unlabelled rows are positive, so that these count as a probability of 0.3.
    np.testing.assert_allclose(worlds.targets[-1][[0, 6, 19]], [1.0, -0.3 / 0.7, 0.0])
    np.testing.assert_array_equal(worlds.judging(0), worlds.fold[order] != 0)


def test_negatives_that_are_never_hidden_have_the_ranks_of_the_others():
    fold = np.array([0, 1, 0, -1, -1, -1, -1])
    is_negative = np.array([0, 0, 1, 1, 0, 0, 0], bool)
    worlds = Worlds(first(2, 7), fold, 3, np.arange(7), is_negative)
    score = np.array([9.0, 9.0, 1.5, 9.0, 1.0, 2.0, 3.0])
    rank = worlds.hidden_ranks([score, score, score])
    np.testing.assert_allclose(rank[:4], [1.0, 1.0, 1 / 3, 1 / 3])
    never = Worlds(first(2, 7), np.array([0, 1, -1, -1, -1, -1, -1]), 3, np.arange(7), is_negative)
    np.testing.assert_array_equal(never.hidden_ranks([score, score, score])[2:4], 0.0)


def test_what_is_used_in_a_world_is_judged_by_rows_that_others_hide():
    fold = np.array([1, 0, 1, 2, -1])
    worlds = Worlds(np.ones(5, dtype=bool), fold, 5, np.arange(5))
    # Hidden rows come fold by fold: one, two, one.
    assert worlds.judging(0).tolist() == [False, True, True, True]
    assert worlds.judging(1).tolist() == [True, False, False, True]
    assert worlds.judging(3).all()
    assert Worlds(np.ones(2, dtype=bool), np.array([0, -1]), 2, np.arange(2)).judging(0).all()


def learned(X, worlds, prior):
    """Every kind of score and space, as `find_mixture` has them, each from a seed of its own."""
    kinds = tree_kinds(X.shape[1]).items()
    trees = [
        tree_score(
            name,
            kind,
            PointsHere(X),
            worlds,
            prior,
            n_trees=20,
            random=np.random.RandomState(place),
            n_threads=1,
        )
        for place, (name, kind) in enumerate(kinds)
    ]
    weights = [weights_of_importances(each, squared=True) for each in trees[0].importances]
    alike = [np.ones(X.shape[1])] * len(weights)
    here = PointsHere(X)
    spaces = [
        space_of_worlds(name, [here] * len(weights), each, (5,), 10, random_state=0)
        for name, each in (("importance squared", weights), ("all features alike", alike))
    ]
    parts = [*(each.score for each in trees), linear_score(here, worlds)]
    for space in spaces:
        parts += [walk_score(space, worlds), kernel_score(space, worlds, 0)]
    return parts, spaces


def levels_of_worlds(monkeypatch, scores, spaces, worlds):
    """The levels of all cuts, by world; the complete one comes last, all candidates kept."""
    found = []

    def watched(*arguments, **options):
        found.append(score_cut(*arguments, **options))
        return found[-1]

    score_cut = _cuts.score_cut
    with monkeypatch.context() as patch:
        patch.setattr(_cuts, "score_cut", watched)
        patch.setattr(_mixing, "CLEARLY_BEHIND", np.inf)
        choose_cuts(scores, spaces, worlds, n_threads=1)
    n_hidden, n_kinds = worlds.n_hidden_worlds, len(spaces) * len(_cuts.GAMMAS)
    hidden, complete = found[: n_hidden * n_kinds], found[n_hidden * n_kinds :]
    by_world = [hidden[world::n_hidden] for world in range(n_hidden)]
    return [[path.switch for path in paths] for paths in (*by_world, complete)]


@pytest.mark.parametrize("hiding", [0, 1])
def test_a_hidden_label_changes_nothing_in_its_world(hiding, monkeypatch):
    """Scores and cuts have the same bits if the label had never been known."""
    X, truth = make_classification(240, 5, n_informative=3, n_redundant=0, random_state=0)
    is_labelled = pu_split(truth == 1, 0.5, random_state=0)
    worlds = own_groups(is_labelled, 120)
    assert worlds.n_hidden_worlds == 3
    never_known = worlds.fold == hiding
    fold = np.where(never_known, -1, worlds.fold)
    other = Worlds(is_labelled & ~never_known, fold, 120, worlds.groups)
    (parts, spaces), (others, other_spaces) = (learned(X, each, 0.5) for each in (worlds, other))
    assert len(parts) == 4 + 1 + 2 * 2
    for part, same in zip(parts, others, strict=True):
        np.testing.assert_array_equal(
            part.of_worlds[hiding], same.of_worlds[hiding], err_msg=part.name
        )
        # Elsewhere the labels were known, and are missed.
        assert (part.of_worlds[-1] != same.of_worlds[-1]).any(), part.name
    for space, same in zip(spaces, other_spaces, strict=True):
        np.testing.assert_array_equal(space.spaces[hiding].weights, same.spaces[hiding].weights)
    scores = JudgedScores(None, tuple(ranks(score) for score in parts[0].of_worlds), ())
    judged = levels_of_worlds(monkeypatch, with_mixed(scores, parts, worlds), spaces, worlds)
    again = levels_of_worlds(monkeypatch, with_mixed(scores, parts, worlds), other_spaces, other)
    assert len(judged[hiding]) == 2 * len(_cuts.GAMMAS)
    for level, same in zip(judged[hiding], again[hiding], strict=True):
        np.testing.assert_array_equal(level, same)
    assert any((a != b).any() for a, b in zip(judged[-1], again[-1], strict=True))


def with_mixed(scores, parts, worlds):
    """The data term of the first score alone, with what else `choose_cuts` needs."""
    mixed = mix_scores(parts, worlds)
    return JudgedScores(mixed.mixed, scores.ranks, mixed.candidates)


def test_scores_are_mixed_in_a_world_without_the_rows_that_it_hides():
    random = np.random.default_rng(0)
    is_labelled = first(40, 200)
    worlds = own_groups(is_labelled, 100)
    truth = first(100, 200)
    parts = [
        BaseScore(f"part {k}", scores, scores[-1], None)
        for k in range(3)
        for scores in [[truth * k + random.normal(size=200) for _ in worlds.labels]]
    ]
    mixed = mix_scores(parts, worlds)
    found = np.array([worlds.found(part.of_worlds) for part in parts])
    fold = np.repeat(np.arange(5), 8)
    for world, labels in enumerate(worlds.labels):
        weights = recall_weights(found[:, fold != world])  # of the last world all
        total = np.zeros(200)
        for weight, part in zip(weights, parts, strict=True):
            score = part.of_worlds[world]
            rising = np.sort(score[~labels])
            below = (rising < score[:, None]).mean(axis=1)
            total += weight * (below + (rising == score[:, None]).mean(axis=1) / 2)
        expected = (np.sort(total[~labels]) < total[:, None] - 1e-12).mean(axis=1)
        np.testing.assert_allclose(mixed.ranks[world], expected, atol=0.5 / 160 + 1e-12)


def test_only_what_has_weight_learns_from_all_labels():
    random = np.random.default_rng(0)
    is_labelled, truth = first(800, 3000), first(1500, 3000)
    worlds = own_groups(is_labelled, 1500)
    assert worlds.n_hidden_worlds == 1
    scores = [[truth * k + random.normal(size=3000) for _ in worlds.labels] for k in (3, 2.9, 0)]
    parts = [BaseScore(f"part {k}", each, each[-1], None) for k, each in enumerate(scores)]
    finished = []

    def unfinished(part):
        def finish():
            finished.append(part.name)
            return part

        return UnfinishedScore(part.name, part.of_worlds[:-1], finish)

    found = mix_scores([unfinished(part) for part in parts], worlds)
    assert finished == ["part 0", "part 1"]
    assert [each.weight > 0.0 for each in found.candidates] == [True, True, False]
    for rank, same in zip(found.ranks, mix_scores(parts, worlds).ranks, strict=True):
        np.testing.assert_array_equal(rank, same)


def test_a_single_world_weighs_features_for_the_complete_one():
    X, truth = make_classification(1500, 5, n_informative=3, random_state=0)
    worlds = own_groups(first(600, 1500)[np.argsort(np.argsort(-truth, kind="stable"))], 750)
    assert worlds.n_hidden_worlds == 1
    kind = tree_kinds(5)["trees, random cuts"]
    options = {"n_trees": 20, "n_threads": 1, "random": np.random.RandomState(0)}
    trees = tree_score("trees", kind, PointsHere(X), worlds, 0.5, **options)
    # As if the hidden labels had never been known.
    forest = grow_forest(X, worlds.labels[0], 0.5, kind, n_trees=4, random_state=0, n_threads=1)
    assert len(trees.importances) == 2
    for importances in trees.importances:
        np.testing.assert_array_equal(importances, forest_importances(forest))
    np.testing.assert_array_equal(trees.forest.threshold, forest.threshold)
    score = trees.score.finish()
    np.testing.assert_array_equal(score.of_worlds[0], trees.score.of_worlds[0])
    assert (score.of_worlds[1] != score.of_worlds[0]).any()


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
