"""uPU and nnPU as scikit-learn classifiers."""

import copy
import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from torch import nn

from pucut._support.checks import FloatArray, IndexArray
from pucut._support.constraints import (
    COUNT,
    COUNT_OR_NONE,
    NOT_NEGATIVE,
    POSITIVE,
    THRESHOLD_CONSTRAINTS,
)
from pucut.data.containers import for_any_table
from pucut.data.encoding import Encoding, learn_encoding
from pucut.data.known_rows import with_known_rows
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds, labelled_groups
from pucut.data.tables import source_of
from pucut.methods._base import PUClassifier, share_of_rest
from pucut.methods.neural._inputs import (
    ImageScale,
    dense_rows,
    pixels_of,
    single_precision,
    usable_device,
)
from pucut.methods.neural._networks import (
    ACTIVATIONS,
    HIDDEN_LAYER_SIZES,
    SMALLEST_IMAGE,
    convolutions,
    perceptron,
)
from pucut.methods.neural._training import (
    LOSSES,
    LossName,
    PUSample,
    Trained,
    TrainingOptions,
    fit_one,
    seeded,
)
from pucut.methods.steps import CallbackSupportMixin, FitSteps, with_callbacks

_ROWS_AT_ONCE = 1024


class NeuralPUClassifier(CallbackSupportMixin, PUClassifier):
    """Base of both: everything but the choice of the risk.

    Parameters
    ----------
    network : "auto", "mlp", "cnn", nn.Module or callable, default="auto"
        The perceptron of six layers or, for images (`image_shape`), the convolutional network of
        thirteen; or any other that gives one number per row: a module, trained from its current
        weights, or a function that makes one for a number of inputs. A given module is copied.
    loss : {"sigmoid", "logistic"}, default="sigmoid"
        The logistic loss is not bounded; with it the risk of uPU has no lower bound.
    hidden_layer_sizes : sequence of int, default=(300, 300, 300, 300, 300)
        Units of the perceptron's layers, each normalised over the batch.
    activation : {"relu", "softsign"}, default="relu"
        The papers use Softsign for texts.
    image_shape : (channels, height, width), optional
        Rows are flattened images, channels first.
    learning_rate, weight_decay : float, default=3e-4 and 0
        Parameters of Adam.
    batch_size : int, default=256
        Unlabelled rows in a batch. Labelled ones are added, as many as are needed to pass over them
        equally often.
    max_epochs : int, default=100
        Passes over the unlabelled rows, at most.
    patience : int or None, default=10
        Training ends after this many epochs without improvement on the hidden positives.
    validation_share : float, default=0.1
        Share of the labelled rows, of copies all or none, that is hidden among the unlabelled, to
        see after which epoch the network finds most of them; the weights of that epoch are kept. If
        that is less than one row, and with 0, the last weights are kept.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows
        exceeds; or, as the method's authors do, above 0.
    device : str or torch.device, default="auto"
        Where to train; "auto" is a GPU if PyTorch finds one that it can use through CUDA. Fitted
        classifiers are kept on the CPU, and predict on this device if there is one like it.
    verbose : int, default=0
        1 prints the steps, 2 the epochs too.
    random_state : int, RandomState instance or None, default=None
        For the weights, the batches, the hidden positives and the estimate of the prior. PyTorch's
        own random state is neither used nor changed.

    Attributes
    ----------
    network_ : nn.Module
        In evaluation mode, on the CPU; takes encoded rows.
    n_epochs_, best_epoch_ : int
        Epochs trained, and the one whose weights were kept, from 1.
    risk_curve_, validation_curve_ : float arrays of shape (`n_epochs_`,)
        Mean risk of the batches, and what decides on the best epoch: the share of the hidden
        positives found (a little more for a better mean rank), or, if `threshold` is "half",
        minus the risk with them as the labelled rows. NaN if none are hidden.
    scores_ : float array of shape (n_samples,)
        In-sample outputs of the network for the training rows.
    step_seconds_ : dict
        Seconds of each step of `fit`.
    """

    network: Annotated[
        str | nn.Module | Callable[[int], nn.Module], StrOptions({"auto", "mlp", "cnn"}), callable
    ] = "auto"
    _: KW_ONLY
    loss: Annotated[LossName, StrOptions(set(LOSSES))] = "sigmoid"
    hidden_layer_sizes: Annotated[Any, "array-like"] = HIDDEN_LAYER_SIZES
    activation: Annotated[str, StrOptions(set(ACTIVATIONS))] = "relu"
    image_shape: Annotated[Sequence[int] | None, tuple, list, None] = None
    learning_rate: Annotated[float, POSITIVE] = 3e-4
    weight_decay: Annotated[float, NOT_NEGATIVE] = 0.0
    batch_size: Annotated[int, COUNT] = 256
    max_epochs: Annotated[int, COUNT] = 100
    patience: Annotated[int | None, COUNT_OR_NONE] = 10
    validation_share: Annotated[float, Interval(numbers.Real, 0.0, 1.0, closed="left")] = 0.1
    unlabelled_includes_labelled: Annotated[bool, "boolean"] = True
    threshold: Annotated[str, THRESHOLD_CONSTRAINTS] = "prior"
    device: Annotated[Any, str, torch.device] = "auto"
    verbose: Annotated[int, "verbose"] = 0

    _uses_negatives: ClassVar[bool] = True
    _holds_libraries_back: ClassVar[bool] = False
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_encoding", "network_", "_fit_device")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        return for_any_table(tags) if self.image_shape is None else tags

    fit = with_callbacks(PUClassifier.fit)

    def _fit_rows(self, rows: Any, labels: PULabels, order: IndexArray) -> None:
        device = usable_device(self.device)
        steps = FitSteps(self, n_steps=4, verbose=int(self.verbose))
        with steps.step("points"):
            points = self._learn_points(rows)
        with steps.step("prior"):
            self._settle_prior(rows, labels)
        with steps.step("training"):
            self._train(points, labels, device)
        with steps.step("answers"):
            self._settle_outputs(points, labels)
        steps.finish()
        self.step_seconds_ = steps.seconds

    def _train(self, points: Any, labels: PULabels, device: torch.device) -> None:
        network, sample = self._prepare(points, labels)
        if labels.n_negative:  # known rows are repeated in the unlabelled set
            known = with_known_rows(
                sample.is_positive,
                labels.is_negative,
                sample.prior,
                includes_labelled=self.unlabelled_includes_labelled,
            )
            points, is_own = points[known.rows], np.arange(len(known.rows)) < labels.n_samples
            sample = replace(
                sample,
                is_positive=known.is_labelled,
                is_unlabelled=sample.is_unlabelled[known.rows] | ~is_own,
                is_hidden=np.asarray(sample.is_hidden)[known.rows],
            )
        rows = partial(dense_rows, points) if sp.issparse(points) else points
        after_epoch = _print_epoch if self.verbose > 1 else None
        options = self._training_options()
        self._keep(fit_one(network, rows, sample, options, device, after_epoch))

    def _prepare(self, points: Any, labels: PULabels) -> tuple[nn.Module, PUSample]:
        """Return the network before training, and the rows and labels it sees."""
        random = check_random_state(self.random_state)
        seed = int(random.randint(np.iinfo(np.int32).max))
        # All copies of a row are hidden from the network, or none; none if labels are few.
        groups = groups_for_folds(points, labels.is_labelled)
        labelled = np.flatnonzero(labelled_groups(groups, labels.is_labelled))
        n_hidden = math.floor(self.validation_share * len(labelled))
        drawn = random.choice(labelled, n_hidden, replace=False)
        is_hidden = labels.is_labelled & np.isin(groups, drawn)
        is_positive = labels.is_labelled & ~is_hidden
        if self.unlabelled_includes_labelled:
            is_unlabelled = np.ones(labels.n_samples, dtype=np.bool_)
            prior = self.prior_
        else:
            is_unlabelled = ~is_positive
            prior = share_of_rest(self.prior_, is_positive, 0.5)
        with seeded(seed):
            network = self._make_network(points.shape[1])
        return network, PUSample(is_positive, is_unlabelled, prior, is_hidden, seed)

    def _keep(self, trained: Trained) -> None:
        self.network_, self._fit_device = trained.network, self.device
        self.n_epochs_, self.best_epoch_ = len(trained.risk), trained.best_epoch
        self.risk_curve_, self.validation_curve_ = trained.risk, trained.validation

    def _settle_outputs(self, points: Any, labels: PULabels) -> None:
        half = 0.0 if self.threshold == "half" else None
        self._settle_answers(self._outputs(points), labels, half)

    def _training_options(self) -> TrainingOptions:
        return TrainingOptions(
            risk="upu",
            loss=self.loss,
            learning_rate=float(self.learning_rate),
            weight_decay=float(self.weight_decay),
            batch_size=int(self.batch_size),
            max_epochs=int(self.max_epochs),
            patience=self.patience,
            # A threshold at the prior only needs a good order of the rows.
            validation="risk" if self.threshold == "half" else "recall",
        )

    def _make_network(self, n_inputs: int) -> nn.Module:
        if isinstance(self.network, nn.Module):
            return copy.deepcopy(self.network)
        if not isinstance(self.network, str):
            network = self.network(n_inputs)
            if not isinstance(network, nn.Module):
                raise TypeError(
                    "network must return a torch.nn.Module when called with the number of inputs, "
                    f"found {type(network).__name__}"
                )
            return network
        if self.network == "cnn" or (self.network == "auto" and self.image_shape is not None):
            shape = self._image_shape(n_inputs)
            if shape is None:
                raise ValueError(
                    "network='cnn' needs image_shape=(channels, height, width), found None"
                )
            return convolutions(shape, self.activation)
        sizes = tuple(self.hidden_layer_sizes)
        if not all(_is_count(size) for size in sizes):
            raise ValueError(
                f"hidden_layer_sizes must be whole numbers above 0, found {self.hidden_layer_sizes}"
            )
        return perceptron(n_inputs, [int(size) for size in sizes], self.activation)

    def _image_shape(self, n_features: int) -> tuple[int, int, int] | None:
        shape = self.image_shape
        if shape is None:
            return None
        if len(shape) != 3 or not all(_is_count(n) for n in shape):
            raise ValueError(
                f"image_shape must be (channels, height, width), whole numbers, found {shape!r}"
            )
        channels, height, width = (int(n) for n in shape)
        if channels * height * width != n_features:
            raise ValueError(
                f"image_shape {tuple(shape)} needs {channels * height * width} columns, X has "
                f"{n_features}"
            )
        if min(height, width) < SMALLEST_IMAGE:
            raise ValueError(
                f"images must be {SMALLEST_IMAGE} pixels high and wide at least, found {shape!r}"
            )
        return channels, height, width

    def _learn_points(self, rows: Any) -> Any:
        """Learn the encoding, and return the rows as the network takes them."""
        self._encoding: Encoding | ImageScale
        X = source_of(rows)
        shape = self._image_shape(X.shape[1])
        if shape is None:
            self._encoding, points = learn_encoding(rows)
            return single_precision(points)
        pixels = pixels_of(X).reshape(X.shape[0], shape[0], -1)
        scale = pixels.std(axis=(0, 2), dtype=np.float64)
        self._encoding = ImageScale(
            pixels.mean(axis=(0, 2), dtype=np.float64), np.where(scale > 0.0, scale, 1.0)
        )
        return self._encoding.encode(pixels)

    def _score_rows(self, X: Any) -> FloatArray:
        X = self._checked_table(X, reset=False)
        if isinstance(self._encoding, ImageScale):
            return self._outputs(self._encoding.encode(pixels_of(X)))
        return self._outputs(single_precision(self._encoding.encode(X)))

    def _outputs(self, points: Any) -> FloatArray:
        """Return the output of the network for each row.

        Computed in double precision and rounded to single: the number of rows in a call changes
        the order of additions, and so the last bits, but not the first ones.
        """
        device = usable_device(self._fit_device, or_cpu=True)
        network = copy.deepcopy(self.network_).to(device=device, dtype=torch.float64)
        outputs = np.empty(points.shape[0])
        with torch.no_grad():
            for start in range(0, len(outputs), _ROWS_AT_ONCE):
                rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(outputs)))
                block = dense_rows(points, rows).to(device=device, dtype=torch.float64)
                outputs[rows] = network(block).flatten().cpu().numpy()
        mantissas, exponents = np.frexp(outputs)
        return np.ldexp(np.round(mantissas * 2.0**24) / 2.0**24, exponents)


class UPUClassifier(NeuralPUClassifier):
    """A network that minimises the unbiased estimate of the risk from positive and unlabelled rows.

    uPU of du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015). Flexible networks overfit this
    estimate, which falls below 0; see `NNPUClassifier`. Known negatives enter the risk as in Sakai,
    du Plessis, Niu and Sugiyama (ICML 2017).

    Notes
    -----
    PyTorch adds up in an order that depends on the number of its threads and on the device: scores
    are the same bits for the same of both, and may differ a little otherwise.

    Columns are standardised, categories one-hot, missing values the mean (`pucut.data.encoding`);
    sparse matrices are scaled and made dense batch by batch. Images are scaled by channel.

    Threshold and probabilities come from in-sample scores of the training rows: scores from five
    folds, for six times the work, were no better overall (docs/design/tried.md).

    There is no `sample_weight`: the risk depends on shares of rows.
    """


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

    _: KW_ONLY
    beta: Annotated[float, NOT_NEGATIVE] = 0.0
    gamma: Annotated[float, Interval(numbers.Real, 0.0, 1.0, closed="both")] = 1.0

    def _training_options(self) -> TrainingOptions:
        return replace(
            super()._training_options(), risk="nnpu", beta=float(self.beta), gamma=float(self.gamma)
        )


def _print_epoch(epoch: int, risk: float, validation: float) -> None:
    print(f"epoch {epoch}: risk {risk:.4f}, on hidden positives {validation:.4f}")


def _is_count(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and int(value) > 0
