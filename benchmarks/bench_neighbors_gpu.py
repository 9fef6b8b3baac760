"""Exact neighbours on a GPU: time, memory, and agreement with the CPU on a sample of rows.

Needs numpy and torch only, not the package: the search is loaded from its file. Tables: one of
random numbers in the shape of MNIST, whole numbers with many ties, two features, MNIST itself if
the file of --mnist (an .npz with X) is given, and 1 000 000 x 50. Each is searched twice: the first
run warms up. Then the large table again, and 100 000 queries among 10 000 000 points, from the
memory of the host under a limit of memory on the device.

Options: --mnist FILE, --rows N (of the large table), --streamed-rows N, --queries N (among these),
--memory-limit BYTES, --neighbors K.
"""

import argparse
import importlib.util
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

SEARCH = Path(__file__).parents[1] / "src" / "pucut" / "neighbors" / "torch_search.py"
SAMPLE = 2000


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    points: npt.NDArray[np.float32]
    n_queries: int  # the first points
    memory_limit: int | None = None


def load_search() -> Any:
    spec = importlib.util.spec_from_file_location("torch_search", SEARCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def standardised(X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    X = X.astype(np.float32)
    spread = X.std(axis=0)
    return ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32)


def cases(options: argparse.Namespace) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    # 12 dimensions and some noise, as in images.
    shape_of_mnist = rng.normal(size=(70_000, 12)) @ rng.normal(size=(12, 784))
    shape_of_mnist += 0.3 * rng.normal(size=shape_of_mnist.shape)
    tables = {
        "70000 x 784": standardised(shape_of_mnist),
        "ties, 50000 x 30": rng.integers(-1, 2, size=(50_000, 30)).astype(np.float32),
        "100000 x 2": rng.normal(size=(100_000, 2)).astype(np.float32),
    }
    if options.mnist:
        with np.load(options.mnist) as arrays:
            tables["mnist"] = standardised(arrays["X"])
    for name, table in tables.items():
        yield Case(name, table, len(table))
    limit = options.memory_limit
    limited = f"in {limit / 2**30:.2g} GiB"
    points = rng.standard_normal(size=(options.rows, 50), dtype=np.float32)
    yield Case(f"{options.rows} x 50", points, len(points))
    yield Case(f"{options.rows} x 50 {limited}", points, len(points), limit)
    points = rng.standard_normal(size=(options.streamed_rows, 50), dtype=np.float32)
    n_queries = min(options.queries, len(points))
    yield Case(f"{n_queries} among {len(points)} x 50 {limited}", points, n_queries, limit)


def measure(search: Any, case: Case, k: int) -> str:
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    queries = case.points[: case.n_queries]
    times = []
    for _ in range(2):
        start = time.perf_counter()
        indices, distances = search.nearest_rows(
            case.points, queries, k, memory_limit=case.memory_limit
        )
        times.append(time.perf_counter() - start)
    used = torch.cuda.max_memory_allocated() / 2**30
    reserved = torch.cuda.max_memory_reserved() / 2**30
    n_rows = min(SAMPLE, len(queries), max(100, int(2e9 / case.points.size)))
    rows = np.random.default_rng(1).choice(len(queries), n_rows, replace=False)
    start = time.perf_counter()
    on_cpu = search.nearest_rows(case.points, queries[rows], k, device="cpu")
    seconds = time.perf_counter() - start
    same_rows = (indices[rows] == on_cpu[0]).all(axis=1).mean()
    same_bits = (distances[rows] == on_cpu[1]).mean()
    return (
        f"{times[0]:.3f} s, again {times[1]:.3f} s, at most {used:.2f} GiB used and "
        f"{reserved:.2f} reserved; of {n_rows} rows on the CPU ({seconds:.1f} s) {same_rows:.4%} "
        f"have the same lists, {same_bits:.4%} of the distances the same bits"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--streamed-rows", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--memory-limit", type=int, default=1 << 30)
    parser.add_argument("--neighbors", type=int, default=15)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU here: nothing to measure")
        return
    search = load_search()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for case in cases(options):
        # One neighbour more: the row itself is found too.
        print(f"{case.name:>40}: {measure(search, case, options.neighbors + 1)}", flush=True)


if __name__ == "__main__":
    main()
