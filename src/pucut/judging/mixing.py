"""Mixtures of scores, weighted by what each recovers of the hidden labels.

Weights are cross-fitted too: no fold is mixed by the labels that it hides. Only the scores with
weight learn from all labels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pucut._support.checks import BoolArray, FloatArray
from pucut.judging.folds import LabelFolds, PUFolds
from pucut.judging.losses import rank_among
from pucut.judging.scorers import FinalFit, Score
from pucut.judging.spaces import IDENTITY, NewRows, SearchedSpace, Transform
from pucut.judging.weights import Candidate, compared, loss_weights, recall_weights, weighted_sum


def needed_transforms(
    parts: Sequence[FinalFit], spaces: Sequence[SearchedSpace]
) -> list[Transform]:
    """Return the transforms whose points predictors and searches of new rows need, each once."""
    used = [part.predictor.transform for part in parts] + [one.transform for one in spaces]
    return list({each.key: each for each in (IDENTITY, *used) if each is not None}.values())


Weights = Callable[[FloatArray], FloatArray]


def fold_weights(losses: FloatArray, weigh: Weights, folds: LabelFolds) -> list[FloatArray]:
    """Return the weights of candidates (rows) in each fold and, last, in the final fit."""
    return [weigh(losses[:, folds.may_judge(k)]) for k in range(folds.n_folds + 1)]


@dataclass(frozen=True, eq=False)
class RankMixture:
    """Scores mixed by rank, for new rows.

    New rows are ranked among the unlabelled training rows: `part_references` are the out-of-sample
    scores of these by each part, ascending, and `reference` their mixed ranks.
    """

    parts: tuple[FinalFit, ...]
    weights: FloatArray
    part_references: tuple[FloatArray, ...]
    reference: FloatArray

    def __call__(self, rows: NewRows) -> FloatArray:
        """Return the rank of new rows among the unlabelled training rows."""
        found = [
            rank_among(part.predictor(rows), reference)
            for part, reference in zip(self.parts, self.part_references, strict=True)
        ]
        return rank_among(weighted_sum(self.weights, found), self.reference)

    def for_answers(self) -> "RankMixture":
        return replace(self, parts=tuple(part.for_answers() for part in self.parts))


@dataclass(frozen=True, eq=False)
class MixedRanks:
    """A mixture of scores, the rank of each row in it fold by fold, and the candidates."""

    mixture: RankMixture
    ranks: tuple[FloatArray, ...]
    candidates: tuple[Candidate, ...]


def mix_ranks(scores: Sequence[Score], folds: PUFolds) -> MixedRanks:
    """Mix scores of positive and unlabelled rows, which have no common scale, by their ranks."""
    recovered = np.array([folds.recovered(score.in_folds) for score in scores])
    in_folds = []
    for k, of_fold in enumerate(fold_weights(recovered, recall_weights, folds)[:-1]):
        others = np.asarray(folds.labels[k] < 0)
        total = _mixed([score.in_folds[k] for score in scores], of_fold, others)
        in_folds.append(rank_among(total, np.sort(total[others])))
    weights, names = recall_weights(recovered), [score.name for score in scores]
    candidates = compared(names, "score", recovered, weights, folds.is_positive_judge)
    used = [place for place, weight in enumerate(weights) if weight > 0.0]
    parts = [scores[place].fitted() for place in used]
    weights, others = weights[used], ~folds.is_known
    total = _mixed([part.scores for part in parts], weights, others)
    in_folds.append(rank_among(total, np.sort(total[others])))
    unseen = [part.reference for part in parts]
    mixture = RankMixture(
        tuple(parts),
        weights,
        tuple(np.sort(each[others]) for each in unseen),
        np.sort(_mixed(unseen, weights, others)[others]),
    )
    return MixedRanks(mixture, tuple(in_folds), tuple(candidates))


def _mixed(scores: Sequence[FloatArray], weights: FloatArray, others: BoolArray) -> FloatArray:
    """Mix the ranks among the unlabelled rows, which new rows are like."""
    in_ranks = [
        rank_among(score, np.sort(score[others])) if weight > 0.0 else score
        for score, weight in zip(scores, weights, strict=True)
    ]
    return weighted_sum(weights, in_ranks)


@dataclass(frozen=True, eq=False)
class ProbabilityMixture:
    """Probabilities of classes mixed by weights that sum to 1, for new rows."""

    parts: tuple[FinalFit, ...]
    weights: FloatArray

    def __call__(self, rows: NewRows) -> FloatArray:
        return _mean([part.predictor(rows) for part in self.parts], self.weights)


@dataclass(frozen=True, eq=False)
class MixedProbabilities:
    """A mixture, the probabilities of the rows fold by fold, and the weight of every score."""

    mixture: ProbabilityMixture
    in_folds: tuple[FloatArray, ...]
    weights: dict[str, float]


def mix_probabilities(scores: Sequence[Score], folds: LabelFolds) -> MixedProbabilities:
    """Mix probabilities of classes by their squared errors on hidden labels."""
    losses = np.array([folds.losses(score.in_folds) for score in scores])
    weights = fold_weights(losses, loss_weights, folds)
    finals = [score.fitted() for score in scores]
    found = [[*score.in_folds, final.scores] for score, final in zip(scores, finals, strict=True)]
    in_folds = [
        _mean([of_score[k] for of_score in found], of_fold) for k, of_fold in enumerate(weights)
    ]
    used = [place for place, weight in enumerate(weights[-1]) if weight > 0.0]
    return MixedProbabilities(
        ProbabilityMixture(tuple(finals[place].for_answers() for place in used), weights[-1][used]),
        tuple(in_folds),
        {score.name: float(weight) for score, weight in zip(scores, weights[-1], strict=True)},
    )


def _mean(found: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    mixed: FloatArray = np.tensordot(weights, np.asarray(found), axes=1)
    return mixed
