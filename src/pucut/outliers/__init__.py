"""Outliers by nested cuts."""

from pucut.outliers.detector import CutOutlierDetector

__all__ = ["CutOutlierDetector"]
