"""Classification from some labels of every class."""

from pucut.semi_supervised.hnc import HNCClassifier

__all__ = ["HNCClassifier"]
