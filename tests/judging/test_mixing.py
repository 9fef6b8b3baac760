"""Mixtures of scores: weights by the rows that other folds hide, and late final fits."""

import numpy as np

from pucut.judging.folds import pu_folds
from pucut.judging.mixing import mix_ranks
from pucut.judging.scorers import FinalFit, Score, score_of
from pucut.judging.weights import recall_weights


def first(n_labelled, n_rows):
    return np.arange(n_rows) < n_labelled


def folds_of(is_labelled, n_positive):
    groups = np.arange(len(is_labelled))
    return pu_folds(is_labelled, n_positive, np.random.RandomState(0), groups)


def test_scores_are_mixed_in_a_fold_without_the_rows_that_it_hides():
    random = np.random.default_rng(0)
    folds = folds_of(first(40, 200), 100)
    truth = first(100, 200)
    parts = [
        score_of(f"part {k}", [truth * k + random.normal(size=200) for _ in folds.labels], None)
        for k in range(3)
    ]
    mixed = mix_ranks(parts, folds)
    recovered = np.array([folds.recovered(part.in_folds) for part in parts])
    fold = np.repeat(np.arange(5), 8)
    for k, codes in enumerate(folds.labels):
        weights = recall_weights(recovered[:, fold != k])  # of the final fit all
        total = np.zeros(200)
        for weight, part in zip(weights, parts, strict=True):
            score = part.in_folds[k] if k < 5 else part.final.scores
            rising = np.sort(score[codes < 0])
            below = (rising < score[:, None]).mean(axis=1)
            total += weight * (below + (rising == score[:, None]).mean(axis=1) / 2)
        expected = (np.sort(total[codes < 0]) < total[:, None] - 1e-12).mean(axis=1)
        np.testing.assert_allclose(mixed.ranks[k], expected, atol=0.5 / 160 + 1e-12)


def test_only_scores_with_weight_learn_from_all_labels():
    random = np.random.default_rng(0)
    truth, folds = first(1500, 3000), folds_of(first(800, 3000), 1500)
    assert folds.n_folds == 1
    scores = [[truth * k + random.normal(size=3000) for _ in folds.labels] for k in (3, 2.9, 0)]
    parts = [score_of(f"part {k}", each, None) for k, each in enumerate(scores)]
    fitted = []

    def later(part):
        def final():
            fitted.append(part.name)
            return FinalFit(part.final.scores, part.final.reference, None)

        return Score(part.name, part.in_folds, final)

    mixed = mix_ranks([later(part) for part in parts], folds)
    assert fitted == ["part 0", "part 1"]
    assert [each.weight > 0.0 for each in mixed.candidates] == [True, True, False]
    for rank, same in zip(mixed.ranks, mix_ranks(parts, folds).ranks, strict=True):
        np.testing.assert_array_equal(rank, same)
