"""Tables of the datasets, of costs, and of the consistency of the paper's numbers."""

from collections.abc import Sequence

from paper.datasets import REAL, SYNTHETIC
from paper.datasets.synthetic import PARAMETER_TITLES
from paper.methods import COMPARED, METHODS
from paper.schema import METRIC_TITLES, METRICS
from paper.showing.contenders import PUBLISHED
from paper.showing.published import Published
from paper.showing.results import Results
from paper.showing.statistics import percent_above, summarise
from paper.showing.tables import Cell, Column, Table


def datasets_table(results: Results, published: Published, name: str) -> Table:
    """The paper's table of datasets, and what the runs had."""
    rows = []
    for dataset, theirs in published.datasets.items():
        runs = [run for run in results.all_runs() if run.dataset == dataset]
        row = [Cell(REAL[dataset].title)]
        pairs = (
            (theirs.n_samples, sorted({run.n_samples for run in runs}), 0),
            (theirs.n_labelled, sorted({run.n_labelled for run in runs}), 0),
            (theirs.n_features, sorted({run.n_features for run in runs}), 0),
            (theirs.prior, sorted({round(run.prior_true, 6) for run in runs}), 2),
        )
        for printed, found, digits in pairs:
            row.append(Cell(printed, digits=digits))
            if len(found) > 1:
                row.append(Cell(" or ".join(f"{value:g}" for value in found)))
            else:
                row.append(Cell(found[0], digits=digits) if found else Cell(None))
        rows.append(tuple(row))
    groups = ("samples", "labelled", "features", "prior")
    columns = tuple(Column(title, group) for group in groups for title in ("paper", "ours"))
    notes = ("The paper's prior of Credit, 0.60, does not fit its own counts, which give 0.78.",)
    title = "Real datasets: 60 % of the positives are labelled"
    return Table(name, title, (Column("Dataset"), *columns), tuple(rows), notes)


def published_checks(published: Published, name: str) -> Table:
    """Checks of the paper's tables against each other."""
    rows = []
    for metric in METRICS:
        for dataset in REAL:
            scores = [published.scores[metric, dataset, one.method].mean for one in PUBLISHED]
            printed = published.diff_max.get((metric, dataset))
            if max(scores) > scores[-1] or printed is not None:
                again = percent_above(scores[-1], max(scores))
                what = f"Diff Max of {METRIC_TITLES[metric]}, {REAL[dataset].title} (%)"
                rows.append((Cell(what), Cell(printed), Cell(again)))
    for contender in PUBLISHED:
        apart = max(
            abs(
                published.implied_accuracy(dataset, contender.method)
                - published.scores["accuracy", dataset, contender.method].mean
            )
            for dataset in REAL
        )
        what = (
            f"Largest gap between printed and implied accuracy, {contender.method_title} (points)"
        )
        rows.append((Cell(what), Cell(None), Cell(apart)))
    notes = (
        "Implied accuracy: if the brackets of balanced accuracy are half the gap between the "
        "accuracies of the classes, accuracy follows from them and the counts. It does, in all 40 "
        "cells to within rounding: they are not standard errors, whatever the caption says.",
        "Diff Max of accuracy on MNIST does not follow from the printed means.",
    )
    columns = (Column("What"), Column("printed"), Column("recomputed"))
    return Table(
        name, "The paper's numbers checked against each other", columns, tuple(rows), notes
    )


def configurations_table(results: Results, published: Published, name: str) -> Table:
    """The paper's grid of synthetic datasets, and how many of them were run with each value."""
    found = [SYNTHETIC[dataset].parameters for dataset in results.datasets]
    rows = tuple(
        (
            Cell(PARAMETER_TITLES[parameter]),
            Cell(value),
            Cell(sum(configuration[parameter] == value for configuration in found), digits=0),
        )
        for parameter, values in published.configurations.items()
        for value in values
    )
    columns = (Column("Parameter"), Column("value"), Column("configurations run"))
    n_grid = 1
    for values in published.configurations.values():
        n_grid *= len(values)
    notes = (f"{len(found)} of the paper's {n_grid} configurations have runs.",)
    title = "Synthetic datasets: the paper's grid, and what was run of it"
    return Table(name, title, columns, rows, notes)


def cost_table(results: Results, datasets: Sequence[str], quantity: str, name: str) -> Table:
    """Means over runs of "seconds" or "peak_mb", for each dataset and method."""
    rows = []
    for dataset in datasets:
        row = [Cell(REAL[dataset].title)]
        for method in COMPARED:
            row.append(_mean_cell(results, (dataset,), method, quantity))
        rows.append(tuple(row))
    columns = (Column("Dataset"), *(Column(METHODS[method].title) for method in COMPARED))
    title = f"{_COST_TITLES[quantity]}, real datasets, 60 % labelled, true prior"
    return Table(name, title, columns, tuple(rows), _machine_notes(results))


def synthetic_cost_table(results: Results, quantity: str, name: str) -> Table:
    by_size: dict[int, list[str]] = {}
    for dataset in results.datasets:
        by_size.setdefault(SYNTHETIC[dataset].n_samples, []).append(dataset)
    rows = tuple(
        (
            Cell(f"{size} samples"),
            *(_mean_cell(results, by_size[size], method, quantity) for method in COMPARED),
        )
        for size in sorted(by_size)
    )
    columns = (Column("Datasets"), *(Column(METHODS[method].title) for method in COMPARED))
    title = f"{_COST_TITLES[quantity]}, synthetic datasets, true prior"
    return Table(name, title, columns, rows, _machine_notes(results))


_COST_TITLES = {"seconds": "Seconds per fit", "peak_mb": "Peak memory (MB)"}


def _mean_cell(results: Results, datasets: Sequence[str], method: str, quantity: str) -> Cell:
    values = [
        value
        for dataset in datasets
        for run in results.runs(dataset, method).values()
        if (value := getattr(run, quantity)) is not None
    ]
    if not values:
        return Cell(None)
    mean = summarise(values).mean
    return Cell(mean, digits=2 if mean < 100 else 0)


def _machine_notes(results: Results) -> tuple[str, ...]:
    used: dict[str, set[str]] = {}
    for run in results.all_runs():
        if run.method not in COMPARED:
            continue
        threads = f"{run.n_jobs} jobs" if run.n_jobs else "unknown number of jobs"
        where = f"{run.machine or 'unknown machine'}, {run.device or 'unknown device'}, {threads}"
        used.setdefault(where, set()).add(run.method)
    notes = []
    for where in sorted(used):
        titles = [one.title for name, one in METHODS.items() if name in used[where]]
        notes.append(f"{where}: {', '.join(titles)}.")
    return ("Means over runs. Only times of one machine can be compared with each other.", *notes)
