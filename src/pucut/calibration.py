"""Calibration of a method's scores, from positive and unlabelled rows alone.

Positives are labelled completely at random (SCAR): with c the labelled share of the positives,
P(labelled | score) = c P(positive | score), as in Elkan and Noto (KDD 2008). So "labelled or not"
tells the probability of a positive up to the factor c, which the prior fixes. Two monotone curves
are fitted to it, both with the prior as their mean, and their weighted mean is the answer:

- *steps*: isotonic regression, divided by c. It takes any shape, but needs many labels.
- *curve*: the beta calibration of Kull, Silva Filho and Flach (AISTATS 2017), on ranks instead of
  probabilities, since scores have no scale: logit p = a log r - b log(1 - r) + const with a, b >= 0
  for the row of relative rank r. The likelihood is that of the labels, P(labelled) = c p. Two
  parameters can be learned from few labels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.isotonic import isotonic_regression

from pucut._support.checks import FloatArray, checked_scores
from pucut.data.labels import checked_prior, checked_pu_labels

# Chosen by the Brier score on six real datasets (docs/design/tried.md). Steps and curve have equal
# weight at this many labels over c: the rarer labels are, the less each says about the shape.
_LABELS_FOR_STEPS = 50.0
# Penalty on a^2 + b^2 in the log-likelihood: keeps the curve finite if the classes separate.
_SLOPE_PENALTY = 0.01
# A run of this many over c positives, lowest scores first, without a label has probability exp(-10)
# by chance: a longer one means that labelled rows were scored in a different way.
_LONGEST_GAP = 10.0
# From this many rows on, neighbouring scores are joined into groups: more knots are not needed.
_MANY_ROWS = 100_000
_GROUPS = 1 << 14
# Weight of a curve without plateaus, so that different scores have different probabilities.
_TILT = 1e-3


@dataclass(frozen=True, eq=False)
class Calibration:
    """A non-decreasing map from scores to the probability of a positive.

    Linear between the scores it was fitted to. Beyond them the probability continues more and more
    slowly, at most half of the remaining way to 0 or 1: unseen rows keep their order, and none is
    more certain than the data allow.

    Attributes
    ----------
    scores : float array of shape (n_knots,)
        The distinct scores given to `calibrate`, ascending.
    values : float array of shape (n_knots,)
        Their probabilities, in (0, 1).
    prior : float
        The mean probability of the rows given to `calibrate`.
    """

    scores: FloatArray
    values: FloatArray
    prior: float

    def positive_probability(self, scores: Any) -> FloatArray:
        """Return P(positive) of rows with these scores, shape (n,)."""
        new = checked_scores(scores, "scores")
        knots, values = self.scores, self.values
        if len(knots) == 1:
            return np.full(len(new), values[0])
        left = np.clip(np.searchsorted(knots, new, side="right") - 1, 0, len(knots) - 2)
        way = (np.clip(new, knots[0], knots[-1]) - knots[left]) / (knots[left + 1] - knots[left])
        # The minimum keeps rounding from passing the next knot: the map is monotone to the bit.
        inside = np.minimum(
            values[left] + way * (values[left + 1] - values[left]), values[left + 1]
        )
        scale = knots[-1] - knots[0]
        above, below = np.maximum(new - knots[-1], 0.0), np.maximum(knots[0] - new, 0.0)
        upwards = (1.0 - values[-1]) / 2.0 * (above / (above + scale))
        downwards = values[0] / 2.0 * (below / (below + scale))
        return np.asarray(inside + upwards - downwards)

    def probabilities(self, scores: Any) -> FloatArray:
        """Return P(negative) and P(positive), shape (n, 2); rows sum to 1."""
        positive = self.positive_probability(scores)
        return np.column_stack([1.0 - positive, positive])


def calibrate(
    scores: Any,
    y: Any,
    prior: float,
    *,
    half_at: float | None = None,
    pos_label: Any = None,
    neg_label: Any = None,
) -> Calibration:
    """Fit a monotone map from scores to P(positive), whose mean over these rows is the prior.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Of all rows, labelled and unlabelled; higher means more likely positive. Labelled rows must
        be scored like the others, hence out-of-sample. If they are not, for example if a
        transductive method puts them above all others, only a smooth curve through the prior can
        be fitted.
    y : array-like of shape (n_samples,)
        Two values: labelled positive and unlabelled.
    prior : float
        Fraction of positives among all samples.
    half_at : float, optional
        The score above which the method says positive. The probability there is made 1/2, so that
        both agree, if the data allow it: if at most sqrt(n_samples) rows, two standard deviations
        of the number of positives in a sample, lie between this score and the one where the
        probability would otherwise be 1/2. If the classes overlap more, the probabilities stay.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; their scores count as those of any other row.

    Returns
    -------
    Calibration
        Strictly increasing in the score, strictly inside (0, 1); its mean over the rows is the
        prior up to rounding; from 100 000 rows on, up to one part in 10 000. If all scores are
        equal, every row gets the prior.

    Notes
    -----
    Assumes that labels are drawn completely at random from the positives (SCAR). The probability is
    that of a row of which only the score is known: a labelled row is positive, whatever its value
    here.
    """
    labels = checked_pu_labels(y, pos_label=pos_label, neg_label=neg_label)
    prior = checked_prior(prior, labels)
    rows = checked_scores(scores, "scores", labels.n_samples)
    knots, knot_of_row, n_rows = np.unique(rows, return_inverse=True, return_counts=True)
    counts = n_rows.astype(np.float64)
    n_labelled = np.bincount(knot_of_row, weights=labels.is_labelled).astype(np.float64)
    if labels.n_samples >= _MANY_ROWS and len(knots) > _GROUPS:
        knots, counts, n_labelled = _in_groups(knots, counts, n_labelled)
    label_frequency = labels.labelled_share / prior

    below = np.cumsum(counts)
    rank = (below - counts / 2.0) / below[-1]
    basis = np.stack([np.log(rank), -np.log1p(-rank)])
    values = _fitted_curve(basis, counts, n_labelled, label_frequency, prior)
    steps = _fitted_steps(counts, n_labelled, label_frequency, prior)
    if steps is not None:
        weight = labels.n_labelled / (labels.n_labelled + _LABELS_FOR_STEPS / label_frequency)
        values = weight * steps + (1.0 - weight) * values
    return _rising_map(knots, values, counts, prior, half_at)


def calibrate_log_odds(scores: Any, prior: float, *, half_at: float | None = None) -> Calibration:
    """Calibrate scores that are log odds already: they are only shifted to the prior.

    Labels are not used, so it does not matter how they were drawn.
    """
    rows = checked_scores(scores, "scores")
    knots, n_rows = np.unique(rows, return_counts=True)
    counts = n_rows.astype(np.float64)
    return _rising_map(knots, _with_mean(knots, counts, prior), counts, prior, half_at)


def _rising_map(
    knots: FloatArray, values: FloatArray, counts: FloatArray, prior: float, half_at: float | None
) -> Calibration:
    """Return the map through these values, made to rise everywhere, with 1/2 at `half_at`."""
    rank = (np.cumsum(counts) - counts / 2.0) / counts.sum()
    tilt = _with_mean(rank, counts, prior)
    values = (1.0 - _TILT) * values + _TILT * tilt
    # Each part is monotone; their sum might not be in its last bit.
    calibration = Calibration(knots, np.maximum.accumulate(values), prior)
    if half_at is None:
        return calibration
    return _with_half_at(float(half_at), calibration, counts)


def _in_groups(
    knots: FloatArray, counts: FloatArray, n_labelled: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Join neighbouring scores into groups of about equal size, each with its mean score."""
    below = np.cumsum(counts)
    group = np.minimum((below - counts) * (_GROUPS / below[-1]), _GROUPS - 1).astype(np.intp)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    joined = np.add.reduceat(counts, starts)
    means = np.add.reduceat(knots * counts, starts) / joined
    # The lowest and the highest score stay where they are: beyond them the map is different.
    means[0], means[-1] = knots[0], knots[-1]
    return means, joined, np.add.reduceat(n_labelled, starts)


def _with_half_at(half_at: float, calibration: Calibration, counts: FloatArray) -> Calibration:
    """Bend a calibration to be 1/2 at a score, without changing its mean, if that is near."""
    is_above = calibration.scores > half_at
    between = counts[is_above != (calibration.values > 0.5)].sum()
    if between > np.sqrt(counts.sum()) or is_above.all() or not is_above.any():
        return calibration
    # Odds are divided by those at the score, which become 1; then a power on either side of 1/2,
    # one of which raises and the other lowers, restores the mean.
    (pivot,) = calibration.positive_probability([half_at])
    logit = _logit(calibration.values) - _logit(pivot)
    weights = counts / counts.sum()

    def bent(tilt: float) -> FloatArray:
        stretch = np.where(is_above, np.exp(tilt), np.exp(-tilt))
        return np.asarray(expit(logit * stretch))

    # A tilt of 30 is a step from 0 to 1, or from 1/2 to 1/2, to the last digit.
    ends = [float(weights @ bent(tilt)) - calibration.prior for tilt in (-30.0, 30.0)]
    if not ends[0] < 0.0 < ends[1]:
        return calibration
    tilt = brentq(lambda t: float(weights @ bent(t)) - calibration.prior, -30.0, 30.0, xtol=1e-14)
    knots, values = calibration.scores, bent(tilt)
    if half_at not in knots:
        place = int(np.searchsorted(knots, half_at))
        knots, values = np.insert(knots, place, half_at), np.insert(values, place, 0.5)
    return Calibration(knots, values, calibration.prior)


def _fitted_steps(
    counts: FloatArray, n_labelled: FloatArray, label_frequency: float, prior: float
) -> FloatArray | None:
    """Return the isotonic regression of the labels, scaled to have the mean and clipped at 1.

    The factor is 1 / c if nothing is clipped, and larger otherwise. If fewer rows than the prior's
    share score as high as a labelled one, no factor is large enough: the next rows by score are
    then treated as positive too if they are few; otherwise the result is None.
    """
    shares = isotonic_regression(n_labelled / counts, sample_weight=counts)
    wanted = prior * counts.sum()
    above = counts.sum() - np.cumsum(counts)
    usable = shares > 0.0
    n_missing = wanted - counts[usable].sum()
    if n_missing * label_frequency > _LONGEST_GAP:
        return None
    steps: FloatArray
    if n_missing >= 0.0:
        steps = np.clip((wanted - above) / counts, 0.0, 1.0)
        return steps
    # If the knots up to a certain one are scaled and all above it are 1, the mean fixes the factor.
    # The right one is the last for which no scaled value exceeds 1.
    factor = (wanted - above[usable]) / np.cumsum(counts * shares)[usable]
    fitting = np.flatnonzero(factor * shares[usable] <= 1.0 + 1e-12)[-1]
    steps = np.minimum(factor[fitting] * shares, 1.0)
    return steps


def _fitted_curve(
    basis: FloatArray, counts: FloatArray, n_labelled: FloatArray, c: float, prior: float
) -> FloatArray:
    """Return the most likely curve of the two-parameter family whose mean is the prior."""
    n_unlabelled = counts - n_labelled

    def loss(slopes: FloatArray) -> tuple[float, FloatArray]:
        logit = _logit_with_mean(slopes @ basis, counts, prior)
        p, q = expit(logit), expit(-logit)
        not_labelled = np.maximum((1.0 - c) + c * q, np.finfo(np.float64).tiny)
        log_likelihood = -n_labelled @ np.logaddexp(0.0, -logit) + n_unlabelled @ np.log(
            not_labelled
        )
        by_logit = n_labelled * q - n_unlabelled * c * p * q / not_labelled
        # The constant moves with the slopes, so that the mean stays.
        pull = counts * p * q
        by_slopes = basis @ by_logit - basis @ pull / max(pull.sum(), 1e-300) * by_logit.sum()
        return (
            _SLOPE_PENALTY * float(slopes @ slopes) - float(log_likelihood),
            2.0 * _SLOPE_PENALTY * slopes - by_slopes,
        )

    found = minimize(loss, np.ones(2), jac=True, bounds=[(0.0, None)] * 2, method="L-BFGS-B")
    return _with_mean(found.x @ basis, counts, prior)


def _logit(probability: Any) -> Any:
    return np.log(probability) - np.log1p(-probability)


def shift_to_mean(log_odds: FloatArray, mean: float) -> float:
    """Return the shift of log odds that gives their probabilities this mean."""
    shifted = _logit_with_mean(log_odds, np.ones(len(log_odds)), mean)
    return float(shifted[0] - log_odds[0])


def _with_mean(shape: FloatArray, counts: FloatArray, mean: float) -> FloatArray:
    return expit(_logit_with_mean(shape, counts, mean))


def _logit_with_mean(shape: FloatArray, counts: FloatArray, mean: float) -> FloatArray:
    """Return `shape` plus the constant that gives the probabilities the weighted mean `mean`."""
    target = _logit(mean)
    low, high = target - shape.max(), target - shape.min()  # all below, all above the mean
    shift = (low + high) / 2.0
    weights = counts / counts.sum()
    for _ in range(200):
        p = expit(shape + shift)
        excess = float(weights @ p) - mean
        if excess == 0.0:  # else the search would begin anew between the bounds
            break
        low, high = (low, shift) if excess > 0.0 else (shift, high)
        slope = float(weights @ (p * (1.0 - p)))
        newton = shift - excess / slope if slope > 0.0 else np.inf
        following = newton if low < newton < high else (low + high) / 2.0
        if abs(following - shift) <= 1e-15 * max(1.0, abs(shift)):
            break
        shift = following
    return np.asarray(shape + shift)
