"""Run every requested run that is not finished.

Each outcome is kept as soon as it is there, whole or not at all, so that a runner that was killed
continues where it was. Workers only compute; this process alone writes.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from paper.methods import METHODS
from paper.protocol import Run, Split, shape_of
from paper.running.raw import (
    BrokenFile,
    Failure,
    Finished,
    FoundPrior,
    is_finished,
    load_facts,
    load_prior,
    load_run,
    prior_file,
    run_file,
    save,
)
from paper.running.shared_fits import fit_for, with_shared_fit
from paper.running.work import Settings, Task
from paper.running.workers import Outcome, Workers

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """The work left for the requested runs; `fits` are the runs to be fitted for them."""

    asked: tuple[Run, ...]
    unfinished: tuple[Run, ...]
    fits: tuple[Run, ...]
    unknown_priors: tuple[Split, ...]

    @property
    def n_finished(self) -> int:
        return len(self.asked) - len(self.unfinished)


def plan(runs: Sequence[Run], results: Path) -> Plan:
    """Plan the work; files that are not whole are treated as missing."""
    unfinished = [run for run in runs if not is_finished(run_file(results, run))]
    needed = dict.fromkeys(map(fit_for, unfinished))
    fits = [run for run in needed if not is_finished(run_file(results, run))]
    splits = dict.fromkeys(run.split for run in unfinished if run.prior_kind == "estimated")
    unknown = [split for split in splits if _known_prior(results, split) is None]
    return Plan(tuple(runs), tuple(unfinished), tuple(fits), tuple(unknown))


def _known_prior(results: Path, split: Split) -> FoundPrior | None:
    try:
        return load_prior(prior_file(results, split))
    except BrokenFile:
        return None


@dataclass(frozen=True)
class Report:
    """The outcome of a call: failures, and the runs that lack a prior or a fit that failed."""

    n_asked: int
    n_before: int
    n_finished: int
    failures: tuple[Failure, ...]
    lacking: tuple[Run, ...]

    @property
    def is_complete(self) -> bool:
        return self.n_before + self.n_finished == self.n_asked


def run_all(todo: Plan, results: Path, settings: Settings, workers: Workers, say: Say) -> Report:
    """Estimates the priors that are needed, fits, and hands fits on; keeps every outcome."""
    say(f"{len(todo.asked)} runs, {todo.n_finished} of them finished before")
    failures = do_tasks(prior_tasks(todo, settings), results, workers, say, "priors")
    ready, lacking = ready_tasks(todo.fits, results, settings)
    failures += do_tasks(ready, results, workers, say, "fits")
    lacking += hand_on_fits(todo.unfinished, results)
    failed = {failure.task for failure in failures}
    n_failed = sum(run in failed for run in todo.unfinished)
    n_finished = len(todo.unfinished) - len(lacking) - n_failed
    return Report(len(todo.asked), todo.n_finished, n_finished, tuple(failures), tuple(lacking))


def prior_tasks(todo: Plan, settings: Settings) -> list[Task]:
    return [Task(split, None, None, settings) for split in todo.unknown_priors]


def ready_tasks(
    runs: Iterable[Run], results: Path, settings: Settings
) -> tuple[list[Task], list[Run]]:
    """Tasks of the runs, and the runs that lack an estimated prior."""
    ready: list[Task] = []
    lacking: list[Run] = []
    for run in runs:
        if run.prior_kind == "true":
            ready.append(Task(run.split, run, None, settings))
            continue
        found = _known_prior(results, run.split)
        if found is None:
            lacking.append(run)
        else:
            ready.append(Task(run.split, run, found.prior, settings))
    return ready, lacking


def hand_on_fits(runs: Iterable[Run], results: Path) -> list[Run]:
    """Keeps the runs that share the fit of another; returns those that lack it or their prior."""
    lacking: list[Run] = []
    for run in runs:
        if fit_for(run) == run:
            continue
        try:
            fitted = load_run(run_file(results, fit_for(run)))
            is_estimated = run.prior_kind == "estimated"
            prior = load_prior(prior_file(results, run.split)).prior if is_estimated else None
        except BrokenFile:
            lacking.append(run)
        else:
            save(results, with_shared_fit(run, fitted, prior))
    return lacking


def do_tasks(
    tasks: Sequence[Task], results: Path, workers: Workers, say: Say, noun: str
) -> list[Failure]:
    """Has the tasks done and keeps what comes; returns the failures."""
    failures: list[Failure] = []
    if not tasks:
        return failures
    left = sum(cost_of(task.subject) for task in tasks)
    done, start = 0.0, time.monotonic()
    with closing(workers(tasks)) as outcomes:
        for number, outcome in enumerate(outcomes, start=1):
            save(results, outcome)
            subject = _subject(outcome)
            if isinstance(outcome, Failure):
                failures.append(outcome)
            done += cost_of(subject)
            gone = time.monotonic() - start
            say(
                f"{number} of {len(tasks)} {noun}, {len(failures)} failed, {clock(gone)} gone, "
                f"about {clock(gone * (left - done) / done)} left: {subject}"
            )
    return failures


def _subject(outcome: Outcome) -> Run | Split:
    if isinstance(outcome, Failure):
        return outcome.task
    return outcome.run if isinstance(outcome, Finished) else outcome.split


def cost_of(task: Run | Split) -> float:
    """The rough, relative time of a run: by rows, features and method."""
    split = task.split if isinstance(task, Run) else task
    n_samples, n_features = shape_of(split)
    method = METHODS[task.method].cost if isinstance(task, Run) else 1.0
    return method * (n_samples + 500) * (n_features + 20)


def clock(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def costs(runs: Sequence[Run], results: Path) -> dict[tuple[str, str], float]:
    """Seconds by (dataset, method) of the finished runs, and of the priors estimated for them.

    Synthetic datasets count together by their number of rows. A prior counts once for a split, a
    fit once for all runs that share it.
    """
    seconds: dict[tuple[str, str], float] = {}
    for run in dict.fromkeys(map(fit_for, runs)):
        try:
            took = float(load_facts(run_file(results, run))["seconds"])
        except BrokenFile:
            continue
        key = (group_of(run.split), run.method)
        seconds[key] = seconds.get(key, 0.0) + took
    for split in dict.fromkeys(run.split for run in runs if run.prior_kind == "estimated"):
        found = _known_prior(results, split)
        if found is not None:
            key = (group_of(split), "prior")
            seconds[key] = seconds.get(key, 0.0) + found.seconds
    return seconds


def group_of(split: Split) -> str:
    return split.dataset if split.suite == "real" else f"{split.suite}, {shape_of(split)[0]} rows"
