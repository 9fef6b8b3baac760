"""The task of a worker: one run or one estimate of a prior, from its names to its outcome."""

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from paper.methods import METHODS, Answer, PUData, answer_of
from paper.protocol import Run, Split, SplitData, load_split
from paper.running.machine import forget_peak_memory
from paper.running.raw import Failure, Finished, FoundPrior, rank_of
from paper.schema import Circumstances, record_facts
from pucut.priors import estimate_prior


@dataclass(frozen=True)
class Settings:
    """Settings of runs: the device of the networks, and the threads of each run."""

    device: str = "auto"
    n_threads: int = 1


@dataclass(frozen=True)
class Task:
    """A run with all that it needs, or (without `run`) the estimate of a split's prior.

    `prior` is the estimated one, None where the run takes the true one.
    """

    split: Split
    run: Run | None
    prior: float | None
    settings: Settings

    @property
    def subject(self) -> Run | Split:
        return self.split if self.run is None else self.run


def outcome_of(task: Task) -> Finished | FoundPrior | Failure:
    """Does the task; an exception becomes a `Failure`, so that the other tasks go on."""
    try:
        for_torch = task.run is not None and METHODS[task.run.method].uses_device
        with few_threads(task.settings.n_threads, for_torch=for_torch):
            if task.run is None:
                return _find_prior(task.split)
            return _finish(task.run, task.prior, task.settings)
    except Exception:  # kept with its traceback; the next call tries the task again
        return Failure(task.subject, traceback.format_exc())


def _find_prior(split: Split) -> FoundPrior:
    data = load_split(split)
    start = time.perf_counter()
    found = estimate_prior(data.X, data.is_labelled, random_state=split.seed)
    return FoundPrior(split, float(found.prior), time.perf_counter() - start)


def _finish(run: Run, estimated: float | None, settings: Settings) -> Finished:
    data = load_split(run.split)
    known = seen_by_methods(run, data, estimated, settings)
    forget_peak_memory()
    start = time.perf_counter()
    answer = answer_of(run.method, known, data.is_positive)
    return finished_run(run, data, known, answer, time.perf_counter() - start)


def seen_by_methods(
    run: Run, data: SplitData, estimated: float | None, settings: Settings
) -> PUData:
    return PUData(
        dataset=run.split.dataset,
        X=data.X,
        is_labelled=data.is_labelled,
        prior=data.prior if estimated is None else estimated,
        seed=run.split.seed,
        device=settings.device,
        n_threads=settings.n_threads,
    )


def finished_run(
    run: Run, data: SplitData, known: PUData, answer: Answer, seconds: float
) -> Finished:
    """The answer with the truth and the facts beside it."""
    if not np.isfinite(answer.scores).all():
        raise ValueError(f"the scores of {run.method} are not all finite")
    return Finished(
        run,
        answer.scores.astype(np.float32),
        rank_of(answer.scores),
        answer.is_positive,
        data.is_positive,
        data.is_labelled,
        record_facts(Circumstances(run, data, known, seconds)),
    )


@contextmanager
def few_threads(n_threads: int, *, for_torch: bool) -> Iterator[None]:
    """Limits the threads of all libraries, since other runs have the other processors.

    PyTorch is loaded only where it is needed, since it takes more memory than most runs.
    """
    with threadpool_limits(n_threads):
        if not for_torch:
            yield
            return
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(n_threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)
