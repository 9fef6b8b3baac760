"""Rows by setting: the scores of a method on a dataset."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paper.datasets import FAMILIES, REAL_NAMES
from paper.protocol import PAPER_SHARE, SMALL_SHARE
from paper.schema import Row
from paper.showing.contenders import Contender
from paper.showing.statistics import Summary, summarise


@dataclass(frozen=True)
class Setting:
    """The setting that runs share in one table."""

    suite: str
    labelled_share: float
    prior_kind: str

    def holds(self, run: Row) -> bool:
        return (run.suite, run.labelled_share, run.prior_kind) == (
            self.suite,
            self.labelled_share,
            self.prior_kind,
        )


REAL_60 = Setting("real", PAPER_SHARE, "true")
REAL_60_ESTIMATED = Setting("real", PAPER_SHARE, "estimated")
REAL_10 = Setting("real", SMALL_SHARE, "true")
REAL_10_ESTIMATED = Setting("real", SMALL_SHARE, "estimated")
SYNTHETIC = Setting("synthetic", PAPER_SHARE, "true")
SYNTHETIC_FAMILIES = {family: Setting(family, PAPER_SHARE, "true") for family in FAMILIES}
SYNTHETIC_ESTIMATED = Setting("synthetic", PAPER_SHARE, "estimated")


class Results:
    """The runs of one setting, by dataset, method and repetition."""

    def __init__(self, runs: Iterable[Row], setting: Setting) -> None:
        self.setting = setting
        self._runs: dict[str, dict[str, dict[int, Row]]] = {}
        for run in runs:
            if setting.holds(run):
                by_method = self._runs.setdefault(run.dataset, {})
                by_method.setdefault(run.method, {})[run.repetition] = run

    @property
    def datasets(self) -> tuple[str, ...]:
        """The datasets with runs: real ones in the order of the paper, others by name."""
        order = {name: place for place, name in enumerate(REAL_NAMES)}
        return tuple(sorted(self._runs, key=lambda name: (order.get(name, -1), name)))

    def runs(self, dataset: str, method: str) -> dict[int, Row]:
        return self._runs.get(dataset, {}).get(method, {})

    def all_runs(self) -> tuple[Row, ...]:
        return tuple(
            run
            for by_method in self._runs.values()
            for by_repetition in by_method.values()
            for run in by_repetition.values()
        )

    def scores(self, dataset: str, contender: Contender, metric: str) -> dict[int, float]:
        """In percent, by repetition."""
        runs = self.runs(dataset, contender.method)
        found = {number: run.score(metric, contender.rule) for number, run in runs.items()}
        return {
            number: 100.0 * score for number, score in sorted(found.items()) if score is not None
        }

    def summary(self, dataset: str, contender: Contender, metric: str) -> Summary | None:
        scores = self.scores(dataset, contender, metric)
        return summarise(list(scores.values())) if scores else None

    def best(
        self, dataset: str, contenders: Sequence[Contender], metric: str
    ) -> tuple[Contender, Summary] | None:
        """The contender of the highest mean; the first of equal ones."""
        found = [
            (contender, summary)
            for contender in contenders
            if (summary := self.summary(dataset, contender, metric)) is not None
        ]
        return max(found, key=lambda pair: pair[1].mean) if found else None


@dataclass(frozen=True)
class Pairs:
    """Scores of two contenders on the same repetitions."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def difference(self) -> Summary | None:
        """Mean of first minus second, with its paired standard error."""
        both = list(zip(self.first, self.second, strict=True))
        return summarise([one - other for one, other in both]) if both else None


def pair_up(first: dict[int, float], second: dict[int, float]) -> Pairs:
    common = sorted(first.keys() & second.keys())
    return Pairs(tuple(first[n] for n in common), tuple(second[n] for n in common))
