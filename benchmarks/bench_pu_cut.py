"""PUCutClassifier: the choices by hidden positives, and the gain of each part.

choice   for the base scores and for the cuts: the correlation of hidden recall with true accuracy
         over the candidates, and the accuracy on the unlabelled rows, in %, of the best candidate
         in hindsight, of the one with most recall, of the mean of all, and of the mixture by
         recall.
without  accuracy of the mixture of scores without each kind of score, and without any cut.

Real datasets, true prior. True classes are used for the comparison only. No goals.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.data import Draw, drawn, loaded
from benchmarks.harness import Benchmark, Option, Run
from paper.datasets import REAL_NAMES
from pucut import PUCutClassifier
from pucut.data.labels import checked_pu_labels
from pucut.judging import weights
from pucut.judging.folds import PUFolds
from pucut.judging.losses import ranks
from pucut.judging.mixing import mix_ranks
from pucut.judging.scorers import Score
from pucut.judging.thresholds import positives_by_prior
from pucut.methods.pu_cut import _choosing as choosing
from pucut.methods.pu_cut._cuts import ChosenCuts

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
    """The choice for a draw of labels, with all candidates kept.

    The rows of `draw` are in the order in which `fit` works on them.
    """

    draw: Draw
    chosen: ChosenCuts
    parts: Sequence[Score]
    folds: PUFolds

    def accuracy(self, scores):
        labels = checked_pu_labels(self.draw.is_labelled)
        return self.draw.accuracy(positives_by_prior(scores, labels, self.draw.prior))

    def mixed_rank(self, but=None):
        """Rank rows by the mixed score without one kind of score."""
        parts = [part for part in self.parts if but is None or not part.name.startswith(but)]
        return mix_ranks(parts, self.folds).ranks[-1]


def fits(run, dataset):
    for split in range(run.options.splits):
        draw = drawn(dataset, run.options.share, split)
        model = PUCutClassifier(prior=draw.prior, n_jobs=run.options.jobs, random_state=draw.seed)
        with every_candidate_kept() as kept:
            model.fit(draw.X, draw.is_labelled)
            order = model.row_order_
            in_order = replace(
                draw,
                X=draw.X[order],
                is_positive=draw.is_positive[order],
                is_labelled=draw.is_labelled[order],
            )
            yield Fit(in_order, model.mixture_.chosen, *kept[-1])


def judged(fit):
    """Return two lines of `COLUMNS`: one for the scores, one for the cuts."""
    chosen, mixed_rank, others = fit.chosen, fit.mixed_rank(), ~fit.draw.is_labelled
    of_scores = [ranks(part.final.scores) for part in fit.parts]
    of_cuts = [np.ones(len(others)) for _ in range(len(chosen.cuts) + 1)]
    of_cuts[0][others] = ranks(mixed_rank[others])
    for cut, rank in zip(chosen.cuts, of_cuts[1:], strict=True):
        rank[others] = ranks((cut.level + 1e-9 * mixed_rank)[others])
    lines = []
    recalls = {(c.kind, c.name): c.hidden_recall for c in chosen.candidates}
    alone = next(c.name for c in chosen.candidates if c.kind == "cut")
    for kind, names, found, mixture in (
        ("score", [part.name for part in fit.parts], of_scores, mixed_rank),
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
    """Drop nothing for being clearly behind; list the scores that are mixed, and their folds."""
    kept = []

    def kept_and_mixed(scores, folds):
        fitted = [replace(score, final=score.fitted()) for score in scores]
        kept.append((fitted, folds))
        return mix_ranks(fitted, folds)

    usual = weights.CLEARLY_BEHIND, choosing.mix_ranks
    weights.CLEARLY_BEHIND, choosing.mix_ranks = np.inf, kept_and_mixed
    try:
        yield kept
    finally:
        weights.CLEARLY_BEHIND, choosing.mix_ranks = usual


@bench.part
def choice(run: Run) -> None:
    for dataset in loaded(run):
        runs = [judged(fit) for fit in fits(run, dataset)]
        for kind, line in zip(("scores", "cuts"), np.nanmean(runs, axis=0), strict=True):
            run.row(f"{dataset.name}, {kind}", dict(zip(COLUMNS, line.tolist(), strict=True)))


@bench.part
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
