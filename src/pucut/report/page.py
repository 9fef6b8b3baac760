"""The page of a summary: one HTML file with its styles, its script and its data inside."""

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from pucut._support.files import write_whole
from pucut._support.html import Html, palette
from pucut.report.markup import asset, filled
from pucut.report.sections import SECTIONS
from pucut.report.summary import SCHEMA
from pucut.report.wording import headline

# In this order they make one script; they share one scope.
SCRIPTS = ("data.js", "map.js", "cuts.js", "detail.js", "table.js", "main.js")


def render(summary: dict[str, Any]) -> str:
    """Make the page of a report; the same page for the same dict."""
    found = summary.get("schema")
    if found != SCHEMA:
        raise ValueError(
            f"summary must be a dict of schema {SCHEMA!r}, as summarise makes it, found {found!r}"
        )
    style = palette() + asset("page.css")
    script = '(() => {\n"use strict";\n' + "".join(asset(name) for name in SCRIPTS) + "})();\n"
    source, method = summary["data"]["source"], summary["method"]
    about = " · ".join(part for part in (source, method) if part)
    return filled(
        "page.html",
        policy=_policy(style, script),
        version=summary["version"],
        title=f"{headline(summary)} · {about}",
        about=about,
        sections=Html("\n".join(section.render(summary) for section in SECTIONS)),
        source=None if summary["partition"] is None else " 2-HNC: Hochbaum and Nitayanont.",
        summary=json_in_html(summary),
        style=Html(style),
        script=Html(script),
    )


def write(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Write the page to a file, whole or not at all; an existing file is replaced."""
    write_whole(Path(path), render(summary).encode())


def json_in_html(value: Any) -> Html:
    """Write JSON that cannot end the element it stands in, or begin another."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Html(text)


def _policy(style: str, script: str) -> str:
    """Allow nothing to be fetched, and nothing to run but the script of this page."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
