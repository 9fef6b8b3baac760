"""Two ways to look at the columns: as they are, and those of few values as categories.

Nothing in numbers such as 1, 2 and 3 says whether their order means something. So where a table may
hold codes (`pucut.data.coded_categories`), learners and spaces are made of both, in every world.
The second way takes part if it finds clearly more hidden rows: on most tables its learners are as
good as those of the first or a little worse, and would only weaken the mixture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from pucut._support.checks import FloatArray
from pucut.data.coded_categories import COLUMNS_AS_CATEGORIES, CodedCategories
from pucut.judging.places import Place
from pucut.methods.pu_cut._mixing import Candidate, is_ahead, recall_error
from pucut.methods.pu_cut._scores import BaseScore, OfCategories, UnfinishedScore
from pucut.methods.pu_cut._worlds import Worlds

# Standard errors of the paired difference in hidden rows found.
_CLEARLY_MORE = 1.0
_FEWEST_THAT_JUDGE = 2

Score = BaseScore | UnfinishedScore


def name_as_categories(of_plain: str) -> str:
    return f"{of_plain}, {COLUMNS_AS_CATEGORIES}"


@dataclass(frozen=True, eq=False)
class View:
    """The points of the rows; `categories` made them, None if they are those of the table."""

    points: Place
    categories: CodedCategories | None = None

    def name(self, of_plain: str) -> str:
        """Of a learner or space that is called `of_plain` where columns are as they are."""
        return of_plain if self.categories is None else name_as_categories(of_plain)

    @overload
    def score(self, of_points: BaseScore) -> BaseScore: ...
    @overload
    def score(self, of_points: Score) -> Score: ...
    def score(self, of_points: Score) -> Score:
        """A score that was learned from the points of the view, with its name and new rows."""
        if self.categories is None:
            return of_points
        name = self.name(of_points.name)
        if isinstance(of_points, BaseScore):
            return replace(of_points, name=name, of=OfCategories(self.categories, of_points.of))
        finish = of_points.finish
        return UnfinishedScore(name, of_points.of_worlds, lambda: self.score(finish()))


def views_of(points: Place, categories: CodedCategories | None, worlds: Worlds) -> list[View]:
    """The table as it is and, if it has codes and hidden rows to judge, as categories."""
    plain = View(points)
    # A single one, or copies of it, would have no standard error.
    if categories is None or int(worlds.is_hidden_positive.sum()) < _FEWEST_THAT_JUDGE:
        return [plain]
    return [plain, View(points.coded(categories), categories)]


def why_left_out(scores_of_views: Sequence[Sequence[Score]], worlds: Worlds) -> Candidate | None:
    """What is said of the second view if it takes no part; None if it does.

    The best scores of both are compared, which are asked for the same hidden rows.
    """
    best, best_coded = (_found_by_best(scores, worlds) for scores in scores_of_views)
    if is_ahead(best_coded, best, _CLEARLY_MORE):
        return None
    is_positive = worlds.is_hidden_positive
    recall = float(best_coded[is_positive].mean())
    why = "its best score does not find clearly more than that of the columns as they are"
    error = recall_error(recall, int(is_positive.sum()))
    return Candidate(COLUMNS_AS_CATEGORIES, "score", recall, error, 0.0, why)


def _found_by_best(scores: Sequence[Score], worlds: Worlds) -> FloatArray:
    found = np.array([worlds.found(score.of_worlds) for score in scores])
    best: FloatArray = found[found.mean(axis=1).argmax()]
    return best
