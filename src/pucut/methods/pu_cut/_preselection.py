"""Pre-selection of spaces: those that are clearly worse than another one on some of the rows.

Spaces are most of the cost of a large table, and one whose neighbours say clearly less than those
of another ends without weight. How near rows are to those of their class depends on the space and
hardly on the number of rows, so some of the rows can tell.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from pucut.judging.folds import PUFolds
from pucut.judging.losses import shares_above
from pucut.judging.places import Place
from pucut.judging.scorers import SCORE_NEIGHBORS, neighbor_name, neighbor_score
from pucut.judging.spaces import SearchedSpace, Space, near_rows
from pucut.judging.weights import CLEARLY_BEHIND, Candidate, behind_the_best, left_out
from pucut.kernels.gaussian import drawn

# The number of rows that are searched.
ROWS_SEARCHED = 10_000
# The most hidden rows, besides those among the searched ones, whose neighbours are queried.
MOST_QUERIED = 5_000
# The share of the spaces that is usually kept, for estimates of time.
SHARE_KEPT = 0.5


def preselect(
    spaces: Sequence[Space],
    points: Place,
    folds: PUFolds,
    random: np.random.RandomState,
    search: Mapping[str, Any],
) -> tuple[list[Space], tuple[Candidate, ...]]:
    """Return the spaces that are kept, and the candidates left out.

    They are compared by the hidden rows of the first fold that neighbours recover. Neighbours are
    found among some of the rows; other hidden rows are queried too.
    """
    rows = np.sort(random.choice(points.shape[0], ROWS_SEARCHED, replace=False))
    some, part = points.here(points.rows[rows]), folds.of_rows(rows)
    others = np.setdiff1d(folds.hidden_rows[0], rows)
    others = others[drawn(len(others), MOST_QUERIED, random)]
    queried = points.rows[others]
    is_positive = ~np.append(part.is_negative[part.is_hidden], folds.is_negative[others])
    found = []
    for space in spaces:
        first = Space(space.name, (space.weights[0],) * 2, SCORE_NEIGHBORS, space.transform)
        searched = first.searched(
            space.transform.place(some), (SCORE_NEIGHBORS,), random_state=0, **search
        )
        shares = _shares_recovered(searched, part, space.transform.of(None, queried))
        found.append(np.where(is_positive, shares, 1.0 - shares))
    behind = behind_the_best(np.array(found))
    why = f"clearly behind on {ROWS_SEARCHED} rows, and its space not tried on all"
    is_kept = behind < CLEARLY_BEHIND
    dropped = [
        left_out(neighbor_name(space.name), hits, is_positive, why)
        for space, hits, kept in zip(spaces, found, is_kept, strict=True)
        if not kept
    ]
    return list(compress(spaces, is_kept)), tuple(dropped)


def _shares_recovered(space: SearchedSpace, part: PUFolds, queried: Any) -> Any:
    """Return whether hidden rows are predicted positive: those among the searched, then others."""
    scores = neighbor_score(space, part).in_folds[0]
    near = near_rows(space.final, queried)
    values = np.append(scores[part.is_hidden], near.mean_of(part.targets[0]))
    is_unknown = ~part.is_known | part.is_hidden
    n_labelled = int((part.is_labelled & ~part.is_hidden).sum())
    n_wanted = min(part.n_positive - n_labelled, int(is_unknown.sum()))
    return shares_above(values, scores[is_unknown], n_wanted)
