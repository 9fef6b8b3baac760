"""The default way: scores of several learners combined, and what their ranks make plausible.

Trees of three kinds, kernel regression and a linear one tell labelled from unlabelled rows, each
row by what has not seen it. To these learners known negatives are rows like the unlabelled ones, so
that they score as unlabelled negatives do; two more regressions tell labelled rows from known
negatives. The ranks of all are mixed by how well they rank labelled rows. From the ranks of the
labelled rows and the known negatives in the mixture the binormal model (`binormal`) finds the
plausible shares, of which narrow cuts (`narrow_cuts`) make some likelier; the best bin
(`best_bin`), averaged over resamples, bounds them from above.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.stats import rankdata

from pucut._support.checks import BoolArray, FloatArray, is_sparse
from pucut.data.repeats import numbered, possible_folds
from pucut.data.tables import read_table
from pucut.judging.scorers import MOST_LINEAR_COLUMNS
from pucut.judging.weights import rank_weights
from pucut.kernels.ridge import Ridge, fit_kernel_ridge, fit_linear_ridge
from pucut.priors.best_bin import negatives_passing, resampled_best_bins
from pucut.priors.binormal import Ranks, plausible_share
from pucut.priors.narrow_cuts import log_likelihood_of_cuts
from pucut.priors.sample import PriorSample, ShareEstimate
from pucut.trees.cross_fitting import cross_fitted_forest
from pucut.trees.growing import ROWS_OF_A_TREE, TreeOptions

_FORESTS = {
    "PU trees": TreeOptions(min_samples_leaf=5, max_rows=ROWS_OF_A_TREE),
    "greedy trees": TreeOptions(
        risk="pn", min_samples_leaf=5, max_candidates=8, max_rows=ROWS_OF_A_TREE
    ),
    "large leaves": TreeOptions(
        risk="pn", min_samples_leaf=15, max_candidates=4, max_rows=ROWS_OF_A_TREE
    ),
}
# Trees of each kind.
_N_TREES = 75
# More features than this would make greedy trees slow.
_MOST_FEATURES_AT_A_NODE = 12
# PU trees take this for the prior, which is not known yet.
_GUESS = 0.5
# Known rows of each class that the regressions of known rows alone need.
_FEWEST_KNOWN = 5
# With this many labels, and classes that do not overlap, the best bin weighs half.
_LABELS_FOR_BINS = 60


def share_by_ensemble(sample: PriorSample) -> ShareEstimate:
    reads_points = sample.classifier is None and sample.scores is None and sample.can_hold_out()
    members = learner_scores(sample) if reads_points else {"given": sample.out_of_fold_scores()}
    is_labelled, is_unlabelled = sample.is_labelled, ~(sample.is_labelled | sample.is_negative)
    scores = combined_ranks(members, is_labelled, is_unlabelled)
    labelled, unlabelled = scores[is_labelled], scores[is_unlabelled]
    n_independent = sample.n_independent(is_labelled)
    n_negative = sample.n_independent(sample.is_negative)
    ranks = Ranks(ranks_among(labelled, unlabelled), n_independent)
    negatives = Ranks(ranks_among(scores[sample.is_negative], unlabelled), n_negative)
    bound = float(resampled_best_bins(labelled, unlabelled, random=sample.random).mean())
    plausible = plausible_share(
        ranks,
        len(unlabelled),
        negatives if n_negative else None,
        _evidence_of_cuts(sample) if reads_points else None,
    )
    # With many labels, and classes apart, the best bin is close to the share itself. The more
    # negatives are known, the less a bound adds.
    passing = negatives_passing(labelled, unlabelled, plausible.mean)
    trust = n_independent / (n_independent + _LABELS_FOR_BINS) * max(0.0, 1.0 - 2.0 * passing)
    trust *= n_independent / (n_independent + n_negative)
    value = plausible.mean + trust * (bound - plausible.mean)
    rankings = {  # areas under the curve
        f"ranking_{name}": float(ranks_among(member[is_labelled], member[is_unlabelled]).mean())
        for name, member in members.items()
    }
    diagnostics = {
        **rankings,
        "ranking_combined": float(ranks.values.mean()),
        "share_plausible": plausible.mean,
        "share_best_bin": bound,
        "negatives_passing": negatives_passing(labelled, unlabelled, value),
        "negatives_used": float(n_negative),
    }
    low, high = min(plausible.low, value), max(plausible.high, value)
    return ShareEstimate(value, low, high, diagnostics, bound)


def _evidence_of_cuts(sample: PriorSample) -> FloatArray:
    """Compare cuts among one row of each group of copies, without known negatives."""
    first = np.unique(sample.groups, return_index=True)[1]
    rows = np.sort(first[~sample.is_negative[first]])
    points, is_labelled = sample.points[rows], sample.is_labelled[rows]
    return log_likelihood_of_cuts(
        points, is_labelled, random=sample.random, n_threads=sample.n_threads
    )


def learner_scores(sample: PriorSample) -> dict[str, FloatArray]:
    """Return out-of-sample scores of all rows by each learner; none is given the prior."""
    points, is_labelled, groups = sample.points, sample.is_labelled, sample.groups
    n_features, random = points.shape[1], sample.random
    n_folds = possible_folds(sample.n_folds, groups, is_labelled)
    of_node = min(math.ceil(n_features / 2), _MOST_FEATURES_AT_A_NODE)
    table = read_table(points)
    found = {
        name: cross_fitted_forest(
            table,
            is_labelled,
            max(_GUESS, (1.0 + float(is_labelled.mean())) / 2.0),
            replace(options, max_features=of_node) if name == "greedy trees" else options,
            n_folds=n_folds,
            n_trees=math.ceil(_N_TREES / n_folds),
            random_state=random,
            n_threads=sample.n_threads,
            groups=groups,
        ).scores.leaf
        for name, options in _FORESTS.items()
    }
    regressions: list[tuple[str, Callable[..., Ridge]]] = [
        ("kernel", partial(fit_kernel_ridge, random=random))
    ]
    if not is_sparse(points) and n_features <= MOST_LINEAR_COLUMNS:
        regressions.append(("linear", fit_linear_ridge))
    for name, fit in regressions:
        found[name] = fit(points, is_labelled[None, :], groups=groups).left_out[0]
    if min(int(is_labelled.sum()), int(sample.is_negative.sum())) < _FEWEST_KNOWN:
        return found
    # Regressions that see labelled rows and known negatives alone, each without the row.
    rows = np.flatnonzero(is_labelled | sample.is_negative)
    known = points[rows], is_labelled[rows][None, :]
    for name, fit in regressions:
        ridge = fit(*known, groups=numbered(groups[rows]))
        # Rounded as those of the rows that are left out.
        scores = np.round(ridge.machine.scores(points), 6)
        scores[rows] = ridge.left_out[0]
        found[f"{name}, known rows"] = scores
    return found


def ranks_among(known: FloatArray, unlabelled: FloatArray) -> FloatArray:
    """Return the share of the unlabelled rows below each known row; ties are spread evenly."""
    unlabelled, known = np.sort(unlabelled), np.sort(known)
    below = np.searchsorted(unlabelled, known, side="left")
    not_above = np.searchsorted(unlabelled, known, side="right")
    first = np.searchsorted(known, known, side="left")
    n_tied = np.searchsorted(known, known, side="right") - first
    place = (np.arange(len(known)) - first + 0.5) / n_tied
    return np.asarray((below + place * (not_above - below)) / len(unlabelled))


def combined_ranks(
    members: Mapping[str, FloatArray], is_labelled: BoolArray, is_unlabelled: BoolArray
) -> FloatArray:
    """Return mean ranks of members that are weighted by how high they rank labelled rows."""
    weights = rank_weights(
        np.array([ranks_among(each[is_labelled], each[is_unlabelled]) for each in members.values()])
    )
    if weights is None:
        return np.zeros(len(is_labelled))
    ranks = [rankdata(scores) for scores in members.values()]
    return np.average(ranks, axis=0, weights=weights)
