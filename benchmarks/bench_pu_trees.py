"""PU extra trees beside scikit-learn's extra trees, and beside the published accuracies.

speed     fit and predict of `PUExtraTreesClassifier`, by turns with scikit-learn's
          ExtraTreesClassifier on the labelled rows stacked on all rows, with the same number of
          trees and of jobs: medians and their ratios. The default classifier grows as many trees
          again for its threshold and its probabilities; "plain" does without (cross_fit=None).
memory    peak memory above the input, in processes of their own (Linux only).
accuracy  on the unlabelled rows, 60 % of the positives labelled, true prior: both thresholds beside
          the published columns.
unseen    what cross-fitting does for the rows of `fit` and for rows that were held back.

Needs the folder of the datasets in PUCUT_DATA. Options: --only PART, --data NAME (several times),
--repeats N, --jobs N, --trees N.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import balanced_accuracy_score

from paper.datasets import REAL_NAMES, load_real
from pucut import PUExtraTreesClassifier
from pucut.calibration import calibrate
from pucut.data.labels import checked_pu_labels
from pucut.datasets import pu_split
from pucut.scores.thresholds import positives_by_prior, threshold_for_share
from pucut.trees.forest import cross_fitted_forest, forest_scores, grow_forest

PARTS = ("speed", "memory", "accuracy", "unseen")
SPEED_DATA = ("credit", "mnist")
NEEDED, WANTED = 1.0, 0.5
SPLITS = 5

# Accuracy in %: PU ET in the 2-HNC paper's table, with its standard error, and, for the top prior *
# n by votes, the accuracy / balanced accuracy of an independent program.
PAPER_HALF = {
    "vote": (93.60, 1.09),
    "german": (65.34, 0.65),
    "obesity": (96.36, 0.62),
    "mushroom": (99.67, 0.18),
    "phishing": (95.75, 0.27),
    "bean": (97.27, 0.07),
    "news": (84.8, 0.19),
    "letter": (91.93, 0.23),
    "credit": (67.23, 0.24),
    "mnist": (97.16, 0.1),
}
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


def seconds(action):
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def stacked(X, labelled):
    """What a classifier of positives against unlabelled is given."""
    target = np.concatenate([np.ones(labelled.sum()), np.zeros(len(X))])
    return np.vstack([X[labelled], X]), target


def measure_speed(name, repeats, jobs, trees):
    data = load_real(name)
    labelled = pu_split(data.is_positive, random_state=0)
    both, target = stacked(data.X, labelled)
    times = {}
    for seed in range(repeats):
        models = {
            "default": PUExtraTreesClassifier(trees, prior=data.prior, n_jobs=jobs),
            "plain": PUExtraTreesClassifier(trees, prior=data.prior, n_jobs=jobs, cross_fit=None),
            "peer": ExtraTreesClassifier(trees, n_jobs=jobs),
        }
        for label, model in models.items():
            model.set_params(random_state=seed)
            rows, y = (both, target) if label == "peer" else (data.X, labelled)
            fit_time, _ = seconds(lambda model=model, rows=rows, y=y: model.fit(rows, y))
            predict_time, _ = seconds(lambda model=model: model.predict(data.X))
            times.setdefault(label, []).append((fit_time, predict_time))
    fit, predict = (
        {label: statistics.median(row[i] for row in rows) for label, rows in times.items()}
        for i in (0, 1)
    )
    print(
        f"{name:8} {len(both):6} x {data.X.shape[1]:3}  "
        f"fit {fit['default']:6.2f} s default, {fit['plain']:6.2f} plain, {fit['peer']:6.2f} peer: "
        f"ratios {fit['default'] / fit['peer']:.2f} and {fit['plain'] / fit['peer']:.2f}  "
        f"predict {predict['default']:.2f} and {predict['peer']:.2f} s: "
        f"{predict['default'] / predict['peer']:.2f}   (needed {NEEDED}, wanted {WANTED})",
        flush=True,
    )


def peak_bytes():
    """Of this process alone: what getrusage says includes the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def memory_of_one_fit(which, folder, jobs, trees):
    """In a process of its own: the peak above what it had with the input in memory."""
    X = np.load(folder / "X.npy")
    y = np.load(folder / "y.npy")
    prior = float(np.load(folder / "prior.npy"))
    model = (
        ExtraTreesClassifier(trees, n_jobs=jobs)
        if which == "peer"
        else PUExtraTreesClassifier(trees, prior=prior, n_jobs=jobs)
    )
    before = peak_bytes()
    model.fit(X, y)
    print(peak_bytes() - before)


def measure_memory(name, dtype, jobs, trees):
    data = load_real(name)
    X = data.X.astype(dtype)
    labelled = pu_split(data.is_positive, random_state=0)
    above = {}
    for which in ("own", "peer"):
        rows, y = (X, labelled) if which == "own" else stacked(X, labelled)
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "X.npy"), rows)
            np.save(Path(folder, "y.npy"), y)
            np.save(Path(folder, "prior.npy"), data.prior)
            options = ["--jobs", str(jobs), "--trees", str(trees)]
            command = [sys.executable, __file__, "--child", which, "--folder", folder, *options]
            above[which] = int(subprocess.run(command, check=True, capture_output=True).stdout)
    print(
        f"{name:8} {np.dtype(dtype).name}: input {X.nbytes / 1e6:6.1f} MB, above it "
        f"{above['own'] / 1e6:6.1f} MB ({above['own'] / X.nbytes:4.0%}, allowed 40%), peer "
        f"{above['peer'] / 1e6:6.1f} MB",
        flush=True,
    )


def percent(predicted, truth):
    return 100 * np.mean(predicted == truth), 100 * balanced_accuracy_score(truth, predicted)


def measure_accuracy(name, jobs, trees):
    data = load_real(name)
    rows = {"half": [], "prior": []}
    for split in range(SPLITS):
        labelled = pu_split(data.is_positive, random_state=split)
        unlabelled = ~labelled
        forest = grow_forest(
            data.X, labelled, data.prior, n_trees=trees, random_state=split, n_threads=jobs
        )
        scores = forest_scores(forest, data.X, n_threads=jobs).combined
        labels = checked_pu_labels(labelled)
        truth = data.is_positive[unlabelled]
        rows["half"].append(percent((scores > 0.5)[unlabelled], truth))
        positive = positives_by_prior(scores, labels, data.prior)
        rows["prior"].append(percent(positive[unlabelled], truth))
    shown = {}
    for threshold, values in rows.items():
        accuracy, balanced = np.mean(values, axis=0)
        shown[threshold] = f"{accuracy:5.2f} +- {np.std(values, axis=0)[0]:4.2f} / {balanced:5.2f}"
    print(
        f"{name:8}  half {shown['half']}, published {PAPER_HALF[name][0]:5.2f} "
        f"+- {PAPER_HALF[name][1]:4.2f}   prior {shown['prior']}, published "
        f"{KNOWN_PRIOR[name][0]:5.2f} / {KNOWN_PRIOR[name][1]:5.2f}",
        flush=True,
    )


def measure_unseen(name, jobs, trees):
    """70 % of the rows for fit. Means over splits, for each way to find scores of these rows."""
    data = load_real(name)
    found = {}
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(len(data.X))
        train, test = np.split(order, [int(0.7 * len(order))])
        X, truth = data.X[train], data.is_positive[train]
        labelled = pu_split(truth, random_state=split)
        labels, prior = checked_pu_labels(labelled), float(truth.mean())
        same = {"random_state": split, "n_threads": jobs}
        forest = grow_forest(X, labelled, prior, n_trees=trees, **same)
        new = forest_scores(forest, data.X[test], n_threads=jobs).combined
        ways = {
            "none": forest_scores(forest, X, n_threads=jobs).combined,
            "threshold": cross_fitted_forest(
                X, labelled, prior, n_trees=-(-trees // 5), **same
            ).scores.combined,
            "scores": cross_fitted_forest(
                X, labelled, prior, n_trees=trees, **same
            ).scores.combined,
        }
        for way, scores in ways.items():
            threshold = threshold_for_share(scores, prior)
            calibration = calibrate(scores, labelled, prior, half_at=threshold)
            probability = calibration.positive_probability(new)
            hidden = ~labelled
            found.setdefault(way, []).append(
                (
                    np.mean(positives_by_prior(scores, labels, prior)[hidden] == truth[hidden]),
                    np.mean((scores > 0.5)[hidden] == truth[hidden]),
                    np.mean((new > threshold) == data.is_positive[test]),
                    np.mean((probability - data.is_positive[test]) ** 2),
                )
            )
    for way, values in found.items():
        by_prior, by_half, unseen, brier = np.mean(values, axis=0)
        print(
            f"{name:8} {way:9}  rows of fit: prior {by_prior:.4f}, half {by_half:.4f}   "
            f"unseen: prior {unseen:.4f}, Brier score {brier:.4f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--data", action="append", choices=REAL_NAMES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--child", choices=("own", "peer"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        memory_of_one_fit(given.child, given.folder, given.jobs, given.trees)
        return
    if "PUCUT_DATA" not in os.environ:
        print("PUCUT_DATA is not set: nothing to measure on")
        return
    for part in PARTS if given.only is None else (given.only,):
        default = SPEED_DATA if part in ("speed", "memory") else REAL_NAMES
        if part == "unseen":
            default = (*REAL_NAMES[:6], "letter")
        print(f"-- {part}: {given.trees} trees, {given.jobs} jobs")
        for name in given.data or default:
            if part == "speed":
                measure_speed(name, given.repeats, given.jobs, given.trees)
            elif part == "memory":
                for dtype in (np.float32, np.float64):
                    measure_memory(name, dtype, given.jobs, given.trees)
            elif part == "accuracy":
                measure_accuracy(name, given.jobs, given.trees)
            else:
                measure_unseen(name, given.jobs, given.trees)


if __name__ == "__main__":
    main()
