"""2-HNC on the paper's real datasets, and its time and memory.

1. Accuracy: `preset="paper"`, the true prior, 60 % of the positives labelled, on the unlabelled
   rows, beside a plain re-run of the paper's method and the paper's own figures.
2. MNIST from raw table to labels, beside what any such method would need: scikit-learn's ExtraTrees
   and a graph by faiss' HNSW, in the same run.
3. Growth: 10 000, 100 000 and 1 000 000 rows of 20 features, `preset="paper"`.
4. What the default costs: times of `preset="auto"` as multiples of those of `preset="paper"`, each
   fitted in turn on the same rows, with the prior given and with `prior="auto"`; medians.

Needs the files of the datasets in the folder that PUCUT_DATA names for 1, 2 and 4.
Options: --parts 1,2,3,4  --datasets vote,german  --splits 5  --rows 10000,100000,1000000
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import StandardScaler

from paper.datasets import REAL_NAMES, data_folder, load_real, seed_from_names
from pucut import TwoHNCClassifier
from pucut.datasets import pu_split

N_JOBS = 2
# Accuracy and balanced accuracy on U in %: a plain re-run of the method, and the paper's tables.
RERUN = {
    "vote": (96.00, 95.99),
    "german": (69.41, 69.38),
    "obesity": (97.30, 96.40),
    "mushroom": (99.84, 99.82),
    "phishing": (95.82, 94.29),
    "bean": (97.24, 96.29),
    "news": (90.73, 89.70),
    "letter": (97.92, 97.45),
    "credit": (67.45, 66.48),
    "mnist": (98.03, 97.63),
}
PAPER = {
    "vote": (96.15, 95.90),
    "german": (68.55, 68.53),
    "obesity": (97.81, 97.20),
    "mushroom": (99.83, 99.78),
    "phishing": (94.96, 93.18),
    "bean": (97.34, 96.44),
    "news": (91.35, 90.38),
    "letter": (97.50, 96.95),
    "credit": (69.47, 68.54),
    "mnist": (96.77, 96.08),
}


def accuracy(names, n_splits):
    """Both accuracies on U, mean and standard error over the splits."""
    print(
        f"{'':10}{'accuracy':>18}{'re-run':>9}{'paper':>9}{'balanced':>20}{'re-run':>9}{'paper':>9}"
    )
    for name in names:
        dataset = load_real(name)
        rows = []
        for split in range(n_splits):
            seed = seed_from_names(name, 0.6, split)
            is_labelled = pu_split(dataset.is_positive, 0.6, random_state=seed)
            model = TwoHNCClassifier(
                prior=dataset.prior, preset="paper", n_jobs=N_JOBS, random_state=seed
            ).fit(dataset.X, is_labelled)
            said, truth = model.transduction_[~is_labelled], dataset.is_positive[~is_labelled]
            rows.append((np.mean(said == truth), (said[truth].mean() + (~said[~truth]).mean()) / 2))
        mean = 100 * np.mean(rows, axis=0)
        error = 100 * np.std(rows, axis=0, ddof=1) / np.sqrt(n_splits) if n_splits > 1 else [0, 0]
        line = f"{name:10}"
        for place in (0, 1):
            line += f"{mean[place]:12.2f} ({error[place]:.2f}) "
            line += (
                f"{mean[place] - RERUN[name][place]:+8.2f} {mean[place] - PAPER[name][place]:+8.2f}"
            )
        print(line, flush=True)


def fit_mnist():
    dataset = load_real("mnist")
    is_labelled = pu_split(dataset.is_positive, 0.6, random_state=seed_from_names("mnist", 0.6, 0))
    model = TwoHNCClassifier(prior=dataset.prior, preset="paper", n_jobs=N_JOBS, random_state=0)
    return fitted(model, dataset.X, is_labelled)


def fit_made(n_samples):
    X, y = make_classification(
        n_samples, 20, n_informative=10, n_clusters_per_class=4, random_state=0
    )
    X = X.astype(np.float32)
    is_labelled = pu_split(y == 1, 0.6, random_state=0)
    prior = float(y.mean())
    model = TwoHNCClassifier(prior=prior, preset="paper", n_jobs=N_JOBS, random_state=0)
    return {**fitted(model, X, is_labelled), "accuracy": right(model, y == 1, is_labelled)}


def fitted(model, X, is_labelled):
    start = time.perf_counter()
    model.fit(X, is_labelled)
    return {
        "seconds": time.perf_counter() - start,
        "steps": model.step_seconds_,
        "recall": model.neighbor_recall_,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def right(model, is_positive, is_labelled):
    return float((model.transduction_ == is_positive)[~is_labelled].mean())


def fit_peers_on_mnist():
    """What any method with such a forest and such a graph takes."""
    dataset = load_real("mnist")
    is_labelled = pu_split(dataset.is_positive, 0.6, random_state=seed_from_names("mnist", 0.6, 0))
    stacked = np.concatenate([dataset.X, dataset.X[is_labelled]])
    target = np.repeat([0, 1], [len(dataset.X), is_labelled.sum()])
    start = time.perf_counter()
    ExtraTreesClassifier(100, n_jobs=N_JOBS, random_state=0).fit(stacked, target)
    forest = time.perf_counter() - start
    try:
        import faiss
    except ImportError:
        return {"seconds": float("nan"), "forest": forest, "graph": "faiss is not installed"}
    points = np.ascontiguousarray(StandardScaler().fit_transform(dataset.X), dtype=np.float32)
    faiss.omp_set_num_threads(N_JOBS)
    start = time.perf_counter()
    index = faiss.IndexHNSWFlat(points.shape[1], 32)
    index.add(points)
    index.search(points, 6)
    graph = time.perf_counter() - start
    return {"seconds": forest + graph, "forest": forest, "graph": graph}


def alone(call):
    """The result of a function of this file in a process of its own, for its memory."""
    command = [sys.executable, __file__, "--call", call]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def report(result):
    steps = "  ".join(f"{name} {took:.2f}" for name, took in result["steps"].items())
    print(
        f"  {result['seconds']:8.1f} s  {result['gigabytes']:5.2f} GB  "
        f"recall {result['recall']:.3f}   {steps}",
        flush=True,
    )


def mnist():
    print("MNIST, 70 000 x 784, from raw table to labels")
    ours = alone("fit_mnist()")
    peers = alone("fit_peers_on_mnist()")
    report(ours)
    print(f"  forest and graph of others: {peers}")
    print(f"  ratio {ours['seconds'] / peers['seconds']:.2f} (needed 1.5)")


def growth(sizes):
    print("Growth, n x 20")
    seconds = []
    for n_samples in sizes:
        result = alone(f"fit_made({n_samples})")
        print(f"{n_samples:>9} rows, accuracy {result['accuracy']:.4f}")
        report(result)
        seconds.append(result["seconds"])
    exponents = np.diff(np.log(seconds)) / np.diff(np.log(sizes))
    print("  exponents", np.round(exponents, 2), "(needed at most 1.2)")


def cost_of_the_default(names, n_splits):
    print("Seconds of the paper's settings, of the default, and their ratio; needed at most 6")
    for name in names:
        dataset = load_real(name)
        repeats = 1 if len(dataset.X) > 50_000 else n_splits
        seed = seed_from_names(name, 0.6, 0)
        is_labelled = pu_split(dataset.is_positive, 0.6, random_state=seed)
        line = f"{name:10}"
        for prior in (dataset.prior, "auto"):
            took = {"paper": [], "auto": []}
            for _ in range(repeats):
                for preset, seconds in took.items():
                    model = TwoHNCClassifier(
                        prior=prior, preset=preset, n_jobs=N_JOBS, random_state=0
                    )
                    seconds.append(fitted(model, dataset.X, is_labelled)["seconds"])
            paper, default = (float(np.median(took[preset])) for preset in ("paper", "auto"))
            known = "prior estimated" if prior == "auto" else "prior given"
            line += f"   {known}: {paper:7.2f} {default:7.2f} {default / paper:5.1f}"
        print(line, flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", default="1,2,3,4")
    options.add_argument("--datasets", default=",".join(REAL_NAMES))
    options.add_argument("--splits", type=int, default=5)
    options.add_argument("--rows", default="10000,100000,1000000")
    options.add_argument("--call", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.call:
        print(json.dumps(eval(chosen.call)))
        return
    parts = chosen.parts.split(",")
    try:
        data_folder()
    except FileNotFoundError as error:
        print(f"leaving out what needs the real datasets: {error}")
        parts = [part for part in parts if part == "3"]
    if "1" in parts:
        accuracy(chosen.datasets.split(","), chosen.splits)
    if "2" in parts:
        mnist()
    if "4" in parts:
        cost_of_the_default(chosen.datasets.split(","), chosen.splits)
    if "3" in parts:
        growth([int(n_rows) for n_rows in chosen.rows.split(",")])


if __name__ == "__main__":
    main()
