"""The names that rows and published files use, and how tables show them."""

from dataclasses import dataclass

from paper.datasets import REAL_NAMES, SYNTHETIC
from paper.running.methods import METHODS

METHOD_TITLES = {name: method.title for name, method in METHODS.items()}
BENCHMARKS = ("upu", "nnpu", "pu_et")
PAPER_METHODS = (*BENCHMARKS, "two_hnc_paper")

METRIC_TITLES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}
METRICS = tuple(METRIC_TITLES)

RULES = ("own", "prior")

# In the order of the paper's tables.
DATASET_TITLES = {name: "MNIST" if name == "mnist" else name.title() for name in REAL_NAMES}


@dataclass(frozen=True)
class Contender:
    """A method with the rule that makes classes of its scores."""

    method: str
    rule: str

    @property
    def title(self) -> str:
        name = METHOD_TITLES[self.method]
        return name if self.rule == "own" else f"{name}, prior"


DEFAULT = Contender("two_hnc", "own")
PAPER_PRESET = Contender("two_hnc_paper", "own")
# What our default is measured against. The oracle is not among them: it sees the true classes.
OTHERS = (
    *(Contender(method, rule) for method in ("naive", *BENCHMARKS) for rule in RULES),
    PAPER_PRESET,
    Contender("two_hnc_paper", "prior"),
)
# For ranks 2-HNC enters once: two columns that differ by a few rows would share their rank.
RANKED = (*OTHERS[:-1], DEFAULT)

# Parameters of a configuration, in the order of its name, and their titles.
PARAMETERS = {
    "n_samples": "samples",
    "n_features": "features",
    "positive_percent": "positives (%)",
    "n_clusters_per_class": "clusters per class",
    "class_sep": "class separation",
    "hypercube": "hypercube",
}


def read_configuration(name: str) -> dict[str, str]:
    """'n1000-f5-p30-c2-s0.5-hypercube' as values by parameter, written as the paper does."""
    found = SYNTHETIC[name]
    values = (
        found.n_samples,
        found.n_features,
        round(100 * found.positive_share),
        found.n_clusters,
        found.class_sep,
        str(found.hypercube).lower(),
    )
    return dict(zip(PARAMETERS, map(str, values), strict=True))
