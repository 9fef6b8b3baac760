"""PU learning by bagging."""
