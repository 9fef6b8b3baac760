"""Tables for the tests of the command line, and a call of it within this process."""

import numpy as np
import pandas as pd

from pucut.cli import main
from pucut.tables.columns import learn_columns
from pucut.tables.reading import read_file

N_ROWS = 240
CLASSIFY = ("--method", "pu-extra-trees", "--n-jobs", "1", "--prior", "0.4")


def gene_table(seed=0, n_rows=N_ROWS):
    """Two classes that are easily told apart: numbers, a category, gaps and useless columns."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_rows) < 0.4
    table = pd.DataFrame(
        {
            "gene": [f"g{row:04d}" for row in range(n_rows)],
            "size": (random.normal(size=n_rows) + 3 * is_positive).round(4),
            "<script>": np.where(
                random.random(n_rows) < 0.3, "both", np.where(is_positive, "red", "blue, light")
            ),
            "depth": random.integers(1, 50, n_rows),
            "batch": "first",
            "remark": 'seen on\nthat day by "me"',
            "known": np.where(is_positive & (random.random(n_rows) < 0.5), "yes", None),
        }
    )
    table.loc[random.random(n_rows) < 0.1, "size"] = None
    table.loc[random.random(n_rows) < 0.1, "<script>"] = None
    return table, is_positive


def write_csv(path, table=None, **options):
    """Writes the table of genes, or another, and returns the path as the command takes it."""
    frame = gene_table()[0] if table is None else table
    frame.to_csv(path, index=False, **options)
    return str(path)


def known_features(path):
    """What the command learns from: the features, and which rows are known positives."""
    table = read_file(path)
    X = learn_columns(table, ignored=["known"]).X
    return X, table.frame["known"].to_numpy(dtype=object) == "yes"


def failure(capsys, *arguments):
    """The one line that a wrong call says; nothing on stdout, exit code 2."""
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    last = said.err.splitlines()[-1]
    assert last.startswith("pucut: ")
    assert said.err.count("pucut: ") == 1
    return last.removeprefix("pucut: ")


def notes(capsys, *arguments):
    """Stdout and stderr of a call that succeeds."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out, said.err
