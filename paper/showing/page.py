"""Every table and figure as files, and all of them on one page that needs nothing else."""

import re
from collections.abc import Callable
from pathlib import Path

from paper.row_files import read_rows
from paper.showing.contents import Contents, Section, make_contents
from paper.showing.figures import INK, Drawing
from paper.showing.published import read_published
from paper.showing.tables import Table, to_csv, to_html, to_latex, to_markdown
from pucut._support.html import Html, element, in_lines

_FORMATS: dict[str, Callable[[Table], str]] = {
    ".csv": to_csv,
    ".md": to_markdown,
    ".tex": to_latex,
}


def write_all(rows_folder: Path, published_folder: Path, out_folder: Path) -> list[Path]:
    """Reads rows and published numbers, writes everything, and returns the files in order.

    Equal rows give equal bytes. Files of these names are overwritten, others left alone.
    """
    published = read_published(published_folder)
    contents = make_contents(read_rows(rows_folder), published)
    texts = {"index.html": page(contents), "summary.md": contents.summary}
    texts |= {
        table.name + ending: render(table)
        for table in contents.tables
        for ending, render in _FORMATS.items()
    }
    texts |= {f"{drawing.name}.svg": drawing.svg for drawing in contents.drawings}
    out_folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts.items():
        file = out_folder / name
        file.write_text(text, encoding="utf-8", newline="\n")
        written.append(file)
    return written


def page(contents: Contents) -> str:
    title = "2-HNC: ours beside the paper"
    links = [
        element("li", element("a", part.title, href=f"#{part.name}")) for part in contents.sections
    ]
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(_STYLE)),
    ]
    header = [
        element("h1", title),
        element(
            "p",
            f"Made from {contents.n_runs} runs. Scores are of unlabelled rows, in percent; a dash "
            "stands for what was not run.",
        ),
        element("nav", element("ol", links), aria_label="Sections"),
    ]
    body = [
        element("header", in_lines(header)),
        element("main", in_lines(map(_section, contents.sections))),
    ]
    whole = [element("head", in_lines(head)), element("body", in_lines(body))]
    return f"<!DOCTYPE html>\n{element('html', in_lines(whole), lang='en')}\n"


def _section(part: Section) -> Html:
    items = [_table(item) if isinstance(item, Table) else _figure(item) for item in part.items]
    heading = element("h2", part.title, id=f"{part.name}-title")
    return element(
        "section", in_lines([heading, *items]), id=part.name, aria_labelledby=f"{part.name}-title"
    )


def _table(table: Table) -> Html:
    files = [element("a", ending[1:], href=f"{table.name}{ending}") for ending in _FORMATS]
    listed = [files[0], *([", ", file] for file in files[1:])]
    notes = [element("li", note) for note in table.notes]
    return element(
        "div",
        _scrolled(to_html(table), "region", table.title),
        element("ul", notes, element("li", "As a file: ", listed, "."), class_="notes"),
        class_="item",
    )


def _figure(drawing: Drawing) -> Html:
    link = element("a", "svg", href=f"{drawing.name}.svg")
    return element(
        "figure",
        _scrolled(Html(inline_svg(drawing)), "img", drawing.title),
        element("figcaption", drawing.title, " ", link),
        class_="item",
        id=drawing.name,
    )


def _scrolled(content: Html, role: str, label: str) -> Html:
    """A box that scrolls: it has to be reachable by keyboard, and so needs a name."""
    return element("div", content, class_="scroll", role=role, tabindex=0, aria_label=label)


def inline_svg(drawing: Drawing) -> str:
    """The drawing as a part of a page: identifiers of its own, ink of the page's colour."""
    svg = drawing.svg[drawing.svg.index("<svg") :].rstrip()
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    prefix = f"{drawing.name}-"
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = svg.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    return svg.replace(INK, "currentColor")


_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1f; --soft: #5c5f66; --line: #d5d7db;
  --paper: #fdfdfc; --band: #f3f4f2; --link: #2b5a9e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e3; --soft: #a2a5ab; --line: #3a3d42;
  --paper: #17181b; --band: #202226; --link: #8ab4f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; font-weight: 600; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; font-weight: 600; margin: 3rem 0 1rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
a { color: var(--link); }
header p { color: var(--soft); max-width: 44rem; }
nav ol { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap;
  gap: .3rem 1.2rem; }
.item { margin: 0 0 2.2rem; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .84rem; line-height: 1.35; white-space: nowrap;
  font-variant-numeric: tabular-nums lining-nums; border-bottom: 1.5px solid var(--ink); }
caption { text-align: left; white-space: normal; font-weight: 600; font-size: .92rem;
  padding: 0 0 .5rem; }
caption span { position: sticky; left: 0; display: inline-block; min-width: min(26rem, 86vw);
  max-width: min(70rem, 92vw); }
thead { border-top: 1.5px solid var(--ink); border-bottom: 1px solid var(--ink); }
th, td { padding: .22rem .6rem; text-align: left; font-weight: 400; vertical-align: baseline; }
thead th { font-weight: 600; vertical-align: bottom; }
th[scope="colgroup"] { text-align: center; border-bottom: 1px solid var(--line); }
.number { text-align: right; }
tbody th { position: sticky; left: 0; background: var(--paper); }
tbody tr:nth-child(even), tbody tr:nth-child(even) th { background: var(--band); }
.error { color: var(--soft); font-size: .92em; }
.notes { margin: .5rem 0 0; padding: 0; list-style: none; color: var(--soft); font-size: .82rem;
  max-width: 48rem; }
figure { margin-left: 0; margin-right: 0; }
figure svg { display: block; max-width: 100%; min-width: 30rem; height: auto; }
figcaption { color: var(--soft); font-size: .86rem; max-width: 48rem; margin-top: .4rem; }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } th, td { padding: .2rem .45rem; } }
@media print { .scroll { overflow: visible; } body { max-width: none; } }
"""
