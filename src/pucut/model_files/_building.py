"""The objects of a model file, built only after what they are built from was looked at.

A tree of scikit-learn reads its arrays by address while it is built, and a seed sequence of NumPy
takes as long as it is told to. So their arguments are built first, and checked; `_contents.py`
looks at what is there in the end.
"""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np

from pucut.model_files._contents import require

# Words of a seed sequence: NumPy takes 4, and mixing them takes the square of their number.
_MOST_SEED_WORDS = 64


def build(data: bytes, trusted: list[str]) -> Any:
    """As `skops.io.loads`, with a look at what compiled code is about to read.

    The same nodes are looked at and built. A part of the file may stand for another one that has
    the same number, so the text alone does not tell what will be built.
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
                _check_seeds(node.seed_seq_state.construct())
        return root.construct()


def _check_tree_arguments(arguments: Any, state: Any) -> None:
    require(isinstance(arguments, tuple) and len(arguments) == 3, "a tree that is not one")
    _, n_classes, n_outputs = arguments
    require(
        isinstance(n_classes, np.ndarray)
        and n_classes.dtype.kind in "iu"
        and n_classes.shape == (n_outputs,)
        and bool((n_classes >= 1).all()),
        "a tree whose classes do not match its outputs",
    )
    require(isinstance(state, dict), "a tree without nodes")
    nodes, values = state.get("nodes"), state.get("values")
    require(
        isinstance(nodes, np.ndarray)
        and isinstance(values, np.ndarray)
        and nodes.ndim == 1
        and bool(nodes.dtype.names)
        and values.shape == (len(nodes), n_outputs, int(n_classes.max()))
        and state.get("node_count") == len(nodes),
        "a tree whose nodes do not match its values",
    )


def _check_seeds(state: Any) -> None:
    size = state.get("pool_size") if isinstance(state, dict) else None
    require(
        isinstance(size, int) and 4 <= size <= _MOST_SEED_WORDS, "a seed sequence out of its range"
    )


def _innermost_first(root: Any) -> Iterator[Any]:
    """Each node once, after all that it is made of."""
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
