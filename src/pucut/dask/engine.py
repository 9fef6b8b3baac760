"""The one place that knows Dask itself: tasks, where they run, and what a collection is.

Work is put as delayed tasks, so that it runs on the cluster of the current client where there is
one, and on Dask's default scheduler otherwise. Dask is imported when it is first needed.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def is_collection(X: Any) -> bool:
    """Whether X is anything of Dask's; nobody has one without having imported Dask."""
    base = sys.modules.get("dask.base")
    return base is not None and bool(base.is_dask_collection(X))


def is_array(X: Any) -> bool:
    return is_collection(X) and type(X).__name__ == "Array"


def is_frame(X: Any) -> bool:
    return is_collection(X) and type(X).__name__ == "DataFrame"


def delayed(function: Any) -> Any:
    """A function as a task; a value as a part of the graph, once for all tasks that take it."""
    return dask_module().delayed(function, pure=False)


def persisted(tasks: Sequence[Any]) -> tuple[Any, ...]:
    """Starts the tasks; results stay where they are made, as long as somebody refers to them.

    What is lost with a worker is made again: Dask keeps in mind from what.
    """
    with _graphs_of_any_size():
        return tuple(dask_module().persist(*tasks))


def computed(tasks: Sequence[Any]) -> list[Any]:
    """The results of the tasks, in this process."""
    with _graphs_of_any_size():
        return list(dask_module().compute(*tasks))


def n_slots() -> int:
    """How many tasks run at a time on the cluster of the current client; 1 without a client."""
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
    """Rows given in this process travel with the graph: only so can a lost worker's be made again.

    Dask would rather have them scattered, and forgets scattered ones with their worker.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        yield
