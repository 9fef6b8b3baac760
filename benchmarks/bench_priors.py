"""How far the estimated priors are from the true ones, on the real datasets.

Each method, with 60 % and with 10 % of the positives labelled, several random splits each: mean
absolute error of the prior among all samples, of "auto" also the mean signed error, how often the
interval held the true prior, and whether it said that only an upper bound can be known. Then the
time of "auto" on Letter (20 000 x 16) and on small tables.

"bbe", "dedpul" and "elkan_noto" share the out-of-fold scores of the default classifier; these, and
only these, are computed on at most 5 000 rows where a table is wide.

Needs the files of the datasets in the folder that PUCUT_DATA names.
Options: --datasets vote,german  --splits 3  --methods auto,bbe
"""

import argparse
import time
from collections import defaultdict

import numpy as np
from sklearn.datasets import make_classification

from paper.datasets import REAL_NAMES, data_folder, load_real, seed_from_names
from pucut.datasets import pu_split
from pucut.priors import METHODS, estimate_prior
from pucut.scores.cross_fitting import cross_fit, default_classifier

SHARES = (0.6, 0.1)
NEEDED = {0.6: 0.03, 0.1: 0.06}
WANTED = {0.6: 0.02, 0.1: 0.04}
FROM_SCORES = ("bbe", "dedpul", "elkan_noto")
WIDE, ROWS_IF_WIDE, ROWS = 128, 5_000, 20_000


def estimates(dataset, is_labelled, methods, seed):
    """Pairs of method and estimate, with seconds."""
    scores = rows = None
    for method in methods:
        start = time.perf_counter()
        if method in FROM_SCORES:
            if scores is None:
                n_rows = ROWS_IF_WIDE if dataset.X.shape[1] > WIDE else ROWS
                rows = np.random.RandomState(seed).permutation(len(is_labelled))[:n_rows]
                scores = cross_fit(
                    default_classifier(dataset.X),
                    dataset.X[rows],
                    is_labelled[rows],
                    random_state=seed,
                ).scores
            estimate = estimate_prior(
                None, is_labelled[rows], method, scores=scores, random_state=seed
            )
        else:
            estimate = estimate_prior(dataset.X, is_labelled, method, random_state=seed)
        yield method, estimate, time.perf_counter() - start


def run(names, n_splits, methods):
    errors, held, fired, seconds = (defaultdict(list) for _ in range(4))
    for name in names:
        dataset = load_real(name)
        for share in SHARES:
            for split in range(n_splits):
                seed = seed_from_names(name, share, split)
                is_labelled = pu_split(dataset.is_positive, share, random_state=seed)
                for method, estimate, took in estimates(dataset, is_labelled, methods, split):
                    key = (method, share, name)
                    low, high = estimate.interval
                    errors[key].append(estimate.prior - dataset.prior)
                    held[key].append(low <= dataset.prior <= high)
                    fired[key].append(estimate.is_upper_bound)
                    seconds[key].append(took)
            parts = [
                f"{method} {np.mean(np.abs(errors[method, share, name])):.3f} "
                f"({np.mean(seconds[method, share, name]):.1f} s)"
                for method in methods
            ]
            print(f"{name}, {share:.0%} labelled: " + ", ".join(parts), flush=True)
    return errors, held, fired


def print_tables(names, methods, errors, held, fired):
    for share in SHARES:
        print(f"\nMean absolute error of the prior, {share:.0%} of the positives labelled")
        print(f"{'':10}" + "".join(f"{method:>11}" for method in methods))
        for name in names:
            row = [np.mean(np.abs(errors[method, share, name])) for method in methods]
            print(f"{name:10}" + "".join(f"{value:11.3f}" for value in row))
        means = {
            method: np.mean([np.mean(np.abs(errors[method, share, name])) for name in names])
            for method in methods
        }
        print(f"{'mean':10}" + "".join(f"{means[method]:11.4f}" for method in methods))
        print(f"needed for auto {NEEDED[share]}, wanted {WANTED[share]}")
    if "auto" not in methods:
        return
    print("\nauto: signed error, intervals that held the true prior, upper bound said")
    for name in names:
        parts = [
            f"{share:.0%}: {np.mean(errors['auto', share, name]):+.3f} "
            f"{sum(held['auto', share, name])}/{len(held['auto', share, name])} "
            f"{sum(fired['auto', share, name])}/{len(fired['auto', share, name])}"
            for share in SHARES
        ]
        print(f"{name:10}" + "    ".join(parts))
    for method in methods:
        all_held = [
            value for share in SHARES for name in names for value in held[method, share, name]
        ]
        print(f"{method}: {np.mean(all_held):.0%} of {len(all_held)} intervals held the true prior")


def print_times(names):
    if "letter" in names:
        letter = load_real("letter")
        is_labelled = pu_split(letter.is_positive, 0.6, random_state=0)
        start = time.perf_counter()
        estimate_prior(letter.X, is_labelled, random_state=0)
        print(f"\nauto on 20 000 x 16: {time.perf_counter() - start:.1f} s (needed 60)")
    for n_rows in (30, 200):
        X, y = make_classification(n_rows, 10, random_state=0)
        is_labelled = pu_split(y == 1, 0.5, random_state=0)
        start = time.perf_counter()
        estimate_prior(X, is_labelled, random_state=0)
        print(f"auto on {n_rows} x 10: {time.perf_counter() - start:.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--datasets", default=",".join(REAL_NAMES))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS))
    arguments = parser.parse_args()
    try:
        data_folder()
    except FileNotFoundError as error:
        print(f"nothing measured: {error}")
        return
    names, methods = arguments.datasets.split(","), arguments.methods.split(",")
    print_tables(names, methods, *run(names, arguments.splits, methods))
    print_times(names)


if __name__ == "__main__":
    main()
