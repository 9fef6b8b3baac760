"""Steps `real` and `synthetic`: the experiments themselves."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from paper.commands import INCOMPLETE, PROGRAM
from paper.commands.options import add_names, add_results, at_least_one, names, numbers
from paper.commands.progress import Progress, cost_table
from paper.datasets import FAMILIES, REAL_NAMES, SYNTHETIC, SyntheticConfiguration
from paper.datasets.real import ensure_real
from paper.methods import COMPARED, METHODS
from paper.protocol import (
    PAPER_SHARE,
    PRIOR_KINDS,
    REPETITIONS,
    SHARES,
    SMALL_SHARE,
    SMALL_SHARE_NAMES,
    SYNTHETIC_REPETITIONS,
    Run,
    Split,
    real_runs,
    synthetic_runs,
)
from paper.running.batched import batched, can_be_batched
from paper.running.raw import failure_file
from paper.running.runner import Report, costs, plan, run_all
from paper.running.work import Settings
from paper.running.workers import Workers, in_processes, on_dask
from pucut.cli import UserError

_SHARES = tuple(map(str, SHARES))
_SIZES = tuple(map(str, sorted({configuration.n_samples for configuration in SYNTHETIC.values()})))
_DESCRIPTION = (
    "Run methods on the {} datasets of the paper. What is finished is kept in a folder and not run "
    "again, also after the command was stopped or killed; what failed is tried again."
)


def add_parsers(steps: Any) -> None:
    _add_real(steps)
    _add_synthetic(steps)


def _add_real(steps: Any) -> None:
    parser = steps.add_parser(
        "real", help="run methods on the real datasets", description=_DESCRIPTION.format("real")
    )
    add_names(parser, "--datasets", REAL_NAMES, "datasets")
    add_names(parser, "--labelled-share", _SHARES, "shares", default=str(PAPER_SHARE))
    parser.add_argument(
        "--repetitions",
        default=f"{REPETITIONS[0]}-{REPETITIONS[-1]}",
        metavar="A-B",
        help=f"splits, like 0,1 or 0-{REPETITIONS[-1]} (default: all)",
    )
    _add_common(parser)
    parser.set_defaults(run=_run_real)


def _add_synthetic(steps: Any) -> None:
    parser = steps.add_parser(
        "synthetic",
        help="run methods on the synthetic datasets",
        description=_DESCRIPTION.format("synthetic"),
    )
    parser.add_argument(
        "--family",
        choices=tuple(FAMILIES),
        default="synthetic",
        help="how many features are informative: all (synthetic, the paper's), all but two, half, "
        "or three (default: all)",
    )
    add_names(parser, "--n-samples", _SIZES, "numbers of rows")
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
        help="datasets of each configuration (default: all)",
    )
    parser.add_argument(
        "--batched",
        action="store_true",
        help="train the networks of uPU and nnPU many at a time, best on a GPU",
    )
    _add_common(parser)
    parser.set_defaults(run=_run_synthetic)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_names(parser, "--methods", tuple(METHODS), "methods", default=",".join(COMPARED))
    add_names(parser, "--prior", PRIOR_KINDS, "priors")
    add_results(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--n-jobs", type=int, default=1, metavar="N", help="processes on this machine (default: 1)"
    )
    where.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster to run on")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="threads of each run (default: 1)"
    )
    parser.add_argument(
        "--device", default="auto", help="of the networks: auto, cpu, cuda, ... (default: auto)"
    )
    parser.add_argument("--dry-run", action="store_true", help="only print what would be run")


def _run_real(arguments: argparse.Namespace) -> int:
    runs = real_runs(
        names("--datasets", arguments.datasets, REAL_NAMES),
        names("--methods", arguments.methods, tuple(METHODS)),
        names("--prior", arguments.prior, PRIOR_KINDS),
        [float(share) for share in names("--labelled-share", arguments.labelled_share, _SHARES)],
        numbers("--repetitions", arguments.repetitions, REPETITIONS),
    )
    if not runs:
        raise UserError(
            f"nothing to run: a labelled share of {SMALL_SHARE} is for the datasets "
            f"{', '.join(SMALL_SHARE_NAMES)} only"
        )
    return _run(arguments, runs, _workers(arguments))


def _run_synthetic(arguments: argparse.Namespace) -> int:
    sizes = set(map(int, names("--n-samples", arguments.n_samples, _SIZES)))
    methods = names("--methods", arguments.methods, tuple(METHODS))
    chosen = [one for one in SYNTHETIC.values() if one.n_samples in sizes]
    if arguments.configurations is not None:
        chosen = _spread(chosen, at_least_one("--configurations", arguments.configurations))
    runs = synthetic_runs(
        chosen,
        methods,
        names("--prior", arguments.prior, PRIOR_KINDS),
        range(arguments.per_configuration),
        arguments.family,
    )
    if not arguments.batched:
        return _run(arguments, runs, _workers(arguments))
    if arguments.dask or arguments.n_jobs > 1:
        raise UserError("--batched works in one process: leave out --n-jobs and --dask")
    if not all(map(can_be_batched, methods)):
        raise UserError(
            f"--batched is for the methods {', '.join(filter(can_be_batched, METHODS))}, found "
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
        n_jobs = at_least_one("--n-jobs", arguments.n_jobs)
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
    settings = Settings(arguments.device, at_least_one("--threads", arguments.threads))
    progress = Progress()
    try:
        with workers as working:
            if not arguments.dask:
                _fetch_data([*todo.unknown_priors, *(run.split for run in todo.fits)])
            report = run_all(todo, arguments.results, settings, working, progress.say)
    except BrokenProcessPool:
        print(
            f"{PROGRAM}: a worker process died, perhaps for lack of memory; what is finished is "
            "kept: start again, with fewer --n-jobs",
            file=sys.stderr,
        )
        return INCOMPLETE
    finally:
        progress.end()
    print(cost_table(costs(runs, arguments.results)))
    return _end(report, arguments.results)


def _fetch_data(splits: Sequence[Split]) -> None:
    """Fetches what is missing before the workers start, each of which would fetch it."""
    for name in dict.fromkeys(split.dataset for split in splits if split.suite == "real"):
        try:
            ensure_real(name)
        except (OSError, ValueError) as error:
            raise UserError(str(error)) from error


def _end(report: Report, results: Path) -> int:
    for failure in report.failures:
        print(
            f"{PROGRAM}: failed: {failure.task}: {failure.text.strip().splitlines()[-1]} "
            f"({failure_file(results, failure.task)})",
            file=sys.stderr,
        )
    if report.lacking:
        print(
            f"{PROGRAM}: {len(report.lacking)} runs lack a prior or a fit that failed",
            file=sys.stderr,
        )
    print(
        f"{report.n_finished} runs finished, {report.n_before} were before, "
        f"{report.n_asked - report.n_finished - report.n_before} are missing"
    )
    return 0 if report.is_complete else INCOMPLETE
