"""Extra trees of the labelled rows.

They are scikit-learn's, grown and asked one by one: with few labels most of the time of its forests
goes into checking and copying.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.tree import ExtraTreeClassifier

from pucut._support.checks import FloatArray, is_sparse
from pucut._support.threads import in_threads
from pucut.data.row_order import IndexArray as Codes

# Trees whose answers are added up by one thread; the sum of all does not depend on the threads.
_TREES_OF_A_JOB = 5


@dataclass(frozen=True, eq=False)
class ClassTrees:
    """Trees that know every class."""

    trees: tuple[ExtraTreeClassifier, ...]
    n_threads: int

    def of(self, points: Any) -> FloatArray:
        """Return the mean of their probabilities."""
        rows = _for_trees(points)

        def total(trees: Sequence[ExtraTreeClassifier]) -> Any:
            return sum(tree.predict_proba(rows, check_input=False) for tree in trees)

        starts = range(0, len(self.trees), _TREES_OF_A_JOB)
        jobs = [self.trees[start : start + _TREES_OF_A_JOB] for start in starts]
        return np.asarray(sum(in_threads(total, jobs, self.n_threads)) / len(self.trees))

    @property
    def importances(self) -> FloatArray:
        """Mean importances of the features over the trees."""
        return np.asarray(np.mean([tree.feature_importances_ for tree in self.trees], axis=0))


def grow_class_trees(
    points: Any, codes: Codes, n_trees: int, random: np.random.RandomState, n_threads: int
) -> ClassTrees:
    """Grow trees of the rows whose code is not negative; every class has to be among them."""
    known = np.flatnonzero(codes >= 0)
    rows, classes = points[known], codes[known].astype(np.float64)
    rows = rows.astype(np.float32).tocsc() if is_sparse(rows) else _for_trees(rows)
    if is_sparse(rows):
        rows.sort_indices()

    def grown(seed: int) -> ExtraTreeClassifier:
        # Checks of parameters that are all defaults take a fifth of the time.
        with config_context(skip_parameter_validation=True):
            return ExtraTreeClassifier(random_state=seed).fit(rows, classes, check_input=False)

    seeds = random.randint(np.iinfo(np.int32).max, size=n_trees).tolist()
    return ClassTrees(tuple(in_threads(grown, seeds, n_threads)), n_threads)


def _for_trees(points: Any) -> Any:
    """In single precision, which is how scikit-learn's trees read them."""
    if is_sparse(points):
        return points.astype(np.float32)
    return np.ascontiguousarray(points, dtype=np.float32)
