"""The files of the real datasets as they are published, read into columns or arrays.

Columns get the names they have in the files of the folder PUCUT_DATA, with "class" last, and stay
texts: `paper.datasets.catalogue` says what they mean, for both kinds of files.
"""

import csv
import gzip
import io
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from paper.datasets.download import DatasetError

Columns = dict[str, tuple[str, ...]]
Files = Mapping[str, Path]


@dataclass(frozen=True, eq=False)
class Arrays:
    """A table that is kept as an array, and the original classes as numbers."""

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]


VOTE_NAMES = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)
LETTER_NAMES = (
    "x-box",
    "y-box",
    "width",
    "high",
    "onpix",
    "x-bar",
    "y-bar",
    "x2bar",
    "y2bar",
    "xybar",
    "x2ybr",
    "xy2br",
    "x-ege",
    "xegvy",
    "y-ege",
    "yegvx",
)
CREDIT_NAMES = (
    "LIMIT_BAL",
    "SEX",
    "EDUCATION",
    "MARRIAGE",
    "AGE",
    "PAY_0",
    *(f"PAY_{month}" for month in range(2, 7)),
    *(f"BILL_AMT{month}" for month in range(1, 7)),
    *(f"PAY_AMT{month}" for month in range(1, 7)),
)
N_MUSHROOM_FEATURES = 112
N_GLOVE_NUMBERS = 300
_TOKEN = re.compile(r"(?u)\b\w\w+\b")
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_original(name: str, files: Files, texts_folder: Path) -> Columns | Arrays:
    """Reads the downloaded files of a dataset; `texts_folder` is where scikit-learn puts texts."""
    if name == "news":
        return _news(files["glove.6B.300d.txt"], texts_folder)
    return _READERS[name](files)


def _text(files: Files, name: str) -> str:
    return _content(files[name], name).decode("utf-8-sig")


def _content(path: Path, name: str) -> bytes:
    """The file, or the file of this name in the archive that came instead."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        if "xl/workbook.xml" in archive.namelist():  # a spreadsheet is an archive too
            return path.read_bytes()
        return archive.read(_member(archive, name))


def _member(archive: zipfile.ZipFile, name: str) -> str:
    for member in archive.namelist():
        if member.rsplit("/", 1)[-1] == name:
            return member
    raise ValueError(f"the archive has no file {name!r}, it has {archive.namelist()}")


def _columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Columns:
    """Columns of rows whose class is last."""
    values = zip(*rows, strict=True)
    return dict(zip((*names, "class"), values, strict=True))


def _lines(text: str, separator: str | None = ",") -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.strip():
            yield [cell.strip() for cell in line.split(separator)]


def _class_first(text: str, names: Sequence[str]) -> Columns:
    return _columns(names, ([*cells[1:], cells[0]] for cells in _lines(text)))


def _vote(files: Files) -> Columns:
    return _class_first(_text(files, "house-votes-84.data"), VOTE_NAMES)


def _letter(files: Files) -> Columns:
    return _class_first(_text(files, "letter-recognition.data"), LETTER_NAMES)


def _german(files: Files) -> Columns:
    rows = _lines(_text(files, "german.data-numeric"), separator=None)
    return _columns([f"a{j}" for j in range(1, 25)], rows)


def _obesity(files: Files) -> Columns:
    text = _text(files, "ObesityDataSet_raw_and_data_sinthetic.csv")
    header, *rows = csv.reader(io.StringIO(text))
    return _columns(header[:-1], rows)


def _mushroom(files: Files) -> Columns:
    """LIBSVM's format: the class, then number:value of the features that are not 0."""
    rows = []
    for label, *pairs in _lines(_text(files, "mushrooms"), separator=None):
        cells = ["0"] * N_MUSHROOM_FEATURES
        for pair in pairs:
            number, value = pair.split(":")
            cells[int(number) - 1] = value
        rows.append([*cells, label])
    return _columns([f"f{j}" for j in range(1, N_MUSHROOM_FEATURES + 1)], rows)


def _phishing(files: Files) -> Columns:
    """ARFF: @attribute lines with names, then rows after @data."""
    names, rows, is_data = [], [], False
    for line in _text(files, "Training Dataset.arff").splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if is_data:
            rows.append([cell.strip() for cell in line.split(",")])
        elif line.lower().startswith("@attribute"):
            names.append(line.split()[1])
        elif line.lower() == "@data":
            is_data = True
    return _columns(names[:-1], rows)


def _credit(files: Files) -> Columns:
    _, *rows = csv.reader(io.StringIO(_text(files, "data.csv")))
    return _columns(CREDIT_NAMES, (cells[1:] for cells in rows))  # without the number of the row


def _bean(files: Files) -> Columns:
    header, *rows = _spreadsheet(_content(files["Dry_Bean_Dataset.xlsx"], "Dry_Bean_Dataset.xlsx"))
    return _columns(header[:-1], rows)


def _spreadsheet(content: bytes) -> Iterator[list[str]]:
    """The cells of the first sheet, as texts; rows without an empty cell only."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        strings = []
        if "xl/sharedStrings.xml" in archive.namelist():
            for item in ElementTree.fromstring(archive.read("xl/sharedStrings.xml")):
                strings.append("".join(part.text or "" for part in item.iter(f"{_SHEET}t")))
        with archive.open("xl/worksheets/sheet1.xml") as sheet:
            for _, row in ElementTree.iterparse(sheet):
                if row.tag != f"{_SHEET}row":
                    continue
                cells = [_cell(cell, strings) for cell in row.iter(f"{_SHEET}c")]
                row.clear()
                if cells:
                    yield cells


def _cell(cell: ElementTree.Element, strings: Sequence[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(part.text or "" for part in cell.iter(f"{_SHEET}t"))
    value = cell.findtext(f"{_SHEET}v") or ""
    return strings[int(value)] if cell.get("t") == "s" else value


def _mnist(files: Files) -> Arrays:
    """Training set first, then test set, in their own order."""
    images, labels = [], []
    for part in ("train", "t10k"):
        images.append(_idx(files[f"{part}-images-idx3-ubyte.gz"]))
        labels.append(_idx(files[f"{part}-labels-idx1-ubyte.gz"]))
    X = np.concatenate(images)
    return Arrays(X.reshape(len(X), -1), np.concatenate(labels))


def _idx(path: Path) -> npt.NDArray[np.uint8]:
    """Two zero bytes, the type (8: bytes), the number of dimensions, the dimensions, the values."""
    content = gzip.decompress(path.read_bytes())
    zeros, kind, n_dimensions = struct.unpack_from(">HBB", content)
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path.name} is no IDX file of bytes, it begins with {content[:4]!r}")
    shape = struct.unpack_from(f">{n_dimensions}I", content, 4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_dimensions).reshape(shape)


def _news(glove: Path, texts_folder: Path) -> Arrays:
    from sklearn.datasets import fetch_20newsgroups

    texts_folder.mkdir(parents=True, exist_ok=True)
    try:
        news = fetch_20newsgroups(data_home=str(texts_folder), subset="all")
    except OSError as error:
        raise DatasetError(f"the texts of 20 newsgroups could not be fetched: {error}") from error
    return Arrays(document_vectors(news.data, glove), news.target)


def document_vectors(documents: Iterable[str], glove: Path) -> npt.NDArray[np.float16]:
    """The mean of the GloVe vectors of a document's known words, in half precision.

    Words are lower case, of two letters at least; a document without a known word is all 0.
    """
    tokens = [_TOKEN.findall(document.lower()) for document in documents]
    place, vectors = _word_vectors(glove, {word for words in tokens for word in words})
    means = np.zeros((len(tokens), N_GLOVE_NUMBERS))
    for row, words in enumerate(tokens):
        known = [place[word] for word in words if word in place]
        if known:
            means[row] = vectors[known].mean(axis=0)
    return means.astype(np.float16)


def _word_vectors(glove: Path, wanted: set[str]) -> tuple[dict[str, int], npt.NDArray[np.float64]]:
    place: dict[str, int] = {}
    vectors: list[npt.NDArray[np.float64]] = []
    with zipfile.ZipFile(glove) as archive, archive.open(_member(archive, _GLOVE_NAME)) as lines:
        for line in lines:
            word, _, numbers = line.decode("utf-8").rstrip("\n").partition(" ")
            if word in wanted:
                place[word] = len(vectors)
                vectors.append(np.array(numbers.split(" "), dtype=np.float64))
    return place, np.array(vectors).reshape(len(vectors), N_GLOVE_NUMBERS)


_GLOVE_NAME = "glove.6B.300d.txt"
_READERS: Mapping[str, Callable[[Files], Columns | Arrays]] = {
    "vote": _vote,
    "german": _german,
    "obesity": _obesity,
    "mushroom": _mushroom,
    "phishing": _phishing,
    "bean": _bean,
    "letter": _letter,
    "credit": _credit,
    "mnist": _mnist,
}
