"""Tools for authors of estimators."""
