"""The ten real datasets of the paper, read from a folder.

Encodings are those that give the numbers of features in the paper's table of datasets: votes are
-1 (no), 0 (missing) and 1 (yes); in Obesity the two columns of frequencies are ordinal and the
means of transport one-hot without the first; Mushroom is the one-hot version of LIBSVM. All other
tables are numbers as published. Nothing is scaled.
"""

import csv
import gzip
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._checks import BoolArray

ENVIRONMENT_VARIABLE = "PUCUT_DATA"


@dataclass(frozen=True, eq=False)
class RealDataset:
    """A table with its true classes; `is_positive` is for evaluation, never for a method."""

    name: str
    X: npt.NDArray[Any]
    is_positive: BoolArray
    feature_names: tuple[str, ...]

    @property
    def prior(self) -> float:
        return float(self.is_positive.mean())


@dataclass(frozen=True)
class _Source:
    file: str
    is_positive: Callable[[str], bool]
    codes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    one_hot: tuple[str, ...] = ()


_NO_YES = {"no": 0.0, "yes": 1.0}
_HOW_OFTEN = {"no": 0.0, "Sometimes": 1.0, "Frequently": 2.0, "Always": 3.0}
_VOTES = {"n": -1.0, "?": 0.0, "y": 1.0}

_TABLES = {
    "vote": _Source("vote.csv.gz", lambda c: c == "democrat", codes={"*": _VOTES}),
    "german": _Source("german.csv.gz", lambda c: c == "1"),
    "obesity": _Source(
        "obesity.csv.gz",
        lambda c: c.startswith("Obesity_"),
        codes={
            "Gender": {"Female": 0.0, "Male": 1.0},
            "family_history_with_overweight": _NO_YES,
            "FAVC": _NO_YES,
            "SMOKE": _NO_YES,
            "SCC": _NO_YES,
            "CAEC": _HOW_OFTEN,
            "CALC": _HOW_OFTEN,
        },
        one_hot=("MTRANS",),
    ),
    "mushroom": _Source("mushroom_libsvm.csv.gz", lambda c: c == "2"),
    "phishing": _Source("phishing.csv.gz", lambda c: c == "-1"),
    "bean": _Source("bean.csv.gz", lambda c: c in {"SIRA", "DERMASON"}),
    "letter": _Source("letter.csv.gz", lambda c: "A" <= c <= "M"),
    "credit": _Source("credit.csv.gz", lambda c: c == "0"),
}
_ARRAYS = {"news": range(11), "mnist": range(1, 10, 2)}

# In the order of the paper's tables, which is the order of size.
REAL_NAMES = (
    "vote",
    "german",
    "obesity",
    "mushroom",
    "phishing",
    "bean",
    "news",
    "letter",
    "credit",
    "mnist",
)


def data_folder() -> Path:
    """The folder that holds the files, from the environment variable PUCUT_DATA."""
    folder = os.environ.get(ENVIRONMENT_VARIABLE)
    if not folder:
        raise FileNotFoundError(
            f"the environment variable {ENVIRONMENT_VARIABLE} is not set: it names the folder "
            "with the files of the real datasets"
        )
    if not Path(folder).is_dir():
        raise FileNotFoundError(f"{ENVIRONMENT_VARIABLE} is {folder!r}, which is not a folder")
    return Path(folder)


def load_real(name: str, folder: str | os.PathLike[str] | None = None) -> RealDataset:
    """Loads one of `REAL_NAMES`; `folder` defaults to `data_folder()`."""
    if name not in REAL_NAMES:
        raise ValueError(f"name must be one of {', '.join(REAL_NAMES)}, found {name!r}")
    where = data_folder() if folder is None else Path(folder)
    if name in _ARRAYS:
        return _load_arrays(name, where / f"{name}.npz")
    return _load_table(name, where / _TABLES[name].file)


def _load_arrays(name: str, path: Path) -> RealDataset:
    with np.load(path, allow_pickle=False) as arrays:
        # Half precision and bytes are how the files are kept small.
        X = arrays["X"].astype(np.float32)
        is_positive = np.isin(arrays["y"], list(_ARRAYS[name]))
    return RealDataset(name, X, is_positive, tuple(f"x{j}" for j in range(X.shape[1])))


def _load_table(name: str, path: Path) -> RealDataset:
    source = _TABLES[name]
    with gzip.open(path, "rt", newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    classes = columns.pop("class")
    features: dict[str, npt.NDArray[np.float64]] = {}
    for column, texts in columns.items():
        codes = source.codes.get(column, source.codes.get("*"))
        if column in source.one_hot:
            for value in sorted(set(texts))[1:]:
                features[f"{column}={value}"] = np.array(texts) == value
        elif codes is not None:
            features[column] = np.array([codes[text] for text in texts])
        else:
            features[column] = np.array(texts, dtype=np.float64)
    X = np.column_stack(list(features.values())).astype(np.float64)
    is_positive = np.array([source.is_positive(text) for text in classes], dtype=np.bool_)
    return RealDataset(name, X, is_positive, tuple(features))


def ensure_real(name: str) -> None:
    """Sees to it that the files of a dataset are there."""
    data_folder()
