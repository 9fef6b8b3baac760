"""Tables of the real datasets: the paper's layout, every method, ours beside theirs."""

from collections.abc import Sequence
from dataclasses import dataclass

from paper.datasets import REAL
from paper.schema import METRIC_TITLES
from paper.showing.contenders import ALL, OTHERS, PUBLISHED, PUCUT, TWO_HNC, Contender
from paper.showing.published import Published
from paper.showing.results import Results, pair_up
from paper.showing.statistics import Summary, percent_above, units_apart
from paper.showing.tables import Cell, Column, Table

_DATASET = Column("Dataset")
RULES_NOTE = (
    "own: the method's own rule. prior: as many of the best-scored rows as the prior asks for. All "
    "methods are given the same prior."
)


def missing_notes(
    results: Results, datasets: Sequence[str], contenders: Sequence[Contender], metric: str
) -> tuple[str, ...]:
    """Notes on missing runs, and on datasets with fewer repetitions."""
    counts = {
        (dataset, contender): len(results.scores(dataset, contender, metric))
        for dataset in datasets
        for contender in contenders
    }
    most = max(counts.values(), default=0)
    notes = []
    for contender in contenders:
        absent = [name for name in datasets if counts[name, contender] == 0]
        fewer = [name for name in datasets if 0 < counts[name, contender] < most]
        if absent:
            shown = (
                "all datasets"
                if len(absent) == len(datasets)
                else ", ".join(REAL[name].title for name in absent)
            )
            notes.append(f"No runs of {contender.title} on {shown}.")
        if fewer:
            parts = [f"{REAL[name].title} {counts[name, contender]}" for name in fewer]
            notes.append(f"Fewer than {most} runs of {contender.title}: {', '.join(parts)}.")
    return tuple(notes)


def paper_layout(
    results: Results,
    datasets: Sequence[str],
    metric: str,
    name: str,
    title: str,
    earlier: dict[str, float] | None = None,
) -> Table:
    """Four methods by their own rules; best starred, best two bold, as in the paper."""
    rows = []
    for dataset in datasets:
        found = [results.summary(dataset, contender, metric) for contender in PUBLISHED]
        row = [Cell(REAL[dataset].title), *marked(found), _diff_max(found)]
        if earlier is not None:
            row.append(Cell(earlier.get(dataset)))
        rows.append(tuple(row))
    columns = [_DATASET, *(Column(contender.method_title) for contender in PUBLISHED)]
    columns.append(Column("Diff Max"))
    notes = [
        "Mean and standard error over runs, each with its own draw of labels. *: highest; bold: "
        "the highest two. Diff Max: 2-HNC below the highest, in percent of it."
    ]
    if earlier is not None:
        columns.append(Column("authors' earlier paper"))
        notes.append("The earlier paper's splits are not known.")
    notes += missing_notes(results, datasets, PUBLISHED, metric)
    return Table(name, title, tuple(columns), tuple(rows), tuple(notes))


def marked(found: Sequence[Summary | None]) -> list[Cell]:
    """Cells with the highest mean starred and the highest two bold; ties share the mark."""
    means = sorted((summary.mean for summary in found if summary is not None), reverse=True)
    second = means[min(1, len(means) - 1)] if means else 0.0
    return [
        Cell(None)
        if summary is None
        else Cell(
            summary.mean,
            summary.standard_error,
            bold=summary.mean >= second,
            starred=summary.mean == means[0],
        )
        for summary in found
    ]


def _diff_max(found: Sequence[Summary | None]) -> Cell:
    """Diff Max of 2-HNC, the last; empty where it is the highest, as in the paper."""
    *others, ours = found
    means = [summary.mean for summary in others if summary is not None]
    if ours is None or not means:
        return Cell(None)
    if max(means) <= ours.mean:
        return Cell("")
    return Cell(percent_above(ours.mean, max(means)), unit="%")


def every_method(
    results: Results, datasets: Sequence[str], metric: str, name: str, title: str
) -> Table:
    """All methods by both rules, and the place of pucut."""
    rows = []
    places = []
    for dataset in datasets:
        *rest, oracle = (results.summary(dataset, contender, metric) for contender in ALL)
        standing = find_standing(results, dataset, metric)
        if standing is not None:
            places.append(standing.place)
        rows.append(
            (
                Cell(REAL[dataset].title),
                *marked(rest),
                Cell(None) if oracle is None else Cell(oracle.mean, oracle.standard_error),
                *_standing_cells(standing),
            )
        )
    columns = (
        _DATASET,
        *(Column(contender.rule, contender.method_title) for contender in ALL),
        Column("best other", "pucut, own rule"),
        Column("minus best other", "pucut, own rule"),
        Column("s.e. of pucut", "pucut, own rule"),
        Column("s.e. of paired difference", "pucut, own rule"),
        Column("by s.e. of pucut", "pucut, own rule"),
        Column("by paired s.e.", "pucut, own rule"),
    )
    notes = (
        RULES_NOTE,
        "*: highest; bold: the highest two; the oracle is left out, it is trained on true classes.",
        "Where pucut stands: first, within one standard error of the first, or behind. The "
        "main criterion is the standard error of the mean of pucut; the paired difference is "
        "over repetitions, which all methods share.",
        f"By the main criterion: first on {places.count('first')}, within one standard error on "
        f"{places.count('within')}, behind on {places.count('behind')} of {len(places)} datasets.",
        *missing_notes(results, datasets, ALL, metric),
    )
    return Table(name, title, columns, tuple(rows), notes)


@dataclass(frozen=True)
class Standing:
    """The place of pucut on a dataset: "first", "within" a standard error of it, or "behind".

    `place` goes by the standard error of the mean of pucut, `paired_place` by that of its paired
    difference to the best other.
    """

    best_other: Contender
    lead: float
    standard_error: float | None
    paired_error: float | None
    place: str
    paired_place: str


def find_standing(results: Results, dataset: str, metric: str) -> Standing | None:
    ours = results.summary(dataset, PUCUT, metric)
    best = results.best(dataset, OTHERS, metric)
    if ours is None or best is None:
        return None
    lead = ours.mean - best[1].mean
    paired = pair_up(
        results.scores(dataset, PUCUT, metric), results.scores(dataset, best[0], metric)
    ).difference
    paired_error = None if paired is None else paired.standard_error
    return Standing(
        best[0],
        lead,
        ours.standard_error,
        paired_error,
        place=_place(lead, ours.standard_error),
        paired_place=_place(lead, paired_error),
    )


def _place(lead: float, error: float | None) -> str:
    if lead >= 0.0:
        return "first"
    return "within" if error is not None and -lead <= error else "behind"


def _standing_cells(standing: Standing | None) -> tuple[Cell, ...]:
    if standing is None:
        return (Cell(None),) * 6
    return (
        Cell(standing.best_other.title),
        Cell(standing.lead, signed=True),
        Cell(standing.standard_error),
        Cell(standing.paired_error),
        Cell(standing.place),
        Cell(standing.paired_place),
    )


def beside_paper(
    results: Results, published: Published, datasets: Sequence[str], metric: str, name: str
) -> Table:
    rows = []
    for dataset in datasets:
        row = [Cell(REAL[dataset].title)]
        for contender in PUBLISHED:
            ours = results.summary(dataset, contender, metric)
            theirs = published.scores[metric, dataset, contender.method]
            their_error = published.standard_error(dataset, contender.method)
            row.append(Cell(theirs.mean, their_error if metric == "accuracy" else None))
            if ours is None:
                row += [Cell(None)] * 3
                continue
            difference = ours.mean - theirs.mean
            units = units_apart(difference, ours.standard_error, their_error)
            row += [
                Cell(ours.mean, ours.standard_error),
                Cell(difference, signed=True),
                Cell(units, digits=1, signed=True),
            ]
        rows.append(tuple(row))
    columns = [_DATASET]
    for contender in PUBLISHED:
        group = contender.method_title
        columns += [Column(title, group) for title in ("paper", "ours", "difference", "in s.e.")]
    notes = [
        "difference: ours minus the paper's, in points. in s.e.: in units of both standard errors "
        "combined; up to 2 is what chance does.",
        "Own rules throughout. The draws of labels, and for uPU and nnPU much of the training, are "
        "not published, so differences of a few standard errors can come from either.",
    ]
    if metric == "balanced_accuracy":
        notes.append(
            "The paper prints no standard errors of balanced accuracy (what it prints is half the "
            "gap between the classes); those of its accuracy stand in for them."
        )
    notes += missing_notes(results, datasets, PUBLISHED, metric)
    title = (
        f"Real datasets, 60 % labelled, true prior: {METRIC_TITLES[metric]} (%) beside the paper's"
    )
    return Table(name, title, tuple(columns), tuple(rows), tuple(notes))


def beside_earlier(results: Results, earlier: dict[str, float], name: str) -> Table:
    rows = []
    for dataset, theirs in earlier.items():
        row = [Cell(REAL[dataset].title), _labelled_cell(results, dataset), Cell(theirs)]
        for contender in (TWO_HNC, PUCUT):
            ours = results.summary(dataset, contender, "accuracy")
            if ours is None:
                row += [Cell(None)] * 2
            else:
                row.append(Cell(ours.mean, ours.standard_error))
                row.append(Cell(ours.mean - theirs, signed=True))
        rows.append(tuple(row))
    columns = [_DATASET, Column("rows labelled, ours"), Column("authors' earlier paper")]
    for contender in (TWO_HNC, PUCUT):
        columns += [Column("ours", contender.title), Column("difference", contender.title)]
    notes = (
        "The earlier paper's splits are not known, and no standard errors of it are at hand.",
        *missing_notes(results, tuple(earlier), (TWO_HNC, PUCUT), "accuracy"),
    )
    title = (
        "Real datasets, about 10 % labelled, true prior: accuracy (%) beside the authors' earlier "
        "paper"
    )
    return Table(name, title, tuple(columns), tuple(rows), notes)


def _labelled_cell(results: Results, dataset: str) -> Cell:
    found = sorted({run.n_labelled for run in results.all_runs() if run.dataset == dataset})
    if len(found) == 1:
        return Cell(found[0], digits=0)
    return Cell(" or ".join(map(str, found)) or None)
