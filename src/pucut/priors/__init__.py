"""Estimates of the share of positives, from positive and unlabelled samples."""

from pucut.priors.best_bin import BestBin, best_bin
from pucut.priors.dedpul import dedpul
from pucut.priors.elkan_noto import elkan_noto
from pucut.priors.estimate import METHODS, estimate_prior
from pucut.priors.km2 import km2
from pucut.priors.labelling import check_labelling
from pucut.priors.result import ColumnDifference, LabellingCheck, PriorEstimate
from pucut.priors.result import warn_of_guess as warn_of_guess
from pucut.priors.tice import LabelFrequency, tice

__all__ = [
    "METHODS",
    "BestBin",
    "ColumnDifference",
    "LabelFrequency",
    "LabellingCheck",
    "PriorEstimate",
    "best_bin",
    "check_labelling",
    "dedpul",
    "elkan_noto",
    "estimate_prior",
    "km2",
    "tice",
]
