"""Tables of the synthetic datasets: improvements over the others, also by parameter."""

from collections.abc import Callable, Iterator, Sequence

from paper.showing.names import (
    BENCHMARKS,
    DEFAULT,
    METHOD_TITLES,
    METRIC_TITLES,
    METRICS,
    OTHERS,
    PAPER_PRESET,
    PARAMETERS,
    Contender,
    read_configuration,
)
from paper.showing.published import Published
from paper.showing.results import Results, pair_up
from paper.showing.statistics import (
    Floats,
    Improvement,
    improvements,
    summarise,
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
    for method in BENCHMARKS:
        other = Contender(method, "own")
        found = _summary(all_improvements(results, PAPER_PRESET, other, metric))
        theirs = published.improvements[metric, method]
        rows.append(
            (
                Cell(f"2-HNC vs {METHOD_TITLES[method]}"),
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
    title = f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of 2-HNC (paper preset)"
    notes = (_IMPROVEMENT_NOTE, "Own rules throughout, true prior.")
    return Table(name, title, columns, tuple(rows), notes)


def improvement_of_default(results: Results, metric: str, name: str) -> Table:
    rows = tuple(
        (
            Cell(f"vs {other.title}"),
            *_cells(_summary(all_improvements(results, DEFAULT, other, metric))),
        )
        for other in OTHERS
    )
    columns = (Column("2-HNC (default)"), *(Column(title) for title in _IMPROVEMENT_TITLES))
    title = f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of 2-HNC (default)"
    notes = (_IMPROVEMENT_NOTE, "prior: the other is given the prior and cuts its ranking there.")
    return Table(name, title, columns, rows, notes)


def loss_by_estimate(true: Results, estimated: Results, name: str) -> Table:
    """Points that each method loses on average when its prior is estimated."""
    rows = []
    for contender in (*OTHERS, DEFAULT):
        row = [Cell(contender.title)]
        for metric in METRICS:
            losses = [
                one - other
                for dataset in true.datasets
                for one, other in _scores_of_both(true, estimated, dataset, contender, metric)
            ]
            found = summarise(losses) if losses else None
            row.append(Cell(len(losses), digits=0))
            row.append(Cell(None) if found is None else Cell(found.mean, found.standard_error))
        rows.append(tuple(row))
    titles = ("datasets", "points lost (s.e.)")
    columns = (
        Column("Method"),
        *(Column(title, METRIC_TITLES[metric]) for metric in METRICS for title in titles),
    )
    title = "What an estimated prior costs, synthetic datasets"
    notes = ("With the true prior minus with the estimate, mean over datasets that have both.",)
    return Table(name, title, columns, tuple(rows), notes)


def _scores_of_both(
    true: Results, estimated: Results, dataset: str, contender: Contender, metric: str
) -> Iterator[tuple[float, float]]:
    pairs = pair_up(
        true.scores(dataset, contender, metric), estimated.scores(dataset, contender, metric)
    )
    return zip(pairs.first, pairs.second, strict=True)


def improvement_by_parameter(results: Results, metric: str, name: str) -> Table:
    """Of our default over nnPU, by both of its rules."""
    others = (Contender("nnpu", "own"), Contender("nnpu", "prior"))
    values: dict[str, set[str]] = {parameter: set() for parameter in PARAMETERS}
    for dataset in results.datasets:
        for parameter, value in read_configuration(dataset).items():
            values[parameter].add(value)
    rows = []
    for parameter, title in PARAMETERS.items():
        for value in _in_order(values[parameter]):

            def has_value(dataset: str, parameter: str = parameter, value: str = value) -> bool:
                return read_configuration(dataset)[parameter] == value

            row = [Cell(title), Cell(value)]
            for other in others:
                found = _summary(all_improvements(results, DEFAULT, other, metric, has_value))
                row += _cells(found)
            rows.append(tuple(row))
    columns = (
        Column("Parameter"),
        Column("value"),
        *(Column(title, f"vs {other.title}") for other in others for title in _IMPROVEMENT_TITLES),
    )
    title = (
        f"Synthetic datasets: improvement in {METRIC_TITLES[metric]} of 2-HNC (default) over nnPU, "
        "by parameter"
    )
    return Table(name, title, columns, tuple(rows), (_IMPROVEMENT_NOTE,))


def _in_order(values: set[str]) -> Sequence[str]:
    if values <= {"true", "false"}:
        return sorted(values, reverse=True)
    return sorted(values, key=float)
