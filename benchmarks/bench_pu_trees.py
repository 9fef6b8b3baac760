"""PU extra trees beside scikit-learn's extra trees, and beside the published accuracies.

speed     fit and predict of `PUExtraTreesClassifier`, in turn with scikit-learn's
          ExtraTreesClassifier on the labelled rows stacked on all rows, with the same number of
          trees and of jobs: medians and their ratios. The default classifier grows as many trees
          again for its threshold and its probabilities; "plain" does without (cross_fit=None).
memory    peak memory above the input, as a share of the input, in processes of their own (Linux
          only).
accuracy  on the unlabelled rows, 60 % of the positives labelled, true prior: both thresholds beside
          the paper's column ("half") and the accuracies of an independent program ("prior").
unseen    the effect of cross-fitting on the rows of `fit` and on rows that were held back.
"""

import os
import sys

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.data import Draw, loaded, published
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.processes import forget_peak, in_own_process, peak_bytes
from benchmarks.timing import mean_and_deviation, ratio_of, seconds_of, side_by_side
from paper.datasets import REAL_NAMES, load_real
from pucut import PUExtraTreesClassifier
from pucut.calibration import calibrate
from pucut.data.labels import checked_pu_labels
from pucut.datasets import pu_split
from pucut.judging.thresholds import positives_by_prior, threshold_for_share
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.forest import forest_scores
from pucut.trees.growing import grow_forest

# Accuracy and balanced accuracy in % of an independent program, the top prior * n by votes.
KNOWN_PRIOR = {
    "vote": (95.64, 95.41),
    "german": (70.83, 70.82),
    "obesity": (97.95, 97.32),
    "mushroom": (99.93, 99.93),
    "phishing": (96.47, 95.18),
    "bean": (97.27, 96.36),
    "news": (86.24, 84.71),
    "letter": (96.07, 95.16),
    "credit": (69.24, 68.33),
    "mnist": (97.34, 96.78),
}
PEER = "scikit-learn's extra trees"

bench = Benchmark(
    __file__,
    __doc__,
    goals={"speed": Goal(1.0, wanted=0.5), "memory": Goal(0.4)},
    options={
        "timed": Option(("credit", "mnist"), quick=("vote",), help="for speed and memory"),
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",), help="for accuracy"),
        "held_back": Option((*REAL_NAMES[:6], "letter"), quick=("vote",), help="for unseen"),
        "repeats": Option(3, quick=1),
        "splits": Option(5, quick=1),
        "jobs": Option(os.cpu_count() or 1),
        "trees": Option(100, quick=10),
    },
)


def labelled_draw(dataset, split):
    labelled = pu_split(dataset.is_positive, random_state=split)
    return Draw(dataset.name, dataset.X, dataset.is_positive, labelled, split)


def stacked(X, labelled):
    """The training set of a classifier of positives against unlabelled rows."""
    target = np.concatenate([np.ones(labelled.sum()), np.zeros(len(X))])
    return np.vstack([X[labelled], X]), target


def make(which, trees, jobs, prior, seed=None):
    if which == "peer":
        return ExtraTreesClassifier(trees, n_jobs=jobs, random_state=seed)
    options = {"cross_fit": None} if which == "plain" else {}
    return PUExtraTreesClassifier(trees, prior=prior, n_jobs=jobs, random_state=seed, **options)


@bench.part
def speed(run: Run) -> None:
    given = run.options
    for dataset in loaded(run, given.timed):
        draw = labelled_draw(dataset, 0)
        rows = {"own": (draw.X, draw.is_labelled), "peer": stacked(draw.X, draw.is_labelled)}
        times = side_by_side(
            {
                which: lambda which=which, rows=rows, draw=draw: make(
                    which, given.trees, given.jobs, draw.prior, 0
                ).fit(*rows["peer" if which == "peer" else "own"])
                for which in ("default", "plain", "peer")
            },
            given.repeats,
        )
        shape = f"{draw.name}, {len(rows['peer'][0])} x {draw.X.shape[1]}"
        for which in ("default", "plain"):
            run.row(
                f"{shape}, {which}",
                seconds_of(times),
                ratio=ratio_of(times, "peer", own=which),
                goal="speed",
                peer=PEER,
            )
        models = {which: timing.result for which, timing in times.items()}
        times = side_by_side(
            {
                which: lambda model=model, draw=draw: model.predict(draw.X)
                for which, model in models.items()
            },
            given.repeats,
        )
        run.row(
            f"{draw.name}, predict",
            seconds_of(times),
            ratio=ratio_of(times, "peer", own="default"),
            goal="speed",
            peer=PEER,
        )


def memory_of_one_fit(which, name, dtype, jobs, trees):
    """Return the input's bytes and the peak above them during fit, from a process of its own."""
    dataset = load_real(name)
    X = dataset.X.astype(dtype)
    n_bytes, labelled = X.nbytes, pu_split(dataset.is_positive, random_state=0)
    rows, y = stacked(X, labelled) if which == "peer" else (X, labelled)
    model = make(which, trees, jobs, dataset.prior)
    del dataset, X
    before = forget_peak()
    model.fit(rows, y)
    return n_bytes, peak_bytes() - before


@bench.part
def memory(run: Run) -> None:
    given = run.options
    if not sys.platform.startswith("linux"):
        raise Skip("only Linux says what one fit takes")
    for dataset in loaded(run, given.timed):
        for dtype in ("float32", "float64"):
            (n_bytes, own), (_, peer) = (
                in_own_process(
                    memory_of_one_fit, which, dataset.name, dtype, given.jobs, given.trees
                )
                for which in ("default", "peer")
            )
            run.row(
                f"{dataset.name}, {dtype}",
                {"input MB": n_bytes / 1e6, "above MB": own / 1e6, "peer MB": peer / 1e6},
                ratio=own / n_bytes,
                goal="memory",
                peer="the input",
            )


@bench.part
def accuracy(run: Run) -> None:
    given, printed = run.options, published("pu_et")
    for dataset in loaded(run):
        found = {"half": [], "prior": [], "balanced": []}
        for split in range(given.splits):
            draw = labelled_draw(dataset, split)
            forest = grow_forest(
                draw.X,
                draw.is_labelled,
                draw.prior,
                n_trees=given.trees,
                random_state=split,
                n_threads=given.jobs,
            )
            scores = forest_scores(forest, draw.X, n_threads=given.jobs).combined
            positive = positives_by_prior(scores, checked_pu_labels(draw.is_labelled), draw.prior)
            found["half"].append(draw.accuracy(scores > 0.5))
            found["prior"].append(draw.accuracy(positive))
            found["balanced"].append(draw.balanced_accuracy(positive))
        known, known_balanced = KNOWN_PRIOR[dataset.name]
        run.row(
            dataset.name,
            {
                "half": mean_and_deviation(found["half"]),
                "paper": printed[dataset.name],
                "prior": mean_and_deviation(found["prior"]),
                "known": known,
                "balanced": float(np.mean(found["balanced"])),
                "known bal.": known_balanced,
            },
        )


@bench.part
def unseen(run: Run) -> None:
    """Fit on 70 % of the rows. Means over splits, for each way to score these rows."""
    given = run.options
    for dataset in loaded(run, given.held_back):
        found = {}
        for split in range(given.splits):
            for way, line in of_one_split(dataset, split, given.jobs, given.trees).items():
                found.setdefault(way, []).append(line)
        for way, values in found.items():
            columns = ("fit, prior", "fit, half", "unseen", "Brier")
            run.row(
                f"{dataset.name}, {way}",
                dict(zip(columns, np.mean(values, axis=0).tolist(), strict=True)),
            )


def of_one_split(dataset, split, jobs, trees):
    order = np.random.default_rng(split).permutation(len(dataset.X))
    train, test = np.split(order, [int(0.7 * len(order))])
    X, truth = dataset.X[train], dataset.is_positive[train]
    labelled = pu_split(truth, random_state=split)
    labels, prior, hidden = checked_pu_labels(labelled), float(truth.mean()), ~labelled
    same = {"random_state": split, "n_threads": jobs}
    forest = grow_forest(X, labelled, prior, n_trees=trees, **same)
    new = forest_scores(forest, dataset.X[test], n_threads=jobs).combined
    ways = {"none": forest_scores(forest, X, n_threads=jobs).combined} | {
        way: cross_fitted_forest(X, labelled, prior, n_trees=n_trees, **same).scores.combined
        for way, n_trees in (("threshold", -(-trees // 5)), ("scores", trees))
    }
    lines = {}
    for way, scores in ways.items():
        threshold = threshold_for_share(scores, prior)
        calibration = calibrate(scores, labelled, prior, half_at=threshold)
        probability = calibration.positive_probability(new)
        lines[way] = (
            np.mean(positives_by_prior(scores, labels, prior)[hidden] == truth[hidden]),
            np.mean((scores > 0.5)[hidden] == truth[hidden]),
            np.mean((new > threshold) == dataset.is_positive[test]),
            np.mean((probability - dataset.is_positive[test]) ** 2),
        )
    return lines


if __name__ == "__main__":
    bench.main()
