"""Labelling one row after the other, simulated on screening for systematic reviews.

screening  records with title and abstract, from one relevant and one irrelevant record on: the most
           likely record is shown, its true class becomes known, and so on; batches grow with the
           records seen. Work saved at 95 % of the relevant records (WSS@95) and relevant records
           found after 10 % of all (RRF@10), in %, means over starts, beside ASReview's default
           model and its naive Bayes; seconds are medians of a step. The ratio is of the work left
           to do, 100 less WSS@95.
left       the estimate of the positives left, at moments of every simulation of pucut: how often
           its interval holds the truth, by corpus, its width, and the error of the number

Corpora are CSV files of the repository asreview/systematic-review-datasets in the folder that
PUCUT_SCREENING or --folder names. ASReview has an environment of its own, whose Python is named by
ASREVIEW_PYTHON or --asreview. --kept names a folder in which every simulation is stored.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.screening import (
    Corpus,
    Simulation,
    by_asreview,
    by_pucut,
    found_early,
    kept,
    read_corpus,
    words_of,
    work_saved,
)
from pucut.labelling.journal import FIND
from pucut.labelling.remaining import Answer, Remaining, remaining

CORPORA = (
    "Nagtegaal_2019",
    "ACEInhibitors",
    "Antihistamines",
    "BetaBlockers",
    "Estrogens",
    "Opiods",
    "SkeletalMuscleRelaxants",
    "CalciumChannelBlockers",
    "ProtonPumpInhibitors",
    "Kitchenham_2010",
    "ADHD",
    "AtypicalAntipsychotics",
    "Triptans",
    "NSAIDS",
    "OralHypoglycemics",
    "UrinaryIncontinence",
    "Bannach-Brown_2019",
)
# Settings were chosen on these, with the same starts; benchmarks/results/labelling.md lists the
# others that had been looked at.
CHOSEN_ON = (
    "ADHD",
    "AtypicalAntipsychotics",
    "CalciumChannelBlockers",
    "Triptans",
    "ProtonPumpInhibitors",
    "Kitchenham_2010",
    "Nagtegaal_2019",
    "NSAIDS",
)
DEFAULT, NAIVE_BAYES = "elas_u4", "elas_u3"

bench = Benchmark(
    __file__,
    __doc__,
    goals={"work left": Goal(1.0, wanted=0.9)},
    options={
        "corpora": Option(CORPORA, quick=("UrinaryIncontinence",)),
        "starts": Option(5, quick=1),
        "moments": Option(10, quick=3, help="of every simulation, for the part left"),
        "folder": Option(os.environ.get("PUCUT_SCREENING"), help="where the corpora are"),
        "asreview": Option(os.environ.get("ASREVIEW_PYTHON"), help="the Python with ASReview"),
        "kept": Option(None, help="a folder to keep simulations in, and to take them from"),
    },
)


def corpora(run: Run) -> Iterator[Corpus]:
    if run.options.folder is None:
        raise Skip("no corpora: --folder or PUCUT_SCREENING must name their folder")
    for name in run.options.corpora:
        try:
            yield read_corpus(Path(run.options.folder), name)
        except FileNotFoundError:
            run.leave_out(f"the corpus {name} is not in the folder: left out")


def simulations(run: Run, corpus: Corpus, method: str) -> list[Simulation]:
    folder = None if run.options.kept is None else Path(run.options.kept)

    def made(number: int) -> Simulation:
        start = corpus.start(number)
        if method == "pucut":
            return by_pucut(corpus, start, words_of(corpus))
        return by_asreview(run.options.asreview, method, corpus, start)

    return [
        kept(folder, (corpus.name, number, method), lambda number=number: made(number))
        for number in range(run.options.starts)
    ]


@bench.part
def screening(run: Run) -> None:
    methods = ("pucut", DEFAULT, NAIVE_BAYES) if run.options.asreview else ("pucut",)
    if len(methods) == 1:
        run.leave_out("ASReview is not named by --asreview or ASREVIEW_PYTHON: left out")
    by_corpus: dict[str, dict[str, float]] = {}
    for corpus in corpora(run):
        found: dict[str, float] = {}
        for method in methods:
            runs = simulations(run, corpus, method)
            orders = [one.order for one in runs]
            found[f"WSS {method}"] = _mean([work_saved(corpus, order) for order in orders])
            found[f"RRF {method}"] = _mean([found_early(corpus, order) for order in orders])
            found[f"s {method}"] = _mean([float(np.median(one.seconds)) for one in runs])
        by_corpus[corpus.name] = found
        run.row(corpus.name, found)
    groups = {
        "mean": list(by_corpus),
        "mean of those chosen on": [name for name in by_corpus if name in CHOSEN_ON],
        "mean of the others": [name for name in by_corpus if name not in CHOSEN_ON],
    }
    for group, names in groups.items():
        if names:
            figures = {key: _mean([by_corpus[name][key] for name in names]) for key in found}
            left = {method: 100.0 - figures[f"WSS {method}"] for method in methods}
            ratio = left["pucut"] / left[DEFAULT] if DEFAULT in left else None
            run.row(group, figures, ratio=ratio, goal="work left", peer="ASReview")


@bench.part
def left(run: Run) -> None:
    everything: list[tuple[bool, float, float]] = []
    for corpus in corpora(run):
        moments = [
            moment
            for simulation in simulations(run, corpus, "pucut")
            for moment in judged(corpus, simulation.order[2:], run.options.moments)
        ]
        run.row(corpus.name, _coverage(moments))
        everything += moments
    run.row("all", _coverage(everything))


def judged(corpus: Corpus, order: list[int], n_moments: int) -> Iterator[tuple[bool, float, float]]:
    """Compare intervals with the truth at moments of a simulation; their width, the error."""
    answers = corpus.is_relevant[order]
    n_records, n_relevant = len(corpus.texts) - 2, int(corpus.is_relevant.sum()) - 1
    for n_seen in np.unique(np.geomspace(20, len(order), n_moments).round().astype(int)):
        asked = [Answer(bool(answer), FIND) for answer in answers[:n_seen]]
        said: Remaining = remaining(asked, n_records)
        truth = n_relevant - int(answers[:n_seen].sum())
        is_held = said.low <= truth <= said.high
        yield is_held, float(said.high - said.low), abs(float(said.left - truth))


def _coverage(moments: list[tuple[bool, float, float]]) -> dict[str, float]:
    held, width, error = (np.array(values, dtype=float) for values in zip(*moments, strict=True))
    return {
        "moments": len(held),
        "held": 100.0 * float(held.mean()),
        "median width": float(np.median(width)),
        "median error": float(np.median(error)),
    }


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


if __name__ == "__main__":
    bench.main()
