"""The steps of `python -m paper`."""
