"""Checks of a model file: of its parts before they are built, and of its objects before use.

NumPy and Python refuse a wrong index with an exception. The compiled code of scikit-learn and SciPy
does not: it follows the arrays it was fitted with, and those of a file may lead anywhere. Therefore
every object that such code will follow is checked here. Most are checked as soon as they have been
built. A tree of scikit-learn reads its arrays by address while it is built, and a seed sequence of
NumPy takes as long to build as its state says. Their arguments are built first, and checked.
Forests of pucut check themselves (`pucut.trees.forest`).
"""

import functools
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from pucut._support.checks import check_places, is_sparse

# Words of a seed sequence: NumPy takes 4, and mixing them takes the square of their number.
_MOST_SEED_WORDS = 64
# Bits of a set of categories in scikit-learn's histogram trees.
_MOST_CATEGORIES = 256
# Numbers in the state of a Mersenne twister.
_TWISTER_STATE = 624


def build(data: bytes, trusted: list[str]) -> Any:
    """Build the objects of a file as `skops.io.loads` does, with checks before.

    The same nodes are checked and built. A part of the file may stand for another one that has the
    same number, so the text alone does not tell what will be built.
    """
    from skops.io._audit import audit_tree, get_tree
    from skops.io._utils import read_schema

    with zipfile.ZipFile(BytesIO(data)) as archive:
        schema, context = read_schema(archive)
        root = get_tree(schema, context, trusted=trusted)
        audit_tree(root, trusted=trusted)
        for node in _innermost_first(root):
            kind = type(node).__name__
            if kind == "TreeNode":
                _check_tree_arguments(node.args.construct(), node.attrs.construct())
            elif kind == "RandomGeneratorNode":
                state = node.seed_seq_state.construct()
                size = state.get("pool_size") if isinstance(state, dict) else None
                fits = isinstance(size, int) and 4 <= size <= _MOST_SEED_WORDS
                _require(fits, "a seed sequence out of its range")
        return root.construct()


def _check_tree_arguments(arguments: Any, state: Any) -> None:
    _require(isinstance(arguments, tuple) and len(arguments) == 3, "a tree that is not one")
    _, n_classes, n_outputs = arguments
    _require(
        isinstance(n_classes, np.ndarray)
        and n_classes.dtype.kind in "iu"
        and n_classes.shape == (n_outputs,)
        and (n_classes >= 1).all(),
        "a tree whose classes do not match its outputs",
    )
    _require(isinstance(state, dict), "a tree without nodes")
    nodes, values = state.get("nodes"), state.get("values")
    _require(
        isinstance(nodes, np.ndarray)
        and isinstance(values, np.ndarray)
        and nodes.ndim == 1
        and nodes.dtype.names
        and values.shape == (len(nodes), n_outputs, int(n_classes.max()))
        and state.get("node_count") == len(nodes),
        "a tree whose nodes do not match its values",
    )


def _innermost_first(root: Any) -> Iterator[Any]:
    """Yield each node once, after all that it is made of."""
    seen: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        node, is_complete = waiting.pop()
        if is_complete:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting.extend((child, False) for child in _children(node))


def _children(node: Any) -> Iterator[Any]:
    waiting = [*node.children.values(), getattr(node, "cached", None)]
    while waiting:
        found = waiting.pop()
        if hasattr(found, "construct") and hasattr(found, "children"):
            yield found
        elif isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, (list, tuple)):
            waiting.extend(found)


def check_contents(model: Any) -> None:
    """Raise a ValueError if anything in the model would lead compiled code astray."""
    for found in _objects_in(model):
        if is_sparse(found):
            check_places(found, "a sparse matrix")
        elif isinstance(found, Tree):
            _check_tree(found)
        elif isinstance(found, BaseDecisionTree) and hasattr(found, "tree_"):
            _require(
                found.tree_.n_features == found.n_features_in_,
                f"a tree of {found.tree_.n_features} features, where {found.n_features_in_} are",
            )
        elif isinstance(found, BaseHistGradientBoosting) and hasattr(found, "_predictors"):
            _check_boosting(found)
        elif isinstance(found, BaseLibSVM) and hasattr(found, "support_vectors_"):
            _check_machine(found)
        elif isinstance(found, np.random.RandomState):
            state = found.get_state(legacy=False)
            is_twister = state["bit_generator"] == "MT19937"
            fits = not is_twister or 0 <= state["state"]["pos"] <= _TWISTER_STATE
            _require(fits, "a random state out of its range")
        is_foreign = type(found).__module__.startswith("sklearn.")  # ours check what they pass
        if is_foreign and hasattr(found, "estimators_") and hasattr(found, "n_features_in_"):
            _check_ensemble(found)


def _check_tree(tree: Any) -> None:
    _require(1 <= tree.node_count <= tree.capacity, "a tree with a wrong number of nodes")
    _require(tree.max_n_classes == max(tree.n_classes), "a tree with a wrong number of classes")
    nodes = tree.__getstate__()["nodes"]
    left, right = nodes["left_child"], nodes["right_child"]
    inner = left != -1
    for child in (left, right):
        _require(_follow(child, inner), "a tree with a child that does not follow its parent")
    _require((right == -1)[~inner].all(), "a tree with a leaf that has a child")
    fits = _are_places(nodes["feature"][inner], tree.n_features)
    _require(fits, "a tree that asks for a column that is not there")


def _check_ensemble(ensemble: Any) -> None:
    """Check the columns of an ensemble's trees, which read its rows without checks."""
    members = [
        member
        for member in np.asarray(ensemble.estimators_, dtype=object).ravel()
        if isinstance(member, BaseDecisionTree)
    ]
    chosen = getattr(ensemble, "estimators_features_", None)
    n_features = ensemble.n_features_in_
    for place, member in enumerate(members):
        n_read = n_features if chosen is None else len(chosen[place])
        _require(
            member.n_features_in_ == n_read,
            f"an ensemble with a tree of {member.n_features_in_} features where {n_read} are read",
        )
        if chosen is not None:
            fits = _are_places(np.asarray(chosen[place]), n_features)
            _require(fits, "an ensemble that asks for a column that is not there")


def _check_boosting(boosting: Any) -> None:
    n_features = boosting.n_features_in_
    mapper = boosting._bin_mapper
    is_category = np.asarray(mapper.is_categorical_).astype(bool)
    _require(
        is_category.shape == (n_features,) and len(mapper.bin_thresholds_) == n_features,
        "boosting with bins for another number of columns",
    )
    for column in np.flatnonzero(is_category):
        known = np.asarray(mapper.bin_thresholds_[column], dtype=np.float64)
        _require(_are_places(known, _MOST_CATEGORIES), "boosting with a category out of its range")
    for predictor in [each for stage in boosting._predictors for each in stage]:
        nodes = predictor.nodes
        _require(len(nodes) >= 1 and nodes.ndim == 1, "boosting with a tree without nodes")
        inner = nodes["is_leaf"] == 0
        for side in ("left", "right"):
            child = nodes[side].astype(np.int64)
            _require(_follow(child, inner), "boosting with a child that does not follow its parent")
        features = nodes["feature_idx"][inner]
        fits = _are_places(features, n_features)
        _require(fits, "boosting that asks for a column that is not there")
        by_category = nodes["is_categorical"][inner] != 0
        _require(
            is_category[features[by_category]].all(),
            "boosting that asks for the categories of a column of numbers",
        )
        for bits in (predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets):
            _require(
                bits.ndim == 2
                and bits.shape[1] == _MOST_CATEGORIES // 32
                and (nodes["bitset_idx"][inner][by_category] < len(bits)).all(),
                "boosting with categories that are not there",
            )


def _follow(child: Any, inner: Any) -> bool:
    """Tell whether the children of all inner nodes come after these, and exist."""
    own = np.arange(len(child))
    return bool(((child > own) & (child < len(child)))[inner].all())


def _are_places(values: Any, n: int) -> bool:
    return bool(((values >= 0) & (values < n)).all())


def _check_machine(machine: Any) -> None:
    """Check the arrays that libsvm reads.

    Without classes libsvm counts two, and reads neither the numbers of support vectors nor their
    sum, which hold anything in scikit-learn 1.6 where the table is sparse.
    """
    has_classes = hasattr(machine, "classes_")
    n_classes = len(machine.classes_) if has_classes else 2
    n_vectors = machine.support_vectors_.shape[0]
    support = machine._n_support
    n_pairs = n_classes * (n_classes - 1) // 2
    _require(
        "_impl" not in vars(machine)
        and machine.support_vectors_.ndim == 2
        and machine.support_vectors_.shape[1] == machine.n_features_in_
        and machine.support_.shape == (n_vectors,)
        and machine._dual_coef_.shape == (n_classes - 1, n_vectors)
        and machine._intercept_.shape == (n_pairs,)
        and support.shape == (n_classes,)
        and (not has_classes or (support >= 0).all())
        and (not has_classes or int(support.astype(np.int64).sum()) == n_vectors)
        and len(machine._probA) in (0, n_pairs)
        and len(machine._probB) == len(machine._probA),
        "a support vector machine whose arrays do not match",
    )


def _objects_in(model: Any) -> Iterator[Any]:
    """Yield everything that can be reached, each once."""
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


def _require(holds: Any, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"it holds {otherwise}")
