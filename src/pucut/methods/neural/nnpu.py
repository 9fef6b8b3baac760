"""nnPU: the estimate of the risk that is not negative."""

import numbers
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval
from torch import nn

from pucut.methods.neural._base import _NeuralPUClassifier
from pucut.methods.neural._networks import (
    HIDDEN_LAYER_SIZES,
)
from pucut.methods.neural._training import (
    TrainingOptions,
)


class NNPUClassifier(_NeuralPUClassifier):
    """A network that minimises the non-negative estimate of the risk.

    nnPU of Kiryo, Niu, du Plessis and Sugiyama (NIPS 2017). If a batch estimates the
    risk of the negatives below -beta, which only overfitting can cause, the step is reversed.

    Parameters
    ----------
    beta : float, default=0
        How far below 0 the risk of the negatives in a batch may fall.
    gamma : float, default=1
        Length of the reversed step, relative to the others.
    network, prior, loss, hidden_layer_sizes, activation, image_shape, learning_rate, \
weight_decay, batch_size, max_epochs, patience, validation_share, \
unlabelled_includes_labelled, threshold, pos_label, neg_label, device, verbose, random_state
        As in `UPUClassifier`.

    Attributes
    ----------
    classes_, network_, n_epochs_, best_epoch_, risk_curve_, validation_curve_, prior_, \
prior_estimate_, scores_, threshold_, transduction_, step_seconds_
        As in `UPUClassifier`.

    Notes
    -----
    As in `UPUClassifier`, also on how scores depend on the number of threads.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_NeuralPUClassifier._parameter_constraints,
        "beta": [Interval(numbers.Real, 0.0, None, closed="left")],
        "gamma": [Interval(numbers.Real, 0.0, 1.0, closed="both")],
    }

    def __init__(
        self,
        network: str | nn.Module | Callable[[int], nn.Module] = "auto",
        *,
        prior: Any = "auto",
        loss: str = "sigmoid",
        beta: float = 0.0,
        gamma: float = 1.0,
        hidden_layer_sizes: Any = HIDDEN_LAYER_SIZES,
        activation: str = "relu",
        image_shape: tuple[int, int, int] | None = None,
        learning_rate: float = 3e-4,
        weight_decay: float = 0.0,
        batch_size: int = 256,
        max_epochs: int = 100,
        patience: int | None = 10,
        validation_share: float = 0.1,
        unlabelled_includes_labelled: bool = True,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        device: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.network = network
        self.prior = prior
        self.loss = loss
        self.beta = beta
        self.gamma = gamma
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.image_shape = image_shape
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_share = validation_share
        self.unlabelled_includes_labelled = unlabelled_includes_labelled
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _training_options(self) -> TrainingOptions:
        return replace(
            super()._training_options(), risk="nnpu", beta=float(self.beta), gamma=float(self.gamma)
        )
