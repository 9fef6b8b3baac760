"""The file of a finished run: scores, classes and facts, before any metric.

One file per run, written whole or not at all. Metrics are computed from these files
(`paper.schema`), so a new metric needs no new run.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from paper.protocol import Run, Split
from pucut._support.checks import BoolArray, FloatArray
from pucut._support.files import write_whole

RUNS, PRIORS, FAILURES = "runs", "priors", "failures"


# The exceptions of reading a file that is not whole, or not there.
_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


class BrokenFile(Exception):
    """A file of results that is not whole: to be made again."""


# The circumstances of a run, by the names of the columns of rows, which are in `paper.schema`.
Facts = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished run.

    Attributes
    ----------
    run : Run
    scores : float array of shape (n_samples,)
        In single precision.
    ranks : int array of shape (n_samples,)
        The order of the scores before they were rounded: equal ones have equal ranks.
    is_own_positive : bool array of shape (n_samples,)
        The classes by the method's own rule.
    is_positive, is_labelled : bool arrays of shape (n_samples,)
        The truth, and which rows the method knew to be positive.
    facts : mapping
    """

    run: Run
    scores: npt.NDArray[np.float32]
    ranks: npt.NDArray[np.int32]
    is_own_positive: BoolArray
    is_positive: BoolArray
    is_labelled: BoolArray
    facts: Facts

    @property
    def prior_true(self) -> float:
        return float(self.facts["prior_true"])

    @property
    def prior_used(self) -> float:
        return float(self.facts["prior_used"])


@dataclass(frozen=True)
class FoundPrior:
    """The estimated prior of a split, which all methods share."""

    split: Split
    prior: float
    seconds: float


@dataclass(frozen=True)
class Failure:
    """A task that raised an exception."""

    task: Run | Split
    text: str


def rank_of(scores: FloatArray) -> npt.NDArray[np.int32]:
    """The place of each score among the distinct ones, from 0."""
    return np.unique(scores, return_inverse=True)[1].astype(np.int32)


def run_file(results: Path, run: Run) -> Path:
    return _joined(results, RUNS, run.place, ".npz")


def prior_file(results: Path, split: Split) -> Path:
    return _joined(results, PRIORS, split.place / f"prior-{split.repetition}", ".json")


def failure_file(results: Path, task: Run | Split) -> Path:
    place = task.place if isinstance(task, Run) else task.place / f"prior-{task.repetition}"
    return _joined(results, FAILURES, place, ".txt")


def _joined(results: Path, kind: str, place: PurePosixPath, suffix: str) -> Path:
    # Names hold dots, so `with_suffix` would cut them.
    return results.joinpath(kind, *place.parts[:-1], place.parts[-1] + suffix)


def save(results: Path, outcome: Finished | FoundPrior | Failure) -> None:
    """Keeps the outcome, each kind in its own folder; a success takes an old failure away."""
    if isinstance(outcome, Failure):
        _write(failure_file(results, outcome.task), outcome.text.encode())
        return
    if isinstance(outcome, Finished):
        task: Run | Split = outcome.run
        _write(run_file(results, outcome.run), _packed(outcome))
    else:
        task = outcome.split
        _write(prior_file(results, outcome.split), _text(asdict(outcome)).encode())
    failure_file(results, task).unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)


def _packed(finished: Finished) -> bytes:
    about = {"run": asdict(finished.run), "facts": dict(finished.facts)}
    file = io.BytesIO()
    np.savez_compressed(
        file,
        scores=finished.scores,
        ranks=finished.ranks,
        is_own_positive=finished.is_own_positive,
        is_positive=finished.is_positive,
        is_labelled=finished.is_labelled,
        about=np.frombuffer(_text(about).encode(), dtype=np.uint8),
    )
    return file.getvalue()


def load_run(path: Path) -> Finished:
    """A finished run from its file; `BrokenFile` where that is not whole."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes())
            run = about["run"]
            return Finished(
                Run(Split(**run["split"]), run["method"], run["prior_kind"]),
                arrays["scores"],
                arrays["ranks"],
                arrays["is_own_positive"],
                arrays["is_positive"],
                arrays["is_labelled"],
                dict(about["facts"]),
            )
    except _BROKEN as error:
        raise BrokenFile(f"{path}: {error}") from error


def load_facts(path: Path) -> Facts:
    """Load only the circumstances of the run."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(json.loads(arrays["about"].tobytes())["facts"])
    except _BROKEN as error:
        raise BrokenFile(f"{path}: {error}") from error


def load_prior(path: Path) -> FoundPrior:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return FoundPrior(Split(**found["split"]), found["prior"], found["seconds"])
    except _BROKEN as error:
        raise BrokenFile(f"{path}: {error}") from error


def is_finished(path: Path) -> bool:
    """Tell whether the file is there and whole: every part of it agrees with its checksum."""
    try:
        with zipfile.ZipFile(path) as parts:
            return parts.testzip() is None
    except _BROKEN:
        return False


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1)
