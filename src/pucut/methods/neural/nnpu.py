"""nnPU: the estimate of the risk that is not negative."""

import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval
from torch import nn

from pucut._support.constraints import NOT_NEGATIVE
from pucut.methods.neural._base import NeuralPUClassifier
from pucut.methods.neural._networks import HIDDEN_LAYER_SIZES
from pucut.methods.neural._training import LossName, TrainingOptions


class NNPUClassifier(NeuralPUClassifier):
    """A network that minimises the non-negative estimate of the risk.

    nnPU of Kiryo, Niu, du Plessis and Sugiyama (NIPS 2017). If a batch estimates the
    risk of the negatives below -beta, which only overfitting can cause, the step is reversed.

    Parameters
    ----------
    beta : float, default=0
        How far below 0 the risk of the negatives in a batch may fall.
    gamma : float, default=1
        Length of the reversed step, relative to the others.

    Notes
    -----
    As in `UPUClassifier`, also on how scores depend on the number of threads.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **NeuralPUClassifier._parameter_constraints,
        "beta": NOT_NEGATIVE,
        "gamma": [Interval(numbers.Real, 0.0, 1.0, closed="both")],
    }

    def __init__(
        self,
        network: str | nn.Module | Callable[[int], nn.Module] = "auto",
        *,
        prior: Any = "auto",
        loss: LossName = "sigmoid",
        beta: float = 0.0,
        gamma: float = 1.0,
        hidden_layer_sizes: Any = HIDDEN_LAYER_SIZES,
        activation: str = "relu",
        image_shape: Sequence[int] | None = None,
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
        super().__init__(
            network,
            prior=prior,
            loss=loss,
            hidden_layer_sizes=hidden_layer_sizes,
            activation=activation,
            image_shape=image_shape,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            batch_size=batch_size,
            max_epochs=max_epochs,
            patience=patience,
            validation_share=validation_share,
            unlabelled_includes_labelled=unlabelled_includes_labelled,
            threshold=threshold,
            pos_label=pos_label,
            neg_label=neg_label,
            device=device,
            verbose=verbose,
            random_state=random_state,
        )
        self.beta = beta
        self.gamma = gamma

    def _training_options(self) -> TrainingOptions:
        return replace(
            super()._training_options(), risk="nnpu", beta=float(self.beta), gamma=float(self.gamma)
        )
