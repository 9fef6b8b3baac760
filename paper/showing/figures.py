"""Figures as SVG: the paper's histograms, scores by dataset, improvements by family, critical
differences.

Equal input gives equal bytes: identifiers are made from the figure's name, and no date is written.
Ink is one colour, which a page may replace by its own.
"""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper.showing.statistics import Floats, Ranking, Summary, groups_not_different

INK = "#1b1b1f"
_COLOURS = ("#3b6fb6", "#c8553d", "#3f8f5f", "#8a5fb0", "#b58a1d", "#4a9aa5")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
}


@dataclass(frozen=True, eq=False)
class Drawing:
    """`name` is for files, `title` for the caption; it is drawn when `svg` is first asked for."""

    name: str
    title: str
    draw: Callable[[], Figure]

    @cached_property
    def svg(self) -> str:
        file = io.StringIO()
        with style.context(["default", _STYLE]):
            figure = self.draw()
        with style.context(["default", {**_STYLE, "svg.hashsalt": self.name}]):
            figure.savefig(
                file, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
            )
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def histograms(name: str, title: str, improvements: Mapping[str, Floats], label: str) -> Drawing:
    """One panel for each opponent; solid line: no improvement, dashed line: the mean."""

    def draw() -> Figure:
        figure = Figure(figsize=(3.1 * len(improvements), 2.7), layout="constrained")
        panels = figure.subplots(1, len(improvements), squeeze=False)[0]
        for panel, (opponent, values) in zip(panels, improvements.items(), strict=True):
            _histogram(panel, values)
            panel.set_title(opponent)
            panel.set_xlabel(label)
        panels[0].set_ylabel("datasets")
        return figure

    return Drawing(name, title, draw)


def _histogram(panel: Axes, values: Floats) -> None:
    if values.size == 0:
        panel.text(0.5, 0.5, "no runs", ha="center", va="center", transform=panel.transAxes)
        panel.set_xticks([])
        panel.set_yticks([])
        return
    panel.hist(values, bins=_edges(values).tolist(), color=_COLOURS[0], alpha=0.75)
    panel.set_ylim(top=1.15 * panel.get_ylim()[1])  # room for the text
    panel.axvline(0.0, color=INK, linewidth=1.2)
    mean = float(values.mean())
    panel.axvline(mean, color=_COLOURS[1], linewidth=1.4, linestyle="--")
    panel.annotate(
        f"mean {mean:+.2f} %",
        (0.98, 0.97),
        xycoords="axes fraction",
        ha="right",
        va="top",
        color=_COLOURS[1],
    )


def _edges(values: Floats) -> Floats:
    """About 40 bins of a round width, with 0 among their edges."""
    spread = max(float(values.max()) - float(values.min()), 1e-6)
    power = 10.0 ** math.floor(math.log10(spread / 40.0))
    width = next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power * 40.0 >= spread)
    low = math.floor(float(values.min()) / width)
    high = math.floor(float(values.max()) / width) + 1
    return np.arange(low, high + 1, dtype=np.float64) * width


@dataclass(frozen=True)
class Series:
    """Points of one method: ours with standard errors, and the paper's where it has some."""

    title: str
    ours: Sequence[Summary | None]
    paper: Sequence[Summary | None]


def scores_by_dataset(
    name: str, title: str, datasets: Sequence[str], series: Sequence[Series], label: str
) -> Drawing:
    """Filled points are ours, hollow ones the paper's; bars are one standard error."""

    def draw() -> Figure:
        figure = Figure(figsize=(7.2, 0.9 + 0.62 * len(datasets)), layout="constrained")
        panel = figure.subplots()
        step = 0.8 / max(len(series), 1)
        for number, one in enumerate(series):
            colour = _COLOURS[number % len(_COLOURS)]
            shift = (number - (len(series) - 1) / 2.0) * step
            _points(panel, one.paper, shift - 0.15 * step, colour, hollow=True, title="")
            _points(panel, one.ours, shift + 0.15 * step, colour, hollow=False, title=one.title)
        for border in range(1, len(datasets)):
            panel.axhline(border - 0.5, color=INK, linewidth=0.4, alpha=0.3)
        panel.set_yticks(range(len(datasets)), list(datasets))
        panel.set_ylim(len(datasets) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.set_xlabel(f"{label}; filled: ours, hollow: the paper's")
        if any(summary is not None for one in series for summary in one.ours):
            figure.legend(loc="outside upper center", ncols=3, frameon=False)
        return figure

    return Drawing(name, title, draw)


def _points(
    panel: Axes,
    summaries: Sequence[Summary | None],
    shift: float,
    colour: str,
    *,
    hollow: bool,
    title: str,
) -> None:
    found = [(place, one) for place, one in enumerate(summaries) if one is not None]
    if found:
        panel.errorbar(
            [one.mean for _, one in found],
            [place + shift for place, _ in found],
            xerr=[one.standard_error or 0.0 for _, one in found],
            fmt="o",
            markersize=4.0,
            color=colour,
            markerfacecolor="none" if hollow else colour,
            elinewidth=0.9,
            alpha=0.65 if hollow else 1.0,
            label=title or None,
        )


def improvements_by_step(
    name: str,
    title: str,
    panels: Mapping[str, Sequence[Series]],
    steps: Sequence[str],
    label: str,
) -> Drawing:
    """A line for each opponent over the steps; bars are one standard error, hollow: the paper's."""

    def draw() -> Figure:
        figure = Figure(figsize=(4.2 * len(panels), 3.1), layout="constrained")
        for panel, (panel_title, series) in zip(
            figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
        ):
            for number, one in enumerate(series):
                _steps(panel, one, _COLOURS[number % len(_COLOURS)])
            panel.axhline(0.0, color=INK, linewidth=0.8)
            panel.set_xticks(range(len(steps)), list(steps))
            panel.set_xlim(-0.3, len(steps) - 0.7)
            panel.set_title(panel_title)
            panel.set_xlabel(label)
        figure.axes[0].set_ylabel("improvement (%)")
        if figure.axes[0].get_legend_handles_labels()[0]:
            figure.legend(
                *figure.axes[0].get_legend_handles_labels(),
                loc="outside upper center",
                ncols=3,
                frameon=False,
            )
        return figure

    return Drawing(name, title, draw)


def _steps(panel: Axes, one: Series, colour: str) -> None:
    found = [(place, summary) for place, summary in enumerate(one.ours) if summary is not None]
    if found:
        panel.errorbar(
            [place for place, _ in found],
            [summary.mean for _, summary in found],
            yerr=[summary.standard_error or 0.0 for _, summary in found],
            fmt="o-",
            markersize=4.0,
            color=colour,
            elinewidth=0.9,
            label=one.title,
        )
    for place, theirs in enumerate(one.paper):
        if theirs is not None:
            panel.plot(place, theirs.mean, "o", markersize=7.0, color=colour, fillstyle="none")


def critical_differences(
    name: str, title: str, methods: Sequence[str], ranking: Ranking
) -> Drawing:
    """Average ranks on a line; a bar joins methods that the Nemenyi test cannot tell apart."""
    ranks = ranking.average_ranks
    order = sorted(range(len(ranks)), key=lambda position: (ranks[position], position))
    half = (len(order) + 1) // 2
    groups = groups_not_different(ranks, ranking.critical_difference)
    first_label = 0.9 + 0.35 * len(groups)
    depth = first_label + 0.55 * half

    def draw() -> Figure:
        figure = Figure(figsize=(7.2, 0.75 + 0.42 * depth), layout="constrained")
        panel = figure.subplots()
        low, high = 1.0, float(len(ranks))
        room = 0.42 * (high - low)
        panel.set_xlim(low - room, high + room)
        panel.set_ylim(depth + 0.2, -1.6)
        panel.axis("off")
        panel.plot([low, high], [0.0, 0.0], color=INK, linewidth=1.0)
        for tick in range(1, len(ranks) + 1):
            panel.plot([tick, tick], [0.0, -0.15], color=INK, linewidth=1.0)
            panel.text(tick, -0.25, str(tick), ha="center", va="bottom")
        shown = min(ranking.critical_difference, high - low)
        panel.plot([low, low + shown], [-1.15, -1.15], color=INK, linewidth=1.6)
        panel.text(
            low + shown + 0.03 * room,
            -1.15,
            f"critical difference {ranking.critical_difference:.3f}",
            va="center",
        )
        for number, group in enumerate(groups):
            ends = [ranks[group[0]] - 0.03, ranks[group[-1]] + 0.03]
            height = 0.35 * (number + 1)
            panel.plot(ends, [height, height], color=_COLOURS[1], linewidth=3.0)
        for place, position in enumerate(order):
            on_left = place < half
            height = first_label + 0.55 * (place if on_left else len(order) - 1 - place)
            end = low - 0.05 * room if on_left else high + 0.05 * room
            rank = ranks[position]
            panel.plot([rank, rank, end], [0.0, height, height], color=INK, linewidth=0.8)
            panel.text(
                end - 0.03 * room if on_left else end + 0.03 * room,
                height,
                f"{methods[position]} {rank:.2f}" if on_left else f"{rank:.2f} {methods[position]}",
                ha="right" if on_left else "left",
                va="center",
            )
        return figure

    return Drawing(name, title, draw)
