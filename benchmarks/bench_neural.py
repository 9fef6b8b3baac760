"""uPU and nnPU on real datasets, beside the columns of the 2-HNC paper.

60 % of the positives labelled, the true prior, accuracy on the unlabelled rows in %: with as many
positives as the prior says ("prior", pucut's default), and by the sign of the output ("half", as in
the papers). A network is trained for each, since each has its own best epoch. Settings are the
defaults; they were chosen by how many hidden positives are found, not by the truth.

With --unseen, 70 % of the rows are for `fit`: accuracy at the prior and Brier score on the others,
with threshold and probabilities from the scores of the rows of `fit`, and from scores out of fold.

Needs the files of the datasets in the folder that PUCUT_DATA names. MNIST wants a GPU.
Options: --datasets mushroom,phishing  --methods nnpu  --splits 3  --device cpu  --threads 1
         --unseen
"""

import argparse
import time

import numpy as np
import torch
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from paper.datasets import load_real, seed_from_names
from pucut import NNPUClassifier, UPUClassifier
from pucut.calibration import calibrate
from pucut.datasets import pu_split
from pucut.scores.thresholds import threshold_for_share

METHODS = {"upu": UPUClassifier, "nnpu": NNPUClassifier}
# The paper's table of accuracies on U.
PAPER = {
    "mushroom": {"upu": 99.41, "nnpu": 99.61},
    "phishing": {"upu": 93.78, "nnpu": 94.64},
    "letter": {"upu": 93.88, "nnpu": 93.62},
    "mnist": {"upu": 96.91, "nnpu": 96.51},
}
SETTINGS = {"mnist": {"image_shape": (1, 28, 28)}, "news": {"activation": "softsign"}}


def labelled_rows(dataset, split):
    seed = seed_from_names(dataset.name, 0.6, split)
    return seed, pu_split(dataset.is_positive, 0.6, random_state=seed)


def make(method, dataset, threshold, seed, device):
    return METHODS[method](
        prior=dataset.prior,
        threshold=threshold,
        device=device,
        random_state=seed,
        **SETTINGS.get(dataset.name, {}),
    )


def accuracy_on_unlabelled(options):
    print(f"{'':18}{'prior':>16}{'half':>16}{'paper':>9}{'epochs':>8}{'seconds':>9}")
    for name in options.datasets:
        dataset = load_real(name)
        for method in options.methods:
            found = {"prior": [], "half": []}
            epochs, start = [], time.perf_counter()
            for split in range(options.splits):
                seed, is_labelled = labelled_rows(dataset, split)
                for threshold, accuracies in found.items():
                    model = make(method, dataset, threshold, seed, options.device)
                    model.fit(dataset.X, is_labelled)
                    right = model.transduction_ == dataset.is_positive
                    accuracies.append(100 * right[~is_labelled].mean())
                    epochs.append(model.n_epochs_)
            seconds = (time.perf_counter() - start) / len(epochs)
            line = f"{name:10}{method:8}"
            for accuracies in found.values():
                line += f"{np.mean(accuracies):9.2f} +-{np.std(accuracies):5.2f}"
            paper = PAPER.get(name, {}).get(method, np.nan)
            print(f"{line}{paper:9.2f}{np.mean(epochs):8.0f}{seconds:9.1f}", flush=True)


def on_unseen_rows(options, n_folds=5):
    print(f"{'':18}{'seen: accuracy':>16}{'Brier':>8}{'out of fold: accuracy':>24}{'Brier':>8}")
    for name in options.datasets:
        dataset = load_real(name)
        for method in options.methods:
            rows = []
            for split in range(options.splits):
                seed, is_labelled = labelled_rows(dataset, split)
                is_seen = np.random.default_rng(seed).random(len(dataset.X)) < 0.7
                X, y = dataset.X[is_seen], is_labelled[is_seen]
                model = make(method, dataset, "prior", seed, options.device)
                model.set_params(prior=float(dataset.is_positive[is_seen].mean())).fit(X, y)
                unseen, truth = dataset.X[~is_seen], dataset.is_positive[~is_seen]
                scores = model.decision_function(unseen) + model.threshold_
                out_of_fold = np.empty(len(X))
                for fit_rows, other_rows in StratifiedKFold(n_folds).split(X, y):
                    one = clone(model).fit(X[fit_rows], y[fit_rows])
                    out_of_fold[other_rows] = one.decision_function(X[other_rows]) + one.threshold_
                line = []
                for of_fit in (model.scores_, out_of_fold):
                    cut = threshold_for_share(of_fit, model.prior_)
                    shares = calibrate(of_fit, y, model.prior_, half_at=cut).probabilities(scores)
                    line += [np.mean((scores > cut) == truth), np.mean((shares[:, 1] - truth) ** 2)]
                rows.append(line)
            seen, brier, other, other_brier = np.mean(rows, axis=0)
            print(
                f"{name:10}{method:8}{100 * seen:16.2f}{brier:8.4f}{100 * other:24.2f}"
                f"{other_brier:8.4f}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", default="mushroom,phishing,letter")
    parser.add_argument("--methods", default="upu,nnpu")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--unseen", action="store_true")
    options = parser.parse_args()
    options.datasets = options.datasets.split(",")
    options.methods = options.methods.split(",")
    torch.set_num_threads(options.threads)
    if options.unseen:
        on_unseen_rows(options)
    else:
        accuracy_on_unlabelled(options)


if __name__ == "__main__":
    main()
