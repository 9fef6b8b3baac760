"""Screening for systematic reviews, simulated: corpora, runs and metrics.

Corpora are the tables of the repository asreview/systematic-review-datasets, as CSV files in one
folder: title, abstract, and label_included, the decision of people about every record.
"""

import csv
import json
import math
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from paper.datasets import seed_from_names
from pucut.labelling.ranking import (
    Features,
    blank_rows_come_first,
    features_of,
    is_blank,
    most_likely,
    rank_scores,
)
from pucut.tables.texts import text_matrix

# Scores of rows, from those known to be relevant and those known not to be.
Scores = Callable[[npt.NDArray[np.bool_], npt.NDArray[np.bool_]], npt.NDArray[np.float64]]
# The next batch has one record, and one more for every so many that were seen.
SEEN_PER_BATCH = 20


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows to query, and their true classes."""

    name: str
    is_relevant: npt.NDArray[np.bool_]

    def start(self, number: int) -> tuple[int, int]:
        """A relevant and an irrelevant row, drawn by the names of pool and start."""
        random = np.random.default_rng(seed_from_names("labelling", self.name, number))
        relevant = int(random.choice(np.flatnonzero(self.is_relevant)))
        return relevant, int(random.choice(np.flatnonzero(~self.is_relevant)))


@dataclass(frozen=True, eq=False)
class Corpus(Pool):
    file: Path
    texts: list[str]


@dataclass(frozen=True)
class Simulation:
    """The records in the order in which they were shown, the start first."""

    order: list[int]
    seconds: list[float]
    version: str = ""


def read_corpus(folder: Path, name: str) -> Corpus:
    csv.field_size_limit(1 << 27)
    file = folder / f"{name}.csv"
    with open(file, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    texts = [f"{row['title']} . {row['abstract']}" for row in rows]
    return Corpus(name, np.array([row["label_included"] == "1" for row in rows]), file, texts)


def by_pucut(corpus: Corpus, start: tuple[int, int], features: Features) -> Simulation:
    """Simulate pucut until every relevant record is found."""
    return simulated(corpus, start, lambda *known: rank_scores(features, *known), features.X)


def simulated(
    pool: Pool,
    start: tuple[int, int],
    scores_of: Scores,
    X: Any,
    *,
    recall: float = 1.0,
    seen_per_batch: int = SEEN_PER_BATCH,
) -> Simulation:
    """Simulate until this share of the relevant rows is found, and 10 % of all are seen."""
    truth, n_rows = pool.is_relevant, len(pool.is_relevant)
    n_found, n_seen = 1 + math.ceil(recall * (truth.sum() - 1)), 2 + math.ceil(0.1 * (n_rows - 2))
    blank = is_blank(X)
    order, seconds = list(start), []
    is_known = np.zeros(n_rows, dtype=np.bool_)
    is_known[order] = True
    while truth[order].sum() < n_found or len(order) < n_seen:
        begun = time.perf_counter()
        scores = scores_of(is_known & truth, is_known & ~truth)
        answers = [(row, bool(truth[row])) for row in order[2:]]
        blank_first = blank_rows_come_first(answers, blank, int(truth[order].sum()))
        size = min(1 + len(order) // seen_per_batch, n_rows - len(order))
        rows = most_likely(scores, ~is_known, blank, size, blank_first=blank_first)
        seconds.append(time.perf_counter() - begun)
        order += [int(row) for row in rows]
        is_known[rows] = True
    return Simulation(order, seconds)


def by_asreview(python: str, model: str, corpus: Corpus, start: tuple[int, int]) -> Simulation:
    """Simulate ASReview until 95 % of the relevant records are found and 10 % of all are seen."""
    n_relevant, n_records = int(corpus.is_relevant.sum()) - 1, len(corpus.texts) - 2
    job = {
        "file": str(corpus.file),
        "is_relevant": corpus.is_relevant.astype(int).tolist(),
        "start": list(start),
        "model": model,
        "seen_per_batch": SEEN_PER_BATCH,
        "n_found": 1 + math.ceil(0.95 * n_relevant),
        "n_seen": 2 + math.ceil(0.1 * n_records),
    }
    asreview = _process(python)
    assert asreview.stdin is not None
    assert asreview.stdout is not None
    asreview.stdin.write(json.dumps(job) + "\n")
    asreview.stdin.flush()
    answer = asreview.stdout.readline()
    if not answer:
        raise RuntimeError("ASReview has ended; its last words are above")
    return Simulation(**json.loads(answer))


@lru_cache(maxsize=1)
def _process(python: str) -> "subprocess.Popen[str]":
    program = Path(__file__).with_name("asreview_simulation.py")
    return subprocess.Popen(
        [python, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def kept(folder: Path | None, names: Sequence[Any], make: Any) -> Simulation:
    """A simulation from the folder of earlier ones, or made and kept there."""
    if folder is None:
        made: Simulation = make()
        return made
    file = folder / ("-".join(map(str, names)) + ".json")
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(make()))
        file.write_text(text, encoding="utf-8")
    return Simulation(**json.loads(file.read_text(encoding="utf-8")))


def work_saved(pool: Pool, order: Sequence[int], recall: float = 0.95) -> float:
    """WSS in %: the share of records that need not be read, less what random reading would save.

    The two records of the start count neither as read nor as found.
    """
    found = np.cumsum(pool.is_relevant[order[2:]])
    n_needed = math.ceil(recall * (pool.is_relevant.sum() - 1))
    n_read = int(np.searchsorted(found, n_needed)) + 1
    return 100.0 * (recall - n_read / (len(pool.is_relevant) - 2))


def found_early(pool: Pool, order: Sequence[int], share: float = 0.1) -> float:
    """RRF in %: the share of the relevant records among the first of all records."""
    n_read = math.ceil(share * (len(pool.is_relevant) - 2))
    n_found = pool.is_relevant[order[2 : 2 + n_read]].sum()
    return 100.0 * float(n_found) / float(pool.is_relevant.sum() - 1)


@lru_cache(maxsize=1)  # simulations of one corpus follow each other
def words_of(corpus: Corpus) -> Features:
    return features_of(text_matrix(corpus.texts), None)
