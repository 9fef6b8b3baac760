"""HTML from parts that are escaped unless they are HTML already."""

import html
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

# Elements that have no content and no end.
_VOID = frozenset({"br", "col", "hr", "img", "input", "meta"})


def palette() -> str:
    """Return the colours and typefaces of all pages, in light and dark, as CSS."""
    return files("pucut._support").joinpath("palette.css").read_text(encoding="utf-8")


class Html(str):
    """Text that is HTML; any other text combined with it is escaped."""

    __slots__ = ()


def escaped(part: Any) -> Html:
    """Return HTML as it is, None as nothing, and escape anything else as text."""
    if isinstance(part, Html):
        return part
    return Html("" if part is None else html.escape(str(part), quote=True))


def element(tag: str, *parts: Any, **attributes: Any) -> Html:
    """Make an element around its parts; lists are flattened.

    Attribute names that are Python keywords end in "_", and "_" stands for "-". True is an
    attribute without a value; None and False omit it.
    """
    written = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        written.append(f" {name}" if value is True else f' {name}="{escaped(value)}"')
    start = f"<{tag}{''.join(written)}>"
    return Html(start if tag in _VOID else f"{start}{joined(parts)}</{tag}>")


def joined(parts: Iterable[Any]) -> Html:
    return Html(
        "".join(
            joined(part) if isinstance(part, (list, tuple)) else escaped(part) for part in parts
        )
    )


def in_lines(parts: Iterable[Any]) -> Html:
    """Join the parts, each on lines of its own, so that similar pages differ in few lines."""
    return Html("".join(f"\n{joined([part])}" for part in parts) + "\n")


def html_table(
    caption: Any, heads: Iterable[Any], lines: Iterable[Iterable[Any]], *, class_: str | None = None
) -> Html:
    """Make a table whose first column holds row headers."""
    body = [
        element("tr", element("th", first, scope="row"), [element("td", cell) for cell in others])
        for first, *others in lines
    ]
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", [element("th", head, scope="col") for head in heads])),
        element("tbody", body),
        class_=class_,
    )
