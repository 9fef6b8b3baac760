"""Addresses of the real datasets, and the download of their files into the cache.

Archives are repacked from time to time, so their checksums are of no use. The table that was read
from them is checked instead: see `paper.datasets.real`. Only MNIST's own files have published
checksums.
"""

import hashlib
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

CACHE_VARIABLE = "PUCUT_CACHE"
_SECONDS_WITHOUT_ANSWER = 60
_BLOCK = 1 << 20


class DatasetError(OSError):
    """A dataset that cannot be loaded: not reached, or not what it should be."""


@dataclass(frozen=True)
class Remote:
    """A file and the addresses to try, in this order."""

    urls: tuple[str, ...]
    md5: str | None = None


_UCI = "https://archive.ics.uci.edu/static/public"
_OLD_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"
_OTHER_MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist"


def _mnist_file(name: str, md5: str) -> Remote:
    return Remote((f"{_MNIST}/{name}", f"{_OTHER_MNIST}/{name}"), md5)


# The files of each dataset by name. The texts of News are fetched by scikit-learn.
SOURCES: Mapping[str, Mapping[str, Remote]] = {
    "vote": {
        "house-votes-84.data": Remote(
            (
                f"{_UCI}/105/congressional+voting+records.zip",
                f"{_OLD_UCI}/voting-records/house-votes-84.data",
            )
        )
    },
    "german": {
        "german.data-numeric": Remote(
            (
                f"{_UCI}/144/statlog+german+credit+data.zip",
                f"{_OLD_UCI}/statlog/german/german.data-numeric",
            )
        )
    },
    "obesity": {
        "ObesityDataSet_raw_and_data_sinthetic.csv": Remote(
            (
                f"{_UCI}/544/estimation+of+obesity+levels+based+on+eating+habits+and+physical+"
                "condition.zip",
                f"{_UCI}/544/data.csv",
            )
        )
    },
    "mushroom": {
        "mushrooms": Remote(
            ("https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/mushrooms",)
        )
    },
    "phishing": {
        "Training Dataset.arff": Remote(
            (f"{_UCI}/327/phishing+websites.zip", f"{_OLD_UCI}/00327/Training%20Dataset.arff")
        )
    },
    "bean": {
        "Dry_Bean_Dataset.xlsx": Remote(
            (f"{_UCI}/602/dry+bean+dataset.zip", f"{_OLD_UCI}/00602/DryBeanDataset.zip")
        )
    },
    "news": {
        "glove.6B.300d.txt": Remote(
            (
                "https://nlp.stanford.edu/data/glove.6B.zip",
                "https://downloads.cs.stanford.edu/nlp/data/glove.6B.zip",
            )
        )
    },
    "letter": {
        "letter-recognition.data": Remote(
            (
                f"{_UCI}/59/letter+recognition.zip",
                f"{_OLD_UCI}/letter-recognition/letter-recognition.data",
            )
        )
    },
    "credit": {"data.csv": Remote((f"{_UCI}/350/data.csv",))},
    "mnist": {
        name: _mnist_file(name, md5)
        for name, md5 in (
            ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
            ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
            ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
            ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
        )
    },
}


def cache_folder() -> Path:
    """The folder for what was fetched: PUCUT_CACHE, or the cache folder of the system."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "pucut" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "pucut"
    chosen = os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache") / "pucut"


def fetch_files(name: str, folder: Path) -> dict[str, Path]:
    """Downloads the files of a dataset into a folder; where an address fails, the next is tried."""
    files = {}
    for file, remote in SOURCES[name].items():
        failures = []
        for url in remote.urls:
            try:
                download(url, folder / file, remote.md5)
            except DatasetError as error:
                failures.append(str(error))
            else:
                break
        else:
            raise DatasetError(
                f"the dataset {name!r} could not be fetched: {'; '.join(failures)}. Without a "
                "network, set PUCUT_DATA to a folder that holds the files of the real datasets"
            )
        files[file] = folder / file
    return files


def download(url: str, path: Path, md5: str | None = None) -> None:
    """Downloads one file, or raises `DatasetError` with the address and the reason."""
    sums = hashlib.md5(usedforsecurity=False)
    n_bytes = 0
    try:
        with (
            urllib.request.urlopen(url, timeout=_SECONDS_WITHOUT_ANSWER) as answer,
            path.open("wb") as file,
        ):
            promised = answer.headers.get("Content-Length")
            while block := answer.read(_BLOCK):
                file.write(block)
                sums.update(block)
                n_bytes += len(block)
    except urllib.error.HTTPError as error:
        raise DatasetError(f"{url} answered {error.code} {error.reason}") from error
    except (urllib.error.URLError, HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        raise DatasetError(f"{url} could not be read: {reason}") from error
    if promised is not None and n_bytes != int(promised):
        raise DatasetError(f"{url} broke off after {n_bytes} of {promised} bytes")
    if md5 is not None and sums.hexdigest() != md5:
        raise DatasetError(f"{url} has the MD5 sum {sums.hexdigest()}, expected {md5}")
