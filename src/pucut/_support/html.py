"""HTML from parts that are escaped unless they are HTML already."""

import html
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

# Elements that have no content and no end.
_VOID = frozenset({"br", "col", "hr", "img", "input", "meta"})


def palette() -> str:
    """The colours and typefaces of all pages, in light and dark, as CSS."""
    return files("pucut._support").joinpath("palette.css").read_text(encoding="utf-8")


class Html(str):
    """Text that is HTML; any other text combined with it is escaped."""

    __slots__ = ()


def escaped(part: Any) -> Html:
    """HTML as it is, None as nothing, and anything else as text that is shown as it reads."""
    if isinstance(part, Html):
        return part
    return Html("" if part is None else html.escape(str(part), quote=True))


def element(tag: str, *parts: Any, **attributes: Any) -> Html:
    """An element around its parts; lists are flattened.

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
    """The parts one after the other."""
    return Html(
        "".join(
            joined(part) if isinstance(part, (list, tuple)) else escaped(part) for part in parts
        )
    )


def in_lines(parts: Iterable[Any]) -> Html:
    """The parts, each on lines of its own: pages that differ little have few lines that differ."""
    return Html("".join(f"\n{joined([part])}" for part in parts) + "\n")


def html_table(
    caption: Any,
    heads: Iterable[Any],
    lines: Iterable[Iterable[Any]],
    *,
    class_: str | None = None,
) -> Html:
    """A table whose first column holds row headers."""
    body = []
    for line in lines:
        first, *others = line
        cells = [element("td", cell) for cell in others]
        body.append(element("tr", element("th", first, scope="row"), cells))
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", [element("th", head, scope="col") for head in heads])),
        element("tbody", body),
        class_=class_,
    )
