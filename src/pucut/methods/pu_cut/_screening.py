"""Spaces that are clearly worse than another one, as some of the rows show.

A search for neighbours, a kernel and cuts in every space are most of the cost of a large table, and
there all of them have no weight in a space whose neighbours say clearly less than those of another.
How near rows are to those of their class is a matter of the space and hardly of their number, so
some of the rows can tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.graphs.spaces import near_in
from pucut.judging.places import Place
from pucut.kernels.ridge import drawn
from pucut.methods.pu_cut._mixing import (
    CLEARLY_BEHIND,
    Candidate,
    behind_the_best,
    recall_error,
    shares_above,
)
from pucut.methods.pu_cut._near_scores import (
    SCORE_NEIGHBORS,
    neighbor_name,
    neighbor_score,
)
from pucut.methods.pu_cut._spaces import PossibleSpace, SpaceOfWorlds, space_of_worlds
from pucut.methods.pu_cut._worlds import LABELS_TO_TELL, Worlds

# Rows that tell, and how many there must be in all for that to pay.
ROWS_THAT_TELL, FEWEST_ROWS = 10_000, 20_000
# Of the hidden rows that are not among those, so many are asked for.
MOST_ASKED = 5_000
# How many of the spaces are usually tried, for estimates of time.
SHARE_TRIED = 0.5


@dataclass(frozen=True, eq=False)
class Screened:
    """Which of the spaces are tried, and what is said of the others."""

    is_tried: tuple[bool, ...]
    left_out: tuple[Candidate, ...]


def are_screened(n_rows: int, n_labelled: int, n_spaces: int) -> bool:
    """Whether the table is large, and a world hides enough rows to tell."""
    return n_rows >= FEWEST_ROWS and n_labelled >= LABELS_TO_TELL and n_spaces > 1


def screen_spaces(
    spaces: Sequence[PossibleSpace],
    points: Place,
    worlds: Worlds,
    random: np.random.RandomState,
    search: Mapping[str, Any],
) -> Screened:
    """Compares the hidden rows that neighbours find, row by row, in the first world.

    Neighbours are found among some of the rows, and other hidden rows ask for theirs too. Nothing
    is left out where labels are few.
    """
    names = [space.name for space in spaces]
    n_labelled = int(worlds.is_labelled.sum())
    if not (worlds.n_hidden and are_screened(points.shape[0], n_labelled, len(spaces))):
        return Screened((True,) * len(names), ())
    worlds = worlds.hiding_first()
    rows = np.sort(random.choice(points.shape[0], ROWS_THAT_TELL, replace=False))
    some, part = points.here(points.rows[rows]), worlds.of_rows(rows)
    others = np.setdiff1d(np.flatnonzero(worlds.is_hidden), rows)
    others = others[drawn(len(others), MOST_ASKED, random)]
    asked = points.rows[others]
    is_positive = ~np.append(part.is_negative[part.is_hidden], worlds.is_negative[others])
    found = []
    for each in spaces:
        space = space_of_worlds(
            each.name,
            [each.points_from(some)] * 2,
            [each.weights[0]] * 2,
            (SCORE_NEIGHBORS,),
            SCORE_NEIGHBORS,
            turned=each.turned,
            random_state=0,
            **search,
        )
        shares = _shares_found(space, part, space.points_of(None, asked))
        found.append(np.where(is_positive, shares, 1.0 - shares))
    behind = behind_the_best(np.array(found))
    is_tried = tuple((behind < CLEARLY_BEHIND).tolist())
    left_out = []
    for name, hits, is_kept in zip(names, found, is_tried, strict=True):
        if not is_kept:
            recall = float(hits[is_positive].mean())
            error = recall_error(recall, int(is_positive.sum()))
            why = f"clearly behind on {ROWS_THAT_TELL} rows, and its space not tried on all"
            left_out.append(Candidate(neighbor_name(name), "score", recall, error, 0.0, why))
    return Screened(is_tried, tuple(left_out))


def _shares_found(space: SpaceOfWorlds, part: Worlds, asked: Any) -> FloatArray:
    """Whether hidden rows are found: those among the rows of the space, and then others."""
    scores = neighbor_score(space, part).of_worlds[0]
    near = near_in(space.final, space.final.near(asked))
    values = np.append(scores[part.is_hidden], near.mean_of(part.targets[0]))
    is_unknown = ~part.is_known | part.is_hidden
    n_known = int((part.is_labelled & ~part.is_hidden).sum())
    n_wanted = min(part.n_positive - n_known, int(is_unknown.sum()))
    return shares_above(values, scores[is_unknown], n_wanted)
