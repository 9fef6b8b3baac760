"""`CutQueryStrategy` as one of the pool strategies of scikit-activeml (extra `activeml`).

Importing this module tells scikit-activeml of the class: its wrappers, which ask whether they were
given a pool strategy, take it then. Nothing else changes.
"""

from skactiveml.base import SingleAnnotatorPoolQueryStrategy

from pucut.queries import CutQueryStrategy

__all__ = ["CutQueryStrategy"]

SingleAnnotatorPoolQueryStrategy.register(CutQueryStrategy)
