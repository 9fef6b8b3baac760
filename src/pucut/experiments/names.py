"""The names that rows and published files use, and how tables show them."""

import re
from dataclasses import dataclass

METHOD_TITLES = {
    "naive": "naive",
    "upu": "uPU",
    "nnpu": "nnPU",
    "pu_et": "PU ET",
    "two_hnc_paper": "2-HNC (paper)",
    "two_hnc": "2-HNC (default)",
    "oracle": "oracle",
}
BENCHMARKS = ("upu", "nnpu", "pu_et")
PAPER_METHODS = (*BENCHMARKS, "two_hnc_paper")

METRIC_TITLES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}
METRICS = tuple(METRIC_TITLES)

RULES = ("own", "prior")
PRIOR_KINDS = ("true", "estimated")
SUITES = ("real", "synthetic")
LABELLED_SHARES = (0.6, 0.1)

# In the order of the paper's tables.
DATASET_TITLES = {
    "vote": "Vote",
    "german": "German",
    "obesity": "Obesity",
    "mushroom": "Mushroom",
    "phishing": "Phishing",
    "bean": "Bean",
    "news": "News",
    "letter": "Letter",
    "credit": "Credit",
    "mnist": "MNIST",
}
# Those that the protocol runs with 10 % labelled.
FEW_LABELS_DATASETS = ("vote", "obesity", "mushroom", "news", "letter", "mnist")


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
_CONFIGURATION = re.compile(r"n(\d+)-f(\d+)-p(\d+)-c(\d+)-s(\d+\.\d+)-(hypercube|polytope)")


def read_configuration(name: str) -> dict[str, str]:
    """'n1000-f5-p30-c2-s0.5-hypercube' as values by parameter, written as the paper does."""
    match = _CONFIGURATION.fullmatch(name)
    if match is None:
        raise ValueError(
            f"name must be like n1000-f5-p30-c2-s0.5-hypercube or ...-polytope, found {name!r}"
        )
    *numbers, place = match.groups()
    return dict(
        zip(PARAMETERS, (*numbers, "true" if place == "hypercube" else "false"), strict=True)
    )
