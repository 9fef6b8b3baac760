"""Files for the command line, changed at random: predictions, or exit code 2 and one sentence.

Never a traceback, never exit code 1, and no line is lost in silence: the output
has as many rows as the table.
"""

import contextlib
import csv
import gzip
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from pucut.cli import main

_ODD_TEXTS = (
    "", "NA", "?", "=1+1", "-", "+", "1e400", "1,5", "1.234,5", "inf", "nan", "\x1b[2J", "\0",
    '"', "'", ";", "\t", "\r", "ä", "😀", "\ufeff", "2024-01-01", "0x10", "1_000", "9" * 30,
)  # fmt: skip


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 4])
    with tempfile.TemporaryDirectory() as folder:
        frame = _frame(random)
        path, n_rows = _written(frame, Path(folder), random)
        out = Path(folder) / "out.csv"
        call = ["classify", str(path), "--label-column", "known", "--method", "rocchio"]
        call += ["--prior", "0.7", "--out", str(out)]
        said, printed = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
            code = main(call)
        text = said.getvalue()
        assert code in (0, 2), f"exit code {code}: {text}"
        assert "Traceback" not in text
        assert "\x1b" not in text, "a sign that terminals obey was sent"
        left = sorted(set(os.listdir(folder)) - {path.name})
        if code == 2:
            assert text.splitlines()[-1].startswith("pucut: "), text
            assert left == [], f"refused, and left {left}"
            return
        assert left == ["out.csv"]
        answers = pd.read_csv(out)
        if n_rows is not None:
            assert len(answers) == n_rows, f"{len(answers)} answers for {n_rows} rows"


def _frame(random: np.random.Generator) -> pd.DataFrame:
    n_rows = int(random.integers(8, 40))
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(n_rows)],
            "x": [f"{v:.3f}" for v in random.normal(size=n_rows)],
            "w": random.choice(["a", "b"], size=n_rows),
            "known": np.where(np.arange(n_rows) < 4, "1", ""),
        },
        dtype=object,
    )
    for _ in range(int(random.integers(0, 4))):
        column = str(random.choice(["id", "x", "w", "known"]))
        odd = _ODD_TEXTS[int(random.integers(len(_ODD_TEXTS)))]
        rows = random.random(n_rows) < random.choice([0.05, 0.5, 1.0])
        frame.loc[rows, column] = odd
    if random.random() < 0.1:
        frame = frame.rename(columns={"x": _ODD_TEXTS[int(random.integers(len(_ODD_TEXTS)))]})
    return frame


def _written(
    frame: pd.DataFrame, folder: Path, random: np.random.Generator
) -> tuple[Path, int | None]:
    """The file, and how many rows it must have; None if its bytes were changed."""
    kind = ("csv", "tsv", "csv.gz", "parquet", "xlsx")[int(random.integers(5))]
    path = folder / f"table.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "xlsx":
        sheet = io.BytesIO()
        try:
            frame.to_excel(sheet, index=False)
            path.write_bytes(sheet.getvalue())
        except Exception:  # characters that no sheet holds
            kind, path = "csv", folder / "table.csv"
    if kind in ("csv", "tsv", "csv.gz"):
        encoding = str(random.choice(["utf-8", "utf-8-sig", "utf-16"]))
        separator = "\t" if kind == "tsv" else str(random.choice([",", ";"]))
        text = frame.to_csv(index=False, sep=separator, quoting=csv.QUOTE_ALL).encode(encoding)
        path.write_bytes(gzip.compress(text) if kind == "csv.gz" else text)
    if random.random() < 0.4:
        data = bytearray(path.read_bytes())
        for place in random.integers(len(data), size=int(random.integers(1, 5))):
            data[place] = int(random.integers(256))
        if random.random() < 0.3:
            data = data[: int(random.integers(len(data) + 1))]
        path.write_bytes(bytes(data))
        return path, None
    # Rows of blanks alone are no rows, and formulas of Excel files have no value yet.
    n_blank = int((frame == "").all(axis=1).sum())
    return path, None if kind == "xlsx" or n_blank else len(frame)
