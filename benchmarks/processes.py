"""Work in a process of its own, and the memory that a process takes."""

import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

WATCH_SECONDS = 0.02


def in_own_process(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function of a module in a new interpreter, and return its result."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **options).result()


@contextmanager
def busy_processes(n_processes: int) -> Iterator[None]:
    """Keep this number of other processes busy, one processor each."""
    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command) for _ in range(n_processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def peak_bytes() -> int:
    """Return the peak memory of this process, pages of mapped files included.

    On Linux, getrusage counts the process that started this one too: /proc does not.
    """
    own = _from_proc("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return own or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> int:
    """Reset `peak_bytes` (on Linux), and return the bytes in use."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak_bytes()


def private_bytes() -> int:
    """Return the memory of this process without files; 0 except on Linux."""
    return _from_proc("RssAnon")


def _from_proc(entry: str) -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = status.partition(f"{entry}:")[2].split()
    return int(found[0]) << 10 if found else 0


class MemoryWatch:
    """Samples the private memory of this process while something runs."""

    def __enter__(self) -> "MemoryWatch":
        self.samples: list[tuple[float, int]] = []
        self._stop = threading.Event()
        self.start, self.before = time.perf_counter(), private_bytes()
        self._processor = time.process_time()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.end = time.perf_counter()
        self.seconds = self.end - self.start
        self.processor = time.process_time() - self._processor

    def _watch(self) -> None:
        while not self._stop.wait(WATCH_SECONDS):
            self.samples.append((time.perf_counter(), private_bytes()))

    def peak(self) -> int:
        return max((size for _, size in self.samples), default=self.before) - self.before

    def by_stage(self, seconds: Mapping[str, float]) -> dict[str, int]:
        """The most in each stage, beyond what was before; stages fill the end of the time."""
        begin, peaks = self.end - sum(seconds.values()), {}
        for name, took in seconds.items():
            inside = [size for at, size in self.samples if begin <= at <= begin + took]
            peaks[name] = max(inside, default=self.before) - self.before
            begin += took
        return peaks
