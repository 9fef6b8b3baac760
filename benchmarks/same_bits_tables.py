"""The tables of `same_bits`: small, of every kind, and always the same."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons

from pucut.datasets import pu_split


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to learn from, which of them are positive and labelled, and new rows."""

    known: Any
    new: Any
    truth: np.ndarray
    labelled: np.ndarray

    @property
    def prior(self) -> float:
        return float(self.truth.mean())

    @property
    def three_values(self) -> np.ndarray:
        """Labels with known negatives: 1, 0, and -1 for unlabelled rows."""
        random = np.random.RandomState(5)
        negative = ~self.truth & (random.rand(len(self.truth)) < 0.2)
        return np.where(self.labelled, 1, np.where(negative, 0, -1))

    @property
    def codes(self) -> np.ndarray:
        """A fifth of the labels of both classes, and -1 for the other rows."""
        random = np.random.RandomState(6)
        return np.where(random.rand(len(self.truth)) < 0.2, self.truth.astype(int), -1)


def sample_of(X: Any, truth: np.ndarray, share: float = 0.4) -> Sample:
    """Four fifths of the rows to learn from, with this share of their positives labelled."""
    random = np.random.RandomState(1)
    rows, unseen = np.split(random.permutation(len(truth)), [int(0.8 * len(truth))])
    places = X.iloc if hasattr(X, "iloc") else X
    labelled = truth[rows] & (random.rand(len(rows)) < share)
    return Sample(places[rows], places[unseen], truth[rows], labelled)


def digits() -> Sample:
    found = load_digits()
    return sample_of(found.data[:900], found.target[:900] % 2 == 1)


def cancer() -> Sample:
    found = load_breast_cancer()
    return sample_of(found.data, found.target == 0)


def moons() -> Sample:
    X, side = make_moons(700, noise=0.2, random_state=0)
    return sample_of(X.astype(np.float32), side == 1)


def mixed_columns() -> Sample:
    random = np.random.RandomState(0)
    numbers, classes = make_classification(600, 6, n_informative=4, random_state=1)
    frame = pd.DataFrame(numbers, columns=[f"n{i}" for i in range(6)])
    frame.iloc[random.randint(600, size=80), 2] = np.nan
    colours = np.array(["red", "green", "blue", None], dtype=object)
    frame["colour"] = colours[(classes + random.randint(3, size=600)) % 4]
    frame["kind"] = pd.Categorical(np.array(["a", "b"])[random.randint(2, size=600)])
    return sample_of(frame, classes == 1)


def sparse() -> Sample:
    random = np.random.RandomState(2)
    counts = random.poisson(0.15 + 0.25 * (np.arange(120) < 40) * (random.rand(500, 1) < 0.45))
    return sample_of(sp.csr_array(counts.astype(np.float64)), counts[:, :40].sum(axis=1) > 9)


def codes() -> Sample:
    """The class depends on codes whose order means nothing."""
    X = np.random.default_rng(0).integers(0, 6, size=(620, 5)).astype(float)
    truth = np.isin(X[:, 0], [0, 2, 5]) & np.isin(X[:, 1], [1, 3, 4]) | (X[:, 2] == 3)
    return sample_of(X, truth, 0.6)


def ordered_codes() -> Sample:
    """The class depends on a sum of columns of few values."""
    random = np.random.default_rng(0)
    X = random.integers(0, 6, size=(620, 5)).astype(float)
    return sample_of(X, X.sum(axis=1) + random.normal(size=620) > 14.0, 0.6)


def copies() -> Sample:
    """Every third row stands there again, some of them with the other label."""
    made = small()
    rows = np.concatenate([np.arange(len(made.truth)), np.arange(0, len(made.truth), 3)])
    labelled = made.labelled[rows]
    labelled[len(made.truth) :: 2] = made.truth[rows][len(made.truth) :: 2]
    return Sample(made.known[rows], made.new, made.truth[rows], labelled)


def one_label() -> Sample:
    made = small()
    labelled = np.zeros(len(made.truth), dtype=bool)
    labelled[np.flatnonzero(made.truth)[3]] = True
    return Sample(made.known, made.new, made.truth, labelled)


def few_labels() -> Sample:
    made = small()
    labelled = np.zeros(len(made.truth), dtype=bool)
    labelled[np.flatnonzero(made.truth)[:6]] = True
    return Sample(made.known, made.new, made.truth, labelled)


def noise() -> Sample:
    """The columns say nothing of the class."""
    random = np.random.default_rng(3)
    return sample_of(random.normal(size=(400, 4)), random.random(400) < 0.4)


def many_labels() -> Sample:
    """Labels enough that they are hidden once."""
    X, classes = clusters(1900, 8, 8, 2.0)
    return sample_of(X, classes == 1, 0.9)


def small() -> Sample:
    X, classes = make_classification(400, 6, n_informative=4, class_sep=1.0, random_state=4)
    return sample_of(X, classes == 1)


def clusters(n_rows: int, n_columns: int, n_clusters: int, apart: float) -> tuple[Any, Any]:
    return make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns,
        n_redundant=0,
        n_clusters_per_class=n_clusters,
        class_sep=apart,
        flip_y=0.0,
        random_state=0,
        shuffle=False,
    )


def large(n_noise: int, n_clusters: int, apart: float, scale: float) -> Sample:
    """20 001 rows and 600 labels: spaces are compared on some rows, and found classes learned.

    Ten columns know the class; the others are noise on this scale.
    """
    random = np.random.RandomState(0)
    order = random.permutation(20_001)
    X, classes = (each[order] for each in clusters(20_001, 10, n_clusters, apart))
    X = np.hstack([X, scale * random.randn(20_001, n_noise)])
    truth = classes == 1
    labelled = pu_split(truth, n_labelled=600, random_state=0)
    return Sample(X, X[:300] + 0.05, truth, labelled)


KINDS = {
    "digits": digits,
    "cancer": cancer,
    "moons, single precision": moons,
    "mixed columns": mixed_columns,
    "sparse": sparse,
}
SPECIAL = {
    "codes": codes,
    "ordered codes": ordered_codes,
    "copies": copies,
    "one label": one_label,
    "few labels": few_labels,
    "noise": noise,
    "many labels": many_labels,
    "small": small,
}
LARGE = {
    "large, spaces left out": lambda: large(60, 8, 1.2, 0.1),
    "large, self-training": lambda: large(6, 8, 1.2, 1.0),
    "large, negatives": lambda: large(4, 16, 1.5, 1.0),
}


@cache
def table(name: str) -> Sample:
    """A table by its name, made when it is first asked for."""
    return {**KINDS, **SPECIAL, **LARGE}[name]()
