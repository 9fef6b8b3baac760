"""Spies among the unlabelled rows: S-EM."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods

from pucut._support.checks import FloatArray
from pucut._support.constraints import SHARE
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds
from pucut.data.row_order import IndexArray, given_numbers
from pucut.judging.cross_fitting import checked_classifier, positive_scores, with_random_state
from pucut.methods._encoded import EncodedClassifier
from pucut.methods.two_step._naive_bayes import em_naive_bayes
from pucut.methods.two_step._negatives import (
    Spies,
    send_spies,
    share_of_rest,
)


@dataclass(frozen=True, eq=False)
class _SpyModel:
    second: Any
    spies: Spies

    def scores(self, points: Any) -> FloatArray:
        if hasattr(self.second, "scores"):
            found: FloatArray = self.second.scores(points)
            return found
        return positive_scores(self.second, points)


class SpyClassifier(EncodedClassifier):
    """Spies among the unlabelled rows show which of these are surely negative.

    S-EM of Liu, Lee, Yu and Li (ICML 2002). Step 1: some labelled positives, the spies, are put
    among the unlabelled rows; naive Bayes with EM tells the remaining positives from this mixture;
    unlabelled rows that score below nearly all spies are reliable negatives. Step 2: naive Bayes
    learns from positives and reliable negatives, and EM continues over the other rows.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Step 2 by this classifier, of positives against reliable negatives alone, as in the authors'
        comparison of 2003. By default EM with naive Bayes.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`).
    spy_share : float, default=0.15
        Share of the labelled positives that become spies: the paper's 15 %. Of copies all or none.
    noise : float, default=0.15
        Share of the spies that may score below the threshold, because positives may be outliers:
        the paper's 15 %.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows exceeds,
        or by the method's own rule: odds above 1 (`estimator`: its probability above 1/2, or its
        decision function above 0).
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    random_state : int, RandomState instance or None, default=None
        For the spies, the folds, the classifier and the estimate of the prior.

    Attributes
    ----------
    reliable_negatives_ : int array
        The rows that step 1 took as negatives, and known ones.
    spies_ : int array
        The labelled rows that were spies.
    spy_threshold_ : float
        The log odds below which rows are reliable negatives.
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    prior_ : float
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None if it was given.
    scores_ : float array of shape (n_samples,)
        Scores of the training rows, by models that did not see them.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or those above the method's own threshold.

    Notes
    -----
    The paper has texts, and so multinomial naive Bayes, which is used for sparse tables here. It
    does not treat tables of numbers; they get a Gaussian per column and class, with a tenth of the
    column's variance added to the variance in a class. EM stops before the estimated error first
    rises, as in the paper, with P(positive) from the prior. A single labelled row cannot be a spy;
    then the lower-scoring half of the unlabelled rows are reliable negatives.
    There is no `sample_weight`. Time grows linearly with the rows.

    The paper claims, on texts that are not available here, that S-EM beats naive Bayes of labelled
    against unlabelled rows. Breast cancer, 30 % of the positives labelled, accuracy on the
    unlabelled rows: 93.8 against 91.0 % with the methods' own rules; cut at the prior, 93.9 against
    95.0 %, the claim does not hold (benchmarks/bench_methods.py).
    """

    _uses_negatives: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EncodedClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "spy_share": SHARE,
        "noise": [*SHARE],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        prior: Any = "auto",
        spy_share: float = 0.15,
        noise: float = 0.15,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.spy_share = spy_share
        self.noise = noise
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if self.estimator is not None:
            checked_classifier(self.estimator, None)

    def _learn(self, points: Any, labels: PULabels, random: np.random.RandomState) -> _SpyModel:
        is_labelled = labels.is_labelled
        spies = send_spies(
            points,
            is_labelled,
            self.prior_,
            spy_share=self.spy_share,
            noise=self.noise,
            random=random,
            groups=groups_for_folds(points, is_labelled),
        )
        spies = replace(spies, is_negative=spies.is_negative | labels.is_negative)
        if self.estimator is None:
            negative = spies.is_negative.astype(np.float64)
            share = share_of_rest(self.prior_, is_labelled)
            second = em_naive_bayes(points, is_labelled, negative, share, labels.is_negative)
            return _SpyModel(second, spies)
        rows = is_labelled | spies.is_negative
        second = with_random_state(clone(self.estimator), random)
        return _SpyModel(second.fit(points[rows], is_labelled[rows].astype(np.intp)), spies)

    def _keep(self, model: _SpyModel, order: IndexArray) -> None:
        self.reliable_negatives_ = given_numbers(model.spies.is_negative, order)
        self.spies_ = given_numbers(model.spies.is_spy, order)
        self.spy_threshold_ = model.spies.threshold

    def _half(self) -> float:
        return 0.5 if hasattr(self.estimator, "predict_proba") else 0.0
