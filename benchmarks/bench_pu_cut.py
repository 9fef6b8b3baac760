"""What PUCutClassifier rests on: how well hidden positives choose, and what each part adds.

choice   for the base scores and for the cuts: the correlation of hidden recall with true accuracy
         over the candidates, and the accuracy on the unlabelled rows, in %, of the best candidate
         in hindsight, of the one with most recall, of the mean of all, and of the mixture by
         recall.
without  accuracy of the mixture of scores without each kind of score, and without any cut.

Real datasets, true prior. True classes are used to judge only. No goals.
"""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from benchmarks.data import Draw, drawn, loaded
from benchmarks.harness import Benchmark, Option, Run
from paper.datasets import REAL_NAMES
from pucut import PUCutClassifier
from pucut.data.labels import checked_pu_labels
from pucut.data.repeats import groups_for_folds
from pucut.methods.pu_cut import _mixing as mixing
from pucut.methods.pu_cut._cuts import ChosenCuts
from pucut.methods.pu_cut._mixed_score import mix_scores
from pucut.methods.pu_cut._mixing import ranks
from pucut.methods.pu_cut._worlds import hidden_worlds
from pucut.scores.thresholds import positives_by_prior

KINDS = ("trees", "kernel", "linear", "neighbours")
COLUMNS = ("correlation", "hindsight", "by recall", "mean of all", "mixture")

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "splits": Option(3, quick=1),
        "share": Option(0.6, help="of the positives that is labelled"),
        "jobs": Option(2),
    },
)


@dataclass(frozen=True, eq=False)
class Fit:
    """What was chosen for a draw of labels, with all candidates kept to be looked at."""

    draw: Draw
    chosen: ChosenCuts

    def accuracy(self, scores):
        labels = checked_pu_labels(self.draw.is_labelled)
        return self.draw.accuracy(positives_by_prior(scores, labels, self.draw.prior))

    def mixed_rank(self, but=None):
        """Ranks by the mixed score, without the kind of score that is named."""
        all_parts = self.chosen.mixed.parts
        parts = [part for part in all_parts if but is None or not part.name.startswith(but)]
        n_positive = round(self.draw.prior * len(self.draw.X))
        # The first thing that `fit` draws.
        random = np.random.RandomState(self.draw.seed)
        groups = groups_for_folds(self.draw.X, self.draw.is_labelled)
        worlds = hidden_worlds(self.draw.is_labelled, n_positive, random, groups)
        return mix_scores(parts, worlds).ranks[-1]


def fits(run, dataset):
    for split in range(run.options.splits):
        draw = drawn(dataset, run.options.share, split)
        model = PUCutClassifier(prior=draw.prior, n_jobs=run.options.jobs, random_state=draw.seed)
        yield Fit(draw, model.fit(draw.X, draw.is_labelled).mixture_.chosen)


def judged(fit):
    """Two lines of `COLUMNS`: of scores, and of cuts."""
    chosen, mixed_rank, others = fit.chosen, fit.mixed_rank(), ~fit.draw.is_labelled
    of_scores = [ranks(part.of_worlds[-1]) for part in chosen.mixed.parts]
    of_cuts = [np.ones(len(others)) for _ in range(len(chosen.cuts) + 1)]
    of_cuts[0][others] = ranks(mixed_rank[others])
    for cut, rank in zip(chosen.cuts, of_cuts[1:], strict=True):
        rank[others] = ranks((cut.level + 1e-9 * mixed_rank)[others])
    lines = []
    recalls = {(c.kind, c.name): c.hidden_recall for c in chosen.candidates}
    alone = next(c.name for c in chosen.candidates if c.kind == "cut")
    for kind, names, found, mixture in (
        ("score", [part.name for part in chosen.mixed.parts], of_scores, mixed_rank),
        ("cut", [alone, *(cut.name for cut in chosen.cuts)], of_cuts, chosen.scores),
    ):
        recall = np.array([recalls[kind, name] for name in names])
        each = np.array([fit.accuracy(scores) for scores in found])
        correlation = np.corrcoef(recall, each)[0, 1] if np.ptp(recall) and np.ptp(each) else np.nan
        lines.append(
            (
                correlation,
                each.max(),
                each[np.argmax(recall)],
                fit.accuracy(np.mean(found, axis=0)),
                fit.accuracy(mixture),
            )
        )
    return lines


@contextmanager
def every_candidate_kept():
    usual, mixing.CLEARLY_BEHIND = mixing.CLEARLY_BEHIND, np.inf
    try:
        yield
    finally:
        mixing.CLEARLY_BEHIND = usual


@bench.part
@every_candidate_kept()
def choice(run: Run) -> None:
    for dataset in loaded(run):
        runs = [judged(fit) for fit in fits(run, dataset)]
        for kind, line in zip(("scores", "cuts"), np.nanmean(runs, axis=0), strict=True):
            run.row(f"{dataset.name}, {kind}", dict(zip(COLUMNS, line.tolist(), strict=True)))


@bench.part
@every_candidate_kept()
def without(run: Run) -> None:
    for dataset in loaded(run):
        found = []
        for fit in fits(run, dataset):
            line = {kind: fit.accuracy(fit.mixed_rank(but=kind)) for kind in KINDS}
            line["cuts"] = fit.accuracy(fit.mixed_rank())
            found.append(line | {"nothing": fit.accuracy(fit.chosen.scores)})
        run.row(dataset.name, {k: float(np.mean([each[k] for each in found])) for k in found[0]})


if __name__ == "__main__":
    bench.main()
