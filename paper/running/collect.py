"""The rows of a folder of results."""

from dataclasses import dataclass
from pathlib import Path

from paper.methods import METHODS
from paper.protocol import DATASETS, PRIOR_KINDS
from paper.running.raw import RUNS, BrokenFile, load_run
from paper.schema import Row, row_of


@dataclass(frozen=True)
class Collected:
    """All rows of a folder of results, in canonical order, and the files that were not whole."""

    rows: tuple[Row, ...]
    broken: tuple[str, ...]


def collect(results: Path) -> Collected:
    rows, broken = [], []
    for path in sorted((results / RUNS).glob("*/*/*/[!.]*.npz")):
        try:
            rows.append(row_of(load_run(path)))
        except BrokenFile as error:
            broken.append(str(error))
    return Collected(tuple(sorted(rows, key=_order)), tuple(broken))


_ORDERED = (*(name for names in DATASETS.values() for name in names), *METHODS, *PRIOR_KINDS)
_PLACES = {name: place for place, name in enumerate(_ORDERED)}


def _order(row: Row) -> tuple[object, ...]:
    return (
        row.suite,
        _PLACES[row.dataset],
        -row.labelled_share,
        row.repetition,
        _PLACES[row.method],
        _PLACES[row.prior_kind],
    )
