"""The steps of `python -m paper`: a module each, with `add_parsers(steps)`."""

PROGRAM = "python -m paper"
INCOMPLETE = 1  # exit code: some runs failed, or some files were left out
