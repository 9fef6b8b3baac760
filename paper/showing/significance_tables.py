"""Tables of tests: paired ones for each dataset, ranks over all of them."""

from collections.abc import Sequence

import numpy as np

from paper.datasets import REAL
from paper.methods import METHODS
from paper.schema import METRIC_TITLES, METRICS
from paper.showing.contenders import BENCHMARKS, OTHERS, PUCUT, RANKED, TWO_HNC, Contender
from paper.showing.published import Published
from paper.showing.results import Pairs, Results, pair_up
from paper.showing.statistics import (
    Alternative,
    Ranking,
    paired_t_test,
    rank_methods,
    wilcoxon_test,
)
from paper.showing.tables import Cell, Column, Table

ALPHA = 0.05


def p_cell(p_value: float | None) -> Cell:
    if p_value is None:
        return Cell(None)
    return Cell(p_value, is_p_value=True, starred=p_value < ALPHA)


def against_best_benchmark(
    results: Results, published: Published, datasets: Sequence[str], direction: str, name: str
) -> Table:
    """2-HNC against the best benchmark, where it is above ("out") or below."""
    is_out = direction == "out"
    alternative: Alternative = "greater" if is_out else "less"
    rows = []
    for dataset in datasets:
        row = [Cell(REAL[dataset].title)]
        for metric in METRICS:
            row += _our_test(results, dataset, metric, alternative)
            for test in ("t", "wilcoxon"):
                theirs = published.tests.get((test, direction, metric, dataset))
                if test == "t":
                    row.append(Cell(None if theirs is None else METHODS[theirs.benchmark].title))
                row.append(p_cell(None if theirs is None else theirs.p_value))
        if any(cell.value is not None for cell in row[1:]):
            rows.append(tuple(row))
    titles = ("best benchmark", "t", "Wilcoxon", "paper: best", "paper: t", "paper: Wilcoxon")
    columns = (
        Column("Dataset"),
        *(Column(title, METRIC_TITLES[metric]) for metric in METRICS for title in titles),
    )
    what = "above" if is_out else "below"
    notes = (
        f"One-sided: the alternative is that 2-HNC is {what} the best benchmark; "
        f"only where its mean is. *: below {ALPHA:g}. A dash: the mean is on the other side, or "
        "nothing was run.",
        "With 5 runs no Wilcoxon p-value can be below 1/32 = 0.0313.",
    )
    title = (
        f"p-values where 2-HNC is {what} the best benchmark, real datasets, 60 % "
        "labelled, true prior"
    )
    return Table(name, title, columns, tuple(rows), notes)


def _our_test(
    results: Results, dataset: str, metric: str, alternative: Alternative
) -> tuple[Cell, Cell, Cell]:
    nothing = (Cell(None), Cell(None), Cell(None))
    ours = results.summary(dataset, TWO_HNC, metric)
    best = results.best(dataset, BENCHMARKS, metric)
    if ours is None or best is None:
        return nothing
    if (ours.mean >= best[1].mean) != (alternative == "greater"):
        return nothing
    pairs = pair_up(
        results.scores(dataset, TWO_HNC, metric), results.scores(dataset, best[0], metric)
    )
    return (
        Cell(best[0].method_title),
        p_cell(paired_t_test(pairs.first, pairs.second, alternative)),
        p_cell(wilcoxon_test(pairs.first, pairs.second, alternative)),
    )


def pucut_against_others(
    results: Results, datasets: Sequence[str], metric: str, name: str
) -> Table:
    rows = []
    means: dict[Contender, list[tuple[float, float]]] = {other: [] for other in OTHERS}
    for dataset in datasets:
        row = [Cell(REAL[dataset].title)]
        ours = results.scores(dataset, PUCUT, metric)
        for other in OTHERS:
            pairs = pair_up(ours, results.scores(dataset, other, metric))
            row += _both_tests(pairs)
            if pairs.first:
                means[other].append((float(np.mean(pairs.first)), float(np.mean(pairs.second))))
        rows.append(tuple(row))
    over_all = [Cell("means of all datasets")]
    for pairs_of_means in means.values():
        over_all += _both_tests(
            Pairs(
                tuple(first for first, _ in pairs_of_means),
                tuple(second for _, second in pairs_of_means),
            )
        )
    columns = (
        Column("Dataset"),
        *(Column(test, other.title) for other in OTHERS for test in ("t", "Wilcoxon")),
    )
    notes = (
        f"One-sided: the alternative is that pucut is better. *: below {ALPHA:g}. Values "
        "near 1 say that the other is better.",
        "The last line tests the datasets' means, one pair for each dataset. Nothing is corrected "
        "for the number of tests, as in the paper.",
    )
    title = (
        f"p-values of pucut against every other column, {METRIC_TITLES[metric]}, real "
        "datasets, 60 % labelled, true prior"
    )
    return Table(name, title, columns, (*rows, tuple(over_all)), notes)


def _both_tests(pairs: Pairs) -> tuple[Cell, Cell]:
    return (
        p_cell(paired_t_test(pairs.first, pairs.second, "greater")),
        p_cell(wilcoxon_test(pairs.first, pairs.second, "greater")),
    )


def rank_on_datasets(
    results: Results, metric: str, *, single_runs: bool
) -> tuple[tuple[Contender, ...], Ranking] | None:
    """Ranks of the methods that have runs, over the datasets on which all of these have.

    A block is the mean of a dataset's runs or, with `single_runs`, each run: on synthetic data
    every repetition is a dataset of its own.
    """
    scores = {
        contender: {
            (dataset, number if single_runs else -1): score
            for dataset in results.datasets
            for number, score in _blocks(results, dataset, contender, metric, single_runs).items()
        }
        for contender in RANKED
    }
    contenders = tuple(contender for contender in RANKED if scores[contender])
    if len(contenders) < 2:
        return None
    common = sorted(set.intersection(*(set(scores[contender]) for contender in contenders)))
    if not common:
        return None
    array = np.array([[scores[contender][block] for contender in contenders] for block in common])
    return contenders, rank_methods(array, ALPHA)


def _blocks(
    results: Results, dataset: str, contender: Contender, metric: str, single_runs: bool
) -> dict[int, float]:
    scores = results.scores(dataset, contender, metric)
    if single_runs or not scores:
        return scores
    return {-1: float(np.mean(list(scores.values())))}


def ranks_table(
    ranked: tuple[tuple[Contender, ...], Ranking] | None, metric: str, where: str, name: str
) -> Table:
    columns = (Column("Method"), Column("average rank"), Column("behind the best"))
    title = f"Average ranks by {METRIC_TITLES[metric]}, {where}"
    if ranked is None:
        return Table(name, title, columns, (), ("No dataset has runs of two or more methods.",))
    contenders, ranking = ranked
    best = min(ranking.average_ranks)
    lines = sorted(zip(ranking.average_ranks, contenders, strict=True), key=lambda line: line[0])
    rows = tuple(
        (
            Cell(contender.title),
            Cell(rank),
            Cell(rank - best, bold=rank - best < ranking.critical_difference),
        )
        for rank, contender in lines
    )
    absent = [contender.title for contender in RANKED if contender not in contenders]
    friedman = "undefined" if ranking.friedman_p is None else p_cell(ranking.friedman_p).main_text
    notes = (
        f"1 is best; equal scores share their mean rank. {ranking.n_datasets} datasets, "
        f"{len(contenders)} methods.",
        f"Friedman test that all are equal: p = {friedman}. Nemenyi critical difference at "
        f"{ALPHA:g}: {ranking.critical_difference:.3f}; bold: not told apart from the best.",
        *([f"Not run: {', '.join(absent)}."] if absent else []),
    )
    return Table(name, title, columns, rows, notes)
