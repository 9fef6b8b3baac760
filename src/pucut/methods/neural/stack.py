"""Many uPU or nnPU classifiers of one shape, fitted at once on one device."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from pucut.data.row_order import in_order, row_order
from pucut.methods.neural._base import _device, _NeuralPUClassifier
from pucut.methods.neural._training import fit_many


def fit_stacked(
    classifiers: Sequence[_NeuralPUClassifier],
    tables: Sequence[Any],
    labels: Sequence[Any],
    positives_per_batch: int | None = None,
) -> None:
    """Fits each classifier to its own table and labels, all networks trained in one stack.

    The results are those of `fit`, except for rounding and for the number of labelled rows in a
    batch: here it is the same for all, by default that of the largest set of labelled rows. Tables
    must have one shape, and classifiers may differ only in the prior and the random state.
    """
    first = classifiers[0]
    free = {"prior", "random_state"}
    for number, other in enumerate(classifiers):
        if type(other) is not type(first) or _without(other, free) != _without(first, free):
            raise ValueError(
                "classifiers may differ only in prior and random_state, found "
                f"{first!r} and, as number {number}, {other!r}"
            )
    shapes = {np.shape(table) for table in tables}
    if len(shapes) != 1 or any(sp.issparse(table) for table in tables):
        raise ValueError(f"tables must be dense and have one shape, found {sorted(shapes)}")
    device = _device(first.device)
    stack, networks, samples = [], [], []
    for classifier, table, y in zip(classifiers, tables, labels, strict=True):
        X = classifier._checked_table(table, reset=True)
        known = classifier._read_labels(y, X.shape[0])
        if known.n_negative:
            raise ValueError("networks of a stack learn from no known negatives: use fit")
        order = row_order(X, known.signs)
        X, known = in_order(X, order), known.in_order(order)
        points = classifier._learn_points(X)
        classifier._settle_prior(X, known)
        network, sample = classifier._prepare(points, known)
        stack.append((classifier, points, known, order))
        networks.append(network)
        samples.append(sample)
    options = replace(first._training_options(), positives_per_batch=positives_per_batch)
    points_of_all = np.stack([points for _, points, _, _ in stack])
    trained = fit_many(networks, points_of_all, samples, options, device)
    for (classifier, points, known, order), one in zip(stack, trained, strict=True):
        classifier._keep(one)
        classifier._settle_outputs(points, known)
        classifier._set_in_given_order(order)


def _without(classifier: Any, names: set[str]) -> dict[str, Any]:
    parameters = classifier.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in names}
