"""Tables of the cost of estimating the prior instead of knowing it."""

from collections.abc import Iterator, Sequence

from paper.datasets import REAL
from paper.methods import METHODS
from paper.schema import METRIC_TITLES, METRICS
from paper.showing.contenders import FAIR, OTHERS, PUCUT, Contender
from paper.showing.real_tables import missing_notes
from paper.showing.results import Results, pair_up
from paper.showing.statistics import summarise
from paper.showing.tables import Cell, Column, Table


def loss_on_real(
    true: Results, estimated: Results, datasets: Sequence[str], metric: str, name: str, title: str
) -> Table:
    """The loss of each method when its prior is estimated, on the same repetitions."""
    contenders = FAIR
    losses: dict[Contender, list[float]] = {contender: [] for contender in contenders}
    rows = []
    for dataset in datasets:
        row = [Cell(REAL[dataset].title), Cell(_prior_error(estimated, dataset))]
        for contender in contenders:
            loss = pair_up(
                true.scores(dataset, contender, metric),
                estimated.scores(dataset, contender, metric),
            ).difference
            row.append(Cell(None) if loss is None else Cell(loss.mean, loss.standard_error))
            if loss is not None:
                losses[contender].append(loss.mean)
        rows.append(tuple(row))
    means = [
        Cell(summarise(values).mean, bold=True) if values else Cell(None)
        for values in losses.values()
    ]
    rows.append((Cell("mean"), Cell(None), *means))
    columns = (
        Column("Dataset"),
        Column("error of the prior"),
        *(Column(contender.rule, contender.method_title) for contender in contenders),
    )
    notes = (
        "Points lost by estimating the prior: with the true prior minus with the estimate, mean "
        "and standard error over repetitions. Negative: the estimate did better.",
        "error of the prior: mean of |estimated − true|, in points, over all runs.",
        "The naive method's own rule uses no prior.",
        *missing_notes(estimated, datasets, contenders, metric),
    )
    return Table(name, title, columns, tuple(rows), notes)


def _prior_error(estimated: Results, dataset: str) -> float | None:
    errors = {
        (method, number): abs(run.prior_used - run.prior_true)
        for method in METHODS
        for number, run in estimated.runs(dataset, method).items()
        if METHODS[method].role != "ceiling"
    }
    return 100.0 * summarise(list(errors.values())).mean if errors else None


def loss_on_synthetic(true: Results, estimated: Results, name: str) -> Table:
    """Points that each method loses on average when its prior is estimated."""
    rows = []
    for contender in (*OTHERS, PUCUT):
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
