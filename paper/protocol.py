"""The runs: splits of the datasets, and the methods on each of them.

A split is a dataset with some of its positives labelled. Its seed depends on its names alone, never
on the method, so all methods see the same rows. Each synthetic dataset is split once: the datasets
of a configuration are its repetitions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import PurePosixPath
from typing import Any

import numpy.typing as npt

from paper.datasets import (
    FAMILIES,
    REAL_NAMES,
    SYNTHETIC,
    SyntheticConfiguration,
    load_real,
    make_synthetic,
    seed_from_names,
)
from paper.datasets.catalogue import REAL
from paper.datasets.synthetic import DATASETS_EACH
from pucut._support.checks import BoolArray
from pucut.datasets import pu_split

# The datasets of each suite, in the order of the paper's tables and of the grid.
DATASETS: Mapping[str, tuple[str, ...]] = {
    "real": REAL_NAMES,
    **dict.fromkeys(FAMILIES, tuple(SYNTHETIC)),
}
SUITES = tuple(DATASETS)
PRIOR_KINDS = ("true", "estimated")
REPETITIONS = range(5)
SYNTHETIC_REPETITIONS = range(DATASETS_EACH)
# The share of positives that are labelled: the paper's, and about that of the authors' earlier one.
PAPER_SHARE, SMALL_SHARE = 0.6, 0.1
SHARES = (PAPER_SHARE, SMALL_SHARE)
SMALL_SHARE_NAMES = tuple(name for name, one in REAL.items() if one.n_labelled_small is not None)


@dataclass(frozen=True)
class Split:
    """A dataset and which of its positives are labelled; `suite` is one of `SUITES`."""

    suite: str
    dataset: str
    labelled_share: float
    repetition: int

    @property
    def seed(self) -> int:
        return seed_from_names(self.dataset, self.labelled_share, self.repetition)

    @property
    def place(self) -> PurePosixPath:
        """The place of its files in a folder of results."""
        return PurePosixPath(self.suite, self.dataset, f"labelled-{self.labelled_share}")


@dataclass(frozen=True)
class Run:
    """One method on one split, with one prior."""

    split: Split
    method: str
    prior_kind: str

    @property
    def place(self) -> PurePosixPath:
        return self.split.place / f"{self.method}-{self.prior_kind}-{self.split.repetition}"

    def __str__(self) -> str:
        split = self.split
        return (
            f"{split.suite} {split.dataset}, {split.labelled_share} labelled, {self.method}, "
            f"{self.prior_kind} prior, repetition {split.repetition}"
        )


@dataclass(frozen=True, eq=False)
class SplitData:
    """The rows of a split. `is_positive` is the truth, which only evaluation and oracles see."""

    X: npt.NDArray[Any]
    is_positive: BoolArray
    is_labelled: BoolArray

    @property
    def prior(self) -> float:
        return float(self.is_positive.mean())


def real_runs(
    datasets: Sequence[str],
    methods: Sequence[str],
    prior_kinds: Sequence[str] = PRIOR_KINDS,
    shares: Sequence[float] = (PAPER_SHARE,),
    repetitions: Sequence[int] = REPETITIONS,
) -> list[Run]:
    """All combinations, datasets in the order given; of the small share those that it has."""
    splits = [
        Split("real", dataset, share, repetition)
        for dataset, share, repetition in product(datasets, shares, repetitions)
        if share != SMALL_SHARE or dataset in SMALL_SHARE_NAMES
    ]
    return list(_with_methods(splits, methods, prior_kinds))


def synthetic_runs(
    configurations: Iterable[SyntheticConfiguration],
    methods: Sequence[str],
    prior_kinds: Sequence[str] = PRIOR_KINDS,
    repetitions: Sequence[int] = SYNTHETIC_REPETITIONS,
    family: str = "synthetic",
) -> list[Run]:
    splits = [
        Split(family, configuration.name, PAPER_SHARE, index)
        for configuration, index in product(configurations, repetitions)
    ]
    return list(_with_methods(splits, methods, prior_kinds))


def _with_methods(
    splits: Iterable[Split], methods: Sequence[str], prior_kinds: Sequence[str]
) -> Iterator[Run]:
    for split, method, prior_kind in product(splits, methods, prior_kinds):
        yield Run(split, method, prior_kind)


def load_split(split: Split) -> SplitData:
    """The rows and their labels; the last tables are kept, since runs come dataset by dataset."""
    if split.suite == "real":
        X, is_positive = _real_table(split.dataset)
    else:
        X, is_positive = _synthetic_table(split.dataset, split.repetition, split.suite)
    return SplitData(X, is_positive, labels_of(split, is_positive))


def labels_of(split: Split, is_positive: BoolArray) -> BoolArray:
    """Draw the labelled rows of the dataset from its true classes."""
    return pu_split(
        is_positive,
        split.labelled_share,
        n_labelled=(
            REAL[split.dataset].n_labelled_small if split.labelled_share == SMALL_SHARE else None
        ),
        random_state=split.seed,
    )


@lru_cache(maxsize=1)
def _real_table(name: str) -> tuple[npt.NDArray[Any], BoolArray]:
    dataset = load_real(name)
    return dataset.X, dataset.is_positive


@lru_cache(maxsize=2)
def _synthetic_table(name: str, index: int, family: str) -> tuple[npt.NDArray[Any], BoolArray]:
    dataset = make_synthetic(name, index, family)
    return dataset.X, dataset.is_positive


def shape_of(split: Split) -> tuple[int, int]:
    """Rows and features of the dataset."""
    if split.suite == "real":
        entry = REAL[split.dataset]
        return entry.n_samples, entry.n_features
    configuration = SYNTHETIC[split.dataset]
    return configuration.n_samples, configuration.n_features
