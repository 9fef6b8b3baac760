"""Steps `real`, `synthetic` and `rows`: the experiments, and rows of what came out of them."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from paper.datasets import REAL_NAMES, SYNTHETIC, SyntheticConfiguration
from paper.datasets.real import ensure_real
from paper.running.methods import METHODS
from paper.running.protocol import (
    LABELLED_AT_SMALL_SHARE,
    PAPER_SHARE,
    PRIOR_KINDS,
    REPETITIONS,
    SHARES,
    SMALL_SHARE,
    SYNTHETIC_REPETITIONS,
    Run,
    Split,
    real_runs,
    synthetic_runs,
)
from paper.running.raw import failure_file
from paper.running.rows import as_csv, collect
from paper.running.runner import Report, Workers, clock, costs, in_processes, on_dask, plan, run_all
from paper.running.work import Settings
from pucut._support.files import write_whole
from pucut.cli._errors import UserError

INCOMPLETE = 1  # some runs failed
# A line of progress so often, where lines stay on the screen or go to a file.
_SECONDS_BETWEEN_LINES = 15.0
_SHARES = tuple(map(str, SHARES))
_SIZES = tuple(map(str, sorted({configuration.n_samples for configuration in SYNTHETIC.values()})))


def add_parsers(steps: Any) -> None:
    _add_real(steps)
    _add_synthetic(steps)
    _add_rows(steps)


def _add_real(steps: Any) -> None:
    parser = steps.add_parser("real", help="the real datasets")
    _add_choice(parser, "--datasets", REAL_NAMES, "datasets")
    _add_choice(parser, "--labelled-share", _SHARES, "shares", default=str(PAPER_SHARE))
    parser.add_argument(
        "--repetitions",
        default=f"{REPETITIONS[0]}-{REPETITIONS[-1]}",
        metavar="A-B",
        help=f"splits, like 0,1 or 0-{REPETITIONS[-1]} (all)",
    )
    _add_common(parser)
    parser.set_defaults(run=_run_real)


def _add_synthetic(steps: Any) -> None:
    parser = steps.add_parser("synthetic", help="the synthetic datasets")
    _add_choice(parser, "--n-samples", _SIZES, "numbers of rows")
    parser.add_argument(
        "--configurations",
        type=int,
        metavar="N",
        help="only N of the configurations, spread evenly over those chosen",
    )
    parser.add_argument(
        "--per-configuration",
        type=int,
        choices=range(1, len(SYNTHETIC_REPETITIONS) + 1),
        default=len(SYNTHETIC_REPETITIONS),
        help="datasets of each configuration",
    )
    parser.add_argument(
        "--batched",
        action="store_true",
        help="train the networks of uPU and nnPU many at a time, best on a GPU",
    )
    _add_common(parser)
    parser.set_defaults(run=_run_synthetic)


def _add_rows(steps: Any) -> None:
    parser = steps.add_parser("rows", help="write one line of CSV for each finished run")
    _add_results(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.set_defaults(run=_write_rows)


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_choice(parser, "--methods", tuple(METHODS), "methods")
    _add_choice(parser, "--prior", PRIOR_KINDS, "priors")
    _add_results(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--n-jobs", type=int, default=1, metavar="N", help="processes on this machine"
    )
    where.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster to run on")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of each run (1)"
    )
    parser.add_argument(
        "--device", default="auto", help="of the networks: auto, cpu, cuda, ... (auto)"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be run")


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="folder (results)"
    )


def _add_choice(
    parser: argparse.ArgumentParser,
    option: str,
    allowed: Sequence[str],
    noun: str,
    default: str | None = None,
) -> None:
    parser.add_argument(
        option,
        default=",".join(allowed) if default is None else default,
        metavar="A,B",
        help=f"{noun}, some of {', '.join(allowed)} ({default or 'all'})",
    )


def _names(option: str, text: str, allowed: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(text.split(",")))
    unknown = [name for name in names if name not in allowed]
    if unknown:
        raise UserError(
            f"{option} must be names out of {', '.join(allowed)}, separated by commas, found "
            f"{', '.join(map(repr, unknown))}"
        )
    return names


def _numbers(option: str, text: str, allowed: range) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            numbers += range(int(first), int(last if dash else first) + 1)
        except ValueError:
            numbers.append(-1)
    if not numbers or not set(numbers) <= set(allowed):
        raise UserError(
            f"{option} must be numbers from {allowed[0]} to {allowed[-1]}, like 0,1 or "
            f"{allowed[0]}-{allowed[-1]}, found {text!r}"
        )
    return list(dict.fromkeys(numbers))


def _at_least_one(option: str, number: int) -> int:
    if number < 1:
        raise UserError(f"{option} must be a whole number from 1 on, found {number}")
    return number


def _run_real(arguments: argparse.Namespace) -> int:
    runs = real_runs(
        _names("--datasets", arguments.datasets, REAL_NAMES),
        _names("--methods", arguments.methods, tuple(METHODS)),
        _names("--prior", arguments.prior, PRIOR_KINDS),
        [float(share) for share in _names("--labelled-share", arguments.labelled_share, _SHARES)],
        _numbers("--repetitions", arguments.repetitions, REPETITIONS),
    )
    if not runs:
        raise UserError(
            f"nothing to run: a labelled share of {SMALL_SHARE} is for the datasets "
            f"{', '.join(LABELLED_AT_SMALL_SHARE)} only"
        )
    return _run(arguments, runs, _workers(arguments))


def _run_synthetic(arguments: argparse.Namespace) -> int:
    sizes = set(map(int, _names("--n-samples", arguments.n_samples, _SIZES)))
    methods = _names("--methods", arguments.methods, tuple(METHODS))
    chosen = [one for one in SYNTHETIC.values() if one.n_samples in sizes]
    if arguments.configurations is not None:
        chosen = _spread(chosen, _at_least_one("--configurations", arguments.configurations))
    runs = synthetic_runs(
        chosen,
        methods,
        _names("--prior", arguments.prior, PRIOR_KINDS),
        range(arguments.per_configuration),
    )
    if not arguments.batched:
        return _run(arguments, runs, _workers(arguments))
    if arguments.dask or arguments.n_jobs > 1:
        raise UserError("--batched works in one process: leave out --n-jobs and --dask")
    from paper.running.batched import BATCHED_METHODS, batched

    if not set(methods) <= set(BATCHED_METHODS):
        raise UserError(
            f"--batched is for the methods {', '.join(BATCHED_METHODS)}, found "
            f"{', '.join(methods)}: choose with --methods"
        )
    return _run(arguments, runs, nullcontext(batched(arguments.threads)))


def _spread(
    configurations: Sequence[SyntheticConfiguration], wanted: int
) -> list[SyntheticConfiguration]:
    n_all = len(configurations)
    wanted = min(wanted, n_all)
    return [configurations[place * n_all // wanted] for place in range(wanted)]


@contextmanager
def _workers(arguments: argparse.Namespace) -> Iterator[Workers]:
    if not arguments.dask:
        n_jobs = _at_least_one("--n-jobs", arguments.n_jobs)
        yield in_processes(n_jobs, arguments.threads)
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError(
            "--dask needs the package distributed: pip install 'pucut[dask]'"
        ) from error
    try:
        client = Client(arguments.dask, timeout=20)
    except (OSError, ValueError) as error:
        raise UserError(f"no Dask scheduler answers at {arguments.dask!r}: {error}") from error
    with client:
        yield on_dask(client)


def _run(
    arguments: argparse.Namespace, runs: Sequence[Run], workers: AbstractContextManager[Workers]
) -> int:
    todo = plan(runs, arguments.results)
    if arguments.dry_run:
        for run in todo.unfinished:
            print(run)
        print(
            f"{len(todo.asked)} runs, {todo.n_finished} of them finished; "
            f"{len(todo.unknown_priors)} priors to estimate, {len(todo.fits)} fits to make"
        )
        return 0
    settings = Settings(arguments.device, _at_least_one("--threads", arguments.threads))
    progress = _Progress()
    try:
        with workers as working:
            if not arguments.dask:
                _have_data([*todo.unknown_priors, *(run.split for run in todo.fits)])
            report = run_all(todo, arguments.results, settings, working, progress.say)
    except BrokenProcessPool:
        print(
            "pucut: a worker process died, perhaps for want of memory; what is finished is kept: "
            "start again, with fewer --n-jobs",
            file=sys.stderr,
        )
        return INCOMPLETE
    finally:
        progress.end()
    print(_cost_table(costs(runs, arguments.results)))
    return _end(report, arguments.results)


def _have_data(splits: Sequence[Split]) -> None:
    """Fetches what is missing before workers start, which would all fetch it."""
    for name in dict.fromkeys(split.dataset for split in splits if split.suite == "real"):
        try:
            ensure_real(name)
        except (OSError, ValueError) as error:
            raise UserError(str(error)) from error


def _end(report: Report, results: Path) -> int:
    for failure in report.failures:
        print(
            f"pucut: failed: {failure.task}: {failure.text.strip().splitlines()[-1]} "
            f"({failure_file(results, failure.task)})",
            file=sys.stderr,
        )
    if report.lacking:
        print(
            f"pucut: {len(report.lacking)} runs lack a prior or a fit that failed",
            file=sys.stderr,
        )
    print(
        f"{report.n_finished} runs finished, {report.n_before} were before, "
        f"{report.n_asked - report.n_finished - report.n_before} are missing"
    )
    return 0 if report.is_complete else INCOMPLETE


def _cost_table(seconds: dict[tuple[str, str], float]) -> str:
    """Hours, minutes and seconds of fitting, datasets down and methods across."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in seconds))
    methods = [name for name in ("prior", *METHODS) if any(m == name for _, m in seconds)]
    lines = [["seconds of fitting", *methods]]
    for dataset in datasets:
        cells = [seconds.get((dataset, method)) for method in methods]
        lines.append([dataset, *("-" if cell is None else f"{cell:.1f}" for cell in cells)])
    sums = [sum(took for (_, m), took in seconds.items() if m == method) for method in methods]
    lines.append(["all", *(f"{total:.1f}" for total in sums)])
    lines.append(["", *(clock(total) for total in sums)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )


class _Progress:
    """Lines to stderr: on a screen one that is written over, else one now and then."""

    def __init__(self) -> None:
        self._is_screen = sys.stderr.isatty()
        self._last = float("-inf")
        self._unsaid: str | None = None

    def say(self, text: str) -> None:
        if self._is_screen:
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
            return
        self._unsaid = text
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self.end()

    def end(self) -> None:
        if self._is_screen:
            print(file=sys.stderr)
        elif self._unsaid is not None:
            print(self._unsaid, file=sys.stderr, flush=True)
            self._last, self._unsaid = time.monotonic(), None


def _write_rows(arguments: argparse.Namespace) -> int:
    if not arguments.results.is_dir():
        raise UserError(f"--results is {str(arguments.results)!r}, which is not a folder")
    found = collect(arguments.results)
    for broken in found.broken:
        print(f"pucut: left out a file that is not whole: {broken}", file=sys.stderr)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(arguments.out, as_csv(found.rows).encode())
    print(f"{len(found.rows)} rows in {arguments.out}")
    return INCOMPLETE if found.broken else 0
