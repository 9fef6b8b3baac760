"""Networks on a GPU: many at once beside one, and nnPU by the 13-layer network on MNIST.

Needs numpy and torch only, not the package: networks and training are loaded from their files.

1. Perceptrons of six layers on synthetic tables, one of them alone and all stacked: seconds a
   network, and how far the outputs of that one differ.
2. With --mnist FILE (an .npz with X, 70 000 x 784 bytes, and y, the digits): odd digits are
   positive, 60 % of them labelled, the true prior; accuracy on the unlabelled rows with as many
   positives as the prior says, and by the sign of the output, beside the paper's 96.91 (uPU) and
   96.51 (nnPU).

Options: --networks 64  --rows 1000  --features 20  --epochs 20  --device cuda
         --mnist FILE  --methods nnpu,upu  --mnist-epochs 100  --patience 10  --splits 1
"""

import argparse
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

SOURCES = Path(__file__).parents[1] / "src" / "pucut"
LABELLED_SHARE = 0.6
HIDDEN_SHARE = 0.1


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, SOURCES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


networks, pu_training = load("networks"), load("pu_training")


def sample_of(truth: Any, seed: int) -> Any:
    """Which positives are labelled, and which of these are hidden."""
    random = np.random.default_rng(seed)
    positive = random.permutation(np.flatnonzero(truth))
    labelled = positive[: int(LABELLED_SHARE * len(positive))]
    n_hidden = int(HIDDEN_SHARE * len(labelled))
    masks = np.zeros((2, len(truth)), dtype=bool)
    masks[0, labelled[n_hidden:]] = True
    masks[1, labelled[:n_hidden]] = True
    everything = np.ones(len(truth), dtype=bool)
    return pu_training.PUSample(masks[0], everything, float(truth.mean()), masks[1], seed)


def seconds_of(work: Any, device: str) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def many_at_once(arguments: argparse.Namespace) -> None:
    random = np.random.default_rng(0)
    shape = (arguments.networks, arguments.rows, arguments.features)
    truth = random.random(shape[:2]) < random.uniform(0.2, 0.8, size=(shape[0], 1))
    X = (random.normal(size=shape) + 0.5 * truth[:, :, None]).astype(np.float32)
    samples = [sample_of(one, seed) for seed, one in enumerate(truth)]
    with pu_training.seeded(0):
        stack = [networks.perceptron(arguments.features) for _ in samples]
    n_steps = -(-arguments.rows // 256)
    most = max(int(sample.is_positive.sum()) for sample in samples)
    options = pu_training.TrainingOptions(
        max_epochs=arguments.epochs, patience=None, positives_per_batch=-(-most // n_steps)
    )
    device = arguments.device
    # The first run of a kind also makes ready what it needs.
    pu_training.fit_one(stack[0], X[0], samples[0], options, device)
    alone, first = seconds_of(
        lambda: pu_training.fit_one(stack[0], X[0], samples[0], options, device), device
    )
    warm = pu_training.TrainingOptions(
        max_epochs=1, patience=None, positives_per_batch=options.positives_per_batch
    )
    pu_training.fit_many(stack, X, samples, warm, device)
    together, found = seconds_of(
        lambda: pu_training.fit_many(stack, X, samples, options, device), device
    )
    each = together / arguments.networks
    print(
        f"{shape[0]} networks of {shape[1]} x {shape[2]}, {arguments.epochs} epochs on {device}: "
        f"one {alone:.3f} s, all at once {together:.3f} s, that is {each:.4f} s each, "
        f"{alone / each:.1f} times as fast; 2 160 would take {2160 * each:.0f} s"
    )
    with torch.no_grad():
        rows = torch.from_numpy(X[0])
        differ = (found[0].network(rows) - first.network(rows)).abs().max()
    same = found[0].best_epoch == first.best_epoch
    print(f"outputs differ by {float(differ):.1e} at most, same best epoch: {same}")
    if device.startswith("cuda"):
        print(f"at most {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


def mnist(arguments: argparse.Namespace) -> None:
    with np.load(arguments.mnist, allow_pickle=False) as arrays:
        X, digits = arrays["X"].astype(np.float32), arrays["y"]
    truth = digits % 2 == 1
    X = (X - X.mean()) / X.std()
    for split in range(arguments.splits):
        sample = sample_of(truth, split)
        is_labelled = sample.is_positive | sample.is_hidden
        for method in arguments.methods.split(","):
            for validation in ("recall", "risk"):
                with pu_training.seeded(split):
                    network = networks.convolutions((1, 28, 28))
                options = pu_training.TrainingOptions(
                    risk=method,
                    max_epochs=arguments.mnist_epochs,
                    patience=arguments.patience,
                    validation=validation,
                )
                seconds, trained = seconds_of(
                    lambda network=network, options=options, sample=sample: pu_training.fit_one(
                        network, X, sample, options, arguments.device, say
                    ),
                    arguments.device,
                )
                outputs = outputs_of(trained.network, X, arguments.device)
                others = outputs[~is_labelled]
                n_positive = round(truth.mean() * len(truth)) - int(is_labelled.sum())
                cut = np.sort(others)[::-1][n_positive - 1]
                right = [np.mean((others >= cut) == truth[~is_labelled])]
                right += [np.mean((others > 0) == truth[~is_labelled])]
                print(
                    f"mnist {method}, best epoch by {validation}, split {split}: accuracy on U "
                    f"{100 * right[0]:.2f} at the prior, {100 * right[1]:.2f} at half; best epoch "
                    f"{trained.best_epoch} of {len(trained.risk)}, {seconds:.0f} s",
                    flush=True,
                )


def say(epoch: int, risk: float, validation: float) -> None:
    print(f"  epoch {epoch}: risk {risk:.4f}, on hidden positives {validation:.4f}", flush=True)


def outputs_of(network: Any, X: Any, device: str) -> Any:
    network = network.to(device)
    with torch.no_grad():
        parts = [
            network(torch.from_numpy(X[start : start + 4096]).to(device)).flatten().cpu().numpy()
            for start in range(0, len(X), 4096)
        ]
    return np.concatenate(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--networks", type=int, default=64)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--mnist")
    parser.add_argument("--mnist-epochs", type=int, default=100)
    parser.add_argument("--patience", type=int, default=10)
    parser.add_argument("--methods", default="nnpu,upu")
    parser.add_argument("--splits", type=int, default=1)
    arguments = parser.parse_args()
    many_at_once(arguments)
    if arguments.mnist:
        mnist(arguments)


if __name__ == "__main__":
    main()
