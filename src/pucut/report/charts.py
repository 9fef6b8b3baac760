"""Pictures that need no script: shapes in SVG, and every word beside them as text.

Shapes are stretched to the width there is, and texts keep their size, on a phone as on paper.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pucut._support.html import Html, element, html_table
from pucut.report.numbers import NARROW_SPACE, grouped, percent
from pucut.report.packing import unpacked
from pucut.report.wording import called

TITLES = {"known": "known", "found": "found", "other": "not found", "negative": "known negative"}


def bar(share: float, text: str) -> Html:
    """A bar of this share of its place, and what it stands for."""
    drawn = _stretched(element("rect", width=f"{100.0 * share:.2f}", height="10"), 10, "bar")
    return element("div", drawn, element("span", text), class_="measure")


def _stretched(shapes: Any, height: int, class_: str) -> Html:
    return element(
        "svg",
        shapes,
        viewBox=f"0 0 100 {height}",
        preserveAspectRatio="none",
        class_=class_,
        aria_hidden="true",
    )


def histogram(counts: Sequence[int], group: str) -> Html:
    """Bars side by side, the highest as high as the picture."""
    highest, width = max(*counts, 1), 100.0 / len(counts)
    bars = [
        element(
            "rect",
            x=f"{place * width:.2f}",
            y=f"{30.0 * (1.0 - n / highest):.2f}",
            width=f"{0.92 * width:.2f}",
            height=f"{30.0 * n / highest:.2f}",
        )
        for place, n in enumerate(counts)
        if n
    ]
    base = element("line", x1="0", x2="100", y1="30", y2="30", class_="base")
    return _stretched([bars, base], 30, f"histogram {group}")


def by_group(lines: Sequence[tuple[str, Html, str]], ends: Sequence[str]) -> Html:
    """Histograms under each other on one axis; each has its name before it and a text behind it."""
    drawn = [
        element(
            "div",
            element("span", name, class_="group-name"),
            picture,
            element("span", text, class_="group-text"),
            class_="group",
        )
        for name, picture, text in lines
    ]
    axis = element("div", [element("span", end) for end in ends], class_="axis-ends")
    return element(
        "div",
        drawn,
        element("div", Html("<span></span>"), axis, Html("<span></span>"), class_="group"),
        class_="groups",
    )


def probabilities(summary: dict[str, Any]) -> Html:
    """How many rows have a probability of a size: known ones, those found, and the others."""
    counts, means = (summary["probabilities"][name] for name in ("counts", "means"))
    lines = []
    for group, bins in counts.items():
        mean = "none" if means[group] is None else f"mean {percent(means[group])}"
        lines.append((f"{TITLES[group]} ({grouped(sum(bins))})", histogram(bins, group), mean))
    ends = [f"{end}{NARROW_SPACE}%" for end in (0, 50, 100)]
    return element(
        "figure",
        element("h3", f"Probability of being {called(summary)}"),
        by_group(lines, ends),
        element(
            "figcaption",
            "Each row of bars has its own height. Known rows far to the left are known positives "
            "that do not look it; rows in the middle are uncertain.",
        ),
        element("details", element("summary", "The same in numbers"), _probability_table(counts)),
    )


def _probability_table(counts: dict[str, list[int]]) -> Html:
    """Two bins of the picture in each line."""
    n_lines = len(counts["known"]) // 2
    step = 100 // n_lines
    lines = [
        (
            f"{step * place} to {step * (place + 1)}{NARROW_SPACE}%",
            *(grouped(sum(bins[2 * place : 2 * place + 2])) for bins in counts.values()),
        )
        for place in reversed(range(n_lines))
    ]
    heads = ("Probability", *(TITLES[group] for group in counts))
    return html_table("Rows by probability", heads, lines, class_="plain counted")


def share_over_prior(summary: dict[str, Any]) -> Html:
    """How many rows are found for every prior, with the one that was used."""
    if not summary["is_by_prior"]:
        return Html("")
    data, prior = summary["data"], summary["prior"]
    n_others = data["n_unlabelled"]
    n_found = unpacked(summary["found_by_prior"]["n_found"])
    priors = np.linspace(0.0, 1.0, len(n_found))
    points = " ".join(
        f"{100.0 * x:.1f},{60.0 * (1.0 - n / max(n_others, 1)):.2f}"
        for x, n in zip(priors, n_found, strict=True)
    )
    shapes = []
    if prior["interval"]:
        low, high = (100.0 * end for end in prior["interval"])
        shapes.append(
            element(
                "rect",
                x=f"{low:.2f}",
                y="0",
                width=f"{high - low:.2f}",
                height="60",
                class_="interval",
            )
        )
    used = f"{100.0 * prior['value']:.2f}"
    found_share = (summary["n_positive"] - data["n_labelled"]) / max(n_others, 1)
    level = f"{60.0 * (1.0 - found_share):.2f}"
    shapes += [
        element("line", x1="0", x2="100", y1="60", y2="60", class_="base"),
        element("polyline", points=points, class_="curve"),
        element("line", x1=used, x2=used, y1="0", y2="60", class_="used"),
        element("line", x1="0", x2=used, y1=level, y2=level, class_="used"),
    ]
    at_used = percent(prior["value"])
    text = (
        f"The prior used is {at_used}, and {grouped(summary['n_positive'] - data['n_labelled'])} "
        f"of {grouped(n_others)} unlabelled rows are found (dashed lines). The curve says how many "
        "it would be for another prior, with this ranking."
    )
    if prior["interval"]:
        low, high = prior["interval"]
        few, many = summary["found_by_prior"]["at_interval"]
        text += (
            f" The shaded part is the interval of the estimate, {percent(low)} to "
            f"{percent(high)}: {grouped(few)} to {grouped(many)} rows."
        )
    return element(
        "figure",
        element("h3", "Rows found, for every prior"),
        element(
            "div",
            element(
                "div", element("span", grouped(n_others)), element("span", "0"), class_="level-ends"
            ),
            _stretched(shapes, 60, "share"),
            Html("<span></span>"),
            element(
                "div",
                [element("span", f"{end}{NARROW_SPACE}%") for end in (0, 50, 100)],
                class_="axis-ends",
            ),
            class_="share-frame",
        ),
        element("figcaption", text),
    )
