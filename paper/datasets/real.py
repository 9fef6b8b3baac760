"""The ten real datasets of the paper, from a folder or from where they are published.

Encodings are those that give the numbers of features in the paper's table of datasets: votes are
-1 (no), 0 (missing) and 1 (yes); in Obesity the two columns of frequencies are ordinal and the
means of transport one-hot without the first; Mushroom is the one-hot version of LIBSVM. All other
tables are numbers as published. Nothing is scaled.

Where the environment variable PUCUT_DATA names a folder, its files are read, and their SHA-256 sums
checked. Else a dataset is downloaded once and its table kept in `cache_folder()`. Either way the
table that comes out, numbers and classes, is checked against the sum it had when the figures of
this project were made: a dataset that was changed by those who publish it is refused, not used.
"""

import csv
import gzip
import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

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


# SHA-256 sums of the files in the folder PUCUT_DATA.
FILE_SUMS = {
    "vote.csv.gz": "68354a9cc627da44784faede470cf4b0fc589d59d1b6132042d854d73562f401",
    "german.csv.gz": "f20595b81ce4267872c277f24920d22512f85b3724f851fa4866789cee55ebe8",
    "obesity.csv.gz": "a2ccf7e1cfcc27e73fb2a058578c32ef5c538649c39ffd3f59d11dff4204b4a8",
    "mushroom_libsvm.csv.gz": "c123225ef8ad0d43a5c0153c2beb5d06b1db8e9c975bd16aad6423008c610043",
    "phishing.csv.gz": "caa6ac943c02f17ccf4129381ffaeced002b84a650019bad67ec3a176041a294",
    "bean.csv.gz": "2ffcf1e167f3a63dc018ee4ab0ebc5f6163c9381153aa853cccdbf728a3487c2",
    "news.npz": "0700d76b974bbf308c6838da2e239510fa03dca9fb5abec9d9bb7a3f7b19254f",
    "letter.csv.gz": "fc6b60a4e542b1e289b627ac29a9ba36794f2298a6ca352f1b7a52a4c0287b85",
    "credit.csv.gz": "7604f026fb832ff20270825300004397ec6d8e25f364c0c15c9cd239c683d2c1",
    "mnist.npz": "54ddfe01bb1284d50e5473a31c590ba0e723949b611ce6e7604f2e9473754d8a",
}
# Of the tables themselves: `content_sum`.
CONTENT_SUMS = {
    "vote": "f0983c1050457b785f3dd8cdab109348117781a76fc9ef25efe998b15164e111",
    "german": "6082e2696e88b8c91a2c8ab85abf6b6a6d2d7cac47b4a15ab542edda3ea1b3c3",
    "obesity": "78ba942912bb1bdc6579cc9625fe2ab12aef6a90e19c87fef867a41318065710",
    "mushroom": "520527d28126c4ddb8da5f3e697235f4391aede880d241356242da68a4a1652f",
    "phishing": "bb6d03f060fbaa1d3596fab6dbf939d32fce49403944710f1bddb9147f26e8ff",
    "bean": "43308e93794c0d586ef5279b55149dc2c4c4d64a9ccb811c110771c4ffca0fc4",
    "news": "2b8388215c3c4ba4e372320bce1bad6ef2c209784b5788d858e77b67d9ab2217",
    "letter": "b9f6f55422043abb869033f9fbabaebc61078b6dbbb6413a0ecf337d33da1090",
    "credit": "425950ae52a9b226d39a3eef897be4174cd43138a664d5685519359d8b07d5bd",
    "mnist": "f4889b4f804c0438887d33f5a114e99f656557a677acc922b0de7d105d68ad1e",
}


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

    Raises `DatasetError`, an OSError, where it cannot be had or is not what it should be.
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
        _existing(data_folder() / _file_of(name))
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
    found, expected = content_sum(dataset), CONTENT_SUMS[dataset.name]
    if found != expected:
        raise DatasetError(
            f"the dataset {dataset.name!r} is not the one that was used here: its table has the "
            f"SHA-256 sum {found}, expected {expected}"
        )


def _file_of(name: str) -> str:
    return f"{name}.npz" if name in _ARRAYS else _TABLES[name].file


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DatasetError(f"{path.parent} has no file {path.name}")
    return path


def _from_folder(name: str, folder: Path) -> RealDataset:
    path = _existing(folder / _file_of(name))
    content = path.read_bytes()
    found, expected = hashlib.sha256(content).hexdigest(), FILE_SUMS[path.name]
    if found != expected:
        raise DatasetError(f"{path} has the SHA-256 sum {found}, expected {expected}")
    if name in _ARRAYS:
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
            X = arrays["X"].astype(np.float32 if name in _ARRAYS else np.float64)
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
        except Exception as error:  # bytes of others can be wrong in any way
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
        is_positive = np.isin(table.y, list(_ARRAYS[name]))
        return RealDataset(name, X, is_positive, tuple(f"x{j}" for j in range(X.shape[1])))
    return _encoded(name, table)


def _encoded(name: str, table: Columns) -> RealDataset:
    source = _TABLES[name]
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
