"""What a model file holds, checked before it answers anything.

NumPy and Python refuse a wrong index with an exception. The compiled code of scikit-learn and SciPy
does not: it follows the arrays it was fitted with, and those of a file may lead anywhere. So every
object that such code will follow is checked here as soon as it has been built. Forests of pucut
check themselves (`pucut.trees.forest`).
"""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from pucut._support.checks import check_places, is_sparse

# A bitset of categories in scikit-learn's histogram trees has so many bits.
_MOST_CATEGORIES = 256
# Numbers that a Mersenne twister keeps.
_TWISTER_STATE = 624


def check_contents(model: Any) -> None:
    """Raises a ValueError if anything in the model would lead compiled code astray."""
    for found in _objects_in(model):
        if is_sparse(found):
            check_places(found, "a sparse matrix")
        elif isinstance(found, Tree):
            _check_tree(found)
        elif isinstance(found, BaseDecisionTree) and hasattr(found, "tree_"):
            require(
                found.tree_.n_features == found.n_features_in_,
                f"a tree of {found.tree_.n_features} features, where {found.n_features_in_} are",
            )
        elif isinstance(found, BaseHistGradientBoosting) and hasattr(found, "_predictors"):
            _check_boosting(found)
        elif isinstance(found, BaseLibSVM) and hasattr(found, "support_vectors_"):
            _check_machine(found)
        elif isinstance(found, np.random.RandomState):
            state = found.get_state(legacy=False)
            if state["bit_generator"] == "MT19937":
                require(
                    0 <= state["state"]["pos"] <= _TWISTER_STATE, "a random state out of its range"
                )
        is_foreign = type(found).__module__.startswith("sklearn.")  # ours look at what they give
        if is_foreign and hasattr(found, "estimators_") and hasattr(found, "n_features_in_"):
            _check_ensemble(found)


def _check_tree(tree: Any) -> None:
    require(1 <= tree.node_count <= tree.capacity, "a tree with a wrong number of nodes")
    require(tree.max_n_classes == max(tree.n_classes), "a tree with a wrong number of classes")
    nodes = tree.__getstate__()["nodes"]
    left, right = nodes["left_child"], nodes["right_child"]
    inner = left != -1
    own = np.arange(tree.node_count)
    for child in (left, right):
        require(
            bool(((child > own) & (child < tree.node_count))[inner].all()),
            "a tree with a child that does not follow its parent",
        )
    require(bool((right == -1)[~inner].all()), "a tree with a leaf that has a child")
    features = nodes["feature"][inner]
    require(
        bool(((features >= 0) & (features < tree.n_features)).all()),
        "a tree that asks for a column that is not there",
    )


def _check_ensemble(ensemble: Any) -> None:
    """The trees of an ensemble are given its rows without a further look at them."""
    members = [
        member
        for member in np.asarray(ensemble.estimators_, dtype=object).ravel()
        if isinstance(member, BaseDecisionTree)
    ]
    chosen = getattr(ensemble, "estimators_features_", None)
    n_features = ensemble.n_features_in_
    for place, member in enumerate(members):
        n_read = n_features if chosen is None else len(chosen[place])
        require(
            member.n_features_in_ == n_read,
            f"an ensemble with a tree of {member.n_features_in_} features where {n_read} are read",
        )
        if chosen is not None:
            columns = np.asarray(chosen[place])
            require(
                bool(((columns >= 0) & (columns < n_features)).all()),
                "an ensemble that asks for a column that is not there",
            )


def _check_boosting(boosting: Any) -> None:
    n_features = boosting.n_features_in_
    mapper = boosting._bin_mapper
    is_category = np.asarray(mapper.is_categorical_).astype(bool)
    require(
        is_category.shape == (n_features,) and len(mapper.bin_thresholds_) == n_features,
        "boosting with bins for another number of columns",
    )
    for column in np.flatnonzero(is_category):
        known = np.asarray(mapper.bin_thresholds_[column], dtype=np.float64)
        require(
            bool(((known >= 0) & (known < _MOST_CATEGORIES)).all()),
            "boosting with a category out of its range",
        )
    for predictor in [each for stage in boosting._predictors for each in stage]:
        nodes = predictor.nodes
        n_nodes = len(nodes)
        require(n_nodes >= 1 and nodes.ndim == 1, "boosting with a tree without nodes")
        inner = nodes["is_leaf"] == 0
        own = np.arange(n_nodes)
        for side in ("left", "right"):
            child = nodes[side].astype(np.int64)
            require(
                bool(((child > own) & (child < n_nodes))[inner].all()),
                "boosting with a child that does not follow its parent",
            )
        features = nodes["feature_idx"][inner]
        require(
            bool(((features >= 0) & (features < n_features)).all()),
            "boosting that asks for a column that is not there",
        )
        by_category = nodes["is_categorical"][inner] != 0
        require(
            bool(is_category[features[by_category]].all()),
            "boosting that asks for the categories of a column of numbers",
        )
        for bits in (predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets):
            require(
                bits.ndim == 2
                and bits.shape[1] == _MOST_CATEGORIES // 32
                and bool((nodes["bitset_idx"][inner][by_category] < len(bits)).all()),
                "boosting with categories that are not there",
            )


def _check_machine(machine: Any) -> None:
    """As libsvm has them. Without classes it counts two, and follows neither of these numbers.

    In scikit-learn 1.6 they hold anything then, where the table is sparse.
    """
    has_classes = hasattr(machine, "classes_")
    n_classes = len(machine.classes_) if has_classes else 2
    n_vectors = machine.support_vectors_.shape[0]
    support = machine._n_support
    n_pairs = n_classes * (n_classes - 1) // 2
    fits = (
        "_impl" not in vars(machine)
        and machine.support_vectors_.ndim == 2
        and machine.support_vectors_.shape[1] == machine.n_features_in_
        and machine.support_.shape == (n_vectors,)
        and machine._dual_coef_.shape == (n_classes - 1, n_vectors)
        and machine._intercept_.shape == (n_pairs,)
        and support.ndim == 1
        and len(support) == n_classes
        and (not has_classes or bool((support >= 0).all()))
        and (not has_classes or int(support.astype(np.int64).sum()) == n_vectors)
        and len(machine._probA) in (0, n_pairs)
        and len(machine._probB) == len(machine._probA)
    )
    require(fits, "a support vector machine whose arrays do not match")


def _objects_in(model: Any) -> Iterator[Any]:
    """Everything that can be reached, each once."""
    seen: set[int] = set()
    waiting = [model]
    kept = []  # an object that was let go could lend its address to another
    while waiting:
        found = waiting.pop()
        if id(found) in seen or isinstance(found, (str, bytes, int, float, type, type(None))):
            continue
        seen.add(id(found))
        kept.append(found)
        yield found
        if isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, (list, tuple, set, frozenset)):
            waiting.extend(found)
        elif isinstance(found, np.ndarray):
            if found.dtype == object:
                waiting.extend(found.ravel().tolist())
        elif isinstance(found, functools.partial):
            waiting.extend([*found.args, *found.keywords.values()])
        else:
            waiting.extend(getattr(found, "__dict__", {}).values())


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"it holds {otherwise}")
