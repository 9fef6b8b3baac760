"""uPU and nnPU on real datasets, beside the columns of the 2-HNC paper.

accuracy  60 % of the positives labelled, the true prior, accuracy on the unlabelled rows in %: with
          as many positives as the prior says ("prior", pucut's default), and by the sign of the
          output ("half", as in the papers). A network is trained for each, since each has its own
          best epoch. Settings are the defaults; they were chosen by how many hidden positives are
          found, not by the truth. Means and standard deviations over --splits draws.
unseen    70 % of the rows for `fit`: accuracy at the prior and Brier score on the others, with
          threshold and probabilities from the scores of the rows of `fit`, and from scores out of
          fold.

MNIST wants a GPU. No goals.
"""

import numpy as np
import torch
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from benchmarks.data import drawn, loaded, published
from benchmarks.harness import Benchmark, Option, Run
from benchmarks.timing import mean_and_deviation, side_by_side
from pucut import NNPUClassifier, UPUClassifier
from pucut.calibration import calibrate
from pucut.judging.thresholds import threshold_for_share

METHODS = {"upu": UPUClassifier, "nnpu": NNPUClassifier}
SETTINGS = {"mnist": {"image_shape": (1, 28, 28)}, "news": {"activation": "softsign"}}
N_FOLDS = 5

bench = Benchmark(
    __file__,
    __doc__,
    options={
        "datasets": Option(("mushroom", "phishing", "letter"), quick=("vote",)),
        "methods": Option(tuple(METHODS), quick=("nnpu",)),
        "splits": Option(3, quick=1),
        "device": Option("auto"),
        "threads": Option(0, help="0 for PyTorch's own number"),
    },
)


def make(method, draw, threshold, device):
    return METHODS[method](
        prior=draw.prior,
        threshold=threshold,
        device=device,
        random_state=draw.seed,
        **SETTINGS.get(draw.name, {}),
    )


def draws_of(run: Run):
    """(dataset, method, its draws of labels)"""
    if run.options.threads:
        torch.set_num_threads(run.options.threads)
    for dataset in loaded(run):
        draws = [drawn(dataset, 0.6, split) for split in range(run.options.splits)]
        for method in run.options.methods:
            yield dataset, method, draws


@bench.part
def accuracy(run: Run) -> None:
    for dataset, method, draws in draws_of(run):
        found, epochs, seconds = {"prior": [], "half": []}, [], []
        for draw in draws:
            for threshold, accuracies in found.items():
                model = make(method, draw, threshold, run.options.device)
                took = side_by_side(
                    {"fit": lambda model=model, draw=draw: model.fit(draw.X, draw.is_labelled)}, 1
                )
                accuracies.append(draw.accuracy(model.transduction_))
                epochs.append(model.n_epochs_)
                seconds.append(took["fit"].seconds)
        run.row(
            f"{dataset.name}, {method}",
            {
                **{threshold: mean_and_deviation(values) for threshold, values in found.items()},
                "paper": published(method).get(dataset.name),
                "epochs": float(np.mean(epochs)),
                "seconds": float(np.mean(seconds)),
            },
        )


@bench.part
def unseen(run: Run) -> None:
    for dataset, method, draws in draws_of(run):
        seen, brier, other, other_brier = np.mean(
            [on_unseen_rows(method, draw, run.options.device) for draw in draws], axis=0
        )
        run.row(
            f"{dataset.name}, {method}",
            {
                "seen": 100 * seen,
                "Brier": brier,
                "out of fold": 100 * other,
                "its Brier": other_brier,
            },
        )


def on_unseen_rows(method, draw, device):
    """Accuracy and Brier score by in-sample scores of the rows of fit, and by out-of-fold ones."""
    is_seen = np.random.default_rng(draw.seed).random(len(draw.X)) < 0.7
    X, y = draw.X[is_seen], draw.is_labelled[is_seen]
    model = make(method, draw, "prior", device)
    model.set_params(prior=float(draw.is_positive[is_seen].mean())).fit(X, y)
    truth = draw.is_positive[~is_seen]
    scores = model.decision_function(draw.X[~is_seen]) + model.threshold_
    out_of_fold = np.empty(len(X))
    for fit_rows, other_rows in StratifiedKFold(N_FOLDS).split(X, y):
        one = clone(model).fit(X[fit_rows], y[fit_rows])
        out_of_fold[other_rows] = one.decision_function(X[other_rows]) + one.threshold_
    line = []
    for of_fit in (model.scores_, out_of_fold):
        cut = threshold_for_share(of_fit, model.prior_)
        shares = calibrate(of_fit, y, model.prior_, half_at=cut).probabilities(scores)
        line += [np.mean((scores > cut) == truth), np.mean((shares[:, 1] - truth) ** 2)]
    return line


if __name__ == "__main__":
    bench.main()
