"""The datasets of the paper, real and synthetic."""

from paper.datasets.catalogue import REAL, REAL_NAMES
from paper.datasets.real import RealDataset, data_folder, load_real
from paper.datasets.seeds import seed_from_names
from paper.datasets.synthetic import (
    FAMILIES,
    SYNTHETIC,
    SyntheticConfiguration,
    SyntheticDataset,
    make_synthetic,
)

__all__ = [
    "FAMILIES",
    "REAL",
    "REAL_NAMES",
    "SYNTHETIC",
    "RealDataset",
    "SyntheticConfiguration",
    "SyntheticDataset",
    "data_folder",
    "load_real",
    "make_synthetic",
    "seed_from_names",
]
