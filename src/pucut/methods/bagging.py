"""Bagging: many models, each of a random part of the unlabelled rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import RandomState
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import HasMethods, StrOptions

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import COUNT, COUNT_OR_NONE, POSITIVE
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds, labelled_groups, numbered
from pucut.judging.cross_fitting import checked_classifier, positive_scores, with_random_state
from pucut.kernels.machines import KERNELS, fit_svm
from pucut.methods._encoded import EncodedClassifier

# Each bag leaves out one of this many parts of the positives in turn, if they are not drawn.
_PARTS = 5
# Default rows of each kind in a bag.
SVM_BAG = 300
BAG = 1000


@dataclass(frozen=True, eq=False)
class Bagged:
    """Models, the rows that each was fitted to, and the score of a model for points."""

    models: tuple[Any, ...]
    bags: Sequence[IndexArray]
    score: Callable[[Any, Any], FloatArray]

    def scores(self, points: Any) -> FloatArray:
        """Return the mean score of the models."""
        total = np.zeros(points.shape[0])
        for model in self.models:
            total += self.score(model, points)
        return total / len(self.models)

    def out_of_bag(self, points: Any, groups: IndexArray) -> FloatArray:
        """Return the mean over the models that saw no row of the row's group; else over all."""
        n_rows = points.shape[0]
        total, of_unseen, n_unseen = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
        for model, bag in zip(self.models, self.bags, strict=True):
            scores = self.score(model, points)
            is_seen = np.zeros(n_rows, dtype=np.bool_)
            is_seen[groups[bag]] = True
            unseen = ~is_seen[groups]
            total += scores
            of_unseen[unseen] += scores[unseen]
            n_unseen += unseen
        mean = total / len(self.models)
        return np.where(n_unseen > 0, of_unseen / np.maximum(n_unseen, 1), mean)

    def __getstate__(self) -> dict[str, Any]:
        # Bags serve the training rows only, whose scores are kept.
        return {**self.__dict__, "bags": ()}


def bootstrap_bags(
    labels: PULabels, n_bags: int, n_labelled: int, n_unlabelled: int, random: RandomState
) -> Iterator[IndexArray]:
    """Draw both kinds of rows with replacement (Claesen et al. 2015)."""
    labelled = np.flatnonzero(labels.is_labelled)
    for _ in range(n_bags):
        drawn = random.choice(labelled, n_labelled)
        yield np.concatenate([drawn, _drawn_others(labels, n_unlabelled, random)])


def positives_against_bags(
    labels: PULabels,
    n_bags: int,
    n_labelled: int,
    n_unlabelled: int,
    random: RandomState,
    groups: IndexArray,
) -> Iterator[IndexArray]:
    """Draw unlabelled rows with replacement, and keep labelled rows (Mordelet and Vert 2014).

    Each bag leaves out a different fifth of the latter, and has at most `n_labelled` of them. Rows
    of a group (`data.repeats`) are left out together.
    """
    labelled = np.flatnonzero(labels.is_labelled)
    group_of_labelled = numbered(groups[labelled])
    n_groups = int(group_of_labelled.max()) + 1
    n_parts = min(_PARTS, n_groups)
    part = (random.permutation(n_groups) % n_parts)[group_of_labelled]
    for bag in range(n_bags):
        kept = labelled[part != bag % n_parts] if n_parts > 1 else labelled
        kept = random.permutation(kept)[:n_labelled]
        yield np.concatenate([kept, _drawn_others(labels, n_unlabelled, random)])


def _drawn_others(labels: PULabels, n_rows: int, random: RandomState) -> IndexArray:
    """Draw unlabelled rows and all known negatives, but of these at most half of the rows."""
    n_known = min(labels.n_negative, n_rows // 2)
    drawn: IndexArray = random.choice(np.flatnonzero(labels.is_unlabelled), n_rows - n_known)
    if not n_known:
        return drawn
    known = random.choice(np.flatnonzero(labels.is_negative), n_known)
    return np.concatenate([drawn, known])


@dataclass(frozen=True)
class _Vote:
    """The vote of a machine; its score, squashed to (0, 1), is the vote of one more machine."""

    n_machines: int

    def __call__(self, machine: Any, points: Any) -> FloatArray:
        scores = machine.scores(points)
        squashed = (1.0 + scores / (1.0 + np.abs(scores))) / 2.0
        return np.asarray((self.n_machines * (scores > 0.0) + squashed) / (self.n_machines + 1))


class _BaggedClassifier(EncodedClassifier):
    """Base of the classifiers that score training rows by the models that did not see them."""

    _own_threshold: ClassVar[float] = 0.5
    _uses_negatives: ClassVar[bool] = True

    def _unseen_scores(self, points: Any, labels: PULabels, random: RandomState) -> FloatArray:
        groups = groups_for_folds(points, labels.is_labelled)
        return np.asarray(self._model.out_of_bag(points, groups))

    def _keep(self, model: Bagged, order: IndexArray) -> None:
        self.estimators_ = model.models


class BaggingSVMClassifier(_BaggedClassifier):
    """A vote of biased SVMs, each on rows of both kinds that were drawn with replacement.

    RESVM, the robust ensemble of SVMs of Claesen, De Smet, Suykens and De Moor (Neurocomputing
    2015). Positives are drawn too: if some labels are wrong, bags hold more or fewer of them, and
    the vote averages that out.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of SVMs.
    n_positive, n_unlabelled : int, optional
        Rows of either kind in a bag. By default as many as are labelled, copies counted once, at
        most 300, of both. Up to half of those without a positive label are drawn from the known
        negatives.
    C : float, default=1.0
        Cost of an unlabelled row on the wrong side.
    ratio : float, optional
        Cost of a labelled row over that of an unlabelled one; by default `n_unlabelled` over
        `n_positive`, so that both kinds have the same total cost.
    kernel : {"rbf", "linear"}, default="rbf"

    Attributes
    ----------
    estimators_ : tuple of Machine
    scores_ : float array of shape (n_samples,)
        Share of the votes of the SVMs that saw neither the row nor a copy of it. Ties are ordered
        by the mean decision, which counts as the vote of one more SVM.

    Notes
    -----
    The authors search sizes of bags, costs and the kernel's width by cross-validation. Here they
    are fixed, by the rules above, and can be searched with `pucut.model_selection`. The size of a
    bag, and not of the table, determines the time of a fit: 10 000 rows of 16 columns take 2 s of
    one processor. There is no `sample_weight`.

    The paper claims a clear gain over the biased SVM if some labels are false.
    """

    n_estimators: Annotated[int, COUNT] = 50
    _: KW_ONLY
    n_positive: Annotated[int | None, COUNT_OR_NONE] = None
    n_unlabelled: Annotated[int | None, COUNT_OR_NONE] = None
    C: Annotated[float, POSITIVE] = 1.0
    ratio: Annotated[float | None, POSITIVE, None] = None
    kernel: Annotated[str, StrOptions(set(KERNELS))] = "rbf"

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> Bagged:
        is_labelled = labels.is_labelled
        groups = groups_for_folds(points, is_labelled)
        usual = min(int(labelled_groups(groups, is_labelled).sum()), SVM_BAG)
        n_positive = self.n_positive or usual
        n_unlabelled = self.n_unlabelled or usual
        ratio = self.ratio or n_unlabelled / n_positive
        bags = tuple(bootstrap_bags(labels, self.n_estimators, n_positive, n_unlabelled, random))
        machines = tuple(
            fit_svm(
                points[bag],
                is_labelled[bag],
                positive_cost=self.C * ratio,
                negative_cost=self.C,
                kernel=self.kernel,
                random=random,
            )
            for bag in bags
        )
        return Bagged(machines, bags, _Vote(self.n_estimators))


class PUBaggingClassifier(MetaEstimatorMixin, _BaggedClassifier):
    """The mean of classifiers of the positives against random parts of the unlabelled rows.

    Mordelet and Vert, A bagging SVM to learn from positive and unlabeled examples (Pattern
    Recognition Letters 2014), with any classifier in place of the SVM.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Needs `predict_proba` or `decision_function`. By default a decision tree, as in
        scikit-learn's bagging. It is given standardised points (`pucut.data.encoding`).
    n_estimators : int, default=100
        Number of bags.
    n_unlabelled : int, optional
        Unlabelled rows drawn for a bag (the paper's K). By default as many as are labelled, as the
        paper advises, copies counted once, at most 1000. Up to half of them are drawn from the
        known negatives.

    Attributes
    ----------
    estimators_ : tuple of fitted classifiers
    scores_ : float array of shape (n_samples,)
        Mean score of the training rows, by the classifiers that saw neither them nor copies.

    Notes
    -----
    In the paper all positives are in every bag. Here each bag leaves out a different fifth of them
    in turn, and holds at most 1000: without out-of-sample scores of positives there would be
    neither a threshold nor probabilities. There is no `sample_weight`.
    """

    estimator: Annotated[Any, HasMethods(["fit", "predict"]), None] = None
    n_estimators: Annotated[int, COUNT] = 100
    _: KW_ONLY
    n_unlabelled: Annotated[int | None, COUNT_OR_NONE] = None

    def _classifier(self) -> Any:
        if self.estimator is None:
            return DecisionTreeClassifier()
        return checked_classifier(self.estimator, None)

    def _check_parameters(self) -> None:
        self._classifier()

    def _half(self) -> float:
        return 0.5 if hasattr(self._classifier(), "predict_proba") else 0.0

    def _learn(self, points: Any, labels: PULabels, random: RandomState) -> Bagged:
        is_labelled = labels.is_labelled
        groups = groups_for_folds(points, is_labelled)
        usual = min(int(labelled_groups(groups, is_labelled).sum()), BAG)
        bags = tuple(
            positives_against_bags(
                labels, self.n_estimators, BAG, self.n_unlabelled or usual, random, groups
            )
        )
        target = is_labelled.astype(np.intp)
        models = tuple(
            with_random_state(clone(self._classifier()), random).fit(points[bag], target[bag])
            for bag in bags
        )
        return Bagged(models, bags, positive_scores)
