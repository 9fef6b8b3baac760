"""uPU and nnPU as scikit-learn classifiers; the training itself is in pucut.pu_training."""

import copy
import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from torch import nn

from pucut._checks import BoolArray, FloatArray
from pucut.encoding import Encoding, learn_encoding
from pucut.estimators._base import PRIOR_CONSTRAINTS, THRESHOLD_CONSTRAINTS, PUClassifier
from pucut.estimators._steps import CallbackSupportMixin, FitSteps, with_callbacks
from pucut.networks import (
    ACTIVATIONS,
    HIDDEN_LAYER_SIZES,
    SMALLEST_IMAGE,
    convolutions,
    perceptron,
)
from pucut.pu_labels import PULabels
from pucut.pu_training import LOSSES, PUSample, Trained, TrainingOptions, fit_one, seeded

_ROWS_AT_ONCE = 1024


@dataclass(frozen=True, eq=False)
class _ImageScale:
    """Pixels to mean 0 and standard deviation 1 over each channel, not over each pixel.

    A pixel that is nearly always dark would otherwise count as much as one of the middle.
    """

    mean: FloatArray
    scale: FloatArray

    def encode(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        channels = X.reshape(len(X), len(self.mean), -1)
        scaled = (channels - self.mean[:, None]) / self.scale[:, None]
        return scaled.reshape(len(X), -1).astype(np.float32)


class _NeuralPUClassifier(CallbackSupportMixin, PUClassifier):
    """All but the choice of the risk."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "network": [StrOptions({"auto", "mlp", "cnn"}), callable],
        "prior": PRIOR_CONSTRAINTS,
        "loss": [StrOptions(set(LOSSES))],
        "hidden_layer_sizes": ["array-like"],
        "activation": [StrOptions(set(ACTIVATIONS))],
        "image_shape": [tuple, list, None],
        "learning_rate": [Interval(numbers.Real, 0.0, None, closed="neither")],
        "weight_decay": [Interval(numbers.Real, 0.0, None, closed="left")],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_epochs": [Interval(numbers.Integral, 1, None, closed="left")],
        "patience": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "validation_share": [Interval(numbers.Real, 0.0, 1.0, closed="left")],
        "unlabelled_includes_labelled": ["boolean"],
        "threshold": THRESHOLD_CONSTRAINTS,
        "pos_label": "no_validation",
        "device": [str, torch.device],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        is_table = self.image_shape is None
        tags.input_tags.allow_nan = is_table
        tags.input_tags.sparse = is_table
        tags.input_tags.categorical = is_table
        tags.input_tags.string = is_table
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Trains the network and finds the threshold.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Images laid flat, channels first, where `image_shape` is given.
        y : array-like of shape (n_samples,)
            Two values, the larger (or `pos_label`) for labelled positives and the other for
            unlabelled rows; missing values mean unlabelled too.
        """
        device = _device(self.device)
        X = self._checked_table(X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        steps = FitSteps(self, n_steps=4, verbose=int(self.verbose))
        with steps.step("points"):
            points = self._learn_points(X)
        with steps.step("prior"):
            self._settle_prior(X, labels)
        with steps.step("training"):
            self._train(points, labels, device)
        with steps.step("answers"):
            self._settle_outputs(points, labels)
        steps.finish()
        self.step_seconds_ = steps.seconds
        return self

    def _train(self, points: Any, labels: PULabels, device: torch.device) -> None:
        network, sample = self._prepare(points, labels)
        trained = fit_one(
            network,
            (lambda rows: _dense(points, rows.cpu().numpy())) if sp.issparse(points) else points,
            sample,
            self._training_options(),
            device,
            self._print_epoch if self.verbose > 1 else None,
        )
        self._keep(trained)

    def _prepare(self, points: Any, labels: PULabels) -> tuple[nn.Module, PUSample]:
        """The network before training, and what it is told of the rows."""
        random = check_random_state(self.random_state)
        seed = int(random.randint(np.iinfo(np.int32).max))
        is_hidden = self._draw_hidden(labels, random)
        is_positive = labels.is_labelled & ~is_hidden
        if self.unlabelled_includes_labelled:
            is_unlabelled = np.ones(labels.n_samples, dtype=np.bool_)
            prior = self.prior_
        else:
            is_unlabelled = ~is_positive
            n_positive = self.prior_ * labels.n_samples - is_positive.sum()
            # Half a row at least: without any positive in it, the set would say nothing.
            prior = max(n_positive, 0.5) / int(is_unlabelled.sum())
        with seeded(seed):
            network = self._make_network(points.shape[1])
        return network, PUSample(is_positive, is_unlabelled, prior, is_hidden, seed)

    def _keep(self, trained: Trained) -> None:
        self.network_ = trained.network
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
            # A threshold that meets the prior asks for a good order of the rows only.
            validation="risk" if self.threshold == "half" else "recall",
        )

    def _print_epoch(self, epoch: int, risk: float, validation: float) -> None:
        print(f"epoch {epoch}: risk {risk:.4f}, on hidden positives {validation:.4f}")

    def _draw_hidden(self, labels: PULabels, random: Any) -> BoolArray:
        """The labelled rows that the network is not told of; none where they are too few."""
        labelled = np.flatnonzero(labels.is_labelled)
        hidden = np.zeros(labels.n_samples, dtype=np.bool_)
        n_hidden = math.floor(self.validation_share * len(labelled))
        hidden[random.choice(labelled, n_hidden, replace=False)] = True
        return hidden

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
                f"image_shape {tuple(shape)} asks for {channels * height * width} columns, X has "
                f"{n_features}"
            )
        if min(height, width) < SMALLEST_IMAGE:
            raise ValueError(
                f"images must be {SMALLEST_IMAGE} pixels high and wide at least, found {shape!r}"
            )
        return channels, height, width

    def _learn_points(self, X: Any) -> Any:
        """The rows as the network takes them; sets how later rows are made so."""
        self._encoding: Encoding | _ImageScale
        shape = self._image_shape(X.shape[1])
        if shape is None:
            self._encoding, points = learn_encoding(X)
            return _single_precision(points)
        pixels = _pixels(X).reshape(X.shape[0], shape[0], -1)
        scale = pixels.std(axis=(0, 2), dtype=np.float64)
        self._encoding = _ImageScale(
            pixels.mean(axis=(0, 2), dtype=np.float64), np.where(scale > 0.0, scale, 1.0)
        )
        return self._encoding.encode(pixels)

    def _score_rows(self, X: Any) -> FloatArray:
        X = self._checked_table(X, reset=False)
        if isinstance(self._encoding, _ImageScale):
            return self._outputs(self._encoding.encode(_pixels(X)))
        return self._outputs(_single_precision(self._encoding.encode(X)))

    def _outputs(self, points: Any) -> FloatArray:
        """What the network says of each row.

        Computed in double precision and rounded to the digits of single: how many rows are asked
        together changes the order of additions, and so the last bits, but not the first ones.
        """
        device = _device(self.device, or_cpu=True)
        network = copy.deepcopy(self.network_).to(device=device, dtype=torch.float64)
        outputs = np.empty(points.shape[0])
        with torch.no_grad():
            for start in range(0, len(outputs), _ROWS_AT_ONCE):
                rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(outputs)))
                block = _dense(points, rows).to(device=device, dtype=torch.float64)
                outputs[rows] = network(block).flatten().cpu().numpy()
        mantissas, exponents = np.frexp(outputs)
        return np.ldexp(np.round(mantissas * 2.0**24) / 2.0**24, exponents)


def _single_precision(points: Any) -> Any:
    """As float32; what is too large for it, as in rows far from all those of `fit`, its limits."""
    largest = float(np.finfo(np.float32).max)
    is_sparse = sp.issparse(points)
    if not is_sparse:
        return np.clip(points, -largest, largest).astype(np.float32)
    limited = points.copy()
    limited.data = np.clip(limited.data, -largest, largest)
    return limited.astype(np.float32)


def _dense(points: Any, rows: npt.NDArray[Any]) -> torch.Tensor:
    block: Any = points[rows]
    return torch.from_numpy(block.toarray() if sp.issparse(points) else block)


def _is_count(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and int(value) > 0


def _pixels(X: Any) -> npt.NDArray[Any]:
    if sp.issparse(X):
        raise ValueError("images must be a dense array, found a sparse matrix: use X.toarray()")
    pixels = np.asarray(X)
    if pixels.dtype.kind not in "biuf":
        raise ValueError(f"images must be numbers, found dtype {pixels.dtype}")
    if pixels.dtype.kind == "f" and np.isnan(pixels).any():
        raise ValueError("images must not hold missing values, found NaN")
    return pixels


def _device(device: Any, *, or_cpu: bool = False) -> torch.device:
    """The device asked for; `or_cpu` answers by the CPU where there is none of its kind.

    A classifier fitted on a GPU shall answer on a machine without one. Scores are in double
    precision, which Apple's GPUs do not have.
    """
    has_cuda = torch.cuda.is_available()
    if isinstance(device, str) and device == "auto":
        return torch.device("cuda" if has_cuda else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ValueError(
            f"device must be 'auto' or a device of PyTorch, like 'cpu' or 'cuda', found {device!r}"
        ) from error
    if or_cpu and (found.type == "mps" or (found.type == "cuda" and not has_cuda)):
        return torch.device("cpu")
    if found.type == "cuda" and not has_cuda:
        raise ValueError(
            f"device is {device!r}, but PyTorch finds no GPU here: use 'auto' or 'cpu'"
        )
    return found


class UPUClassifier(_NeuralPUClassifier):
    """A network that minimises the unbiased estimate of the risk from positive and unlabelled rows.

    uPU of du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015). Flexible networks overfit this
    estimate, which falls below 0; see `NNPUClassifier`.

    Parameters
    ----------
    network : "auto", "mlp", "cnn", nn.Module or callable, default="auto"
        The perceptron of six layers, for images (`image_shape`) the convolutional network of
        thirteen; or any other that gives one number a row: a module, trained on from the weights
        it has, or a function that makes one for a number of inputs. A module given is copied.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`).
    loss : {"sigmoid", "logistic"}, default="sigmoid"
        The logistic loss is not bounded, and with it the risk of uPU not from below.
    hidden_layer_sizes : sequence of int, default=(300, 300, 300, 300, 300)
        Of the perceptron; each layer is normalised over the batch.
    activation : {"relu", "softsign"}, default="relu"
        The papers use Softsign for texts.
    image_shape : (channels, height, width), optional
        Rows are images laid flat, channels first.
    learning_rate, weight_decay : float, default=3e-4 and 0
        Of Adam.
    batch_size : int, default=256
        Unlabelled rows in a batch. Labelled ones come on top, so many that they are gone through
        as often.
    max_epochs : int, default=100
        Passes over the unlabelled rows, at most.
    patience : int or None, default=10
        Training ends after so many epochs that were no better on the hidden positives.
    validation_share : float, default=0.1
        Share of the labelled rows that is hidden among the unlabelled, to see after which epoch
        the network finds most of them; its weights of then are kept. Where that is less than one
        row, and with 0, the last weights are.
    unlabelled_includes_labelled : bool, default=True
        Whether the unlabelled set of the risk is all rows, as where some rows of one sample got
        labels, or only the rows without a label.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the rows of `fit`
        exceeds; or, as the method's authors do, above 0.
    pos_label : value of y, optional
        The value that means labelled positive, where it is not the larger of the two.
    device : str or torch.device, default="auto"
        Where to train; "auto" is a GPU if PyTorch finds one that it can use by CUDA. Fitted
        classifiers are kept on the CPU, and answer on this device if there is one like it.
    verbose : int, default=0
        1 prints the steps, 2 the epochs too.
    random_state : int, RandomState instance or None, default=None
        For the weights, the batches, the hidden positives and the estimate of the prior. PyTorch's
        own random state is neither used nor changed.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    network_ : nn.Module
        In evaluation mode, on the CPU; takes encoded rows.
    n_epochs_, best_epoch_ : int
        Epochs trained, and the one whose weights were kept, from 1.
    risk_curve_, validation_curve_ : float arrays of shape (`n_epochs_`,)
        Mean risk of the batches, and what decides on the best epoch: the share of the hidden
        positives found (a little more for a better mean rank), or, where `threshold` is "half",
        minus the risk with them for the labelled rows. NaN where none are hidden.
    prior_ : float
        The prior that was used.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None where it was given.
    scores_ : float array of shape (n_samples,)
        Outputs of the network for the rows of `fit`, which it has seen.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the rows of `fit`: the labelled rows are positive, and so many of the best others
        that the share of all is the prior, or those above 0.
    step_seconds_ : dict
        Seconds of each step of `fit`.
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        Where X has names for all columns.

    Notes
    -----
    Columns are standardised, categories one-hot, missing values the mean (`pucut.encoding`);
    sparse matrices are scaled and made dense batch by batch. Images are scaled by channel.

    Threshold and probabilities come from the scores of the rows of `fit`, which the network has
    seen: scores out of five folds, for six times the work, were no better on the whole
    (benchmarks/NOTES.md).

    There is no `sample_weight`: the risk rests on shares of rows.
    """

    def __init__(
        self,
        network: str | nn.Module | Callable[[int], nn.Module] = "auto",
        *,
        prior: Any = "auto",
        loss: str = "sigmoid",
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
        device: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.network = network
        self.prior = prior
        self.loss = loss
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
        self.device = device
        self.verbose = verbose
        self.random_state = random_state


class NNPUClassifier(_NeuralPUClassifier):
    """A network that minimises the non-negative estimate of the risk.

    nnPU of Kiryo, Niu, du Plessis and Sugiyama (NIPS 2017). Where a batch says that the negatives
    have a risk below -beta, which is impossible but for overfitting, the step goes the other way.

    Parameters
    ----------
    beta : float, default=0
        How far below 0 the risk of the negatives in a batch may fall.
    gamma : float, default=1
        Length of the step back, relative to the others.
    network, prior, loss, hidden_layer_sizes, activation, image_shape, learning_rate, \
weight_decay, batch_size, max_epochs, patience, validation_share, \
unlabelled_includes_labelled, threshold, pos_label, device, verbose, random_state
        As in `UPUClassifier`.

    Attributes
    ----------
    classes_, network_, n_epochs_, best_epoch_, risk_curve_, validation_curve_, prior_, \
prior_estimate_, scores_, threshold_, transduction_, step_seconds_
        As in `UPUClassifier`.
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
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _training_options(self) -> TrainingOptions:
        return replace(
            super()._training_options(), risk="nnpu", beta=float(self.beta), gamma=float(self.gamma)
        )
