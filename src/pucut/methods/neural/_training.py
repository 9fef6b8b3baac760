"""Training of networks by the risks of uPU and nnPU.

du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015) write the risk of a classifier g by positive (P)
and unlabelled (U) rows alone, π being the share of positives in U and l(z) the loss of a margin z:

    R(g) = π E_P[l(g)] + N(g),    N(g) = E_U[l(-g)] - π E_P[l(-g)]

N is the risk of the negatives, so it cannot be below 0; its estimate can, once the network is
flexible enough, and that is how uPU overfits. Kiryo, Niu, du Plessis and Sugiyama (NIPS 2017):
where the N of a batch is below -β, nnPU steps along -γ times its gradient instead.

Each batch holds rows of both kinds, and goes through the network in one piece. Rows of either kind
come in an order that is reshuffled after each pass; an epoch is a pass over U.

`train` takes a stack of networks of one shape, here a stack of one. It minimises the sum of their
risks, whose terms are separate; Adam works weight by weight.

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
    """Settings of the training, the same for all networks of a stack."""

    risk: RiskName = "nnpu"
    loss: LossName = "sigmoid"
    beta: float = 0.0  # β and γ of nnPU
    gamma: float = 1.0
    learning_rate: float = 3e-4
    weight_decay: float = 0.0
    batch_size: int = 256  # rows of U, at most
    positives_per_batch: int | None = None  # None: as many as pass over P in an epoch
    max_epochs: int = 100
    patience: int | None = 10  # epochs without improvement until training ends; None: all epochs
    # The best epoch is kept, by the share of the hidden positives among the rows that the prior
    # allows to be positive, ties by their mean rank ("recall"), or by the "risk" with them as P.
    validation: str = "recall"


@dataclass(frozen=True, eq=False)
class PUSample:
    """The rows of one network (P, U, and those hidden from it), and the prior of U."""

    is_positive: npt.NDArray[np.bool_]
    is_unlabelled: npt.NDArray[np.bool_]
    prior: float
    is_hidden: npt.NDArray[np.bool_] | None = None  # known positives that the network has in U
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network, in evaluation mode on the CPU, and its curves over the epochs."""

    network: nn.Module
    risk: npt.NDArray[np.float64]  # mean of the batches; negative values are not clipped
    validation: npt.NDArray[np.float64]  # higher is better; NaN without hidden positives
    best_epoch: int  # the one whose weights these are, from 1


# From row numbers, (networks, rows), to the rows: one dimension more.
TakeRows = Callable[[Tensor], Tensor]
# Called with the epoch, the risk and the value on hidden positives.
AfterEpoch = Callable[[int, float, float], None]


def pu_risk_parts(
    output: Tensor, n_positive: int, prior: Tensor, loss: LossName
) -> tuple[Tensor, Tensor]:
    """Return π E_P[l(g)] and N(g) of each network, from outputs (networks, rows), P first."""
    of_margin = LOSSES[loss]
    positive, unlabelled = output[:, :n_positive], output[:, n_positive:]
    as_positive = prior * of_margin(positive).mean(dim=1)
    negative = of_margin(-unlabelled).mean(dim=1) - prior * of_margin(-positive).mean(dim=1)
    return as_positive, negative


def objective(as_positive: Tensor, negative: Tensor, options: TrainingOptions) -> Tensor:
    """Return the function that a step descends, for each network."""
    risk = as_positive + negative
    if options.risk == "upu":
        return risk
    return torch.where(negative < -options.beta, -options.gamma * negative, risk)


def fit_one(
    network: nn.Module,
    rows: Any,  # an array (rows, features), or a function from row numbers to a tensor
    sample: PUSample,
    options: TrainingOptions,
    device: str | torch.device = "cpu",
    after_epoch: AfterEpoch | None = None,
) -> Trained:
    """Train a copy of a network, from the weights it has."""
    where = torch.device(device)
    points = None if callable(rows) else torch.as_tensor(rows, dtype=torch.float32).to(where)

    def take(numbers: Tensor) -> Tensor:
        if points is None:
            return rows(numbers[0].cpu().numpy()).to(where)[None]  # type: ignore[no-any-return]
        return points[numbers[0]][None]

    model = OneNetwork(copy.deepcopy(network).to(where))
    (trained,) = train(model, take, [sample], options, where, after_epoch)
    return trained


@contextmanager
def seeded(seed: int, device: str | torch.device = "cpu") -> Iterator[None]:
    """Seed the random draws of torch inside; its own state is restored afterwards."""
    where = torch.device(device)
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        torch.default_generator.manual_seed(seed)
        if where.type == "cuda":
            torch.cuda.manual_seed(seed)
        yield


class OneNetwork:
    """A stack of one network."""

    def __init__(self, network: nn.Module) -> None:
        self._network = self.module = network
        self.weights = [weight for weight in network.parameters() if weight.requires_grad]

    def train(self, mode: bool) -> None:
        self._network.train(mode)

    def outputs(self, rows: Tensor) -> Tensor:
        return one_column(self._network(rows[0]))[None]

    def state(self) -> dict[str, Tensor]:
        """Return all weights and statistics as views, with one dimension more for the networks."""
        return {name: value[None] for name, value in self._network.state_dict().items()}

    def networks(self) -> list[nn.Module]:
        return [self._network.cpu().eval()]


def _shuffled(
    numbers: npt.NDArray[np.int64], count: int, generator: torch.Generator
) -> Iterator[Tensor]:
    """Yield the next `count` row numbers without end, reshuffled after each pass."""
    rows = torch.from_numpy(numbers)
    drawn = rows[:0]
    while True:
        while len(drawn) < count:
            drawn = torch.cat([drawn, rows[torch.randperm(len(rows), generator=generator)]])
        yield drawn[:count]
        drawn = drawn[count:]


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
        for sample, *kinds in zip(samples, positive, unlabelled, strict=True):
            generator = torch.Generator().manual_seed(sample.seed)
            sizes = zip(kinds, (self.n_positive, self.n_unlabelled), strict=True)
            self._orders.append(
                [_shuffled(rows, self.n_steps * size, generator) for rows, size in sizes]
            )

    def epoch(self) -> Iterator[Tensor]:
        drawn = [
            torch.cat([next(order).view(self.n_steps, -1) for order in orders], dim=1)
            for orders in self._orders
        ]
        return iter(torch.stack(drawn, dim=1).to(self._device))


class _Validation:
    """The recall of hidden positives, or minus their risk, of each network."""

    def __init__(
        self, samples: Sequence[PUSample], options: TrainingOptions, device: torch.device
    ) -> None:
        hidden = [sample.is_hidden for sample in samples if sample.is_hidden is not None]
        self.has_hidden = len(hidden) == len(samples) and all(mask.any() for mask in hidden)
        if not self.has_hidden:
            return
        self._options, self._loss = options, LOSSES[options.loss]
        self._prior = _tensor([sample.prior for sample in samples], device)
        self._hidden = _mask(hidden, device)
        self._unlabelled = _mask([sample.is_unlabelled for sample in samples], device)
        self._others = self._unlabelled & ~_mask([sample.is_positive for sample in samples], device)
        n_positive = [
            sample.prior * sample.is_unlabelled.sum()
            - (sample.is_positive & sample.is_unlabelled).sum()
            for sample in samples
        ]
        n_others = self._others.sum(dim=1)
        # Number of rows outside P that may be positive: at least the hidden ones.
        wanted = torch.maximum(_tensor(n_positive, device).round().long(), self._hidden.sum(dim=1))
        self._wanted = torch.minimum(wanted, n_others).clamp(min=1)
        self._n_others = n_others

    def __call__(self, outputs: Tensor) -> Tensor:
        if self._options.validation == "risk":
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
        return as_positive + (negative.clamp(min=0.0) if self._options.risk == "nnpu" else negative)


class _RunningAverages:
    """Statistics of batch normalisation as means of all batches, while these are few.

    They start at mean 0 and variance 1, which a momentum of a tenth per step takes long to forget.
    Hidden positives are scored with them from the first epoch on.
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


def train(
    models: OneNetwork,
    take: TakeRows,
    samples: Sequence[PUSample],
    options: TrainingOptions,
    device: torch.device,
    after_epoch: AfterEpoch | None = None,
) -> list[Trained]:
    """Train all networks of the stack, and return each with its training curves."""
    batches = _Batches(samples, options, device)
    validation = _Validation(samples, options, device)
    averages = _RunningAverages(models.module)
    best = _BestEpochs(len(samples), options, device)
    fused = device.type in {"cpu", "cuda"}
    optimiser = torch.optim.Adam(
        models.weights, options.learning_rate, weight_decay=options.weight_decay, fused=fused
    )
    prior = _tensor([sample.prior for sample in samples], device)
    risks, values = [], []
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
                value = validation(_outputs_of_all(models, take, samples, device))
                best.update(epoch, value, models.state())
            values.append(value.cpu().double().numpy())
            if after_epoch is not None:
                after_epoch(epoch, float(risks[-1][0]), float(values[-1][0]))
            if best.is_final:
                break
    averages.finish()
    best.restore(models.state())
    columns = models.networks(), np.transpose(risks), np.transpose(values), best.epochs.tolist()
    return [Trained(*one) for one in zip(*columns, strict=True)]


class _BestEpochs:
    """The epoch at which each network did best, and its weights then."""

    def __init__(self, n_networks: int, options: TrainingOptions, device: torch.device) -> None:
        self.epochs = torch.full((n_networks,), options.max_epochs, device=device)
        self._values = torch.full((n_networks,), -torch.inf, device=device)
        self._patience = options.patience
        self._is_active = torch.ones(n_networks, dtype=torch.bool, device=device)
        self._weights: dict[str, Tensor] = {}

    @property
    def is_final(self) -> bool:
        """True once the patience of every network has ended."""
        return not bool(self._is_active.any())

    def update(self, epoch: int, values: Tensor, weights: Mapping[str, Tensor]) -> None:
        is_better = self._is_active & (values > self._values)
        self._values = torch.where(is_better, values, self._values)
        self.epochs = torch.where(is_better, epoch, self.epochs)
        if not self._weights:
            self._weights = {name: value.clone() for name, value in weights.items()}
        elif bool(is_better.any()):
            for name, value in weights.items():
                is_new = is_better.view(-1, *[1] * (value.ndim - 1))
                self._weights[name] = torch.where(is_new, value, self._weights[name])
        if self._patience is not None:
            self._is_active &= epoch - self.epochs < self._patience

    def restore(self, weights: Mapping[str, Tensor]) -> None:
        """Set the current weights to the best ones, if any were kept."""
        with torch.no_grad():
            for name, kept in self._weights.items():
                weights[name].copy_(kept)


def _outputs_of_all(
    models: OneNetwork, take: TakeRows, samples: Sequence[PUSample], device: torch.device
) -> Tensor:
    n_models, n_rows = len(samples), len(samples[0].is_positive)
    step = max(_LEAST_ROWS_EACH, _ROWS_AT_ONCE // n_models)
    with torch.no_grad():
        parts = [
            models.outputs(take(numbers.expand(n_models, -1)))
            for numbers in torch.split(torch.arange(n_rows, device=device), step)
        ]
    return torch.cat(parts, dim=1)


def one_column(output: Tensor) -> Tensor:
    """Return one number per row, from a network that gives (rows,) or (rows, 1)."""
    if output.ndim > 2 or (output.ndim == 2 and output.shape[1] != 1):
        raise ValueError(
            "the network must give one number per row, of shape (rows,) or (rows, 1), found "
            f"{tuple(output.shape)}"
        )
    return output.flatten()


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of each network over the rows of the mask."""
    return (values * mask).sum(dim=1) / mask.sum(dim=1)


def _tensor(values: Sequence[float], device: torch.device) -> Tensor:
    return torch.tensor([float(value) for value in values], dtype=torch.float32, device=device)


def _mask(masks: Sequence[npt.NDArray[np.bool_]], device: torch.device) -> Tensor:
    return torch.from_numpy(np.stack(masks)).to(device)
