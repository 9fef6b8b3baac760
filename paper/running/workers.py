"""Workers: this process, several processes on this machine, or a Dask cluster.

Workers only compute. The process that was started keeps what they return: see `runner`.
"""

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

from joblib import Parallel, delayed, parallel_config

from paper.running.raw import Failure, Finished, FoundPrior
from paper.running.work import Task, outcome_of

Outcome = Finished | FoundPrior | Failure
# Does tasks somewhere, and yields their outcomes in the order in which they arrive.
Workers = Callable[[Sequence[Task]], Generator[Outcome, None, None]]


def in_processes(n_jobs: int, n_threads: int = 1) -> Workers:
    """Workers on this machine: processes of joblib, or for one job this process itself."""

    def work(tasks: Sequence[Task]) -> Generator[Outcome, None, None]:
        if n_jobs == 1:
            yield from map(outcome_of, tasks)
            return
        with parallel_config("loky", inner_max_num_threads=n_threads):
            parallel = Parallel(
                n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs + 1"
            )
            outcomes = parallel(delayed(outcome_of)(task) for task in tasks)
        with warnings.catch_warnings(), closing(outcomes):
            # Tasks that are dropped by an interruption are done by the next call.
            warnings.filterwarnings("ignore", r"\d+ tasks which were still being", UserWarning)
            yield from outcomes

    return work


def on_dask(client: Any) -> Workers:
    """Workers of a Dask cluster, which has pucut and the datasets too.

    A task whose worker dies is given to another; one that several workers died of is a failure.
    """
    from distributed import as_completed

    def work(tasks: Sequence[Task]) -> Generator[Outcome, None, None]:
        futures = {client.submit(outcome_of, task, pure=False): task.subject for task in tasks}
        waiting = as_completed(list(futures))
        try:
            for future in waiting:
                subject = futures.pop(future)
                error = future.exception()
                yield future.result() if error is None else Failure(subject, repr(error))
        finally:
            client.cancel(list(futures))

    return work
