"""The section "In pictures": probabilities, the rows found for every prior, and the map.

Keys of the summary::

    probabilities         of all rows: counts in 20 bins and means, by group: the known positives,
                          the rows found, the others and, if there are any, the known negatives
    found_by_prior        n_found for 201 priors from 0 to 1; at_interval, the ends of the prior's;
                          null where the prior does not set the threshold
    plane                 the map: x and y (0 to 65535, y upwards), ratio of width and height,
                          explained, n_beyond (drawn on the edge), drawn (rows), n_drawn
"""

from typing import Any

import numpy as np

from pucut._support.html import Html, element, html_table
from pucut.report.distributions import probabilities_of
from pucut.report.fit import ReportedFit
from pucut.report.markup import (
    PERCENTS,
    TITLES,
    axis,
    by_group,
    filled,
    histogram,
    stretched,
)
from pucut.report.packing import packed, unpacked
from pucut.report.plane import map_figure
from pucut.report.wording import NARROW_SPACE, called, grouped, n_found, percent

N_PRIORS = 201


def facts(fit: ReportedFit) -> dict[str, Any]:
    return {
        "probabilities": probabilities_of(fit.probability, fit.groups),
        "found_by_prior": _found_by_prior(fit) if fit.is_by_prior else None,
        "plane": None if fit.plane is None else fit.plane.facts(fit.listed),
    }


def _found_by_prior(fit: ReportedFit) -> dict[str, Any]:
    """Count the unlabelled rows found for every prior, and at the ends of its interval."""
    turning = np.sort(fit.turning_priors[fit.labels.is_unlabelled])
    priors = np.linspace(0.0, 1.0, N_PRIORS)
    estimate = getattr(fit.estimator, "prior_estimate_", None)
    at_interval = None
    if estimate is not None:
        at_interval = np.searchsorted(turning, list(estimate.interval), side="right").tolist()
    return {
        "n_found": packed(np.searchsorted(turning, priors, side="right"), "int32"),
        "at_interval": at_interval,
    }


def render(summary: dict[str, Any]) -> Html:
    counts, means = (summary["probabilities"][name] for name in ("counts", "means"))
    lines = []
    for group, bins in counts.items():
        mean = "none" if means[group] is None else f"mean {percent(means[group])}"
        lines.append((f"{TITLES[group]} ({grouped(sum(bins))})", histogram(bins, group), mean))
    return filled(
        "pictures.html",
        called=called(summary),
        probabilities=by_group(lines, PERCENTS),
        table=_probability_table(counts),
        share=_share_over_prior(summary) if summary["is_by_prior"] else None,
        map=map_figure(summary, "map", "The rows as points") if summary["plane"] else None,
    )


def _probability_table(counts: dict[str, list[int]]) -> Html:
    """Write the counts, two bins of the picture in each line."""
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


def _share_over_prior(summary: dict[str, Any]) -> Html:
    """Draw how many rows are found for every prior, with the one that was used."""
    prior, interval = summary["prior"], ""
    if prior["interval"]:
        low, high = prior["interval"]
        few, many = summary["found_by_prior"]["at_interval"]
        interval = (
            f" The shaded part is the interval of the estimate, {percent(low)} to "
            f"{percent(high)}: {grouped(few)} to {grouped(many)} rows."
        )
    return filled(
        "share.html",
        prior=percent(prior["value"]),
        n_found=grouped(n_found(summary)),
        n_others=grouped(summary["data"]["n_unlabelled"]),
        chart=stretched(_shapes(summary), 60, "share"),
        axis=axis(PERCENTS),
        interval=interval,
    )


def _shapes(summary: dict[str, Any]) -> list[Html]:
    """Draw the curve, the interval of the prior and the prior used, 100 wide and 60 high."""
    prior, n_others = summary["prior"], max(summary["data"]["n_unlabelled"], 1)
    counts = unpacked(summary["found_by_prior"]["n_found"])
    points = " ".join(
        f"{100.0 * x:.1f},{60.0 * (1.0 - n / n_others):.2f}"
        for x, n in zip(np.linspace(0.0, 1.0, len(counts)), counts, strict=True)
    )
    shapes = []
    if prior["interval"]:
        low, high = (100.0 * end for end in prior["interval"])
        box = {"x": f"{low:.2f}", "y": "0", "width": f"{high - low:.2f}", "height": "60"}
        shapes.append(element("rect", **box, class_="interval"))
    used = f"{100.0 * prior['value']:.2f}"
    level = f"{60.0 * (1.0 - n_found(summary) / n_others):.2f}"
    return [
        *shapes,
        element("line", x1="0", x2="100", y1="60", y2="60", class_="base"),
        element("polyline", points=points, class_="curve"),
        element("line", x1=used, x2=used, y1="0", y2="60", class_="used"),
        element("line", x1="0", x2=used, y1=level, y2=level, class_="used"),
    ]
