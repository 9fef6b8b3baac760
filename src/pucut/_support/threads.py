"""Work shared by threads of this process."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_threads(work: Callable[[Job], Result], jobs: Iterable[Job], n_threads: int) -> list[Result]:
    """The results in the order of the jobs; an exception ends it without starting the rest."""
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work, job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
