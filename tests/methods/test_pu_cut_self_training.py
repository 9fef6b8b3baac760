"""Self-training: predicted classes are learned, and hidden rows tell whether that helps."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_classification

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.judging.folds import pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.scorers import kernel_name, score_of
from pucut.judging.spaces import NewRows, Space
from pucut.kernels import folded_ridge
from pucut.kernels.ridge import chosen_widths
from pucut.methods.pu_cut import _candidates, _plan, _self_training
from pucut.methods.pu_cut._self_training import SELF_TRAINED, self_trained_score, top_rows


def clusters(n_rows, n_columns, n_clusters, share):
    """Clusters of both classes, and labels enough for one world to judge."""
    X, y = make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns,
        n_redundant=0,
        n_clusters_per_class=n_clusters,
        class_sep=2.0,
        random_state=3,
    )
    is_positive = y == 1
    return X, is_positive, pu_split(is_positive, share, random_state=0)


@pytest.fixture(scope="module")
def table():
    return clusters(1500, 8, 8, 0.85)


@pytest.fixture
def many_landmarks(monkeypatch):
    """For so few rows."""
    monkeypatch.setattr(folded_ridge, "ROWS_A_LANDMARK", 8)
    monkeypatch.setattr(_self_training, "LANDMARKS_FIRST", 30)
    monkeypatch.setattr(_self_training, "LANDMARKS_FOR_WIDTH", 150)
    # Pre-selection has the same condition, and would search more rows than there are.
    monkeypatch.setattr(_candidates, "preselect", lambda spaces, *_: (spaces, ()))


def folds_of(is_positive, is_labelled):
    n_positive, groups = int(is_positive.sum()), np.arange(len(is_labelled))
    return pu_folds(is_labelled, n_positive, np.random.RandomState(0), groups)


def space_of(X, name="plain", n_folds=1):
    space = Space(name, (np.ones(X.shape[1]),) * (n_folds + 1))
    return space.searched(PointsHere(X), (10,), 15, method="exact", random_state=0)


def noisy_start(is_positive, folds, space, seed=0, noise=1.0):
    """Scores that know something of the class, the same in both folds."""
    random = np.random.default_rng(seed)
    score = is_positive + noise * random.normal(size=len(is_positive))
    return score_of(kernel_name(space.name), (score,) * len(folds.labels), None)


def all_scores(score):
    """Those of every fold and of the final fit."""
    return [*score.in_folds, score.final.scores]


def accuracy(scores, is_positive, is_labelled):
    others = ~is_labelled
    n_wanted = int(is_positive[others].sum())
    return np.mean(top_rows(scores[others], n_wanted) == is_positive[others])


def found(scores, spaces, folds, **params):
    n_threads = params.get("n_threads", 1)
    return self_trained_score(scores, spaces, folds, np.random.RandomState(0), n_threads)


def test_what_was_found_teaches_more_than_it_was_found_by(table, many_landmarks):
    X, is_positive, is_labelled = table
    folds, space = folds_of(is_positive, is_labelled), space_of(X)
    start = noisy_start(is_positive, folds, space)
    after = found([start], [space], folds)
    assert after.name == SELF_TRAINED
    assert folds.recovered(after.in_folds).mean() > folds.recovered(start.in_folds).mean() + 0.1
    before = accuracy(start.final.reference, is_positive, is_labelled)
    assert accuracy(after.final.reference, is_positive, is_labelled) > before + 0.1
    # New rows are scored in the space, by regressions of the same classes.
    rows = NewRows(None, {None: X}, {})
    assert np.corrcoef(after.final.predictor(rows), after.final.reference)[0, 1] > 0.95
    again = found([start], [space], folds, n_threads=2)
    np.testing.assert_array_equal(all_scores(again), all_scores(after))


@pytest.fixture
def compared(monkeypatch):
    """What widths are compared for, while rounds run."""
    targets = []

    def watched(points, of_folds, *arguments, **options):
        targets.append(of_folds)
        return chosen_widths(points, of_folds, *arguments, **options)

    monkeypatch.setattr(_self_training, "chosen_widths", watched)
    return targets


def assert_that_folds_know_nothing(given, hides, spaces, folds, compared):
    """Of what the others do, whose scores are replaced: same widths compared, and same bits."""
    one, two = (all_scores(found([each], spaces, folds)) for each in given)
    np.testing.assert_array_equal(one[hides], two[hides])
    assert (one[-1] != two[-1]).any()
    assert len(compared) == 4
    for before, after in zip(compared[:2], compared[2:], strict=True):
        np.testing.assert_array_equal(before[hides], after[hides])
    compared.clear()


def test_what_is_hidden_stays_hidden(table, many_landmarks, compared):
    """The scores of the world that hides rows do not depend on what the complete one knows."""
    X, is_positive, is_labelled = table
    folds, space = folds_of(is_positive, is_labelled), space_of(X)
    start = noisy_start(is_positive, folds, space)
    known = noisy_start(is_positive, folds, space, noise=0.1).final.scores
    other = score_of(start.name, (start.in_folds[0], known), None)
    assert_that_folds_know_nothing([start, other], 0, [space], folds, compared)


@pytest.fixture(scope="module")
def few_labelled(table):
    """Most positives are unlabelled here, so that three folds hide labels."""
    X, is_positive, _ = table
    is_labelled = pu_split(is_positive, 0.4, random_state=0)
    folds = folds_of(is_positive, is_labelled)
    assert folds.n_folds == 3
    return is_positive, is_labelled, folds, space_of(X, n_folds=3)


def test_several_folds_have_rounds(few_labelled, many_landmarks):
    is_positive, is_labelled, folds, space = few_labelled
    start = noisy_start(is_positive, folds, space)
    after = found([start], [space], folds)
    assert folds.recovered(after.in_folds).mean() > folds.recovered(start.in_folds).mean() + 0.1
    before = accuracy(start.final.reference, is_positive, is_labelled)
    assert accuracy(after.final.reference, is_positive, is_labelled) > before + 0.1


def test_each_world_has_the_width_of_what_it_found(monkeypatch, few_labelled, many_landmarks):
    """Regressions of one width are held at a time; with equal widths they are made once."""
    is_positive, _, folds, space = few_labelled
    start = noisy_start(is_positive, folds, space)
    made = []

    class Watched(folded_ridge.FoldedRidge):
        def __init__(self, points, width, *given, device=None):
            super().__init__(points, width, *given, device=device)
            if len(given) == 3:  # with all landmarks
                made.append(width)

    monkeypatch.setattr(_self_training, "FoldedRidge", Watched)
    monkeypatch.setattr(_self_training, "MOST_ROUNDS", 2)
    monkeypatch.setattr(_self_training, "UNCHANGED", 0.0)

    def with_widths(*widths):
        made.clear()
        monkeypatch.setattr(_self_training, "chosen_widths", lambda *_, **__: list(widths))
        return all_scores(found([start], [space], folds))

    ones = with_widths(1.0, 1.0, 1.0)
    assert made == [1.0]
    threes = with_widths(3.0, 3.0, 3.0)
    several = with_widths(1.0, 3.0, 1.0)
    assert made == [3.0, 1.0, 3.0, 1.0]
    # Products in single precision depend on how many columns there are, in the last digits.
    for world, same in enumerate((ones, threes, ones, ones)):
        np.testing.assert_allclose(several[world], same[world], atol=1e-5)
    assert np.abs(np.subtract(ones, threes)).max() > 0.01


def test_on_a_device_one_width_is_held_at_a_time(monkeypatch, few_labelled, many_landmarks):
    pytest.importorskip("torch", reason="needs PyTorch")
    is_positive, _, folds, space = few_labelled
    start = noisy_start(is_positive, folds, space)
    held, most = [], []

    class Watched(folded_ridge.FoldedRidge):
        def __init__(self, points, width, *given, device=None):
            super().__init__(points, width, *given, device=device)
            if device is not None:
                held.append(width)
                most.append(len(held))

        def close(self):
            held.pop()
            super().close()

    monkeypatch.setattr(_self_training, "FoldedRidge", Watched)
    monkeypatch.setattr(_self_training, "chosen_widths", lambda *_, **__: [1.0, 3.0, 1.0])
    random = np.random.RandomState(0)
    after = self_trained_score([start], [space], folds, random, 1, "cpu")
    assert len(most) >= 3
    assert set(most) == {1}
    assert held == []
    assert folds.recovered(after.in_folds).mean() > folds.recovered(start.in_folds).mean() + 0.1


def test_no_world_of_several_knows_what_it_hides(few_labelled, many_landmarks, compared):
    """Not from the others either, that know the rows which it hides."""
    is_positive, _, folds, space = few_labelled
    start = noisy_start(is_positive, folds, space)
    better = noisy_start(is_positive, folds, space, noise=0.8).final.scores
    for world in range(3):
        others = [better] * 4
        others[world] = start.in_folds[world]
        other = score_of(start.name, others, None)
        assert_that_folds_know_nothing([start, other], world, [space], folds, compared)


def test_rounds_that_find_no_more_are_not_used(table, many_landmarks):
    """The graph knows nothing of the class here, and the score does."""
    _, is_positive, is_labelled = table
    noise = np.random.default_rng(0).normal(size=(len(is_positive), 4))
    folds, space = folds_of(is_positive, is_labelled), space_of(noise)
    start = noisy_start(is_positive, folds, space, noise=0.5)
    assert found([start], [space], folds) is None


def test_the_space_is_that_whose_kernel_found_most(table, many_landmarks):
    X, is_positive, is_labelled = table
    folds = folds_of(is_positive, is_labelled)
    noise = np.random.default_rng(0).normal(size=X.shape)
    spaces = [space_of(noise, "noise"), space_of(X, "plain")]
    scores = [
        noisy_start(is_positive, folds, spaces[0], noise=3.0),
        noisy_start(is_positive, folds, spaces[1]),
    ]
    after = found(scores, spaces, folds)
    rows = NewRows(None, {None: X}, {})
    assert np.corrcoef(after.final.predictor(rows), after.final.scores)[0, 1] > 0.95
    # There is none where points are sparse, or depend on labels that are hidden.
    ones = np.ones(X.shape[1])
    of_labels = Space("plain", (ones, ones.copy())).searched(
        PointsHere(X), (10,), 15, method="exact", random_state=0
    )
    sparse = space_of(sp.csr_array(X), "plain")
    assert found(scores[1:], [sparse], folds) is None
    assert found(scores[1:], [of_labels], folds) is None


def test_only_large_tables_with_many_labels_have_rounds(monkeypatch, many_landmarks):
    plan = PUCutClassifier(prior=0.5)._plan
    assert [plan(n, 8, 8, 600).is_large for n in (19_999, 20_000)] == [False, True]
    assert not plan(10**6, 8, 8, 599).is_large
    # The first round is ahead by four standard errors, so that no processor's digits decide.
    X, group = make_blobs(6000, 8, centers=60, cluster_std=2.5, random_state=0)
    is_positive = group % 2 == 0
    is_labelled = pu_split(is_positive, 0.21, random_state=0)
    monkeypatch.setattr(_plan, "FEWEST_ROWS", 6000)
    monkeypatch.setattr(_self_training, "LANDMARKS_FIRST", 400)
    model = PUCutClassifier(prior=is_positive.mean(), n_estimators=10, random_state=1)
    large = model.fit(X, is_labelled)
    assert "rounds" in large.step_seconds_
    (said,) = (each for each in large.selection_ if each.name == SELF_TRAINED)
    assert said.kind == "score"
    assert said.weight > 0.1
    assert not any(each.name.startswith("walks") for each in large.selection_)
    of_new = large.predict_proba(X[:50])
    monkeypatch.setattr(_plan, "FEWEST_ROWS", 6001)
    small = model.fit(X, is_labelled)
    assert "rounds" not in small.step_seconds_
    assert all(each.name != SELF_TRAINED for each in small.selection_)
    assert any(each.name.startswith("walks") for each in small.selection_)
    assert (of_new != small.predict_proba(X[:50])).any()


@pytest.mark.parametrize(("fewest", "n_steps"), [(1500, 9), (1501, 8)])
def test_steps_are_counted(monkeypatch, capsys, table, many_landmarks, fewest, n_steps):
    """With rounds and without."""
    X, is_positive, is_labelled = table
    monkeypatch.setattr(_plan, "FEWEST_ROWS", fewest)
    options = {"n_estimators": 5, "random_state": 0, "verbose": 1}
    PUCutClassifier(prior=is_positive.mean(), **options).fit(X, is_labelled)
    steps = re.findall(r"^\[(\d+)/(\d+)\]", capsys.readouterr().out, flags=re.MULTILINE)
    assert steps == [(str(k), str(n_steps)) for k in range(1, n_steps + 1)]


def landmarks_made(monkeypatch):
    """How many each regression of rounds has, while they run."""
    made = []

    class Watched(folded_ridge.FoldedRidge):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            made.append(len(self._landmarks))

    monkeypatch.setattr(_self_training, "FoldedRidge", Watched)
    return made


def test_few_landmarks_say_whether_many_are_worth_while(monkeypatch, table, many_landmarks):
    """The graph helps a little, but the points say less than the scores that rounds start from."""
    made = landmarks_made(monkeypatch)
    monkeypatch.setattr(_self_training, "LANDMARKS_FIRST", 5)
    X, is_positive, is_labelled = table
    folds, space = folds_of(is_positive, is_labelled), space_of(X)
    start = noisy_start(is_positive, folds, space, noise=0.3)
    assert found([start], [space], folds) is None
    assert made == [5]
    made.clear()
    start = noisy_start(is_positive, folds, space, noise=3.0)
    assert found([start], [space], folds) is not None
    assert made == [5, len(X) // 8]


def test_after_a_mere_sign_few_landmarks_must_find_more(monkeypatch, table, many_landmarks):
    """The first cut is ahead by 4.4 standard errors, few landmarks by 0.3; then by 5.0 and 4.7."""
    made = landmarks_made(monkeypatch)
    X, is_positive, is_labelled = table
    folds, space = folds_of(is_positive, is_labelled), space_of(X)
    many = len(X) // 8
    for noise, clear, expected in (
        (0.5, 2.0, [30, many]),
        (0.5, 4.5, [30]),
        (1.0, 5.2, [30, many]),
    ):
        monkeypatch.setattr(_self_training, "CLEARLY", clear)
        made.clear()
        found([noisy_start(is_positive, folds, space, noise=noise)], [space], folds)
        assert made == expected


def test_rounds_go_on_while_classes_change(monkeypatch, table, many_landmarks):
    learned = []

    class Watched(folded_ridge.FoldedRidge):
        def scores(self, targets, start=None):
            if len(self._landmarks) > _self_training.LANDMARKS_FIRST:
                learned.append((targets, start))
            return super().scores(targets, start)

    monkeypatch.setattr(_self_training, "FoldedRidge", Watched)
    X, is_positive, is_labelled = table
    folds, space = folds_of(is_positive, is_labelled), space_of(X)
    start = noisy_start(is_positive, folds, space)
    monkeypatch.setattr(_self_training, "UNCHANGED", 0.0)
    found([start], [space], folds)
    assert len(learned) == _self_training.MOST_ROUNDS
    # A round starts where the one before ended.
    assert [first is None for _, first in learned] == [True, False, False, False]
    changed = np.mean(learned[1][0][0] != learned[0][0][0])
    assert changed > 0.0
    learned.clear()
    monkeypatch.setattr(_self_training, "UNCHANGED", 1.01 * changed)
    found([start], [space], folds)
    assert len(learned) == 1


def test_the_first_of_equal_rows_are_taken():
    levels = np.array([0.5, np.inf, 0.2, 0.5, 0.5, -np.inf])
    np.testing.assert_array_equal(top_rows(levels, 3), [True, True, False, True, False, False])
