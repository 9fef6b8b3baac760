"""Tables of the synthetic datasets: improvements over the others, by parameter and by family."""

from collections.abc import Callable, Mapping, Sequence

from paper.datasets import FAMILIES, SYNTHETIC
from paper.datasets.synthetic import PARAMETER_TITLES
from paper.methods import METHODS, with_role
from paper.schema import METRIC_TITLES, METRICS
from paper.showing.contenders import BENCHMARKS, OTHERS, PUCUT, TWO_HNC, Contender
from paper.showing.figures import Series
from paper.showing.published import Published
from paper.showing.results import Results, pair_up
from paper.showing.statistics import (
    Floats,
    Improvement,
    Summary,
    improvements,
    summarise,
    summarise_improvements,
)
from paper.showing.tables import Cell, Column, Table

# A dataset: the name of its configuration and its number.
Place = tuple[str, int]


def all_improvements(
    results: Results,
    ours: Contender,
    other: Contender,
    metric: str,
    wanted: Callable[[Place], bool] = lambda place: True,
) -> Floats:
    """In percent, one for each dataset that both have; every repetition is a dataset."""
    first: list[float] = []
    second: list[float] = []
    for dataset in results.datasets:
        pairs = pair_up(
            _wanted(results.scores(dataset, ours, metric), dataset, wanted),
            _wanted(results.scores(dataset, other, metric), dataset, wanted),
        )
        first += pairs.first
        second += pairs.second
    return improvements(first, second)


def _wanted(
    scores: dict[int, float], dataset: str, wanted: Callable[[Place], bool]
) -> dict[int, float]:
    return {number: score for number, score in scores.items() if wanted((dataset, number))}


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
    title = f"{_where(results)}: improvement in {METRIC_TITLES[metric]} of 2-HNC"
    notes = (_IMPROVEMENT_NOTE, "Own rules throughout, true prior.")
    return Table(name, title, columns, tuple(rows), notes)


def _where(results: Results) -> str:
    return f"Synthetic datasets, {FAMILIES[results.setting.suite].title}"


def improvement_of_pucut(results: Results, metric: str, name: str) -> Table:
    rows = tuple(
        (
            Cell(f"vs {other.title}"),
            *_cells(_summary(all_improvements(results, PUCUT, other, metric))),
        )
        for other in OTHERS
    )
    columns = (Column("pucut"), *(Column(title) for title in _IMPROVEMENT_TITLES))
    title = f"{_where(results)}: improvement in {METRIC_TITLES[metric]} of pucut"
    notes = (_IMPROVEMENT_NOTE, "prior: the other is given the prior and cuts its ranking there.")
    return Table(name, title, columns, rows, notes)


def improvement_by_parameter(
    results: Results,
    ours: Contender,
    others: Sequence[Contender],
    metric: str,
    name: str,
    parameters: Sequence[str] = tuple(PARAMETER_TITLES),
) -> Table:
    """A row for each value of each parameter that has runs."""
    values: dict[str, set[str]] = {parameter: set() for parameter in parameters}
    for dataset in results.datasets:
        for parameter in parameters:
            values[parameter].add(SYNTHETIC[dataset].parameters[parameter])
    rows = []
    for parameter in parameters:
        for value in _in_order(values[parameter]):

            def has_value(place: Place, parameter: str = parameter, value: str = value) -> bool:
                return SYNTHETIC[place[0]].parameters[parameter] == value

            row = [Cell(PARAMETER_TITLES[parameter]), Cell(value)]
            for other in others:
                found = _summary(all_improvements(results, ours, other, metric, has_value))
                row += _cells(found)
            rows.append(tuple(row))
    columns = (
        Column("Parameter"),
        Column("value"),
        *(Column(title, f"vs {other.title}") for other in others for title in _IMPROVEMENT_TITLES),
    )
    title = (
        f"{_where(results)}: improvement in {METRIC_TITLES[metric]} of {ours.title}, by parameter"
    )
    return Table(name, title, columns, tuple(rows), (_IMPROVEMENT_NOTE,))


def _in_order(values: set[str]) -> Sequence[str]:
    if values <= {"true", "false"}:
        return sorted(values, reverse=True)
    return sorted(values, key=float)


# From few informative features to all of them.
_BY_INFORMATIVE = tuple(FAMILIES)[::-1]


def _common(families: Mapping[str, Results], methods: Sequence[str]) -> set[Place]:
    """The datasets that every family has with every method."""
    having = [
        {(dataset, number) for dataset in found.datasets for number in found.runs(dataset, method)}
        for found in families.values()
        for method in methods
    ]
    return set.intersection(*having)


_COMPARED_BY_FAMILY = tuple(one.method for one in (*BENCHMARKS, TWO_HNC))


def improvement_by_family(families: Mapping[str, Results], metric: str, name: str) -> Table:
    """Improvement of 2-HNC by the number of informative features; the same datasets."""
    common = _common(families, _COMPARED_BY_FAMILY)
    rows = []
    for family in _BY_INFORMATIVE:
        row = [Cell(FAMILIES[family].how_many)]
        for other in BENCHMARKS:
            values = all_improvements(
                families[family], TWO_HNC, other, metric, lambda place: place in common
            )
            row += _cells(_summary(values))[1:3]
        rows.append(tuple(row))
    columns = (
        Column("Informative features"),
        *(
            Column(title, f"vs {other.title}")
            for other in BENCHMARKS
            for title in _IMPROVEMENT_TITLES[1:3]
        ),
    )
    title = (
        f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of 2-HNC, by the number of "
        "informative features"
    )
    notes = (
        f"{len(common)} datasets with each number, from as many configurations. Of five features, "
        "half and all but two are three as well.",
        _IMPROVEMENT_NOTE,
    )
    return Table(name, title, columns, tuple(rows), notes)


def family_series(
    families: Mapping[str, Results], published: Published, metric: str
) -> tuple[tuple[str, ...], list[Series]]:
    """Ticks and points of the same numbers, with standard errors; the paper's beside all."""
    common = _common(families, _COMPARED_BY_FAMILY)
    series = []
    for other in BENCHMARKS:
        ours: list[Summary | None] = []
        for family in _BY_INFORMATIVE:
            values = all_improvements(
                families[family], TWO_HNC, other, metric, lambda place: place in common
            )
            ours.append(summarise(values.tolist()) if values.size else None)
        theirs = published.improvements[metric, other.method].average
        paper = [*(None,) * (len(ours) - 1), Summary(theirs, None, 2160)]
        series.append(Series(f"2-HNC vs {other.title}", ours, paper))
    return tuple(FAMILIES[family].how_many for family in _BY_INFORMATIVE), series


# The benchmarks of which there are variants.
WITH_VARIANTS = tuple(
    key
    for key in with_role("benchmark")
    if any(METHODS[variant].variant_of == key for variant in with_role("variant"))
)


def trained_differently(benchmark: str) -> tuple[str, ...]:
    """The benchmark as it is in all tables, and its variants."""
    variants = (key for key in with_role("variant") if METHODS[key].variant_of == benchmark)
    return (benchmark, *variants)


def networks_beside_paper(results: Results, published: Published, name: str) -> Table:
    """2-HNC against networks that were trained differently."""
    rows = []
    for benchmark in WITH_VARIANTS:
        for key in trained_differently(benchmark):
            found = [
                _summary(all_improvements(results, TWO_HNC, Contender(key, "own"), metric))
                for metric in METRICS
            ]
            cells = [cell for one in found for cell in _cells(one)[1:3]]
            rows.append((Cell(f"vs {METHODS[key].title}"), _cells(found[0])[0], *cells))
        theirs = [published.improvements[metric, benchmark] for metric in METRICS]
        cells = [
            cell
            for one in theirs
            for cell in (
                Cell(one.average, one.standard_deviation, signed=True),
                Cell(one.share_improved),
            )
        ]
        title = f"vs {METHODS[benchmark].title}, the paper"
        rows.append((Cell(title), Cell(2160, digits=0), *cells))
    columns = (
        Column("2-HNC"),
        Column("datasets"),
        *(
            Column(title, METRIC_TITLES[metric])
            for metric in METRICS
            for title in _IMPROVEMENT_TITLES[1:3]
        ),
    )
    title = f"{_where(results)}: improvement of 2-HNC over networks that were trained differently"
    notes = (
        _IMPROVEMENT_NOTE,
        "Own rules throughout, true prior. Variants have runs on one dataset of each configuration "
        "or of some of them.",
    )
    return Table(name, title, columns, tuple(rows), notes)
