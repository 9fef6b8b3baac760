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
from pucut._support.html import Html, escaped
from pucut.report import sections
from pucut.report.summary import SCHEMA

# In this order they make one script; they share one scope.
SCRIPTS = ("data.js", "cuts.js", "detail.js", "table.js", "main.js")


def render(summary: dict[str, Any]) -> str:
    """The page of a report; the same page for the same dict."""
    found = summary.get("schema")
    if found != SCHEMA:
        raise ValueError(
            f"summary must be a dict of schema {SCHEMA!r}, as summarise makes it, found {found!r}"
        )
    style = _asset("page.css")
    script = '(() => {\n"use strict";\n' + "".join(_asset(name) for name in SCRIPTS) + "})();\n"
    headline = sections.headline(summary)
    parts: dict[str, Html] = {
        "policy": escaped(_policy(style, script)),
        "generator": escaped(f"pucut {summary['version']}"),
        "title": escaped(headline),
        "headline": escaped(headline),
        "standfirst": escaped(sections.standfirst(summary)),
        "cautions": sections.cautions(summary),
        "facts": sections.facts(summary),
        "selection": sections.selection(summary),
        "map_caption": escaped(sections.map_caption(summary)),
        "weights": sections.weights(summary),
        "sensitivity": sections.sensitivity(summary),
        "unreached": sections.unreached(summary),
        "making": sections.making(summary),
        "footer": escaped(sections.footer(summary)),
        "summary": json_in_html(summary),
        "style": Html(style),
        "script": Html(script),
    }
    return Template(_asset("page.html")).substitute(parts)


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


def _asset(name: str) -> str:
    return files("pucut.report").joinpath("assets", name).read_text(encoding="utf-8")
