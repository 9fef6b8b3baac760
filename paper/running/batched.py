"""Networks on synthetic datasets, those of datasets of one shape trained at once."""

import math
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby

from paper.datasets import FAMILIES, SYNTHETIC
from paper.methods import METHODS, NeuralMethod
from paper.protocol import PAPER_SHARE, Run, load_split
from paper.running.machine import forget_peak_memory
from paper.running.raw import Failure
from paper.running.work import Task, few_threads, finished_run, outcome_of, seen_by_methods
from paper.running.workers import Outcome, Workers

NETWORKS_AT_ONCE = 64


def batched(n_threads: int = 1) -> Workers:
    """Workers of one process that does runs in stacks; other tasks one by one.

    A stack holds datasets with the same numbers of rows, features and (but for the 1 % of changed
    classes) positives, so that each network sees as many labelled rows in a batch as it would
    alone. The seconds of a run are those of its stack, divided by the number of networks.
    """

    def work(tasks: Sequence[Task]) -> Generator[Outcome, None, None]:
        with few_threads(n_threads, for_torch=True):
            for stack in stacks(tasks):
                yield from _outcomes(stack)

    return work


def can_be_batched(method: str) -> bool:
    return isinstance(METHODS[method], NeuralMethod)


def stacks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Tasks that can be trained together, at most `NETWORKS_AT_ONCE`; others by themselves."""
    alike = sorted(
        (task for task in tasks if _can_be_stacked(task)), key=lambda task: _shape(task.run)
    )
    yield from ([task] for task in tasks if not _can_be_stacked(task))
    for _, same in groupby(alike, key=lambda task: _shape(task.run)):
        waiting = list(same)
        for start in range(0, len(waiting), NETWORKS_AT_ONCE):
            yield waiting[start : start + NETWORKS_AT_ONCE]


def _can_be_stacked(task: Task) -> bool:
    run = task.run
    return run is not None and can_be_batched(run.method) and run.split.suite in FAMILIES


def _shape(run: Run | None) -> tuple[str, int, int, float]:
    assert run is not None
    configuration = SYNTHETIC[run.split.dataset]
    return (
        run.method,
        configuration.n_samples,
        configuration.n_features,
        configuration.positive_share,
    )


def _outcomes(stack: Sequence[Task]) -> Iterator[Outcome]:
    if not _can_be_stacked(stack[0]):
        yield from map(outcome_of, stack)
        return
    try:
        yield from _trained(stack)
    except Exception:
        text = traceback.format_exc()  # it is not known which of the networks is to blame
        yield from (Failure(task.subject, text) for task in stack)


def _trained(stack: Sequence[Task]) -> list[Outcome]:
    from paper.running.stacked_networks import fit_stacked

    forget_peak_memory()
    start = time.perf_counter()
    runs = [task.run for task in stack if task.run is not None]
    method = METHODS[runs[0].method]
    assert isinstance(method, NeuralMethod)
    datas = [load_split(run.split) for run in runs]
    knowns = [
        seen_by_methods(run, data, task.prior, task.settings)
        for task, run, data in zip(stack, runs, datas, strict=True)
    ]
    classifiers = [method.make(known) for known in knowns]
    fit_stacked(
        classifiers,
        [known.X for known in knowns],
        [known.is_labelled for known in knowns],
        _positives_per_batch(runs[0], classifiers[0].validation_share, classifiers[0].batch_size),
    )
    seconds = (time.perf_counter() - start) / len(runs)
    return [
        finished_run(run, data, known, method.answer(classifier), seconds)
        for run, data, known, classifier in zip(runs, datas, knowns, classifiers, strict=True)
    ]


def _positives_per_batch(run: Run, hidden_share: float, batch_size: int) -> int:
    """By the positives that the configuration asks for, so that it depends on no other run."""
    configuration = SYNTHETIC[run.split.dataset]
    n_labelled = PAPER_SHARE * configuration.positive_share * configuration.n_samples
    n_steps = math.ceil(configuration.n_samples / batch_size)
    return math.ceil((1.0 - hidden_share) * n_labelled / n_steps)
