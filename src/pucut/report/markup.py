"""HTML that several sections use: templates, buttons, and charts that need no script.

Shapes are stretched to the width there is, and texts keep their size, on a phone as on paper.
"""

from collections.abc import Sequence
from string import Template
from typing import Any

from pucut._support.html import Html, element, html_table, joined
from pucut.report.values import NARROW_SPACE, asset

TITLES = {"known": "known", "found": "found", "other": "not found", "negative": "known negative"}
# Ends of an axis of shares.
PERCENTS = tuple(f"{end}{NARROW_SPACE}%" for end in (0, 50, 100))


def filled(template: str, /, **parts: Any) -> Html:
    """Fill the places of a template with parts, which are escaped unless they are HTML."""
    written = {key: joined([part]) for key, part in parts.items()}
    return Html(Template(asset(template)).substitute(written))


def list_button(text: str, filter_name: str, **attributes: Any) -> Html:
    """Make a button by which the script lists the rows of one filter."""
    look: dict[str, Any] = {"type": "button", "class_": "quiet scripted"}
    return element("button", text, **look, data_filter=filter_name, **attributes)


def scrolled_table(
    title: str, heads: Sequence[str], lines: Sequence[Sequence[Any]], class_: str
) -> Html:
    """Make a table that may be wider than the page."""
    table = html_table(title, heads, lines, class_=class_)
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label=title)


def stretched(shapes: Any, height: int, class_: str) -> Html:
    """Draw shapes, 100 wide, that fill the width of their place."""
    box = f"0 0 100 {height}"
    drawn = {"preserveAspectRatio": "none", "class_": class_, "aria_hidden": "true"}
    return element("svg", shapes, viewBox=box, **drawn)


def bar(share: float, text: str) -> Html:
    """Draw a bar of this share of its place, and a text beside it."""
    drawn = stretched(element("rect", width=f"{100.0 * share:.2f}", height="10"), 10, "bar")
    return element("div", drawn, element("span", text), class_="measure")


def histogram(counts: Sequence[int], group: str) -> Html:
    """Draw bars side by side, the highest as high as the picture."""
    highest, width, bars = max(*counts, 1), 100.0 / len(counts), []
    for place, n in enumerate(counts):
        if n:
            x, y = f"{place * width:.2f}", f"{30.0 * (1.0 - n / highest):.2f}"
            size = {"width": f"{0.92 * width:.2f}", "height": f"{30.0 * n / highest:.2f}"}
            bars.append(element("rect", x=x, y=y, **size))
    base = element("line", x1="0", x2="100", y1="30", y2="30", class_="base")
    return stretched([bars, base], 30, f"histogram {group}")


def by_group(lines: Sequence[tuple[str, Html, str]], ends: Sequence[str]) -> Html:
    """Draw histograms below each other on one axis, each between its name and a text."""
    parts = [
        (
            element("span", name, class_="group-name"),
            picture,
            element("span", text, class_="group-text"),
        )
        for name, picture, text in lines
    ]
    parts.append((element("span"), axis(ends), element("span")))
    return element("div", [element("div", part, class_="group") for part in parts], class_="groups")


def axis(ends: Sequence[str]) -> Html:
    """Write the ends of a horizontal axis below it."""
    return element("div", [element("span", end) for end in ends], class_="axis-ends")
