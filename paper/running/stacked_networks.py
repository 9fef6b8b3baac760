"""Many uPU or nnPU classifiers of one shape, fitted at once on one device.

Their weights are stacked, the forward pass is mapped over the stack, and the sum of their risks is
minimised, whose terms are separate.
"""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from pucut.data.row_order import in_order, row_order
from pucut.methods.neural._inputs import usable_device
from pucut.methods.neural._training import (
    OneNetwork,
    PUSample,
    Trained,
    TrainingOptions,
    one_column,
    train,
)
from pucut.methods.neural.classifiers import NeuralPUClassifier


def fit_stacked(
    classifiers: Sequence[NeuralPUClassifier],
    tables: Sequence[Any],
    labels: Sequence[Any],
    positives_per_batch: int | None = None,
) -> None:
    """Fit each classifier to its own table and labels, all networks trained in one stack.

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
    device = usable_device(first.device)
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


def fit_many(
    networks: Sequence[nn.Module],
    X: npt.NDArray[Any],
    samples: Sequence[PUSample],
    options: TrainingOptions,
    device: str | torch.device = "cpu",
) -> list[Trained]:
    """Train networks of one shape at once, each on its own rows: X is (networks, rows, features).

    The results are those of `fit_one`, up to rounding, if `positives_per_batch` is the same there.
    A network whose patience has ended keeps its best weights; training continues until that is so
    for all.
    """
    where = torch.device(device)
    if not len(networks) == len(X) == len(samples):
        raise ValueError(
            "networks, X and samples must have the same length, found "
            f"{len(networks)}, {len(X)} and {len(samples)}"
        )
    points = torch.as_tensor(X, dtype=torch.float32).to(where)
    own = torch.arange(len(points), device=where)[:, None]
    stack = _StackedNetworks(networks, where)
    return train(stack, lambda numbers: points[own, numbers], samples, options, where)


def _without(classifier: Any, names: set[str]) -> dict[str, Any]:
    parameters = classifier.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in names}


class _StackedNetworks(OneNetwork):
    """Networks of one shape, their weights and their statistics stacked."""

    def __init__(self, networks: Sequence[nn.Module], device: torch.device) -> None:
        self._networks = [copy.deepcopy(network).to(device) for network in networks]
        weights, self._buffers = torch.func.stack_module_state(self._networks)
        self._weights = dict(weights)
        self.weights = [weight for weight in self._weights.values() if weight.requires_grad]
        self._skeleton = self.module = copy.deepcopy(self._networks[0]).to("meta")
        self._mapped = torch.func.vmap(self._call, randomness="different")

    def _call(self, weights: dict[str, Tensor], buffers: dict[str, Tensor], rows: Tensor) -> Tensor:
        return one_column(torch.func.functional_call(self._skeleton, (weights, buffers), (rows,)))

    def train(self, mode: bool) -> None:
        self._skeleton.train(mode)

    def outputs(self, rows: Tensor) -> Tensor:
        result: Tensor = self._mapped(self._weights, self._buffers, rows)
        return result

    def state(self) -> dict[str, Tensor]:
        return {**{name: value.detach() for name, value in self._weights.items()}, **self._buffers}

    def networks(self) -> list[nn.Module]:
        state = self.state()
        for place, network in enumerate(self._networks):
            network.load_state_dict({name: value[place] for name, value in state.items()})
            network.cpu().eval()
        return self._networks
