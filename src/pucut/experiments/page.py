"""Every table and figure as files, and all of them on one page that needs nothing else."""

import html
import re
from collections.abc import Callable
from pathlib import Path

from pucut.experiments.contents import Contents, Section, make_contents
from pucut.experiments.figures import INK, Drawing
from pucut.experiments.published import read_published
from pucut.experiments.read_rows import read_rows
from pucut.experiments.tables import Table, to_csv, to_html, to_latex, to_markdown

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
    links = [
        f'<li><a href="#{part.name}">{html.escape(part.title)}</a></li>'
        for part in contents.sections
    ]
    body = [_section(part) for part in contents.sections]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            "<title>2-HNC: ours beside the paper</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<header>",
            "<h1>2-HNC: ours beside the paper</h1>",
            f"<p>Made from {contents.n_runs} runs. Scores are of unlabelled rows, in percent; a "
            "dash stands for what was not run.</p>",
            f'<nav aria-label="Sections"><ol>{"".join(links)}</ol></nav>',
            "</header>",
            "<main>",
            *body,
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _section(part: Section) -> str:
    items = [_table(item) if isinstance(item, Table) else _figure(item) for item in part.items]
    heading = f'<h2 id="{part.name}-title">{html.escape(part.title)}</h2>'
    opening = f'<section id="{part.name}" aria-labelledby="{part.name}-title">'
    return "\n".join([opening, heading, *items, "</section>"])


def _table(table: Table) -> str:
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in table.notes)
    files = ", ".join(f'<a href="{table.name}{ending}">{ending[1:]}</a>' for ending in _FORMATS)
    # A box that scrolls has to be reachable by keyboard, and so needs a name.
    label = html.escape(table.title, quote=True)
    return "\n".join(
        [
            '<div class="item">',
            f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">',
            to_html(table).rstrip(),
            "</div>",
            f'<ul class="notes">{notes}<li>As a file: {files}.</li></ul>',
            "</div>",
        ]
    )


def _figure(drawing: Drawing) -> str:
    caption = html.escape(drawing.title)
    return "\n".join(
        [
            f'<figure class="item" id="{drawing.name}">',
            f'<div class="scroll" role="img" aria-label="{caption}">',
            inline_svg(drawing),
            "</div>",
            f'<figcaption>{caption} <a href="{drawing.name}.svg">svg</a></figcaption>',
            "</figure>",
        ]
    )


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
