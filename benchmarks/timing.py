"""Timing side by side: actions in turn, medians, ratios, and how time grows."""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Timing:
    """Medians over the repeats, and what the last call returned."""

    seconds: float
    processor: float
    result: Any


def side_by_side(
    actions: Mapping[str, Callable[..., Any]],
    repeats: int,
    before: Mapping[str, Callable[[], Any]] | None = None,
) -> dict[str, Timing]:
    """Calls the actions in turn, `repeats` times over.

    What `before` has under an action's name is called first, untimed, and its result handed over.
    """
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
    results = {}
    for _ in range(repeats):
        for name, action in actions.items():
            arguments = (before[name](),) if before and name in before else ()
            clock, processor = time.perf_counter(), time.process_time()
            results[name] = action(*arguments)
            took[name].append((time.perf_counter() - clock, time.process_time() - processor))
    timings = {}
    for name, pairs in took.items():
        clock, processor = (statistics.median(column) for column in zip(*pairs, strict=True))
        timings[name] = Timing(clock, processor, results[name])
    return timings


def seconds_of(times: Mapping[str, Timing]) -> dict[str, float]:
    """Figures of a row: the seconds of each action."""
    return {f"{name} s": timing.seconds for name, timing in times.items()}


def ratio_of(times: Mapping[str, Timing], peer: str, own: str = "pucut") -> float | None:
    return times[own].seconds / times[peer].seconds if peer in times else None


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error, which is 0 for a single value."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), spread / math.sqrt(len(values))


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of the line through all points on logarithmic scales."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0]) if len(sizes) > 1 else math.nan
