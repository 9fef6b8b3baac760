"""Two directives: help texts of the command, and tables that may not be there yet."""

import contextlib
import io
import os
import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pucut import cli

WIDTH = "88"


def help_of(command: str) -> str:
    """What `pucut COMMAND --help` prints."""
    os.environ["COLUMNS"] = WIDTH
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli.main([command, "--help"])
    return printed.getvalue()


class CommandHelp(Directive):
    """A section with the help of every subcommand, in the order of `pucut --help`."""

    def run(self) -> list[nodes.Node]:
        sections: list[nodes.Node] = []
        for module in cli.COMMANDS:
            name = module.__name__.rsplit(".", 1)[1]
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
    """Includes a Markdown file of tables, or says how to make it."""

    required_arguments = 1
    option_spec: ClassVar[dict] = {}

    def run(self) -> list[nodes.Node]:
        file = Path(self.env.doc2path(self.env.docname)).parent / self.arguments[0]
        self.env.note_dependency(str(file))  # also where it is missing: it may come
        if file.is_file():
            text = below_a_section(file.read_text(encoding="utf-8"))
            return self.parse_text_to_nodes(text, allow_section_headings=True)
        text = "This checkout has no tables yet: run the commands above."
        return [nodes.note("", nodes.paragraph("", text))]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("cli-help", CommandHelp)
    app.add_directive("paper-summary", PaperSummary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
