"""Exact neighbours on a GPU: time, and agreement with the CPU on a sample of rows.

Needs numpy and torch only, not the package: the search is loaded from its file. Tables: one of
random numbers in the shape of MNIST, whole numbers with many ties, MNIST itself if the file of
--mnist (an .npz with X) is given, and 1 000 000 x 50. Each is searched
twice: the first run warms up.

Options: --mnist FILE, --rows N (of the large table), --neighbors K.
"""

import argparse
import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

SEARCH = Path(__file__).parents[1] / "src" / "pucut" / "neighbors" / "torch_search.py"
SAMPLE = 2000


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


def tables(options: argparse.Namespace) -> dict[str, npt.NDArray[np.float32]]:
    rng = np.random.default_rng(0)
    # 12 dimensions and some noise, as in images.
    shape_of_mnist = rng.normal(size=(70_000, 12)) @ rng.normal(size=(12, 784))
    shape_of_mnist += 0.3 * rng.normal(size=shape_of_mnist.shape)
    found = {
        "70000 x 784": standardised(shape_of_mnist),
        "ties, 50000 x 30": rng.integers(-1, 2, size=(50_000, 30)).astype(np.float32),
    }
    if options.mnist:
        with np.load(options.mnist) as arrays:
            found["mnist"] = standardised(arrays["X"])
    found[f"{options.rows} x 50"] = rng.normal(size=(options.rows, 50)).astype(np.float32)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--neighbors", type=int, default=15)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU here: nothing to measure")
        return
    search = load_search()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for name, points in tables(options).items():
        k = options.neighbors + 1  # the row itself is found too
        times = []
        for _ in range(2):
            start = time.perf_counter()
            indices, distances = search.nearest_rows(points, points, k)
            times.append(time.perf_counter() - start)
        n_rows = min(SAMPLE, max(100, int(2e9 / points.size)))
        rows = np.random.default_rng(1).choice(len(points), n_rows, replace=False)
        start = time.perf_counter()
        on_cpu = search.nearest_rows(points, points[rows], k, device="cpu")
        seconds = time.perf_counter() - start
        same_rows = (indices[rows] == on_cpu[0]).all(axis=1).mean()
        same_bits = (distances[rows] == on_cpu[1]).mean()
        memory = torch.cuda.max_memory_allocated() / 2**30
        print(
            f"{name:>18}: {times[0]:.3f} s, again {times[1]:.3f} s, at most {memory:.1f} GiB; of "
            f"{n_rows} rows on the CPU ({seconds:.1f} s) {same_rows:.4%} have the same lists, "
            f"{same_bits:.4%} of the distances the same bits",
            flush=True,
        )


if __name__ == "__main__":
    main()
