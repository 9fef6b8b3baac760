"""Exact neighbours on a GPU: time, memory, and agreement with the CPU on a sample of rows.

search    random numbers in the shape of MNIST, whole numbers with many ties, two features, MNIST
          itself if the file of --mnist (an .npz with X) is given, and --rows x 50. Each is searched
          twice, since the first run warms up.
streamed  --rows x 50 again, and --queries rows among --streamed-rows x 50, both from the memory of
          the host with --memory-limit bytes on the device.

Needs numpy and torch only, not the package: the search is loaded from its file. No goals.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from benchmarks.bare import from_source, standardised
from benchmarks.harness import Benchmark, Option, Run, Skip
from benchmarks.timing import side_by_side

SEARCH = "graphs/neighbors/torch_search.py"
SAMPLE = 2000
GIB = 2**30

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "mnist": Option(None, help="an .npz with X"),
        "rows": Option(1_000_000, quick=10_000, help="of the large table"),
        "streamed_rows": Option(10_000_000, quick=20_000),
        "queries": Option(100_000, quick=1_000),
        "memory_limit": Option(1 << 30),
        "neighbors": Option(15),
    },
)


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    points: npt.NDArray[np.float32]
    n_queries: int  # the first points
    memory_limit: int | None = None


def whole_tables(run: Run) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    # 12 dimensions and some noise, as in images.
    shape_of_mnist = rng.normal(size=(70_000, 12)) @ rng.normal(size=(12, 784))
    shape_of_mnist += 0.3 * rng.normal(size=shape_of_mnist.shape)
    tables = {
        "70000 x 784": standardised(shape_of_mnist),
        "ties, 50000 x 30": rng.integers(-1, 2, size=(50_000, 30)).astype(np.float32),
        "100000 x 2": rng.normal(size=(100_000, 2)).astype(np.float32),
        f"{run.options.rows} x 50": large(run.options.rows),
    }
    if run.options.mnist:
        with np.load(run.options.mnist) as arrays:
            tables["mnist"] = standardised(arrays["X"])
    for name, points in tables.items():
        yield Case(name, points, len(points))


def streamed_tables(run: Run) -> Iterator[Case]:
    limit = run.options.memory_limit
    limited = f"in {limit / GIB:.2g} GiB"
    points = large(run.options.rows)
    yield Case(f"{len(points)} x 50 {limited}", points, len(points), limit)
    points = large(run.options.streamed_rows)
    n_queries = min(run.options.queries, len(points))
    yield Case(f"{n_queries} among {len(points)} x 50 {limited}", points, n_queries, limit)


def large(n_rows: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).standard_normal(size=(n_rows, 50), dtype=np.float32)


def measure(run: Run, cases: Iterator[Case]) -> None:
    if not torch.cuda.is_available():
        raise Skip("PyTorch finds no GPU here")
    torch_search = from_source(SEARCH)
    run.note(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    k = run.options.neighbors + 1  # one more: the row itself is found too
    for case in cases:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        queries = case.points[: case.n_queries]
        first, again = (
            side_by_side(
                {
                    "gpu": lambda case=case, queries=queries: torch_search.nearest_rows(
                        case.points, queries, k, memory_limit=case.memory_limit
                    )
                },
                1,
            )["gpu"]
            for _ in range(2)
        )
        n_rows = min(SAMPLE, len(queries), max(100, int(2e9 / case.points.size)))
        rows = np.random.default_rng(1).choice(len(queries), n_rows, replace=False)
        on_cpu = torch_search.nearest_rows(case.points, queries[rows], k, device="cpu")
        indices, distances = again.result
        run.row(
            case.name,
            {
                "first s": first.seconds,
                "again s": again.seconds,
                "GiB used": torch.cuda.max_memory_allocated() / GIB,
                "reserved": torch.cuda.max_memory_reserved() / GIB,
                "rows on the CPU": n_rows,
                "same lists": float((indices[rows] == on_cpu[0]).all(axis=1).mean()),
                "same bits": float((distances[rows] == on_cpu[1]).mean()),
            },
        )


@bench.part
def search(run: Run) -> None:
    measure(run, whole_tables(run))


@bench.part
def streamed(run: Run) -> None:
    measure(run, streamed_tables(run))


if __name__ == "__main__":
    bench.main()
