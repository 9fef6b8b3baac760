"""The cut classifiers with device="cuda" beside the processors of the same machine.

mnist       MNIST with 60 % and 10 % of the positives labelled, prior given: 2-HNC and pucut, on the
            GPU and, unless --gpu-only, on the processors. Seconds by step, and accuracy on the
            unlabelled rows, means over --splits draws of labels; the accuracy of each draw is in
            a note. The ratio of pucut is the seconds of `fit`, and then its error in %.
learners    pucut on MNIST with 60 % labelled and a convolutional uPU as a learner: two minutes
digits      HNCClassifier on the ten digits of MNIST, 1 % and 10 % labelled, in the same way
made        pucut on --rows x 50: the made problem of `growth`, and noise
regression  one kernel regression of MNIST by the number of landmarks: seconds, memory on the GPU,
            squared error of left-out rows, and how much these change with the size of blocks

A first fit of each kind of table is left out: it loads the libraries of the GPU.
"""

import time
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.data import Draw, drawn, loaded
from benchmarks.harness import Benchmark, Goal, Option, Run, Skip
from benchmarks.made_tables import BLOCK_ROWS, N_FEATURES, made_block
from paper.datasets import data_folder
from pucut import HNCClassifier, PUCutClassifier, TwoHNCClassifier
from pucut.kernels import torch_ridge
from pucut.kernels.ridge import chosen_widths, default_landmarks_on_gpu
from pucut.methods.neural.classifiers import UPUClassifier

CLASSIFIERS = {"2-HNC": TwoHNCClassifier, "pucut": PUCutClassifier}
SHARES, LABELLED_DIGITS = (0.6, 0.1), (0.01, 0.1)
COLUMNS = 50
ROWS_TO_WARM_UP = 3000
GIB = 2**30

bench = Benchmark(
    __file__,
    __doc__,
    goals={
        "seconds of MNIST": Goal(6),
        "error at 60 %": Goal(1.0),
        "error at 10 %": Goal(1.5),
        "error with a network": Goal(0.7),
        "seconds of 10^6 x 50": Goal(30),
    },
    options={
        "rows": Option(1_000_000, quick=30_000, help="of the made table"),
        "landmarks": Option((1_000, 4_000, 8_000, 12_000, 16_000), quick=(300, 1_000)),
        "gpu_only": Option(0, help="1: not on the processors"),
        "epochs": Option(20, quick=1, help="of the network among the learners"),
        "splits": Option(5, quick=1, help="of MNIST"),
        "jobs": Option(-1),
    },
)


def mnist_table(run: Run):
    for dataset in loaded(run, ["mnist"]):
        return dataset
    raise Skip("there is no MNIST")


def need_gpu(run: Run) -> None:
    if not torch.cuda.is_available():
        raise Skip("PyTorch finds no GPU here")
    run.note(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")


def devices(run: Run) -> list[str]:
    return ["cuda"] if run.options.gpu_only else ["cuda", "cpu"]


def fitted(run: Run, method, draw: Draw, device: str):
    """A fitted classifier, and its seconds."""
    options = {"prior": draw.prior, "random_state": draw.seed, "n_jobs": run.options.jobs}
    model = method(device=device, **options)
    start = time.perf_counter()
    model.fit(draw.X, draw.is_labelled)
    return model, time.perf_counter() - start


def warm_up(run: Run, draw: Draw) -> None:
    rows = np.random.default_rng(0).permutation(len(draw.X))[:ROWS_TO_WARM_UP]
    small = Draw(draw.name, draw.X[rows], draw.is_positive[rows], draw.is_labelled[rows], 0)
    fitted(run, PUCutClassifier, small, "cuda")


def figures(model, seconds: float, accuracy: float) -> dict[str, float]:
    steps = getattr(model, "step_seconds_", {})
    return {"seconds": seconds, **steps, "accuracy": accuracy}


def mean_figures(run: Run, what: str, method, draws: list[Draw], device: str) -> dict[str, float]:
    """Means of `figures` over draws of labels."""
    found = []
    for draw in draws:
        model, seconds = fitted(run, method, draw, device)
        found.append(figures(model, seconds, draw.accuracy(model.transduction_)))
    run.note(f"{what}: " + ", ".join(f"{each['accuracy']:.2f}" for each in found))
    steps = dict.fromkeys(step for each in found for step in each)
    return {step: float(np.mean([each.get(step, 0.0) for each in found])) for step in steps}


@bench.part
def mnist(run: Run) -> None:
    need_gpu(run)
    dataset = mnist_table(run)
    warm_up(run, drawn(dataset))
    for share in SHARES:
        draws = [drawn(dataset, share, split) for split in range(run.options.splits)]
        for name, method in CLASSIFIERS.items():
            for device in devices(run):
                what = f"{name}, {share:.0%}, {device}"
                means = mean_figures(run, what, method, draws, device)
                run.row(what, means)
                if name == "pucut" and device == "cuda":
                    wanted = {"ratio": means["seconds"], "goal": "seconds of MNIST"}
                    run.row(f"seconds, {share:.0%}", {}, **wanted, peer="6 s")
                    wanted = {
                        "ratio": 100 - means["accuracy"],
                        "goal": f"error at {share:.0%}".replace("%", " %"),
                    }
                    run.row(f"error, {share:.0%}", {}, **wanted, peer="goal")


def small_network(_: int) -> torch.nn.Module:
    """Two pairs of convolutions and a layer of 256 units, for images of 28 x 28."""
    nn = torch.nn

    def convolution(n_inputs: int, n_filters: int) -> list[torch.nn.Module]:
        layer = nn.Conv2d(n_inputs, n_filters, 3, padding=1, bias=False)
        return [layer, nn.BatchNorm2d(n_filters), nn.ReLU()]

    first = [*convolution(1, 32), *convolution(32, 32), nn.MaxPool2d(2), nn.Dropout(0.1)]
    second = [*convolution(32, 64), *convolution(64, 64), nn.MaxPool2d(2), nn.Dropout(0.2)]
    hidden = [nn.Linear(64 * 7 * 7, 256, bias=False), nn.BatchNorm1d(256), nn.ReLU()]
    top = [nn.Flatten(), *hidden, nn.Dropout(0.4), nn.Linear(256, 1)]
    return nn.Sequential(nn.Unflatten(1, (1, 28, 28)), *first, *second, *top)


def network_learner(prior: float, device: str, n_epochs: int) -> UPUClassifier:
    return UPUClassifier(
        network=small_network,
        image_shape=(1, 28, 28),
        prior=prior,
        batch_size=1024,
        learning_rate=1e-3,
        max_epochs=n_epochs,
        patience=None,
        device=device,
        random_state=0,
    )


@bench.part
def learners(run: Run) -> None:
    need_gpu(run)
    draw = drawn(mnist_table(run))
    network = network_learner(draw.prior, "cuda", run.options.epochs)
    alone = draw.accuracy(network.fit(draw.X, draw.is_labelled).transduction_)
    start = time.perf_counter()
    model = PUCutClassifier(
        prior=draw.prior,
        learners={"convolutional uPU": network},
        device="cuda",
        n_jobs=run.options.jobs,
        random_state=0,
    ).fit(draw.X, draw.is_labelled)
    seconds = time.perf_counter() - start
    accuracy = draw.accuracy(model.transduction_)
    run.row("the network alone", {"accuracy": alone})
    run.row("pucut with it", figures(model, seconds, accuracy))
    run.row("error", {}, ratio=100 - accuracy, goal="error with a network", peer="goal")


@bench.part
def digits(run: Run) -> None:
    need_gpu(run)
    dataset = mnist_table(run)
    with np.load(data_folder() / "mnist.npz") as arrays:
        digit = arrays["y"].astype(np.int64)
    for share in LABELLED_DIGITS:
        known = np.random.default_rng(0).random(len(digit)) < share
        y = np.where(known, digit, -1)
        for device in devices(run):
            start = time.perf_counter()
            model = HNCClassifier(device=device, n_jobs=run.options.jobs, random_state=0)
            model.fit(dataset.X, y)
            seconds = time.perf_counter() - start
            accuracy = 100 * float((model.transduction_ == digit)[~known].mean())
            run.row(f"HNCClassifier, {share:.0%}, {device}", figures(model, seconds, accuracy))


def made_table(n_rows: int) -> Draw:
    blocks = list(made_blocks(n_rows))
    X, is_positive, is_labelled = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Draw("made", X, is_positive, is_labelled, 0)


def made_blocks(n_rows: int) -> Iterator[tuple]:
    random = np.random.default_rng(5)
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        size = min(BLOCK_ROWS, n_rows - start)
        rows, is_positive, is_labelled = made_block(number, size)
        noise = random.standard_normal((size, COLUMNS - N_FEATURES), dtype=np.float32)
        yield np.hstack([rows, noise]), is_positive, is_labelled


@bench.part
def made(run: Run) -> None:
    need_gpu(run)
    draw = made_table(run.options.rows)
    warm_up(run, draw)
    for name, method in CLASSIFIERS.items():
        model, seconds = fitted(run, method, draw, "cuda")
        accuracy = draw.accuracy(model.transduction_)
        run.row(f"{name}, {len(draw.X)} x {COLUMNS}", figures(model, seconds, accuracy))
        if name == "pucut" and len(draw.X) == 1_000_000:
            wanted = {"ratio": seconds, "goal": "seconds of 10^6 x 50", "peer": "30 s"}
            run.row("seconds", {}, **wanted)


@bench.part
def regression(run: Run) -> None:
    need_gpu(run)
    draw = drawn(mnist_table(run))
    # Pixels share a scale.
    points = (draw.X / draw.X.std()).astype(np.float32)
    targets = np.array([draw.is_labelled])
    gamma = chosen_widths(points, targets, np.random.RandomState(0))[0] / points.shape[1]
    order = np.random.default_rng(0).permutation(len(points))
    validation = np.sort(order[: torch_ridge.VALIDATION_ROWS])
    for n_landmarks in (*run.options.landmarks, default_landmarks_on_gpu(len(points))):
        landmarks = points[np.sort(order[:n_landmarks])].astype(np.float64)
        given = (points, targets, landmarks, gamma, "cuda", None, validation)
        torch.cuda.reset_peak_memory_stats()
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            found = torch_ridge.kernel_solution(*given)
            seconds.append(time.perf_counter() - start)
        error = float(np.square(found.left_out - targets).mean())
        usual, torch_ridge._MOST_ROWS_OF_A_BLOCK = torch_ridge._MOST_ROWS_OF_A_BLOCK, 3000
        other = torch_ridge.kernel_solution(*given)
        torch_ridge._MOST_ROWS_OF_A_BLOCK = usual
        run.row(
            f"{n_landmarks} landmarks",
            {
                "first s": seconds[0],
                "again s": seconds[1],
                "GiB": torch.cuda.max_memory_allocated() / GIB,
                "held after": torch.cuda.memory_allocated() / GIB,
                "penalty": found.penalty,
                "squared error": error,
                "change": float(np.abs(other.left_out - found.left_out).max()),
            },
        )


if __name__ == "__main__":
    bench.main()
