"""Tables of the synthetic datasets: improvements over the others, also by parameter."""

from collections.abc import Callable, Sequence

from paper.datasets import SYNTHETIC
from paper.datasets.synthetic import PARAMETER_TITLES
from paper.schema import METRIC_TITLES
from paper.showing.contenders import BENCHMARKS, OTHERS, PUCUT, TWO_HNC, Contender
from paper.showing.published import Published
from paper.showing.results import Results, pair_up
from paper.showing.statistics import (
    Floats,
    Improvement,
    improvements,
    summarise_improvements,
)
from paper.showing.tables import Cell, Column, Table


def all_improvements(
    results: Results,
    ours: Contender,
    other: Contender,
    metric: str,
    wanted: Callable[[str], bool] = lambda dataset: True,
) -> Floats:
    """In percent, one for each dataset that both have; every repetition is a dataset."""
    first: list[float] = []
    second: list[float] = []
    for dataset in results.datasets:
        if wanted(dataset):
            pairs = pair_up(
                results.scores(dataset, ours, metric), results.scores(dataset, other, metric)
            )
            first += pairs.first
            second += pairs.second
    return improvements(first, second)


def _summary(values: Floats) -> Improvement | None:
    return summarise_improvements(values) if values.size else None


def _cells(found: Improvement | None) -> tuple[Cell, ...]:
    if found is None:
        return (Cell(0, digits=0), *(Cell(None),) * 3)
    return (
        Cell(found.n, digits=0),
        Cell(found.average, found.standard_deviation, signed=True),
        Cell(found.share_improved),
        Cell(found.share_tied),
    )


_IMPROVEMENT_TITLES = ("datasets", "average (s.d.)", "improved (%)", "tied (%)")
_IMPROVEMENT_NOTE = (
    "Improvement on a dataset: (ours / other − 1) × 100 %. Average with standard deviation over "
    "datasets; improved: share of datasets above 0, strictly, as in the paper; tied: exactly 0."
)


def improvement_beside_paper(
    results: Results, published: Published, metric: str, name: str
) -> Table:
    rows = []
    for other in BENCHMARKS:
        found = _summary(all_improvements(results, TWO_HNC, other, metric))
        theirs = published.improvements[metric, other.method]
        rows.append(
            (
                Cell(f"{TWO_HNC.title} vs {other.title}"),
                *_cells(found),
                Cell(theirs.average, theirs.standard_deviation, signed=True),
                Cell(theirs.share_improved),
                Cell(None if found is None else found.average - theirs.average, signed=True),
                Cell(
                    None if found is None else found.share_improved - theirs.share_improved,
                    signed=True,
                ),
            )
        )
    columns = (
        Column("Comparison"),
        *(Column(title, "ours") for title in _IMPROVEMENT_TITLES),
        *(Column(title, "paper, 2160 datasets") for title in _IMPROVEMENT_TITLES[1:3]),
        Column("average", "ours minus paper"),
        Column("improved", "ours minus paper"),
    )
    title = f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of 2-HNC"
    notes = (_IMPROVEMENT_NOTE, "Own rules throughout, true prior.")
    return Table(name, title, columns, tuple(rows), notes)


def improvement_of_pucut(results: Results, metric: str, name: str) -> Table:
    rows = tuple(
        (
            Cell(f"vs {other.title}"),
            *_cells(_summary(all_improvements(results, PUCUT, other, metric))),
        )
        for other in OTHERS
    )
    columns = (Column("pucut"), *(Column(title) for title in _IMPROVEMENT_TITLES))
    title = f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of pucut"
    notes = (_IMPROVEMENT_NOTE, "prior: the other is given the prior and cuts its ranking there.")
    return Table(name, title, columns, rows, notes)


def improvement_by_parameter(results: Results, metric: str, name: str) -> Table:
    """Of pucut over nnPU, by both of its rules."""
    others = (Contender("nnpu", "own"), Contender("nnpu", "prior"))
    values: dict[str, set[str]] = {parameter: set() for parameter in PARAMETER_TITLES}
    for dataset in results.datasets:
        for parameter, value in SYNTHETIC[dataset].parameters.items():
            values[parameter].add(value)
    rows = []
    for parameter, title in PARAMETER_TITLES.items():
        for value in _in_order(values[parameter]):

            def has_value(dataset: str, parameter: str = parameter, value: str = value) -> bool:
                return SYNTHETIC[dataset].parameters[parameter] == value

            row = [Cell(title), Cell(value)]
            for other in others:
                found = _summary(all_improvements(results, PUCUT, other, metric, has_value))
                row += _cells(found)
            rows.append(tuple(row))
    columns = (
        Column("Parameter"),
        Column("value"),
        *(Column(title, f"vs {other.title}") for other in others for title in _IMPROVEMENT_TITLES),
    )
    title = (
        f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of pucut over nnPU, "
        "by parameter"
    )
    return Table(name, title, columns, tuple(rows), (_IMPROVEMENT_NOTE,))


def _in_order(values: set[str]) -> Sequence[str]:
    if values <= {"true", "false"}:
        return sorted(values, reverse=True)
    return sorted(values, key=float)
