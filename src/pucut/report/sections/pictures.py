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
from pucut.report.fit import ReportedFit
from pucut.report.listed import ListedRows
from pucut.report.markup import PERCENTS, TITLES, axis, by_group, filled, histogram
from pucut.report.plane import Plane, map_figure
from pucut.report.values import NARROW_SPACE, called, grouped, n_found, packed, percent, unpacked

N_BINS, N_PRIORS = 20, 201


def facts(fit: ReportedFit) -> dict[str, Any]:
    members = {name: fit.probability[rows] for name, rows in fit.groups.items()}
    counts = {name: np.histogram(x, N_BINS, (0.0, 1.0))[0].tolist() for name, x in members.items()}
    means = {name: float(x.mean()) if len(x) else None for name, x in members.items()}
    return {
        "probabilities": {"counts": counts, "means": means},
        "found_by_prior": _found_by_prior(fit) if fit.is_by_prior else None,
        "plane": None if fit.plane is None else _map(fit.plane, fit.listed),
    }


def _map(plane: Plane, listed: ListedRows) -> dict[str, Any]:
    return {
        "x": packed(plane.place[listed.rows, 0], "uint16"),
        "y": packed(plane.place[listed.rows, 1], "uint16"),
        "ratio": plane.ratio,
        "explained": plane.explained,
        "n_beyond": plane.n_beyond,
        "drawn": packed(listed.places(plane.drawn), "int32"),
        "n_drawn": len(plane.drawn),
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
    prior, data, interval, box = summary["prior"], summary["data"], "", None
    n_others = max(data["n_unlabelled"], 1)
    counts = unpacked(summary["found_by_prior"]["n_found"])
    points = " ".join(
        f"{100.0 * x:.1f},{60.0 * (1.0 - n / n_others):.2f}"
        for x, n in zip(np.linspace(0.0, 1.0, len(counts)), counts, strict=True)
    )
    if prior["interval"]:
        low, high = prior["interval"]
        few, many = summary["found_by_prior"]["at_interval"]
        interval = (
            f" The shaded part is the interval of the estimate, {percent(low)} to "
            f"{percent(high)}: {grouped(few)} to {grouped(many)} rows."
        )
        x, width = f"{100.0 * low:.2f}", f"{100.0 * high - 100.0 * low:.2f}"
        box = element("rect", x=x, y="0", width=width, height="60", class_="interval")
    return filled(
        "share.html",
        prior=percent(prior["value"]),
        n_found=grouped(n_found(summary)),
        n_others=grouped(data["n_unlabelled"]),
        points=points,
        box=box,
        used=f"{100.0 * prior['value']:.2f}",
        level=f"{60.0 * (1.0 - n_found(summary) / n_others):.2f}",
        axis=axis(PERCENTS),
        interval=interval,
    )
