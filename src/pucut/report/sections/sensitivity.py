"""The section "If the prior were different": rows that change class if the prior moves.

Keys of the summary::

    sensitivity           for each move of the prior: move, prior, is_possible, and where it is:
                          to_positive, to_negative (rows), n_to_positive, n_to_negative
"""

from typing import Any

import numpy as np

from pucut._support.html import Html
from pucut.displays.fits import changed_rows
from pucut.report.fit import ReportedFit
from pucut.report.markup import filled, list_button, scrolled_table
from pucut.report.values import grouped, packed, percent

PRIOR_MOVES = (-0.1, -0.05, 0.05, 0.1)


def facts(fit: ReportedFit) -> dict[str, Any]:
    return {"sensitivity": [_moved(fit, move) for move in PRIOR_MOVES] if fit.is_by_prior else []}


def _moved(fit: ReportedFit, move: float) -> dict[str, Any]:
    labels, prior = fit.labels, float(fit.estimator.prior_) + move
    line: dict[str, Any] = {"move": move, "prior": prior}
    line["is_possible"] = labels.labelled_share <= prior < min(labels.largest_prior, 1.0)
    if line["is_possible"]:
        both = changed_rows(fit.estimator.scores_, labels, prior, fit.is_positive)
        for name, changed in zip(("to_positive", "to_negative"), both, strict=True):
            line[name] = packed(fit.listed.places(np.flatnonzero(changed)), "int32")
            line[f"n_{name}"] = int(np.count_nonzero(changed))
    return line


def render(summary: dict[str, Any]) -> Html:
    if not summary["sensitivity"]:
        return Html("")
    lines = [_line(place, line) for place, line in enumerate(summary["sensitivity"])]
    heads = ("Prior moved by", "to", "become positive", "become negative", "Which")
    table = scrolled_table("Rows that change with the prior", heads, lines, "plain moves")
    return filled("sensitivity.html", table=table)


def _line(place: int, line: dict[str, Any]) -> tuple[Any, ...]:
    sign = "+" if line["move"] > 0 else "−"
    move = f"{sign}{abs(100 * line['move']):.0f} points"
    if not line["is_possible"]:
        return (move, percent(line["prior"]), "not possible with these labels", "", "")
    n_up, n_down = line["n_to_positive"], line["n_to_negative"]
    label = f"List the rows that change at {move}"
    button = list_button(
        "List them", f"move-{place}", aria_label=label, disabled=n_up + n_down == 0
    )
    return (move, percent(line["prior"]), grouped(n_up), grouped(n_down), button)
