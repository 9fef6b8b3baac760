"""Tools for people who write their own estimators."""
