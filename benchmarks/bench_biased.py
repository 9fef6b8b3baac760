"""Labels that were not drawn at random: estimates, classifiers and the check.

kinds       Bean and Letter as in the paper on PULSNAR: one class is negative, kinds of positives
            are hidden as 1 : 2 : 4 and so on, all others are labelled. Estimated share of positives
            among the unlabelled rows next to the true one, and the mean absolute error.
propensity  practice tables, labels drawn by a logistic propensity of one column. By strength:
            signed and absolute error of the estimated prior, and accuracy on the unlabelled rows in
            %, with the true prior, of SAR-EM with that column, without it, and of PU trees.
alarms      how often the check of the labels raises an alarm, with the true prior and with an
            estimated one: at strength 0 a false one.

The column is the one with most values among the positives. Figures: benchmarks/results/biased.md.
No goals.
"""

import csv
import gzip
from collections import defaultdict

import numpy as np

from benchmarks.data import practice_table, practice_tasks
from benchmarks.harness import Benchmark, Option, Run, Skip
from paper.datasets import data_folder, seed_from_names
from pucut import PUExtraTreesClassifier, SAREMClassifier, check_labelling, estimate_prior
from pucut.datasets import biased_labels

# Negative class, and the kinds of positives from the least hidden to the most.
KINDS = {
    "bean": ("DERMASON", ("BOMBAY", "BARBUNYA", "CALI", "HOROZ", "SEKER", "SIRA")),
    "letter": ("D", ("C", "A", "B", "E", "F")),
}
SMALL = ("breast_w", "saheart", "vehicle", "yeast")

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "methods": Option(("clusters", "auto", "dedpul", "tice"), help="of estimate_prior"),
        "shares": Option((0.05, 0.2, 0.4), quick=(0.2,), help="of hidden positives, in kinds"),
        "tables": Option(SMALL, quick=("breast_w",), help="of the practice folder"),
        "strengths": Option((0.0, 1.0, 2.0, 4.0), quick=(0.0, 2.0)),
        "labelled": Option(0.4, help="share of the positives that is labelled"),
        "splits": Option(2, quick=1),
    },
)


def table_of_kinds(name):
    file = data_folder() / f"{name}.csv.gz"
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    negative, kinds = KINDS[name]
    rows = [row for row in rows if row[-1] in (negative, *kinds)]
    return np.array([row[:-1] for row in rows], dtype=np.float64), np.array([r[-1] for r in rows])


def labels_by_kind(name, kind, share, split):
    """Positives, and those labelled: of the unlabelled rows `share` is positive."""
    random = np.random.RandomState(seed_from_names(name, share, split))
    negative, kinds = KINDS[name]
    n_hidden = (kind == negative).sum() * share / (1.0 - share)
    is_labelled = kind != negative
    for place, each in enumerate(kinds):
        n_of_kind = round(n_hidden * 2**place / (2 ** len(kinds) - 1))
        is_labelled[random.permutation(np.flatnonzero(kind == each))[:n_of_kind]] = False
    return kind != negative, is_labelled


@bench.part
def kinds(run: Run) -> None:
    for name in KINDS:
        try:
            X, kind = table_of_kinds(name)
        except OSError as error:
            raise Skip(str(error)) from error
        errors = defaultdict(list)
        for share in run.options.shares:
            for split in range(run.options.splits):
                is_positive, is_labelled = labels_by_kind(name, kind, share, split)
                truth = float(is_positive[~is_labelled].mean())
                found = {
                    method: estimate_prior(X, is_labelled, method, random_state=split)
                    for method in run.options.methods
                }
                figures = {method: each.prior_unlabelled for method, each in found.items()}
                run.row(f"{name}, {share:.0%} hidden, {split}", {"true": truth, **figures})
                for method, value in figures.items():
                    errors[method].append(abs(value - truth))
        run.row(
            f"{name}, mean absolute error",
            {"true": 0.0, **{method: float(np.mean(each)) for method, each in errors.items()}},
        )


def draws(run: Run):
    """Yield pairs of a strength and of X, the positives, the labels, the column and a seed."""
    try:
        tasks = {task.name: task for task in practice_tasks()}
    except OSError as error:
        raise Skip(f"the practice tables are not there ({error})") from error
    for name in run.options.tables:
        X, is_positive = practice_table(tasks[name])
        n_values = [len(np.unique(column)) for column in X[is_positive].T]
        column = int(np.argmax(n_values))
        for strength in run.options.strengths:
            for split in range(run.options.splits):
                seed = seed_from_names(name, strength, split)
                drawn = biased_labels(
                    X, is_positive, [column], strength, run.options.labelled, random_state=seed
                )
                yield strength, (X, is_positive, drawn.is_labelled, column, seed)


@bench.part
def propensity(run: Run) -> None:
    found = defaultdict(list)
    for strength, (X, is_positive, y, column, seed) in draws(run):
        truth, others = float(is_positive.mean()), ~y
        aware = SAREMClassifier([column], random_state=seed).fit(X, y)
        figures = {
            "auto": estimate_prior(X, y, random_state=seed).prior - truth,
            "clusters": estimate_prior(X, y, labelling="biased", random_state=seed).prior - truth,
            "SAR-EM": aware.prior_ - truth,
        }
        models = {
            "SAR-EM %": SAREMClassifier([column], prior=truth, random_state=seed),
            "no column %": SAREMClassifier(prior=truth, random_state=seed),
            "all columns %": SAREMClassifier(range(X.shape[1]), prior=truth, random_state=seed),
            "trees %": PUExtraTreesClassifier(prior=truth, random_state=seed),
        }
        for name, model in models.items():
            said = model.fit(X, y).transduction_
            figures[name] = 100.0 * float((said == is_positive)[others].mean())
        found[strength].append(figures)
    for strength, some in found.items():
        figures = {}
        for name in some[0]:
            values = np.array([each[name] for each in some])
            figures[name] = float(values.mean())
            if not name.endswith("%"):
                figures[f"|{name}|"] = float(np.abs(values).mean())
        run.row(f"strength {strength:g}, {len(some)} draws", figures)


@bench.part
def alarms(run: Run) -> None:
    found = defaultdict(list)
    for strength, (X, is_positive, y, column, seed) in draws(run):
        for prior in ("true", "auto"):
            given = float(is_positive.mean()) if prior == "true" else "auto"
            check = check_labelling(X, y, prior=given, random_state=seed)
            alarm = check.is_random_draw is False
            named = f"column {column}" in check.columns
            found[strength, prior].append((alarm, named))
    for (strength, prior), some in found.items():
        alarm, named = np.mean(some, axis=0)
        run.row(
            f"strength {strength:g}, {prior} prior, {len(some)} draws",
            {"alarms": float(alarm), "named": float(named)},
        )


if __name__ == "__main__":
    bench.main()
