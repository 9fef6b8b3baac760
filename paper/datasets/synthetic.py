"""The paper's synthetic datasets: 540 configurations, 4 datasets of each.

The paper gives the values of six parameters of scikit-learn's `make_classification` and says
nothing of the others, nor of seeds. One of the others decides which method is ahead: how many
features are informative. Its improvements come out where all of them are, so that is its family
("synthetic" in `FAMILIES`); the other families show what fewer of them change. What is then still
open has scikit-learn's defaults: the classes of 1 % of the rows are drawn at random, and of the
features that are not informative two are redundant and the rest noise.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification

from paper.datasets.seeds import seed_from_names
from pucut._support.checks import BoolArray

DATASETS_EACH = 4
# Two classes of 4 clusters have 8 corners of a cube, which needs 3 dimensions.
FEWEST_INFORMATIVE = 3
# The paper's parameters, in the order of a configuration's name, and their titles in tables.
PARAMETER_TITLES = {
    "n_samples": "samples",
    "n_features": "features",
    "positive_percent": "positives (%)",
    "n_clusters_per_class": "clusters per class",
    "class_sep": "class separation",
    "hypercube": "hypercube",
}


@dataclass(frozen=True)
class SyntheticConfiguration:
    """One line of the paper's grid; `positive_share` is what is asked for, before the 1 %."""

    n_samples: int
    n_features: int
    positive_share: float
    n_clusters: int
    class_sep: float
    hypercube: bool

    @property
    def parameters(self) -> dict[str, str]:
        """Values by the names of `PARAMETER_TITLES`, written as the paper does."""
        values = (
            self.n_samples,
            self.n_features,
            round(100 * self.positive_share),
            self.n_clusters,
            self.class_sep,
            str(self.hypercube).lower(),
        )
        return dict(zip(PARAMETER_TITLES, map(str, values), strict=True))

    @property
    def name(self) -> str:
        place = "hypercube" if self.hypercube else "polytope"
        return (
            f"n{self.n_samples}-f{self.n_features}-p{round(100 * self.positive_share)}"
            f"-c{self.n_clusters}-s{self.class_sep}-{place}"
        )


@dataclass(frozen=True)
class Family:
    """The datasets of the grid with one rule for the number of informative features."""

    title: str
    how_many: str
    n_informative: Callable[[int], int]


# By the name of the suite: the paper's, and others on the same grid.
FAMILIES: Mapping[str, Family] = {
    "synthetic": Family("every feature informative", "all", lambda n_features: n_features),
    "most_informative": Family(
        "all features but two informative", "all but two", lambda n_features: n_features - 2
    ),
    "half_informative": Family(
        "half of the features informative",
        "half",
        lambda n_features: max(FEWEST_INFORMATIVE, n_features // 2),
    ),
    "few_informative": Family(
        "few informative features", str(FEWEST_INFORMATIVE), lambda _: FEWEST_INFORMATIVE
    ),
}


@dataclass(frozen=True, eq=False)
class SyntheticDataset:
    """A table with its true classes; `is_positive` is for evaluation, never for a method."""

    configuration: SyntheticConfiguration
    index: int
    X: npt.NDArray[np.float64]
    is_positive: BoolArray

    @property
    def prior(self) -> float:
        return float(self.is_positive.mean())


def _grid() -> tuple[SyntheticConfiguration, ...]:
    values = itertools.product(
        (1000, 5000, 10000),
        (5, 10, 20),
        (0.3, 0.4, 0.5, 0.6, 0.7),
        (2, 4),
        (0.5, 1.0, 2.0),
        (True, False),
    )
    return tuple(SyntheticConfiguration(*line) for line in values)


# By name, in the order of the grid.
SYNTHETIC = {configuration.name: configuration for configuration in _grid()}


def make_synthetic(name: str, index: int, family: str = "synthetic") -> SyntheticDataset:
    """Dataset number `index`, from 0 to 3, of the configuration with this name."""
    if family not in FAMILIES:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, found {family!r}")
    if name not in SYNTHETIC:
        raise ValueError(
            f"name must be one of the {len(SYNTHETIC)} of SYNTHETIC, like {next(iter(SYNTHETIC))}, "
            f"found {name!r}"
        )
    if index not in range(DATASETS_EACH):
        raise ValueError(f"index must be from 0 to {DATASETS_EACH - 1}, found {index!r}")
    chosen = SYNTHETIC[name]
    n_informative = FAMILIES[family].n_informative(chosen.n_features)
    X, y = make_classification(
        n_samples=chosen.n_samples,
        n_features=chosen.n_features,
        n_informative=n_informative,
        n_redundant=min(2, chosen.n_features - n_informative),
        n_clusters_per_class=chosen.n_clusters,
        weights=[1.0 - chosen.positive_share, chosen.positive_share],
        class_sep=chosen.class_sep,
        hypercube=chosen.hypercube,
        random_state=seed_from_names("synthetic", name, index),
    )
    return SyntheticDataset(chosen, index, X, y == 1)
