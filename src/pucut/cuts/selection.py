"""The partition that the prior chooses, and the number of neighbours."""

from collections.abc import Mapping

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cuts.two_stages import Partition, TwoStages, nested_cuts, partition_at

# The graph with the most neighbours is used whose partition is this close to the prior.
NEAR_THE_PRIOR = 0.02


def closest_partition(
    stages: TwoStages, prior: float, lambda_grid: FloatArray | None = None
) -> Partition:
    """Return the partition of either stage whose share of positives is closest to the prior.

    If several are equally close, stage 2 wins, which has more seeds, and then the smaller one.
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
    """Return the largest k with a partition within 2 % of the prior, else the closest one."""
    misses = {k: abs(found.positive_fraction - prior) for k, found in partitions.items()}
    near = [k for k, miss in misses.items() if miss <= NEAR_THE_PRIOR]
    return max(near) if near else min(misses, key=lambda k: (misses[k], -k))
