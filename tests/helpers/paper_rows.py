"""Made-up rows of finished runs, in the format of `paper/rows`.

`python -m tests.helpers.paper_rows FOLDER` writes a set of the full size, to look at the page.
"""

import csv
import gzip
import io
import itertools
import sys
from pathlib import Path

import numpy as np

from paper.protocol import Run, Split
from paper.row_files import read_rows
from paper.running.raw import Finished, rank_of
from paper.schema import COLUMNS
from paper.showing.results import REAL_60, Results

# What a method does on average by its own rule, and by the prior: above chance, before noise.
_SKILL = {
    "naive": (0.55, 0.8),
    "upu": (0.7, 0.82),
    "nnpu": (0.86, 0.88),
    "pu_et": (0.8, 0.9),
    "two_hnc": (0.9, 0.9),
    "pucut": (0.93, 0.93),
    "oracle": (0.98, 0.98),
}
_SIZES = {
    "vote": (435, 16, 0.61),
    "german": (1000, 24, 0.7),
    "obesity": (2111, 19, 0.46),
    "mushroom": (8124, 112, 0.52),
    "phishing": (11055, 30, 0.44),
    "bean": (13611, 16, 0.45),
    "news": (18846, 300, 0.56),
    "letter": (20000, 16, 0.5),
    "credit": (30000, 23, 0.78),
    "mnist": (70000, 784, 0.51),
}


# As a run records them, but for the priors.
FACTS = {
    "n_features": 3,
    "prior_true": 0.5,
    "prior_used": 0.5,
    "seed": 4,
    "seconds": 0.1 + 0.2,
    "peak_mb": 100.0,
    "n_jobs": 1,
    "device": "cpu",
    "python": "3.12",
    "numpy": "2",
    "scipy": "1",
    "scikit_learn": "1",
    "torch": "",
    "pucut": "0",
    "machine": "a, 2 cores, 3 GiB",
    "finished": "2026-01-01T00:00:00+00:00",
}


def finished_run(seed=0, dataset="vote", method="pu_et", n_rows=200):
    """A made-up outcome, as it is kept."""
    random = np.random.default_rng(seed)
    truth = random.random(n_rows) < 0.5
    labelled = truth & (random.random(n_rows) < 0.6)
    scores = random.normal(size=n_rows) + truth
    return Finished(
        Run(Split("real", dataset, 0.6, seed), method, "true"),
        scores.astype(np.float32),
        rank_of(scores),
        scores > 0.3,
        truth,
        labelled,
        {**FACTS, "prior_true": float(truth.mean()), "prior_used": float(truth.mean())},
    )


def row(suite, dataset, repetition, method, **changes):
    """One row, with plausible values where none are given."""
    values = dict.fromkeys(COLUMNS, "")
    values |= {
        "suite": suite,
        "dataset": dataset,
        "n_samples": 1000,
        "n_features": 5,
        "labelled_share": 0.6,
        "n_labelled": 300,
        "repetition": repetition,
        "method": method,
        "prior_kind": "true",
        "prior_true": 0.5,
        "prior_used": 0.5,
        "seed": 1,
        "accuracy_own": 0.9,
        "balanced_accuracy_own": 0.9,
        "accuracy_prior": 0.9,
        "balanced_accuracy_prior": 0.9,
        "auc": 0.95,
        "seconds": 1.0,
        "peak_mb": 100.0,
        "n_jobs": 2,
        "device": "cpu",
        "machine": "made up",
        "finished": "2026-01-01T00:00:00",
    }
    unknown = changes.keys() - values.keys()
    assert not unknown, unknown
    return values | changes


def write_rows(file, rows, columns=COLUMNS):
    file.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    data = text.getvalue().encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def real(dataset, method, own, prior=None, **changes):
    """Rows of one method with these accuracies by its own rule and by the prior."""
    at_prior = own if prior is None else prior
    return [
        row(
            "real",
            dataset,
            number,
            method,
            accuracy_own=one,
            accuracy_prior=other,
            **changes,
        )
        for number, (one, other) in enumerate(zip(own, at_prior, strict=True))
    ]


def results_of(tmp_path, rows, setting=REAL_60):
    write_rows(tmp_path / "rows.csv", rows)
    return Results(read_rows(tmp_path), setting)


def line_of(table, name):
    return next(line for line in table.rows if line[0].value == name)


def column(table, line, title):
    titles = [one.full_title for one in table.columns]
    return line_of(table, line)[titles.index(title)]


def _scored(rng, method, ease, prior, **changes):
    own, at_prior = (0.5 + 0.5 * ease * skill for skill in _SKILL[method])
    scores = {}
    for rule, level in (("own", own), ("prior", at_prior)):
        balanced = float(np.clip(level + 0.01 * rng.standard_normal(), 0.02, 1.0))
        accuracy = float(np.clip(balanced + 0.02 * (0.5 - prior), 0.02, 1.0))
        scores[f"balanced_accuracy_{rule}"] = round(balanced, 6)
        scores[f"accuracy_{rule}"] = round(accuracy, 6)
    return scores | changes


def real_rows(seed=0, n_repetitions=5, datasets=tuple(_SIZES), kinds=("true", "estimated")):
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, kind, share in itertools.product(datasets, kinds, (0.6, 0.1)):
        if share == 0.1 and dataset in ("german", "phishing", "bean", "credit"):
            continue
        n_samples, n_features, prior = _SIZES[dataset]
        for repetition, method in itertools.product(range(n_repetitions), _SKILL):
            used = prior if kind == "true" else prior + 0.02 * rng.standard_normal()
            ease = 0.98 if share == 0.6 else 0.85
            rows.append(
                row(
                    "real",
                    dataset,
                    repetition,
                    method,
                    n_samples=n_samples,
                    n_features=n_features,
                    labelled_share=share,
                    n_labelled=int(share * prior * n_samples),
                    prior_kind=kind,
                    prior_true=prior,
                    prior_used=round(used, 6),
                    seconds=round(n_samples / 1000 * (1 + rng.random()), 3),
                    **_scored(rng, method, ease - 0.1 * (kind != "true"), prior),
                )
            )
    return rows


def synthetic_rows(seed=0, sizes=(1000, 5000, 10000), features=(5, 10, 20)):
    rng = np.random.default_rng(seed)
    rows = []
    grid = itertools.product(
        sizes, features, (30, 40, 50, 60, 70), (2, 4), (0.5, 1.0, 2.0), ("hypercube", "polytope")
    )
    for n, f, p, c, s, place in grid:
        ease = min(0.97, 0.5 + 0.2 * s - 0.03 * c)
        for repetition, method in itertools.product(range(4), _SKILL):
            rows.append(
                row(
                    "synthetic",
                    f"n{n}-f{f}-p{p}-c{c}-s{s}-{place}",
                    repetition,
                    method,
                    n_samples=n,
                    n_features=f,
                    n_labelled=int(0.006 * p * n),
                    prior_true=p / 100,
                    prior_used=p / 100,
                    **_scored(rng, method, ease, p / 100),
                )
            )
    return rows


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_rows(folder / "real.csv", real_rows())
    write_rows(folder / "synthetic.csv.gz", synthetic_rows())
