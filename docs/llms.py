"""Write llms.txt next to the pages: a list of them for programs (llmstxt.org)."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx


def first_sentence(document: nodes.document) -> str:
    """Return the first sentence of the first paragraph at the top level."""
    for paragraph in document.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            text = " ".join(paragraph.astext().split())
            return re.split(r"(?<=[.!?]) ", text)[0]
    return ""


def write_llms(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.name != "html":
        return
    env = app.env
    lines = [f"# {app.config.project}", "", f"> {first_sentence(env.get_doctree('index'))}", ""]
    for page in sorted(env.found_docs):
        if page == "index" or page.startswith(("gallery/backreferences", "api/generated/")):
            continue
        address = app.config.html_baseurl + app.builder.get_target_uri(page)
        line = f"- [{env.titles[page].astext()}]({address})"
        about = first_sentence(env.get_doctree(page))
        lines.append(f"{line}: {about}" if about else line)
    Path(app.outdir, "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write_llms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
