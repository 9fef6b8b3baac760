"""Odd tables and labels for estimators, drawn at random and named by their parts."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

Random = np.random.Generator

_CELLS: dict[str, Callable[[Random, int], Any]] = {
    "normal": lambda r, n: r.normal(size=n),
    "whole": lambda r, n: r.integers(0, 4, size=n).astype(float),
    "constant": lambda r, n: np.full(n, 7.0),
    "huge": lambda r, n: r.normal(size=n) * 1e300,
    "all range": lambda r, n: r.choice([-1.7e308, 1.7e308, 0.0], size=n),
    "tiny": lambda r, n: r.normal(size=n) * 1e-310,
    "gaps": lambda r, n: np.where(r.random(n) < 0.4, np.nan, r.normal(size=n)),
    "all missing": lambda r, n: np.full(n, np.nan),
    "infinite": lambda r, n: np.where(r.random(n) < 0.1, np.inf, r.normal(size=n)),
    "one large": lambda r, n: np.where(np.arange(n) == 3, 1e18, r.normal(size=n)),
    "negative zero": lambda r, n: r.choice([-0.0, 0.0, 1.0], size=n),
    "single precision": lambda r, n: r.normal(size=n).astype(np.float32),
    "small whole": lambda r, n: r.integers(-128, 128, size=n).astype(np.int8),
    "large whole": lambda r, n: r.integers(-(2**62), 2**62, size=n),
    "unsigned": lambda r, n: r.integers(0, 2**63, size=n).astype(np.uint64) * 2,
    "booleans": lambda r, n: r.random(n) < 0.5,
    "words": lambda r, n: np.array(["a", "b", "ä", ""], dtype=object)[r.integers(4, size=n)],
    "words with gaps": lambda r, n: np.array(["a", None, "b"], dtype=object)[r.integers(3, size=n)],
    "many words": lambda r, n: np.array([f"w{i}" for i in range(n)], dtype=object),
    "odd words": lambda r, n: pd.Series(
        np.array(["\x1b[31m", "\0", "=1+1", "\ud800"], dtype=object)[r.integers(4, size=n)],
        dtype=object,
    ),
    "mixed": lambda r, n: np.array([1, "a", None, 2.5], dtype=object)[r.integers(4, size=n)],
    "lists": lambda r, n: pd.Series([[1, 2]] * n, dtype=object),
    "huge whole": lambda r, n: pd.Series(
        np.array([10**400, 1], dtype=object)[r.integers(2, size=n)], dtype=object
    ),
    "complex": lambda r, n: r.normal(size=n) + 1j,
    "dates": lambda r, n: pd.date_range("2024-01-01", periods=n),
    "zones": lambda r, n: pd.date_range("2024-01-01", periods=n, tz="Europe/Berlin"),
    "periods": lambda r, n: pd.period_range("2024-01", periods=n, freq="M"),
    "days": lambda r, n: pd.Series([datetime.date(2024, 1, 1)] * n, dtype=object),
    "differences": lambda r, n: pd.to_timedelta(np.arange(n), unit="s"),
    "category": lambda r, n: pd.Categorical(r.choice(["x", "y", "z"], size=n)),
    "nullable": lambda r, n: pd.array(np.where(r.random(n) < 0.3, None, 1), dtype="Int64"),
}
_LABELS: dict[str, Callable[[Random, np.ndarray], Any]] = {
    "plain": lambda r, y: y.astype(int),
    "booleans": lambda r, y: y,
    "words": lambda r, y: np.where(y, "yes", "no"),
    "gaps": lambda r, y: np.where(y, 1.0, np.nan),
    "objects": lambda r, y: np.where(y, "p", None),
    "all": lambda r, y: np.ones(len(y)),
    "none": lambda r, y: np.zeros(len(y)),
    "three": lambda r, y: r.integers(3, size=len(y)),
    "column": lambda r, y: y.astype(int)[:, None],
    "short": lambda r, y: y[:-1],
    "infinite": lambda r, y: np.where(y, np.inf, 0.0),
    "one": lambda r, y: np.arange(len(y)) == 0,
}
_CONTAINERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda f: f,
    "array": lambda f: f.to_numpy(),
    "fortran": lambda f: np.asfortranarray(f.to_numpy()),
    "list": lambda f: f.to_numpy().tolist(),
    "polars": lambda f: pl.DataFrame({name: f[name].tolist() for name in f.columns}, strict=False),
    "lazy": lambda f: pl.DataFrame({"a": [1.0] * len(f)}).lazy(),
    "dict": lambda f: dict(f),
    "sparse": lambda f: sp.csr_array(np.nan_to_num(f.to_numpy(dtype=float), posinf=1.0)),
    "one dimension": lambda f: f.to_numpy()[:, 0],
    "three dimensions": lambda f: f.to_numpy()[:, :, None],
    "no rows": lambda f: f.iloc[:0],
    "no columns": lambda f: f.iloc[:, :0],
    "one row": lambda f: f.iloc[:1],
}


def draw_table(random: Random, n_rows: int) -> tuple[str, Any, Any]:
    """Draw a name, X and y; X may be unsuitable for every estimator."""
    names = list(_CELLS)
    n_columns = int(random.integers(1, 4))
    kinds = [names[int(random.integers(len(names)))] for _ in range(n_columns)]
    kinds = ["normal", "normal", *kinds] if random.random() < 0.7 else kinds
    is_positive = random.random(n_rows) < 0.5
    columns = {f"c{j}": _CELLS[kind](random, n_rows) for j, kind in enumerate(kinds)}
    if kinds[0] == "normal":
        columns["c0"] = columns["c0"] + 3.0 * is_positive
    container = "frame"
    if random.random() < 0.5:
        container = list(_CONTAINERS)[int(random.integers(len(_CONTAINERS)))]
    label = "plain"
    if random.random() < 0.3:
        label = list(_LABELS)[int(random.integers(len(_LABELS)))]
    y = _LABELS[label](random, is_positive & (random.random(n_rows) < 0.6))
    try:
        X = _CONTAINERS[container](pd.DataFrame(columns))
    except Exception:  # not every cell goes into every container
        container, X = "frame", pd.DataFrame(columns)
    return f"{container} of {', '.join(kinds)}; labels {label}", X, y
