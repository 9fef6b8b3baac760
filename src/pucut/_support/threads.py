"""Work in threads of this process, and limits for the threads of libraries."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_threads(work: Callable[[Job], Result], jobs: Iterable[Job], n_threads: int) -> list[Result]:
    """Return the results in the order of the jobs; after an exception no further job starts."""
    waiting = list(jobs)
    # More threads than processors or jobs would only wait.
    n_useful = min(n_threads, max(os.cpu_count() or 1, 1), max(len(waiting), 1))
    if n_useful == 1:
        return [work(job) for job in waiting]
    with ThreadPoolExecutor(n_useful) as pool:
        return list(pool.map(work, waiting))


def parts_of(n: int, n_threads: int) -> list[range]:
    """Split the numbers from 0 to n into ranges, several for each thread: some take longer."""
    size = n if n_threads == 1 else -(-n // (4 * n_threads))
    return [range(start, min(start + size, n)) for start in range(0, n, max(size, 1))]


def in_blocks(work: Callable[[Job], Result], blocks: Iterable[Job], n_threads: int) -> list[Result]:
    """Return the result of every block as `in_threads`; each matrix product gets one thread."""
    with library_threads(1, "blas"):
        return in_threads(work, blocks, n_threads)


@contextmanager
def library_threads(limit: int, user_api: str | None = None) -> Iterator[None]:
    """Limit the threads of linear algebra and OpenMP, or of "blas" or "openmp" alone."""
    held_back = []
    for library in _libraries(len(sys.modules)):
        n_threads = library.get_num_threads()
        is_meant = user_api is None or library.user_api == user_api
        if is_meant and n_threads is not None and n_threads > limit:
            held_back.append((library, n_threads))
            library.set_num_threads(limit)
    try:
        yield
    finally:
        for library, n_threads in held_back:
            library.set_num_threads(n_threads)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> list[Any]:
    """Find the libraries in use, again only if modules were loaded: it takes ten milliseconds."""
    return list(ThreadpoolController().lib_controllers)
