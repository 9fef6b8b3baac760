"""Which rows to label next, by nested cuts."""

from pucut.queries.strategy import CutQueryStrategy

__all__ = ["CutQueryStrategy"]
