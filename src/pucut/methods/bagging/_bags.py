"""Models of random samples of the rows, and their scores of the rows they did not see."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut.data.labels import PULabels
from pucut.data.repeats import numbered
from pucut.data.row_order import IndexArray

Rows = npt.NDArray[np.intp]
Score = Callable[[Any, Any], FloatArray]

# The share of positives that each bag leaves out in turn, if they are not drawn.
_PARTS = 5


def bootstrap_bags(
    labels: PULabels,
    n_bags: int,
    n_labelled: int,
    n_unlabelled: int,
    random: np.random.RandomState,
) -> Iterator[Rows]:
    """Both kinds of rows are drawn with replacement (Claesen et al. 2015)."""
    labelled = np.flatnonzero(labels.is_labelled)
    for _ in range(n_bags):
        yield np.concatenate(
            [random.choice(labelled, n_labelled), _drawn_others(labels, n_unlabelled, random)]
        )


def positives_against_bags(
    labels: PULabels,
    n_bags: int,
    n_labelled: int,
    n_unlabelled: int,
    random: np.random.RandomState,
    groups: IndexArray,
) -> Iterator[Rows]:
    """Unlabelled rows are drawn with replacement, labelled rows kept (Mordelet and Vert 2014).

    All but a fifth of the latter, a different fifth in each bag, at most `n_labelled` of them. Rows
    of a group (`data.repeats`) are left out together.
    """
    labelled = np.flatnonzero(labels.is_labelled)
    group_of_labelled = numbered(groups[labelled])
    n_groups = int(group_of_labelled.max()) + 1
    n_parts = min(_PARTS, n_groups)
    part = (random.permutation(n_groups) % n_parts)[group_of_labelled]
    for bag in range(n_bags):
        there = labelled[part != bag % n_parts] if n_parts > 1 else labelled
        there = random.permutation(there)[:n_labelled]
        yield np.concatenate([there, _drawn_others(labels, n_unlabelled, random)])


def _drawn_others(labels: PULabels, n_rows: int, random: np.random.RandomState) -> Rows:
    """Unlabelled rows, and known negatives, as many as there are but at most half of the rows."""
    n_known = min(labels.n_negative, n_rows // 2)
    drawn: Rows = random.choice(np.flatnonzero(labels.is_unlabelled), n_rows - n_known)
    if not n_known:
        return drawn
    known = random.choice(np.flatnonzero(labels.is_negative), n_known)
    return np.concatenate([drawn, known])


def out_of_bag_scores(
    models: Sequence[Any], bags: Sequence[Rows], points: Any, score: Score, groups: IndexArray
) -> FloatArray:
    """The mean over the models that saw no row of the row's group; over all if each one did."""
    n_rows = points.shape[0]
    total, of_unseen, n_unseen = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    for model, bag in zip(models, bags, strict=True):
        scores = score(model, points)
        is_seen = np.zeros(n_rows, dtype=np.bool_)
        is_seen[groups[bag]] = True
        unseen = ~is_seen[groups]
        total += scores
        of_unseen[unseen] += scores[unseen]
        n_unseen += unseen
    return np.where(n_unseen > 0, of_unseen / np.maximum(n_unseen, 1), total / len(models))


def mean_over_models(models: Sequence[Any], points: Any, score: Score) -> FloatArray:
    total = np.zeros(points.shape[0])
    for model in models:
        total += score(model, points)
    return total / len(models)
