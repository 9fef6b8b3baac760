"""Other memory, types and containers of the same numbers: the same predictions, to the bit."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from pucut.methods import METHODS
from torture.inputs import _estimator

# Not the networks: PyTorch chooses its kernels by how memory is aligned.
_NAMES = sorted(set(METHODS) - {"nnPU", "uPU"})


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 7])
    name = _NAMES[number % len(_NAMES)]
    n_rows = int(random.integers(30, 80))
    is_positive = random.random(n_rows) < 0.5
    X = np.round(random.normal(size=(n_rows, 3)) + 2.0 * is_positive[:, None], 2)
    y = (is_positive & (random.random(n_rows) < 0.5)).astype(int)
    y[:2] = 0, 1
    columns = [f"c{j}" for j in range(3)]
    padded = np.zeros((2 * n_rows, 7))
    padded[::2, 1::2] = X
    layouts = {
        "fortran": np.asfortranarray(X),
        "view": padded[::2, 1::2],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "big endian": X.astype(">f8"),
        "read only": _read_only(X),
        "long double": X.astype(np.longdouble),
        "list": X.tolist(),
        "frame": pd.DataFrame(X, columns=columns),
        "polars": pl.DataFrame(X, schema=columns),
        "arrow": pa.table({column: X[:, j] for j, column in enumerate(columns)}),
    }
    chosen = sorted(layouts)[int(random.integers(len(layouts)))]
    if chosen == "arrow" and name in ("boosting, prior", "Elkan-Noto"):
        return  # up to the wrapped classifier
    answers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # only the predictions are compared
        for table in (X, layouts[chosen]):
            model = _estimator(name).set_params(prior=max(0.6, y.mean() + 0.05))
            answers.append(model.fit(table, y).predict_proba(table))
    assert np.array_equal(*answers), f"{name}, {chosen}: {np.abs(answers[0] - answers[1]).max()}"


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.setflags(write=False)
    return X
