"""Positive-unlabelled learning by parametric minimum cuts."""

from importlib.metadata import version

from pucut.parametric_cut import CutPath, parametric_cut

__version__ = version("pucut")

__all__ = ["CutPath", "__version__", "parametric_cut"]
