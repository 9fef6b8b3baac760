"""`CutQueryStrategy` as one of the pool strategies of scikit-activeml (extra `activeml`).

Importing this module registers the class with scikit-activeml, so that its wrappers, which check
for a pool strategy, accept it. Nothing else changes.
"""

from skactiveml.base import SingleAnnotatorPoolQueryStrategy

from pucut.queries import CutQueryStrategy

__all__ = ["CutQueryStrategy"]

SingleAnnotatorPoolQueryStrategy.register(CutQueryStrategy)
