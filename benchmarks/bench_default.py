"""What the default of 2-HNC rests on: how well hidden positives choose, and what each part adds.

On the real datasets, true prior. For the base scores and for the cuts: the correlation of hidden
recall with true accuracy over the candidates, and the accuracy on the unlabelled rows of the best
candidate in hindsight, of the one with most recall, of the mean of all, and of the mixture by
recall. Then the mixture without a kind of score, and without any cut. True classes are used to
judge only.

Needs the files of the datasets in the folder that PUCUT_DATA names.
Options: --datasets vote,german  --splits 3  --share 0.6
"""

import argparse

import numpy as np

from paper.datasets import REAL_NAMES, load_real, seed_from_names
from pucut import TwoHNCClassifier
from pucut.data.labels import checked_pu_labels
from pucut.datasets import pu_split
from pucut.methods.pu_cut import _cuts as chosen_cuts
from pucut.methods.pu_cut._cuts import mix_scores
from pucut.methods.pu_cut._mixing import ranks
from pucut.scores.thresholds import positives_by_prior

KINDS = ("trees", "kernel", "neighbours")
COLUMNS = ("correlation", "hindsight", "by recall", "mean of all", "mixture")


def measured(name, share, split):
    """Two lines of `COLUMNS`, of scores and of cuts, and the mixtures without a part."""
    dataset = load_real(name)
    seed = seed_from_names(name, share, split)
    is_labelled = pu_split(dataset.is_positive, share, random_state=seed)
    labels = checked_pu_labels(is_labelled)

    def accuracy(scores):
        found = positives_by_prior(scores, labels, dataset.prior)
        return 100 * float((found == dataset.is_positive)[~is_labelled].mean())

    model = TwoHNCClassifier(prior=dataset.prior, n_jobs=2, random_state=seed)
    chosen = model.fit(dataset.X, is_labelled)._automatic.chosen
    recalls = {
        kind: np.array([c.hidden_recall for c in chosen.candidates if c.kind == kind])
        for kind in ("score", "cut")
    }
    others = ~is_labelled
    of_scores = [ranks(part.left_out) for part in chosen.mixed.parts]
    of_cuts = [np.ones(len(others)) for _ in range(len(chosen.cuts) + 1)]
    of_cuts[0][others] = ranks(chosen.mixed_rank[others])
    for cut, rank in zip(chosen.cuts, of_cuts[1:], strict=True):
        rank[others] = ranks((cut.level + 1e-9 * chosen.mixed_rank)[others])
    lines = []
    for found, recall, mixture in (
        (of_scores, recalls["score"], chosen.mixed_rank),
        (of_cuts, recalls["cut"], chosen.scores),
    ):
        each = np.array([accuracy(scores) for scores in found])
        correlation = np.corrcoef(recall, each)[0, 1] if np.ptp(recall) and np.ptp(each) else np.nan
        lines.append(
            (
                correlation,
                each.max(),
                each[np.argmax(recall)],
                accuracy(np.mean(found, axis=0)),
                accuracy(mixture),
            )
        )
    n_positive = round(dataset.prior * len(others))
    without = [
        accuracy(
            mix_scores(
                [part for part in chosen.mixed.parts if not part.name.startswith(kind)],
                is_labelled,
                n_positive,
            )[1]
        )
        for kind in KINDS
    ]
    return np.array(lines), np.array(without)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--datasets", default=",".join(REAL_NAMES))
    options.add_argument("--splits", type=int, default=3)
    options.add_argument("--share", type=float, default=0.6)
    given = options.parse_args()
    chosen_cuts.LEAST_WEIGHT = 0.0  # all candidates are kept to be looked at
    print(f"{'':10}{'':8}" + "".join(f"{column:>13}" for column in COLUMNS))
    for name in given.datasets.split(","):
        runs = [measured(name, given.share, split) for split in range(given.splits)]
        lines = np.nanmean([run[0] for run in runs], axis=0)
        for kind, line in zip(("scores", "cuts"), lines, strict=True):
            print(f"{name:10}{kind:8}" + "".join(f"{value:13.2f}" for value in line))
        without = np.mean([run[1] for run in runs], axis=0)
        said = "  ".join(f"{kind} {value:.2f}" for kind, value in zip(KINDS, without, strict=True))
        print(f"{name:10}scores without {said}", flush=True)


if __name__ == "__main__":
    main()
