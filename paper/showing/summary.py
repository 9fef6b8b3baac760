"""A summary in words and numbers: agreement of our runs with the paper."""

from collections.abc import Sequence

from paper.datasets import REAL, REAL_NAMES
from paper.schema import METRIC_TITLES, METRICS
from paper.showing.contenders import TWO_HNC, Contender
from paper.showing.published import Published
from paper.showing.real_tables import find_standing
from paper.showing.results import Results
from paper.showing.statistics import units_apart
from paper.showing.tables import Cell, Column, Table, to_markdown

# Differences up to this number of combined standard errors count as agreement.
AGREEMENT = 2.0
# Much of the training of uPU and nnPU is not published, so theirs need not agree.
_COMPARED = (TWO_HNC, Contender("pu_et", "own"))


def agreement_table(
    results: Results, published: Published, datasets: Sequence[str], metric: str, name: str
) -> Table:
    """Our runs of 2-HNC and PU ET against the paper's."""
    rows = []
    verdicts: dict[Contender, list[str]] = {contender: [] for contender in _COMPARED}
    for dataset in datasets:
        row = [Cell(REAL[dataset].title)]
        for contender in _COMPARED:
            theirs = published.scores[metric, dataset, contender.method].mean
            ours = results.summary(dataset, contender, metric)
            if ours is None:
                row += [Cell(theirs), Cell(None), Cell(None), Cell(None)]
                continue
            difference = ours.mean - theirs
            units = units_apart(
                difference,
                ours.standard_error,
                published.standard_error(dataset, contender.method),
            )
            verdict = _verdict(units)
            verdicts[contender].append(verdict)
            row += [
                Cell(theirs),
                Cell(ours.mean, ours.standard_error),
                Cell(units, digits=1, signed=True),
                Cell(verdict),
            ]
        rows.append(tuple(row))
    columns = [Column("Dataset")]
    for contender in _COMPARED:
        group = contender.method_title
        columns += [Column(title, group) for title in ("paper", "ours", "in s.e.", "verdict")]
    counts = [_counted(contender, found) for contender, found in verdicts.items()]
    notes = (
        *counts,
        f"agrees: within {AGREEMENT:g} combined standard errors; else ours is above or below.",
        *(
            ["Standard errors of the paper's accuracy stand in for those of balanced accuracy."]
            if metric == "balanced_accuracy"
            else []
        ),
    )
    title = f"Agreement with the paper, {METRIC_TITLES[metric]} (%), 60 % labelled, true prior"
    return Table(name, title, tuple(columns), tuple(rows), notes)


def _verdict(units: float | None) -> str:
    if units is None:
        return "unknown"
    if abs(units) <= AGREEMENT:
        return "agrees"
    return "above" if units > 0.0 else "below"


def _counted(contender: Contender, verdicts: Sequence[str]) -> str:
    parts = [
        f"{verdict} on {verdicts.count(verdict)}"
        for verdict in ("agrees", "above", "below", "unknown")
        if verdict in verdicts
    ]
    shown = ", ".join(parts) if parts else "no runs"
    return f"{contender.method_title}, {len(verdicts)} datasets: {shown}."


def standing_lines(results: Results, datasets: Sequence[str], metric: str) -> list[str]:
    """The place of pucut, dataset by dataset."""
    lines = []
    for dataset in datasets:
        standing = find_standing(results, dataset, metric)
        if standing is None:
            lines.append(f"- {REAL[dataset].title}: not run.")
            continue
        words = {
            "first": "first",
            "within": "within one standard error of the first",
            "behind": "behind the first by more than one standard error",
        }
        error = standing.standard_error
        spread = "" if error is None else f", standard error {error:.2f}"
        lines.append(
            f"- {REAL[dataset].title}: {words[standing.place]}; {standing.lead:+.2f} points "
            f"against {standing.best_other.title}{spread}."
        )
    return lines


def write_summary(
    beside_paper: Sequence[Table], results: Results, few_labels: Results, n_runs: int
) -> str:
    """`beside_paper` are tables with the paper's numbers in them."""
    parts = ["# Ours beside the paper", f"Made from {n_runs} runs.", "## Agreement with the paper"]
    parts += [to_markdown(table).rstrip() for table in beside_paper]
    for share, found, datasets in (
        ("60 %", results, REAL_NAMES),
        ("about 10 %", few_labels, few_labels.datasets),
    ):
        for metric in METRICS:
            if datasets:
                parts.append(
                    f"## Where pucut stands: {METRIC_TITLES[metric]}, {share} labelled, true prior"
                )
                parts.append("\n".join(standing_lines(found, datasets, metric)))
    return "\n\n".join(parts) + "\n"
