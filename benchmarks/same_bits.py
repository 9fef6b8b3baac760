"""Fits every estimator on five tables and writes a digest of each answer; compares two such files.

A change that should not change a result is checked by running this before it and after it:

    python benchmarks/same_bits.py write before.json
    python benchmarks/same_bits.py write after.json
    python benchmarks/same_bits.py compare before.json after.json
"""

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.ensemble import IsolationForest

import pucut

ANSWERS = ("predict", "predict_proba", "decision_function")
# Every fitted attribute of these names, where an estimator has it.
ATTRIBUTES = (
    "transduction_",
    "scores_",
    "prior_",
    "threshold_",
    "positive_fraction_",
    "negative_ranking_",
    "likely_negative_",
    "feature_weights_",
    "feature_importances_",
    "n_neighbors_",
    "sigma_",
    "neighbor_recall_",
    "label_distributions_",
    "offset_",
)


def tables() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Name, X and true classes of five tables of different kinds."""
    random = np.random.RandomState(0)
    digits = load_digits()
    yield "digits", digits.data[:900], digits.target[:900] % 2 == 1
    cancer = load_breast_cancer()
    yield "cancer", cancer.data, cancer.target == 0
    moons, side = make_moons(700, noise=0.2, random_state=0)
    yield "moons, single precision", moons.astype(np.float32), side == 1
    numbers, classes = make_classification(600, 6, n_informative=4, random_state=1)
    frame = pd.DataFrame(numbers, columns=[f"n{i}" for i in range(6)])
    frame.iloc[random.randint(600, size=80), 2] = np.nan
    colours = np.array(["red", "green", "blue", None], dtype=object)
    frame["colour"] = colours[(classes + random.randint(3, size=600)) % 4]
    frame["kind"] = pd.Categorical(np.array(["a", "b"])[random.randint(2, size=600)])
    yield "mixed columns", frame, classes == 1
    counts = random.poisson(0.15 + 0.25 * (np.arange(120) < 40) * (random.rand(500, 1) < 0.45))
    yield "sparse", sp.csr_array(counts.astype(np.float64)), counts[:, :40].sum(axis=1) > 9


def estimators() -> dict[str, Callable[[Any], Any]]:
    """What is fitted, by name; each is given the prior, a number or "auto"."""

    def plain(kind: Any, **settings: Any) -> Callable[[Any], Any]:
        return lambda prior: kind(prior=prior, random_state=0, **settings)

    found = {
        "pucut": plain(pucut.PUCutClassifier),
        "pucut, one space": plain(pucut.PUCutClassifier, feature_weights=None, n_neighbors=[5, 8]),
        "2-HNC": plain(pucut.TwoHNCClassifier),
        "2-HNC, two threads": plain(pucut.TwoHNCClassifier, n_jobs=2),
        "2-HNC, nearest": plain(pucut.TwoHNCClassifier, inductive="nearest"),
        "2-HNC, forest": plain(pucut.TwoHNCClassifier, similarity="forest"),
        "2-HNC, grid": plain(pucut.TwoHNCClassifier, lambda_grid=np.arange(501) / 1000),
        "PU extra trees": plain(pucut.PUExtraTreesClassifier),
        "boosting": plain(pucut.PUThresholdClassifier),
        "Elkan-Noto": plain(pucut.ElkanNotoClassifier),
        "spies": plain(pucut.SpyClassifier),
        "Rocchio": plain(pucut.RocchioClassifier),
        "biased SVM": plain(pucut.BiasedSVMClassifier),
        "bagging SVM": plain(pucut.BaggingSVMClassifier),
        "propagation": plain(pucut.PULabelPropagationClassifier),
        "max margin": plain(pucut.PUMaxMarginClassifier),
        "PU bagging": plain(pucut.PUBaggingClassifier),
        "one class": plain(pucut.OneClassPUClassifier),
        "isolation": lambda prior: pucut.OneClassPUClassifier(
            IsolationForest(), prior=prior, random_state=0
        ),
    }
    if "NNPUClassifier" in pucut.__all__:
        found["nnPU"] = plain(pucut.NNPUClassifier, max_epochs=5)
        found["uPU"] = plain(pucut.UPUClassifier, max_epochs=5)
    return found


def digest(value: Any) -> str:
    if sp.issparse(value):
        return digest(np.concatenate([value.data, value.indices, value.indptr]))
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        content = repr(array.tolist()).encode()
    else:
        content = array.dtype.str.encode() + np.ascontiguousarray(array).tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


def digests_of(fitted: Any, X: Any) -> dict[str, str]:
    found = {name: digest(getattr(fitted, name)) for name in ATTRIBUTES if hasattr(fitted, name)}
    for answer in ANSWERS:
        if hasattr(fitted, answer):
            found[answer] = digest(getattr(fitted, answer)(X))
    return found


def answers() -> Iterator[tuple[str, dict[str, str]]]:
    """Digests of everything, with a name for each fit."""
    for table, X, is_positive in tables():
        random = np.random.RandomState(1)
        n_rows = len(is_positive)
        rows, unseen = np.split(random.permutation(n_rows), [int(0.8 * n_rows)])
        places = X.iloc if hasattr(X, "iloc") else X
        known, new, truth = places[rows], places[unseen], is_positive[rows]
        labelled = truth & (random.rand(len(rows)) < 0.4)
        for name, make in estimators().items():
            for prior in (float(truth.mean()), "auto"):
                if prior == "auto" and name not in ("pucut", "2-HNC", "boosting", "Elkan-Noto"):
                    continue
                kind = "given" if prior != "auto" else prior
                yield f"{table} / {name} / prior {kind}", _fitted(make(prior), known, labelled, new)
        for method in ("auto", *pucut.priors.METHODS):
            estimate = pucut.estimate_prior(known, labelled, method, random_state=0)
            yield f"{table} / prior by {method}", {"prior": digest(estimate.prior)}
        codes = np.where(random.rand(len(rows)) < 0.2, truth.astype(int), -1)
        yield (
            f"{table} / HNC",
            _fitted(pucut.HNCClassifier(random_state=0), known, codes, new),
        )
        detector = pucut.CutOutlierDetector(random_state=0).fit(known)
        yield f"{table} / outliers", digests_of(detector, new)
        asked = np.where(codes < 0, np.nan, codes)
        strategy = pucut.CutQueryStrategy(random_state=0)
        yield (
            f"{table} / next labels",
            {"query": digest(strategy.query(known, asked, batch_size=5))},
        )


def _fitted(estimator: Any, X: Any, y: Any, new: Any) -> dict[str, str]:
    try:
        return digests_of(estimator.fit(X, y), new)
    except (TypeError, ValueError) as error:  # what a method does not take is an answer too
        return {"refused": type(error).__name__}


def write(file: Path) -> None:
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are not answers, and go by the thousand
        for name, digests in answers():
            print(name, file=sys.stderr, flush=True)
            found[name] = digests
    file.write_text(json.dumps(found, indent=1), encoding="utf-8")


def compare(before: Path, after: Path) -> int:
    """Prints every answer that differs; returns how many do, or are in one file only."""
    old, new = (json.loads(file.read_text(encoding="utf-8")) for file in (before, after))
    n_different = n_same = 0
    for fit in sorted(old.keys() | new.keys()):
        left, right = old.get(fit, {}), new.get(fit, {})
        for answer in sorted(left.keys() | right.keys()):
            if left.get(answer) == right.get(answer):
                n_same += 1
            else:
                n_different += 1
                there = "differs" if answer in left and answer in right else "in one file only"
                print(f"{fit}: {answer} {there}")
    print(f"{n_same} answers have the same bits, {n_different} do not")
    return n_different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write").add_argument("file", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "write":
        write(given.file)
        return 0
    return 1 if compare(given.before, given.after) else 0


if __name__ == "__main__":
    raise SystemExit(main())
