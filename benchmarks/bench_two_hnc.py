"""2-HNC on the paper's real datasets: accuracy and time, and the time of PUCutClassifier.

accuracy  the true prior, 60 % of the positives labelled, accuracy on the unlabelled rows in %,
          beside a plain re-run of the paper's method and the paper's own figures.
mnist     MNIST from raw table to labels, beside two parts of any such method: scikit-learn's
          ExtraTrees and a graph by faiss' HNSW, in the same run.
choosing  seconds of PUCutClassifier ("pucut") as multiples of those of TwoHNCClassifier ("2-HNC"),
          each fitted in turn on the same rows, with the prior given and with prior="auto".
leaves    the least leaf of trees that weigh features from samples of a few rows.

How time and memory grow with the rows is in bench_growth.
"""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.bare import standardised
from benchmarks.data import drawn, loaded, published
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.processes import in_own_process, peak_bytes
from benchmarks.timing import mean_and_error, ratio_of, seconds_of, side_by_side
from paper.datasets import REAL_NAMES, load_real
from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.datasets import pu_split
from pucut.methods.two_hnc import classifier
from pucut.trees.growing import TreeOptions

N_JOBS = 2
# Accuracy and balanced accuracy on U in % of a plain re-run of the method.
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
# Rows that a tree sees in the part `leaves`: an eighth to a quarter of each table.
SAMPLES = {"letter": 4000, "credit": 4000, "bean": 3000, "phishing": 3000, "mushroom": 2000}

bench = Benchmark(
    __file__,
    __doc__,
    goals={"mnist": Goal(1.5), "choosing": Goal(6)},
    options={
        "datasets": Option(tuple(REAL_NAMES), quick=("vote",)),
        "sampled": Option(tuple(SAMPLES), quick=("mushroom",), help="for leaves"),
        "splits": Option(5, quick=1, help="and repeats of a timed fit"),
    },
)


def two_hnc(prior, seed):
    return TwoHNCClassifier(prior=prior, n_jobs=N_JOBS, random_state=seed)


@bench.part
def accuracy(run: Run) -> None:
    paper = published("two_hnc"), published("two_hnc", "balanced_accuracy")
    for dataset in loaded(run):
        found = []
        for split in range(run.options.splits):
            draw = drawn(dataset, 0.6, split)
            said = two_hnc(draw.prior, draw.seed).fit(draw.X, draw.is_labelled).transduction_
            found.append((draw.accuracy(said), draw.balanced_accuracy(said)))
        figures = {}
        for place, name in enumerate(("accuracy", "balanced")):
            figures[name] = mean_and_error([each[place] for each in found])
            for other, theirs in (
                ("re-run", RERUN[dataset.name][place]),
                ("paper", paper[place][dataset.name]),
            ):
                figures[f"{name[:3]}. - {other}"] = figures[name][0] - theirs
        run.row(dataset.name, figures)


def fit_mnist():
    draw = drawn(load_real("mnist"))
    model = two_hnc(draw.prior, 0)
    timing = side_by_side({"fit": lambda: model.fit(draw.X, draw.is_labelled)}, 1)["fit"]
    steps = {f"{name} s": took for name, took in model.step_seconds_.items()}
    return timing.seconds, {"GB": peak_bytes() / 1e9, "recall": model.neighbor_recall_, **steps}


def others_on_mnist():
    """Seconds of a forest and of a graph, the parts of any such method."""
    import faiss

    draw = drawn(load_real("mnist"))
    stacked = np.concatenate([draw.X, draw.X[draw.is_labelled]])
    target = np.repeat([0, 1], [len(draw.X), draw.is_labelled.sum()])
    points = np.ascontiguousarray(standardised(draw.X))
    faiss.omp_set_num_threads(N_JOBS)

    def graph():
        index = faiss.IndexHNSWFlat(points.shape[1], 32)
        index.add(points)
        index.search(points, 6)

    forest = ExtraTreesClassifier(100, n_jobs=N_JOBS, random_state=0)
    times = side_by_side({"forest": lambda: forest.fit(stacked, target), "graph": graph}, 1)
    return {name: timing.seconds for name, timing in times.items()}


@bench.part
def mnist(run: Run) -> None:
    if run.options.quick:
        raise Skip("MNIST takes a minute")
    if not list(loaded(run, ("mnist",))):
        raise Skip("no MNIST here")
    seconds, figures = in_own_process(fit_mnist)
    others = in_own_process(others_on_mnist) if run.peer("faiss") is not None else {}
    run.row(
        "70 000 x 784",
        {"seconds": seconds, **figures, **{f"{name} of others": s for name, s in others.items()}},
        ratio=seconds / sum(others.values()) if others else None,
        goal="mnist",
        peer="ExtraTrees and HNSW",
    )


@bench.part
def choosing(run: Run) -> None:
    for dataset in loaded(run):
        draw = drawn(dataset)
        for known, prior in (("prior given", draw.prior), ("prior estimated", "auto")):
            times = side_by_side(
                {
                    name: lambda kind=kind, prior=prior, draw=draw: kind(
                        prior=prior, n_jobs=N_JOBS, random_state=0
                    ).fit(draw.X, draw.is_labelled)
                    for name, kind in (("2-HNC", TwoHNCClassifier), ("pucut", PUCutClassifier))
                },
                1 if len(draw.X) > 50_000 else run.options.splits,
            )
            run.row(
                f"{dataset.name}, {known}",
                seconds_of(times),
                ratio=ratio_of(times, "2-HNC"),
                goal="choosing",
                peer="2-HNC",
            )


@bench.part
def leaves(run: Run) -> None:
    usual = classifier.options_of_weighing_trees
    for dataset in loaded(run, run.options.sampled):
        n_rows = SAMPLES[dataset.name]
        for most, leaf in [(None, 1), (None, 5), (n_rows, 1), (n_rows, 5), (n_rows, 20)]:
            options = TreeOptions(max_rows=most, min_samples_leaf=leaf)
            classifier.options_of_weighing_trees = lambda n_rows, chosen=options: chosen
            try:
                found = [one_accuracy(dataset, seed) for seed in range(run.options.splits)]
            finally:
                classifier.options_of_weighing_trees = usual
            run.row(
                f"{dataset.name}, leaves of {leaf}",
                {"rows per tree": most or "all", "accuracy": mean_and_error(found)},
            )


def one_accuracy(dataset, seed):
    labelled = pu_split(dataset.is_positive, 0.6, random_state=seed)
    said = two_hnc(dataset.prior, seed).fit(dataset.X, labelled).transduction_
    return 100 * float((said == dataset.is_positive)[~labelled].mean())


if __name__ == "__main__":
    bench.main()
