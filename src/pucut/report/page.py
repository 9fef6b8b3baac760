"""From the dict of a report to one HTML page, with its styles, its script and its data inside."""

import base64
import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pucut._support.files import write_whole
from pucut._support.html import Html, element, escaped, palette
from pucut.report import answers, cards, charts, sections
from pucut.report.summary import SCHEMA

# In this order they make one script; they share one scope.
SCRIPTS = ("data.js", "map.js", "cuts.js", "detail.js", "table.js", "main.js")


def render(summary: dict[str, Any]) -> str:
    """The page of a report; the same page for the same dict."""
    found = summary.get("schema")
    if found != SCHEMA:
        raise ValueError(
            f"summary must be a dict of schema {SCHEMA!r}, as summarise makes it, found {found!r}"
        )
    style = palette() + _asset("page.css")
    script = '(() => {\n"use strict";\n' + "".join(_asset(name) for name in SCRIPTS) + "})();\n"
    headline = answers.headline(summary)
    source = summary["data"]["source"]
    about = " · ".join(part for part in (source, summary["method"]) if part)
    parts: dict[str, Html] = {
        "policy": escaped(_policy(style, script)),
        "generator": escaped(f"pucut {summary['version']}"),
        "title": escaped(f"{headline} · {about}"),
        "about": escaped(about),
        "headline": escaped(headline),
        "answers": answers.answers(summary),
        "pictures": Html(charts.probabilities(summary) + charts.share_over_prior(summary)),
        "listed": _listed(summary),
        "map": _map(summary, "map", "The rows as points") if summary["plane"] else Html(""),
        "sensitivity": sections.sensitivity(summary),
        "columns": cards.columns(summary),
        "mathematics": sections.mathematics(summary, _cuts(summary)),
        "footer": escaped(sections.footer(summary)),
        "summary": json_in_html(summary),
        "style": Html(style),
        "script": Html(script),
    }
    return _filled("page.html", parts)


def _listed(summary: dict[str, Any]) -> Html:
    """Which rows are on the page, where not all of them are."""
    text = summary["listed"]["text"]
    return Html("") if text is None else element("p", text, class_="lead")


def _map(summary: dict[str, Any], name: str, title: str, *, turning: bool = False) -> Html:
    """A map of the rows; `turning` adds to its legend what the slider changes."""
    ring = element("circle", class_="swatch-changed", cx=8, cy=8, r=6)
    cross = element("path", class_="swatch-known-negative", d="M4 4 12 12M4 12 12 4")
    has_negatives = summary["data"]["n_negative"] > 0
    parts = {
        "name": escaped(name),
        "title": element("h3", title),
        "refused": _legend(cross, "known negative") if has_negatives else Html(""),
        "turning": _legend(ring, "changes side here") if turning else Html(""),
        "caption": escaped(sections.map_caption(summary)),
    }
    return Html(_filled("map.html", parts))


def _legend(shape: Html, text: str) -> Html:
    return element("li", element("svg", shape, viewBox="0 0 16 16", aria_hidden="true"), text)


def _cuts(summary: dict[str, Any]) -> Html:
    """All cuts, by a slider, where the method has stages."""
    if summary["stages"] is None:
        return Html("")
    picture = _map(summary, "cut-map", "The sides of this cut", turning=True)
    return Html(_filled("cuts.html", {"map": picture}))


def write(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Writes the page to a file, whole or not at all; an existing file is replaced."""
    write_whole(Path(path), render(summary).encode())


def json_in_html(value: Any) -> Html:
    """JSON that cannot end the element it stands in, or begin another."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(text)


def _policy(style: str, script: str) -> str:
    """Nothing is fetched, and nothing runs but the script of this page."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _filled(name: str, parts: dict[str, Html]) -> str:
    return Template(_asset(name)).substitute(parts)


def _asset(name: str) -> str:
    return files("pucut.report").joinpath("assets", name).read_text(encoding="utf-8")
