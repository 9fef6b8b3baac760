"""The datasets of the paper, real and synthetic, and how labels are hidden to make PU data."""

from pucut.datasets.real import REAL_NAMES, RealDataset, data_folder, load_real
from pucut.datasets.splits import pu_split, seed_from_names
from pucut.datasets.synthetic import (
    SYNTHETIC,
    SyntheticConfiguration,
    SyntheticDataset,
    make_synthetic,
)

__all__ = [
    "REAL_NAMES",
    "SYNTHETIC",
    "RealDataset",
    "SyntheticConfiguration",
    "SyntheticDataset",
    "data_folder",
    "load_real",
    "make_synthetic",
    "pu_split",
    "seed_from_names",
]
