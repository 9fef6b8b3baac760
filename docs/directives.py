"""Three directives: help texts of the command, tables that may be missing, and tables and figures
of the paper's experiments, made from the rows of the runs.
"""

import contextlib
import io
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pucut import cli
from pucut._support.html import Html, element

WIDTH = "88"


def help_of(command: str) -> str:
    """Return the output of `pucut COMMAND --help`."""
    os.environ["COLUMNS"] = WIDTH
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli.main([command, "--help"])
    return printed.getvalue()


class CommandHelp(Directive):
    """A section with the help of every subcommand, in the order of `pucut --help`."""

    def run(self) -> list[nodes.Node]:
        sections: list[nodes.Node] = []
        for name in cli.COMMANDS:
            text = help_of(name)
            section = nodes.section(ids=[f"pucut-{name}"], names=[f"pucut {name}"])
            section += nodes.title("", f"pucut {name}")
            section += nodes.literal_block(text, text, language="none")
            sections.append(section)
        return sections


def below_a_section(text: str) -> str:
    """Markdown without its title, headings one level lower."""
    return re.sub(r"^(#{2,} )", r"#\1", re.sub(r"^# .*\n", "", text), flags=re.MULTILINE)


class PaperSummary(SphinxDirective):
    """Includes a Markdown file of tables, or a note on how to make it."""

    required_arguments = 1
    option_spec: ClassVar[dict] = {}

    def run(self) -> list[nodes.Node]:
        file = Path(self.env.doc2path(self.env.docname)).parent / self.arguments[0]
        self.env.note_dependency(str(file))  # also if it is missing now
        if file.is_file():
            text = below_a_section(file.read_text(encoding="utf-8"))
            return self.parse_text_to_nodes(text, allow_section_headings=True)
        text = "This checkout has no tables yet: run the commands above."
        return [nodes.note("", nodes.paragraph("", text))]


@cache
def paper_items() -> dict[str, Any]:
    """All tables and figures of `python -m paper tables`, by name."""
    from paper import FOLDER
    from paper.row_files import read_rows
    from paper.showing.contents import make_contents
    from paper.showing.published import read_published

    contents = make_contents(read_rows(FOLDER / "rows"), read_published(FOLDER / "published"))
    return {item.name: item for item in (*contents.tables, *contents.drawings)}


class PaperItem(SphinxDirective):
    """A table or a figure of the paper's experiments, so that no number is typed by hand."""

    required_arguments = 1
    option_spec: ClassVar[dict] = {}

    def run(self) -> list[nodes.Node]:
        from paper import FOLDER
        from paper.showing.page import inline_svg
        from paper.showing.tables import Table, to_markdown

        for file in (FOLDER / "rows").iterdir():
            self.env.note_dependency(str(file))
        item = paper_items()[self.arguments[0]]
        if isinstance(item, Table):
            return self.parse_text_to_nodes(to_markdown(item))
        picture = element(
            "div", Html(inline_svg(item)), class_="paper-figure", role="img", aria_label=item.title
        )
        caption = nodes.paragraph("", "", nodes.emphasis("", item.title))
        return [nodes.raw("", str(picture), format="html"), caption]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("cli-help", CommandHelp)
    app.add_directive("paper-summary", PaperSummary)
    app.add_directive("paper-item", PaperItem)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
