"""Training of networks by the risks of uPU and nnPU, one network or many of a shape at once.

du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015) write the risk of a classifier g by positive (P)
and unlabelled (U) rows alone, π being the share of positives in U and l(z) the loss of a margin z:

    R(g) = π E_P[l(g)] + N(g),    N(g) = E_U[l(-g)] - π E_P[l(-g)]

N is the risk of the negatives, so it cannot be below 0; its estimate can, once the network is
flexible enough, and that is how uPU overfits. Kiryo, Niu, du Plessis and Sugiyama (NIPS 2017):
where the N of a batch is below -β, nnPU steps along -γ times its gradient instead.

Each batch holds rows of both kinds, and goes through the network in one piece. Rows of either kind
come in an order that is reshuffled after each pass; an epoch is a pass over U.

Many networks are one: their weights are stacked, the forward pass is mapped over the stack, and
the sum of their risks is minimised, whose terms are separate. Adam works weight by weight.

This file needs numpy and torch only, so that it can be tried on a machine without the package.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

RiskName = Literal["nnpu", "upu"]
LossName = Literal["sigmoid", "logistic"]

LOSSES: Mapping[LossName, Callable[[Tensor], Tensor]] = {
    "sigmoid": lambda margin: torch.sigmoid(-margin),
    "logistic": lambda margin: nn.functional.softplus(-margin),
}
# Rows scored at once while training, over all networks of a stack, and the fewest for each of them:
# a layer of the convolutional network takes 300 kB per row of MNIST.
_ROWS_AT_ONCE = 1 << 11
_LEAST_ROWS_EACH = 64


@dataclass(frozen=True)
class TrainingOptions:
    """How to train; the same for all networks of a stack.

    Attributes
    ----------
    risk, loss
        As above.
    beta, gamma : float
        β and γ of nnPU.
    learning_rate, weight_decay : float
        Of Adam.
    batch_size : int
        Rows of U in a batch, at most.
    positives_per_batch : int, optional
        Rows of P in a batch; by default as many as make an epoch pass over P too (over the largest
        P of a stack).
    max_epochs : int
    patience : int, optional
        Training ends after this many epochs without improvement on hidden positives; None never
        stops early, but the best epoch is still kept.
    validation : {"recall", "risk"}
        What is better: more of the hidden positives among the rows that the prior allows to be
        positive, ties by their mean rank; or a lower risk with the hidden positives as P.
    """

    risk: RiskName = "nnpu"
    loss: LossName = "sigmoid"
    beta: float = 0.0
    gamma: float = 1.0
    learning_rate: float = 3e-4
    weight_decay: float = 0.0
    batch_size: int = 256
    positives_per_batch: int | None = None
    max_epochs: int = 100
    patience: int | None = 10
    validation: str = "recall"


@dataclass(frozen=True, eq=False)
class PUSample:
    """The rows of one network: which are P, which U, which are hidden, and the prior of U.

    `is_hidden` marks rows of U that are known to be positive but hidden from the network.
    """

    is_positive: npt.NDArray[np.bool_]
    is_unlabelled: npt.NDArray[np.bool_]
    prior: float
    is_hidden: npt.NDArray[np.bool_] | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network, in evaluation mode on the CPU, and its training curves.

    Attributes
    ----------
    network : nn.Module
    risk : float array of shape (n_epochs,)
        Mean risk of the batches of each epoch; negative values are not clipped.
    validation : float array of shape (n_epochs,)
        On hidden positives, higher is better; NaN without hidden positives.
    best_epoch : int
        The epoch whose weights these are, from 1.
    """

    network: nn.Module
    risk: npt.NDArray[np.float64]
    validation: npt.NDArray[np.float64]
    best_epoch: int


# The rows with these numbers, (networks, rows), as numbers for the networks: one dimension more.
Rows = Callable[[Tensor], Tensor]
Progress = Callable[[int, float, float], None]


def pu_risk_parts(
    output: Tensor, n_positive: int, prior: Tensor, loss: LossName
) -> tuple[Tensor, Tensor]:
    """π E_P[l(g)] and N(g) of each network, of outputs (networks, rows), those of P first."""
    of_margin = LOSSES[loss]
    positive, unlabelled = output[:, :n_positive], output[:, n_positive:]
    as_positive = prior * of_margin(positive).mean(dim=1)
    negative = of_margin(-unlabelled).mean(dim=1) - prior * of_margin(-positive).mean(dim=1)
    return as_positive, negative


def objective(as_positive: Tensor, negative: Tensor, options: TrainingOptions) -> Tensor:
    """What a step descends, for each network."""
    risk = as_positive + negative
    if options.risk == "upu":
        return risk
    return torch.where(negative < -options.beta, -options.gamma * negative, risk)


def fit_one(
    network: nn.Module,
    rows: Any,
    sample: PUSample,
    options: TrainingOptions,
    device: str | torch.device = "cpu",
    progress: Progress | None = None,
) -> Trained:
    """Trains one network, from the weights it has; the network given is not changed.

    `rows` is an array (rows, features), or a function from row numbers to a tensor of rows.
    `progress` is called after each epoch as progress(epoch, risk, validation).
    """
    where = torch.device(device)
    take = _taker(rows, where)
    model: _Models = _OneModel(copy.deepcopy(network).to(where))
    (trained,) = _train(model, take, [sample], options, where, progress)
    return trained


def fit_many(
    networks: Sequence[nn.Module],
    X: npt.NDArray[Any],
    samples: Sequence[PUSample],
    options: TrainingOptions,
    device: str | torch.device = "cpu",
) -> list[Trained]:
    """Trains networks of one shape at once, each on its own rows: X is (networks, rows, features).

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
    stack = _StackedModels(networks, where)
    return _train(stack, lambda numbers: points[own, numbers], samples, options, where, None)


@contextmanager
def seeded(seed: int, device: str | torch.device = "cpu") -> Iterator[None]:
    """Random draws of torch inside depend on the seed; its state is restored afterwards."""
    where = torch.device(device)
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        torch.default_generator.manual_seed(seed)
        if where.type == "cuda":
            torch.cuda.manual_seed(seed)
        yield


class _OneModel:
    """One network, as a stack of one."""

    def __init__(self, network: nn.Module) -> None:
        self._network = self.module = network
        self.weights = [weight for weight in network.parameters() if weight.requires_grad]

    def train(self, mode: bool) -> None:
        self._network.train(mode)

    def outputs(self, rows: Tensor) -> Tensor:
        return _column(self._network(rows[0]))[None]

    def state(self) -> dict[str, Tensor]:
        """All weights and statistics, the first dimension for the networks; views, no copies."""
        return {name: value[None] for name, value in self._network.state_dict().items()}

    def networks(self) -> list[nn.Module]:
        return [self._network.cpu().eval()]


class _StackedModels:
    """Networks of one shape, their weights and their statistics stacked."""

    def __init__(self, networks: Sequence[nn.Module], device: torch.device) -> None:
        self._networks = [copy.deepcopy(network).to(device) for network in networks]
        weights, self._buffers = torch.func.stack_module_state(self._networks)
        self._weights = dict(weights)
        self.weights = [weight for weight in self._weights.values() if weight.requires_grad]
        self._skeleton = self.module = copy.deepcopy(self._networks[0]).to("meta")
        self._mapped = torch.func.vmap(self._call, randomness="different")

    def _call(self, weights: dict[str, Tensor], buffers: dict[str, Tensor], rows: Tensor) -> Tensor:
        return _column(torch.func.functional_call(self._skeleton, (weights, buffers), (rows,)))

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


_Models = _OneModel | _StackedModels


class _Order:
    """An endless sequence of row numbers, reshuffled after each pass."""

    def __init__(self, numbers: npt.NDArray[np.int64], generator: torch.Generator) -> None:
        self._numbers = torch.from_numpy(numbers)
        self._generator = generator
        self._left = self._numbers[:0]

    def next(self, count: int) -> Tensor:
        parts = [self._left]
        n_drawn = len(self._left)
        while n_drawn < count:
            order = torch.randperm(len(self._numbers), generator=self._generator)
            parts.append(self._numbers[order])
            n_drawn += len(order)
        drawn = torch.cat(parts)
        self._left = drawn[count:]
        return drawn[:count]


class _Batches:
    """Row numbers of each batch, those of P first, for all networks."""

    def __init__(
        self, samples: Sequence[PUSample], options: TrainingOptions, device: torch.device
    ) -> None:
        positive = [np.flatnonzero(sample.is_positive) for sample in samples]
        unlabelled = [np.flatnonzero(sample.is_unlabelled) for sample in samples]
        self.n_unlabelled = min(options.batch_size, max(len(rows) for rows in unlabelled))
        self.n_steps = -(-max(len(rows) for rows in unlabelled) // self.n_unlabelled)
        self.n_positive = options.positives_per_batch or (
            -(-max(len(rows) for rows in positive) // self.n_steps)
        )
        self._device = device
        self._orders = []
        for sample, of_positive, of_unlabelled in zip(samples, positive, unlabelled, strict=True):
            generator = torch.Generator().manual_seed(sample.seed)
            self._orders.append((_Order(of_positive, generator), _Order(of_unlabelled, generator)))

    def epoch(self) -> Iterator[Tensor]:
        steps = self.n_steps
        drawn = [
            torch.cat(
                [
                    of_positive.next(steps * self.n_positive).view(steps, -1),
                    of_unlabelled.next(steps * self.n_unlabelled).view(steps, -1),
                ],
                dim=1,
            )
            for of_positive, of_unlabelled in self._orders
        ]
        return iter(torch.stack(drawn, dim=1).to(self._device))


class _Validation:
    """How well hidden positives are found, for each network; higher is better."""

    def __init__(
        self, samples: Sequence[PUSample], options: TrainingOptions, device: torch.device
    ) -> None:
        self.has_hidden = all(
            sample.is_hidden is not None and sample.is_hidden.any() for sample in samples
        )
        if not self.has_hidden:
            return
        self._by_risk = options.validation == "risk"
        self._loss = LOSSES[options.loss]
        self._risk = options.risk
        self._prior = _tensor([sample.prior for sample in samples], device)
        self._hidden = _mask([sample.is_hidden for sample in samples], device)
        self._unlabelled = _mask([sample.is_unlabelled for sample in samples], device)
        self._others = self._unlabelled & ~_mask([sample.is_positive for sample in samples], device)
        n_positive = [
            sample.prior * sample.is_unlabelled.sum()
            - (sample.is_positive & sample.is_unlabelled).sum()
            for sample in samples
        ]
        n_others = self._others.sum(dim=1)
        # How many of the rows that are not P may be positive: at least the hidden ones.
        wanted = torch.maximum(_tensor(n_positive, device).round().long(), self._hidden.sum(dim=1))
        self._wanted = torch.minimum(wanted, n_others).clamp(min=1)
        self._n_others = n_others

    def __call__(self, outputs: Tensor) -> Tensor:
        if self._by_risk:
            return -self._hidden_risk(outputs)
        ranked = outputs.masked_fill(~self._others, -torch.inf)
        falling = ranked.sort(dim=1, descending=True).values
        least = falling.gather(1, self._wanted[:, None] - 1)
        recall = _mean(ranked >= least, self._hidden)
        # Shares below the score, to break ties; never as much as one row.
        rising = falling.flip(1).contiguous()
        n_below = torch.searchsorted(rising, ranked.contiguous())
        n_below = n_below - (outputs.shape[1] - self._n_others)[:, None]
        rank = _mean(n_below / self._n_others[:, None], self._hidden)
        return recall + 0.5 * rank / self._hidden.sum(dim=1)

    def _hidden_risk(self, outputs: Tensor) -> Tensor:
        as_positive = self._prior * _mean(self._loss(outputs), self._hidden)
        negative = _mean(self._loss(-outputs), self._unlabelled)
        negative = negative - self._prior * _mean(self._loss(-outputs), self._hidden)
        return as_positive + (negative.clamp(min=0.0) if self._risk == "nnpu" else negative)


class _RunningAverages:
    """Makes the statistics of batch normalisation means of all batches, while these are few.

    They start at mean 0 and variance 1, which a momentum of a tenth per step takes long to forget,
    and networks are judged by them from the first epoch on.
    """

    def __init__(self, module: nn.Module) -> None:
        self._layers = [
            (layer, float(layer.momentum))
            for layer in module.modules()
            if isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.momentum is not None
        ]
        self._n_steps = 0

    def begin_step(self) -> None:
        self._n_steps += 1
        for layer, momentum in self._layers:
            layer.momentum = max(momentum, 1.0 / self._n_steps)

    def finish(self) -> None:
        for layer, momentum in self._layers:
            layer.momentum = momentum


def _train(
    models: _Models,
    take: Rows,
    samples: Sequence[PUSample],
    options: TrainingOptions,
    device: torch.device,
    progress: Progress | None,
) -> list[Trained]:
    batches = _Batches(samples, options, device)
    validation = _Validation(samples, options, device)
    averages = _RunningAverages(models.module)
    optimiser = torch.optim.Adam(
        models.weights,
        lr=options.learning_rate,
        weight_decay=options.weight_decay,
        fused=device.type in {"cpu", "cuda"},
    )
    prior = _tensor([sample.prior for sample in samples], device)
    is_active = torch.ones(len(samples), dtype=torch.bool, device=device)
    best = torch.full((len(samples),), -torch.inf, device=device)
    best_epoch = torch.full((len(samples),), options.max_epochs, device=device)
    kept: dict[str, Tensor] = {}
    risks, values = [], []
    n_rows = len(samples[0].is_positive)
    with (
        seeded(samples[0].seed, device),
        torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True),
    ):
        for epoch in range(1, options.max_epochs + 1):
            models.train(True)
            total = torch.zeros(len(samples), device=device)
            for numbers in batches.epoch():
                averages.begin_step()
                outputs = models.outputs(take(numbers))
                parts = pu_risk_parts(outputs, batches.n_positive, prior, options.loss)
                optimiser.zero_grad()
                # PyTorch gives `backward` no types.
                objective(*parts, options).sum().backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += (parts[0] + parts[1]).detach()
            risks.append((total / batches.n_steps).cpu().double().numpy())
            value = torch.full((len(samples),), torch.nan, device=device)
            if validation.has_hidden:
                models.train(False)
                value = validation(_outputs_of_all(models, take, len(samples), n_rows, device))
                is_better = is_active & (value > best)
                best = torch.where(is_better, value, best)
                best_epoch = torch.where(is_better, epoch, best_epoch)
                kept = _kept(models.state(), kept, is_better)
                if options.patience is not None:
                    is_active &= epoch - best_epoch < options.patience
            values.append(value.cpu().double().numpy())
            if progress is not None:
                progress(epoch, float(risks[-1][0]), float(values[-1][0]))
            if not bool(is_active.any()):
                break
    averages.finish()
    if kept:
        with torch.no_grad():
            for name, current in models.state().items():
                current.copy_(kept[name])
    return [
        Trained(network, risk, of_validation, int(epoch))
        for network, risk, of_validation, epoch in zip(
            models.networks(), np.transpose(risks), np.transpose(values), best_epoch, strict=True
        )
    ]


def _outputs_of_all(
    models: _Models, take: Rows, n_models: int, n_rows: int, device: torch.device
) -> Tensor:
    step = max(_LEAST_ROWS_EACH, _ROWS_AT_ONCE // n_models)
    with torch.no_grad():
        parts = [
            models.outputs(take(numbers.expand(n_models, -1)))
            for numbers in torch.split(torch.arange(n_rows, device=device), step)
        ]
    return torch.cat(parts, dim=1)


def _kept(
    current: Mapping[str, Tensor], kept: Mapping[str, Tensor], is_better: Tensor
) -> dict[str, Tensor]:
    """The new weights of the networks that improved, and the kept weights of the others."""
    if not kept:
        return {name: value.clone() for name, value in current.items()}
    if not bool(is_better.any()):
        return dict(kept)
    return {
        name: torch.where(is_better.view(-1, *[1] * (value.ndim - 1)), value, kept[name])
        for name, value in current.items()
    }


def _taker(rows: Any, device: torch.device) -> Rows:
    if callable(rows):
        return lambda numbers: rows(numbers[0]).to(device)[None]
    points = torch.as_tensor(rows, dtype=torch.float32).to(device)
    return lambda numbers: points[numbers[0]][None]


def _column(output: Tensor) -> Tensor:
    """One number per row, from a network that gives (rows,) or (rows, 1)."""
    if output.ndim > 2 or (output.ndim == 2 and output.shape[1] != 1):
        raise ValueError(
            "the network must give one number per row, of shape (rows,) or (rows, 1), found "
            f"{tuple(output.shape)}"
        )
    return output.flatten()


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Of each network, over the rows of the mask."""
    return (values * mask).sum(dim=1) / mask.sum(dim=1)


def _tensor(values: Sequence[float], device: torch.device) -> Tensor:
    return torch.tensor([float(value) for value in values], dtype=torch.float32, device=device)


def _mask(masks: Sequence[npt.NDArray[np.bool_] | None], device: torch.device) -> Tensor:
    return torch.from_numpy(np.stack([mask for mask in masks if mask is not None])).to(device)
