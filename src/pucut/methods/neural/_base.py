"""What uPU and nnPU share: all but the choice of the risk."""

import copy
import math
import numbers
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

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.constraints import PRIOR_CONSTRAINTS, THRESHOLD_CONSTRAINTS
from pucut.data.encoding import Encoding, learn_encoding
from pucut.data.known_rows import RepeatedRows, with_known_rows
from pucut.data.labels import PULabels
from pucut.data.repeats import groups_for_folds, labelled_groups
from pucut.data.row_order import IndexArray, in_order, row_order
from pucut.methods._base import PUClassifier
from pucut.methods.neural._networks import (
    ACTIVATIONS,
    SMALLEST_IMAGE,
    convolutions,
    perceptron,
)
from pucut.methods.neural._training import (
    LOSSES,
    PUSample,
    Trained,
    TrainingOptions,
    fit_one,
    seeded,
)
from pucut.methods.steps import CallbackSupportMixin, FitSteps, with_callbacks

_ROWS_AT_ONCE = 1024


@dataclass(frozen=True, eq=False)
class _ImageScale:
    """Pixels to mean 0 and standard deviation 1 over each channel, not over each pixel.

    A pixel that is nearly always dark would otherwise count as much as one in the middle.
    """

    mean: FloatArray
    scale: FloatArray

    def encode(self, X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        channels = X.reshape(len(X), len(self.mean), -1)
        scaled = (channels - self.mean[:, None]) / self.scale[:, None]
        return scaled.reshape(len(X), -1).astype(np.float32)


class _NeuralPUClassifier(CallbackSupportMixin, PUClassifier):
    """All but the choice of the risk."""

    _uses_negatives: ClassVar[bool] = True
    _holds_libraries_back: ClassVar[bool] = False
    _answers_rest_on: ClassVar[tuple[str, ...] | None] = ("_encoding", "network_", "_fit_device")

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
        "neg_label": "no_validation",
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
            Flattened images, channels first, if `image_shape` is given.
        y : array-like of shape (n_samples,)
            Two values, one for labelled positives (the larger number, a word such as "yes", or
            `pos_label`) and the other for unlabelled rows; missing values mean unlabelled too. With
            `neg_label` known negatives, and everything else is unlabelled.
        """
        device = _device(self.device)
        X = self._checked_table(X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        order = row_order(X, labels.signs)
        X, labels = in_order(X, order), labels.in_order(order)
        steps = FitSteps(self, n_steps=4, verbose=int(self.verbose))
        with steps.step("points"):
            points = self._learn_points(X)
        with steps.step("prior"):
            self._settle_prior(X, labels)
        with steps.step("training"):
            self._train(points, labels, device)
        with steps.step("answers"):
            self._settle_outputs(points, labels)
            self._set_in_given_order(order)
        steps.finish()
        self.step_seconds_ = steps.seconds
        return self

    def _train(self, points: Any, labels: PULabels, device: torch.device) -> None:
        network, sample = self._prepare(points, labels)
        if labels.n_negative:
            known = with_known_rows(
                sample.is_positive,
                labels.is_negative,
                sample.prior,
                includes_labelled=self.unlabelled_includes_labelled,
            )
            points, sample = points[known.rows], _repeated(sample, known)
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
        """The network before training, and the rows and labels it sees."""
        random = check_random_state(self.random_state)
        seed = int(random.randint(np.iinfo(np.int32).max))
        groups = groups_for_folds(points, labels.is_labelled)
        is_hidden = self._draw_hidden(labels, groups, random)
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

    def _print_epoch(self, epoch: int, risk: float, validation: float) -> None:
        print(f"epoch {epoch}: risk {risk:.4f}, on hidden positives {validation:.4f}")

    def _draw_hidden(self, labels: PULabels, groups: IndexArray, random: Any) -> BoolArray:
        """The labelled rows hidden from the network, of copies all or none; none if few."""
        labelled = np.flatnonzero(labelled_groups(groups, labels.is_labelled))
        n_hidden = math.floor(self.validation_share * len(labelled))
        drawn = random.choice(labelled, n_hidden, replace=False)
        return np.asarray(labels.is_labelled & np.isin(groups, drawn))

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
        """The rows as the network takes them; stores how to encode later rows."""
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
        """The output of the network for each row.

        Computed in double precision and rounded to single: the number of rows in a call changes
        the order of additions, and so the last bits, but not the first ones.
        """
        device = _device(self._fit_device, or_cpu=True)
        network = copy.deepcopy(self.network_).to(device=device, dtype=torch.float64)
        outputs = np.empty(points.shape[0])
        with torch.no_grad():
            for start in range(0, len(outputs), _ROWS_AT_ONCE):
                rows = np.arange(start, min(start + _ROWS_AT_ONCE, len(outputs)))
                block = _dense(points, rows).to(device=device, dtype=torch.float64)
                outputs[rows] = network(block).flatten().cpu().numpy()
        mantissas, exponents = np.frexp(outputs)
        return np.ldexp(np.round(mantissas * 2.0**24) / 2.0**24, exponents)


def _repeated(sample: PUSample, known: RepeatedRows) -> PUSample:
    """The sample with known rows again in its unlabelled set."""
    is_own = np.arange(len(known.rows)) < len(sample.is_positive)
    hidden = sample.is_hidden
    return replace(
        sample,
        is_positive=known.is_labelled,
        is_unlabelled=sample.is_unlabelled[known.rows] | ~is_own,
        is_hidden=None if hidden is None else hidden[known.rows],
    )


def _single_precision(points: Any) -> Any:
    """As float32; values too large for it, as in rows far from the training rows, are clipped."""
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
    """The device asked for; with `or_cpu`, the CPU if there is none of its kind.

    A classifier fitted on a GPU must work on a machine without one. Scores are in double
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
