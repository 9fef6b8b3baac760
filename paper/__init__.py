"""The paper's experiments: datasets, runs, and its tables beside ours; see `python -m paper`."""
