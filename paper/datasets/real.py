"""The ten real datasets of the paper, from a folder or from where they are published.

Where the environment variable PUCUT_DATA names a folder, its files are read, and their SHA-256 sums
checked. Otherwise a dataset is downloaded once and its table kept in `cache_folder()`. Either way
the resulting table, numbers and classes, is checked against the sum it had when the results of this
project were made: a dataset that its publishers have changed is refused.
"""

import csv
import gzip
import hashlib
import io
import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from paper.datasets.catalogue import REAL, REAL_NAMES
from paper.datasets.download import DatasetError, cache_folder, fetch_files
from paper.datasets.originals import Arrays, Columns, read_original
from pucut._support.checks import BoolArray
from pucut._support.files import write_whole

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
    """Loads one of `REAL_NAMES` from `folder`, the folder PUCUT_DATA, the cache or the network.

    Raises `DatasetError`, an OSError, where it cannot be loaded or is not what it should be.
    """
    if name not in REAL_NAMES:
        raise ValueError(f"name must be one of {', '.join(REAL_NAMES)}, found {name!r}")
    if folder is None and os.environ.get(ENVIRONMENT_VARIABLE):
        folder = data_folder()
    dataset = _from_cache(name) if folder is None else _from_folder(name, Path(folder))
    _check_content(dataset)
    return dataset


def ensure_real(name: str) -> None:
    """Downloads a dataset that is neither in the folder PUCUT_DATA nor in the cache."""
    if os.environ.get(ENVIRONMENT_VARIABLE):
        _existing(data_folder() / REAL[name].file)
    elif not _cached_file(name).exists():
        _fill_cache(name)


def content_sum(dataset: RealDataset) -> str:
    """SHA-256 of the table: its shape, its numbers in double precision, its classes as bytes."""
    sums = hashlib.sha256(repr(dataset.X.shape).encode())
    for start in range(0, len(dataset.X), 4096):
        block = dataset.X[start : start + 4096].astype("<f8") + 0.0  # -0 is 0
        sums.update(np.ascontiguousarray(block).tobytes())
    sums.update(dataset.is_positive.astype(np.uint8).tobytes())
    return sums.hexdigest()


def _check_content(dataset: RealDataset) -> None:
    found, expected = content_sum(dataset), REAL[dataset.name].table_sum
    if found != expected:
        raise DatasetError(
            f"the dataset {dataset.name!r} is not the one that was used here: its table has the "
            f"SHA-256 sum {found}, expected {expected}"
        )


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DatasetError(f"{path.parent} has no file {path.name}")
    return path


def _from_folder(name: str, folder: Path) -> RealDataset:
    entry = REAL[name]
    path = _existing(folder / entry.file)
    content = path.read_bytes()
    found, expected = hashlib.sha256(content).hexdigest(), entry.file_sum
    if found != expected:
        raise DatasetError(f"{path} has the SHA-256 sum {found}, expected {expected}")
    if entry.is_array:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _as_dataset(name, Arrays(arrays["X"], arrays["y"]))
    text = gzip.decompress(content).decode("utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return _as_dataset(name, dict(zip(header, zip(*rows, strict=True), strict=True)))


def _cached_file(name: str) -> Path:
    return cache_folder() / "datasets" / f"{name}.npz"


def _from_cache(name: str) -> RealDataset:
    path = _cached_file(name)
    if not path.exists():
        _fill_cache(name)
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            X = arrays["X"].astype(np.float32 if REAL[name].is_array else np.float64)
            return RealDataset(name, X, arrays["is_positive"], tuple(map(str, arrays["names"])))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(
            f"{path} is damaged: {error}. Remove it, and the dataset is fetched again"
        ) from error


def _fill_cache(name: str) -> None:
    """Downloads, reads and checks a dataset, and keeps its table; the files themselves go."""
    path = _cached_file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=path.parent) as folder:
        files = fetch_files(name, Path(folder))
        try:
            original = read_original(name, files, path.parent)
            dataset = _as_dataset(name, original)
        except DatasetError:
            raise
        except Exception as error:  # files of others can be wrong in any way
            raise DatasetError(
                f"what was fetched for the dataset {name!r} is not as expected: {error!r}"
            ) from error
    _check_content(dataset)
    compact = original.X if isinstance(original, Arrays) else dataset.X
    content = io.BytesIO()
    np.savez(
        content,
        X=compact,
        is_positive=dataset.is_positive,
        names=np.array(dataset.feature_names),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getvalue())


def _as_dataset(name: str, table: Columns | Arrays) -> RealDataset:
    if isinstance(table, Arrays):
        # Half precision and bytes are how the files are kept small.
        X = table.X.astype(np.float32)
        is_positive = np.array(
            [REAL[name].is_positive(y) for y in table.y.tolist()], dtype=np.bool_
        )
        return RealDataset(name, X, is_positive, tuple(f"x{j}" for j in range(X.shape[1])))
    return _encoded(name, table)


def _encoded(name: str, table: Columns) -> RealDataset:
    source = REAL[name]
    columns = dict(table)
    classes = columns.pop("class")
    features: dict[str, npt.NDArray[Any]] = {}
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
