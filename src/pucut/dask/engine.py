"""The only module that calls Dask itself: collections, tasks, and where they run.

Work is expressed as delayed tasks, so that it runs on the cluster of the current client if there
is one, and on Dask's default scheduler otherwise. Dask is imported when it is first needed.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def is_collection(X: Any) -> bool:
    """Tell whether X is a Dask collection; there is none unless Dask has been imported."""
    base = sys.modules.get("dask.base")
    return base is not None and bool(base.is_dask_collection(X))


def is_array(X: Any) -> bool:
    return is_collection(X) and type(X).__name__ == "Array"


def delayed(function: Any) -> Any:
    """Make tasks of a function, or put a value into the graph once for all tasks that take it."""
    return dask_module().delayed(function, pure=False)


def persisted(tasks: Sequence[Any]) -> tuple[Any, ...]:
    """Start the tasks; results stay where they are made, as long as something refers to them.

    Dask computes results again that are lost with a worker.
    """
    with _graphs_of_any_size():
        return tuple(dask_module().persist(*tasks))


def computed(tasks: Sequence[Any]) -> list[Any]:
    """Return the results of the tasks, in this process."""
    with _graphs_of_any_size():
        return list(dask_module().compute(*tasks))


def n_slots() -> int:
    """Return the number of tasks that the current client's cluster runs at a time, else 1."""
    try:
        from distributed import get_client

        threads: dict[str, int] = get_client().nthreads()
    except (ImportError, ValueError):
        return 1
    return max(1, sum(threads.values()))


def dask_module() -> Any:
    try:
        import dask
    except ImportError as error:
        raise ImportError("pucut.dask needs Dask: pip install 'pucut[dask]'") from error
    return dask


@contextmanager
def _graphs_of_any_size() -> Iterator[None]:
    """Let rows of this process travel with the graph, so that a lost worker's can be restored.

    Dask recommends scattering them, but loses scattered data with their worker.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        yield
