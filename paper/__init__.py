"""The paper's experiments: datasets, runs, and its tables beside ours; see `python -m paper`."""

from pathlib import Path

# Holds the committed rows, the published numbers and the tables, wherever the command is run.
FOLDER = Path(__file__).resolve().parent
