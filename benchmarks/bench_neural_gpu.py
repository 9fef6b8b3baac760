"""Networks on a GPU: many at once beside one, and nnPU by the 13-layer network on MNIST.

many   perceptrons of six layers on synthetic tables, one of them alone and all stacked: seconds per
       network, and how far the outputs of that one differ. The ratio is that of a network among
       many to one alone.
mnist  with --mnist FILE (an .npz with X, 70 000 x 784 bytes, and y, the digits): odd digits are
       positive, 60 % of them labelled, the true prior; accuracy on the unlabelled rows with as many
       positives as the prior says, and by the sign of the output, beside the paper's 96.91 (uPU)
       and 96.51 (nnPU).

Networks and training are loaded from their files: mnist needs numpy and torch only, many needs the
package too. Without a GPU it runs on the processor. No goals.
"""

from typing import Any

import numpy as np
import torch

from benchmarks.bare import from_source
from benchmarks.harness import Benchmark, Option, Run, Skip
from benchmarks.timing import side_by_side

LABELLED_SHARE = 0.6
HIDDEN_SHARE = 0.1
PAPER = {"upu": 96.91, "nnpu": 96.51}

networks = from_source("methods/neural/_networks.py")
training = from_source("methods/neural/_training.py")

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "device": Option("cuda" if torch.cuda.is_available() else "cpu"),
        "networks": Option(64, quick=4),
        "rows": Option(1000, quick=300),
        "features": Option(20),
        "epochs": Option(20, quick=2),
        "mnist": Option(None, help="an .npz with X and y"),
        "methods": Option(("nnpu", "upu")),
        "mnist_epochs": Option(100, quick=1),
        "patience": Option(10),
        "splits": Option(1),
    },
)


def sample_of(truth: Any, seed: int) -> Any:
    """Draw the labelled positives, and the hidden ones among them."""
    random = np.random.default_rng(seed)
    positive = random.permutation(np.flatnonzero(truth))
    labelled = positive[: int(LABELLED_SHARE * len(positive))]
    n_hidden = int(HIDDEN_SHARE * len(labelled))
    masks = np.zeros((2, len(truth)), dtype=bool)
    masks[0, labelled[n_hidden:]] = True
    masks[1, labelled[:n_hidden]] = True
    everything = np.ones(len(truth), dtype=bool)
    return training.PUSample(masks[0], everything, float(truth.mean()), masks[1], seed)


def timed(work: Any, device: str) -> Any:
    """Time some work once, until the device has finished it."""

    def until_done() -> Any:
        result = work()
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        return result

    return side_by_side({"work": until_done}, 1)["work"]


@bench.part
def many(run: Run) -> None:
    from paper.running.stacked_networks import fit_many

    given, random = run.options, np.random.default_rng(0)
    device, shape = given.device, (given.networks, given.rows, given.features)
    truth = random.random(shape[:2]) < random.uniform(0.2, 0.8, size=(shape[0], 1))
    X = (random.normal(size=shape) + 0.5 * truth[:, :, None]).astype(np.float32)
    samples = [sample_of(one, seed) for seed, one in enumerate(truth)]
    with training.seeded(0):
        stack = [networks.perceptron(given.features) for _ in samples]
    n_steps = -(-given.rows // 256)
    most = max(int(sample.is_positive.sum()) for sample in samples)
    options, warm = (
        training.TrainingOptions(
            max_epochs=epochs, patience=None, positives_per_batch=-(-most // n_steps)
        )
        for epochs in (given.epochs, 1)
    )
    # The first run of a kind also prepares what it needs.
    training.fit_one(stack[0], X[0], samples[0], options, device)
    alone = timed(lambda: training.fit_one(stack[0], X[0], samples[0], options, device), device)
    fit_many(stack, X, samples, warm, device)
    together = timed(lambda: fit_many(stack, X, samples, options, device), device)
    each = together.seconds / given.networks
    first, found = alone.result, together.result
    with torch.no_grad():
        rows = torch.from_numpy(X[0])
        differ = float((found[0].network(rows) - first.network(rows)).abs().max())
    used = torch.cuda.max_memory_allocated() if device.startswith("cuda") else 0
    run.row(
        f"{shape[0]} of {shape[1]} x {shape[2]}, {device}",
        {
            "epochs": given.epochs,
            "alone s": alone.seconds,
            "all s": together.seconds,
            "each s": each,
            "2160 s": 2160 * each,
            "differ": differ,
            "same epoch": found[0].best_epoch == first.best_epoch,
            "GiB": used / 2**30,
        },
        ratio=each / alone.seconds,
        peer="one network alone",
    )


@bench.part
def mnist(run: Run) -> None:
    given = run.options
    if given.mnist is None:
        raise Skip("no file given by --mnist")
    with np.load(given.mnist, allow_pickle=False) as arrays:
        X, digits = arrays["X"].astype(np.float32), arrays["y"]
    truth = digits % 2 == 1
    X = (X - X.mean()) / X.std()
    for split in range(given.splits):
        sample = sample_of(truth, split)
        others = ~(sample.is_positive | sample.is_hidden)
        n_positive = round(truth.mean() * len(truth)) - int((~others).sum())
        for method in given.methods:
            for validation in ("recall", "risk"):
                took = timed(
                    lambda chosen=(sample, split, method, validation): trained(X, *chosen, given),
                    given.device,
                )
                outputs = outputs_of(took.result.network, X, given.device)[others]
                cut = np.sort(outputs)[::-1][n_positive - 1]
                run.row(
                    f"{method}, split {split}, {validation}",
                    {
                        "prior": 100 * float(np.mean((outputs >= cut) == truth[others])),
                        "half": 100 * float(np.mean((outputs > 0) == truth[others])),
                        "paper": PAPER[method],
                        "best epoch": took.result.best_epoch,
                        "epochs": len(took.result.risk),
                        "seconds": took.seconds,
                    },
                )


def trained(X: Any, sample: Any, split: int, method: str, validation: str, given: Any) -> Any:
    """The 13-layer network; its best epoch is chosen by `validation`."""
    with training.seeded(split):
        network = networks.convolutions((1, 28, 28))
    options = training.TrainingOptions(
        risk=method,
        max_epochs=given.mnist_epochs,
        patience=given.patience,
        validation=validation,
    )
    return training.fit_one(network, X, sample, options, given.device)


def outputs_of(network: Any, X: Any, device: str) -> Any:
    network = network.to(device)
    with torch.no_grad():
        parts = [
            network(torch.from_numpy(X[start : start + 4096]).to(device)).flatten().cpu().numpy()
            for start in range(0, len(X), 4096)
        ]
    return np.concatenate(parts)


if __name__ == "__main__":
    bench.main()
