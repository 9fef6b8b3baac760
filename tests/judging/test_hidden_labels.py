"""A fold has the same bits as if the labels that it hides had never been known, in every scorer."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from pucut.datasets import pu_split
from pucut.judging import class_scorers, scorers
from pucut.judging.class_scorers import (
    class_regression,
    class_trees,
    class_walks,
    logistic_score,
)
from pucut.judging.folds import PUFolds, class_folds, pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.scorers import (
    FinalFit,
    kernel_score,
    learner_score,
    linear_score,
    neighbor_score,
    pu_trees,
    tree_kinds,
    walk_score,
)
from pucut.judging.spaces import IDENTITY, Space, importance_weights
from pucut.trees.forest import forest_importances
from pucut.trees.growing import grow_forest


def without(folds, k):
    """Return the folds in which the labels that a fold hides were never known."""
    never_known = folds.fold == k
    return replace(
        folds,
        codes=np.where(never_known, -1, folds.codes),
        fold=np.where(never_known, -1, folds.fold),
    )


def pu_scores(X, folds):
    """Every scorer of positive and unlabelled rows, in every space, each from its own seed."""
    here, labels = PointsHere(X), folds.labels
    options = {"transform": IDENTITY, "n_trees": 20, "n_threads": 1}
    trees = [
        pu_trees(name, kind, here, folds, 0.5, random=np.random.RandomState(place), **options)
        for place, (name, kind) in enumerate(tree_kinds(X.shape[1]).items())
    ]
    weights = importance_weights(trees[0].importances, squared=True)
    alike = (np.ones(X.shape[1]),) * len(labels)
    spaces = [
        Space(name, each).searched(here, (5,), 15, random_state=0)
        for name, each in (("importance squared", weights), ("all features alike", alike))
    ]
    scores = [*(each.score for each in trees), linear_score("linear", here, IDENTITY, folds)]
    for space in spaces:
        scores += [
            walk_score(space, folds),
            neighbor_score(space, folds),
            kernel_score(space, folds, 0),
        ]
    random = np.random.RandomState(9)
    scores.append(learner_score("supplied", LogisticRegression(), X, folds, random))
    return scores, spaces


def class_scores(X, folds):
    """Every scorer of classes, in every space, each from its own seed."""
    trees = class_trees(X, folds, 20, np.random.RandomState(0), 1)
    alike = Space("alike", (np.ones(X.shape[1]),) * len(folds.labels))
    by_trees = Space("by trees", importance_weights(trees.importances))
    scores = [trees.score, logistic_score(X, folds)]
    searched = []
    for space in (alike, by_trees):
        searched.append(space.searched(PointsHere(X), (5,), random_state=0))
        scores += [
            class_regression(f"kernel, {space.name}", space, X, folds, 0),
            class_regression(f"linear, {space.name}", space, X, folds, 0, is_linear=True),
            class_walks(searched[-1], searched[-1].graphs(5), folds, 1),
        ]
    return scores, searched


def pu_case():
    X, truth = make_classification(240, 5, n_informative=3, n_redundant=0, random_state=0)
    is_labelled = pu_split(truth == 1, 0.5, random_state=0)
    folds = pu_folds(is_labelled, 120, np.random.RandomState(0), np.arange(240))
    assert folds.n_folds == 3
    return X, folds


def negatives_case():
    X, truth = make_classification(240, 5, n_informative=3, n_redundant=0, random_state=0)
    is_labelled = pu_split(truth == 1, 0.5, random_state=0)
    is_negative = (truth == 0) & (np.arange(240) % 4 == 0)
    random = np.random.RandomState(0)
    return X, pu_folds(is_labelled, 120, random, np.arange(240), is_negative)


def classes_case():
    X, truth = make_classification(300, 6, n_informative=4, n_classes=3, random_state=0)
    codes = np.where(np.random.default_rng(0).random(300) < 0.4, truth, -1)
    return X, class_folds(codes, np.random.RandomState(0), np.arange(300))


CASES = {
    "positives": (pu_case, pu_scores),
    "known negatives": (negatives_case, pu_scores),
    "classes": (classes_case, class_scores),
}


def test_every_scorer_is_here():
    """A new scorer has to be added above."""
    written = {
        name
        for module in (scorers, class_scorers)
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
        and callable(value)
        and getattr(value, "__annotations__", {}).get("return")
        in (scorers.Score, scorers.TreeScore, scorers.Score | None)
    }
    assert written - {"score_of"} == {
        "pu_trees",
        "linear_score",
        "kernel_score",
        "neighbor_score",
        "walk_score",
        "learner_score",
        "class_trees",
        "class_regression",
        "logistic_score",
        "class_walks",
    }


@pytest.mark.parametrize("hiding", [0, 1])
@pytest.mark.parametrize("case", CASES)
def test_a_hidden_label_changes_nothing_in_its_fold(case, hiding, monkeypatch):
    # The rows of other folds choose this parameter of walks, and these know the label.
    monkeypatch.setattr(class_scorers, "UNKNOWN", (0.1,))
    # How many labels there are decides what a known negative weighs.
    monkeypatch.setattr(PUFolds, "negative_weight", 0.4)
    make, learn = CASES[case]
    X, folds = make()
    (one, spaces), (other, other_spaces) = (
        learn(X, each) for each in (folds, without(folds, hiding))
    )
    for score, same in zip(one, other, strict=True):
        if score.name == "supplied" and hiding:
            continue  # its folds are drawn one after the other, from labels that differ
        # Real targets that share a width are solved together, and rounded to six digits.
        digit = 1.01e-6 if case == "known negatives" and "kernel" in score.name else 0.0
        found, expected = score.in_folds[hiding], same.in_folds[hiding]
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=digit, err_msg=score.name)
        # In the final fit the labels were known, and are missed.
        assert (score.fitted().scores != same.fitted().scores).any(), score.name
    for space, same in zip(spaces, other_spaces, strict=True):
        np.testing.assert_array_equal(space.folds[hiding].weights, same.folds[hiding].weights)
        lists, same_lists = space.folds[hiding].lists, same.folds[hiding].lists
        np.testing.assert_array_equal(lists.indices, same_lists.indices)
        np.testing.assert_array_equal(lists.squared_distances, same_lists.squared_distances)


def test_a_single_fold_weighs_features_for_the_final_fit():
    X, truth = make_classification(1500, 5, n_informative=3, random_state=0)
    is_labelled = (np.arange(1500) < 600)[np.argsort(np.argsort(-truth, kind="stable"))]
    folds = pu_folds(is_labelled, 750, np.random.RandomState(0), np.arange(1500))
    assert folds.n_folds == 1
    kind = tree_kinds(5)["trees, random cuts"]
    options = {
        "transform": IDENTITY,
        "n_trees": 20,
        "n_threads": 1,
        "random": np.random.RandomState(0),
    }
    trees = pu_trees("trees", kind, PointsHere(X), folds, 0.5, **options)
    # As if the hidden labels had never been known.
    forest = grow_forest(X, folds.labels[0] == 1, 0.5, kind, n_trees=4, random_state=0, n_threads=1)
    assert len(trees.importances) == 2
    for importances in trees.importances:
        np.testing.assert_array_equal(importances, forest_importances(forest))
    np.testing.assert_array_equal(trees.forest.threshold, forest.threshold)
    assert not isinstance(trees.score.final, FinalFit)
    assert (trees.score.fitted().scores != trees.score.in_folds[0]).any()
