"""Work shared by threads of this process, and the threads of the libraries below held back."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_threads(work: Callable[[Job], Result], jobs: Iterable[Job], n_threads: int) -> list[Result]:
    """The results in the order of the jobs; an exception ends it without starting the rest."""
    waiting = list(jobs)
    # However many threads are asked for, more than processors or jobs would only wait.
    n_useful = min(n_threads, max(os.cpu_count() or 1, 1), max(len(waiting), 1))
    with ThreadPoolExecutor(n_useful) as pool:
        futures = [pool.submit(work, job) for job in waiting]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def library_threads(limit: int, user_api: str | None = None) -> AbstractContextManager[Any]:
    """At most so many threads of linear algebra and OpenMP, or of "blas" or "openmp" alone."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=limit, user_api=user_api)
    return limited


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """The libraries that are loaded, looked up once: that takes longer than answering for a row."""
    return ThreadpoolController()
