"""The real datasets of the paper, and how labels are hidden to make PU data of them."""

from pucut.datasets.real import REAL_NAMES, RealDataset, data_folder, load_real
from pucut.datasets.splits import pu_split, seed_from_names

__all__ = [
    "REAL_NAMES",
    "RealDataset",
    "data_folder",
    "load_real",
    "pu_split",
    "seed_from_names",
]
