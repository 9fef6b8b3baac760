"""What the prior decides: how many rows are positive, the score that parts them, the partition."""

import math
from collections.abc import Mapping

import numpy as np

from pucut._checks import BoolArray, FloatArray
from pucut.partitions import Partition, TwoStages, nested_cuts, partition_at
from pucut.pu_labels import PULabels


def threshold_for_share(scores: FloatArray, share: float) -> float:
    """The score above which this share of the rows lies, to the nearest whole number of rows.

    Where equal scores keep it from being met, the nearest share that can be met is taken, the
    smaller one of two that are equally near. It lies halfway between the scores that it parts.
    """
    falling = np.sort(scores)[::-1]
    n_rows = len(falling)
    wanted = math.floor(share * n_rows + 0.5)
    # A cut after the first `count` rows parts them only where the score falls there.
    counts = np.concatenate(([0], np.flatnonzero(falling[1:] < falling[:-1]) + 1, [n_rows]))
    count = int(counts[np.argmin(np.abs(counts - wanted))])
    if count == 0:
        return float(falling[0])
    if count == n_rows:
        return float(np.nextafter(falling[-1], -np.inf))
    above, below = float(falling[count - 1]), float(falling[count])
    middle = below + (above - below) / 2.0
    return middle if middle < above else below


def positives_by_prior(scores: FloatArray, labels: PULabels, prior: float) -> BoolArray:
    """The rows of `fit` that are positive: the labelled, and the best of the others.

    So many of the others that the share of positives among all rows is the prior.
    """
    positive = labels.is_labelled.copy()
    others = ~positive
    share = (prior * labels.n_samples - labels.n_labelled) / np.count_nonzero(others)
    positive[others] = scores[others] > threshold_for_share(scores[others], share)
    return positive


# Of several graphs the one with most neighbours is taken whose partition is this near to the prior.
NEAR_THE_PRIOR = 0.02


def closest_partition(
    stages: TwoStages, prior: float, lambda_grid: FloatArray | None = None
) -> Partition:
    """Of all partitions of both stages the one whose share of positives is closest to the prior.

    Of equally close ones that of stage 2, which knows more, and then the smaller one.
    """
    n_samples = len(stages.level)
    smallest_miss = np.inf
    for stage, level in ((2, stages.level), (1, stages.ranking.level)):
        cuts = nested_cuts(stages, stage, lambda_grid)
        if not len(cuts):
            continue
        rising = np.sort(level)
        sizes = n_samples - np.searchsorted(rising, cuts, side="left")
        misses = np.abs(sizes - prior * n_samples)
        place = int(np.argmin(misses))
        if misses[place] < smallest_miss:
            smallest_miss = float(misses[place])
            chosen = (stage, float(cuts[place]))
    return partition_at(stages, *chosen)


def choose_n_neighbors(partitions: Mapping[int, Partition], prior: float) -> int:
    """The largest k whose partition is within 2 % of the prior, else the k that comes closest."""
    misses = {k: abs(found.positive_fraction - prior) for k, found in partitions.items()}
    near = [k for k, miss in misses.items() if miss <= NEAR_THE_PRIOR]
    return max(near) if near else min(misses, key=lambda k: (misses[k], -k))
