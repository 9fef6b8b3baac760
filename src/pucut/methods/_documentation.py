"""Documentation of parameters and attributes, inherited as methods inherit theirs."""

import inspect
import re
from collections.abc import Iterator

_INHERITED = ("Parameters", "Attributes")


def inherit_documentation(cls: type) -> None:
    """Add the parameters and attributes that only the base classes document to a class's docstring.

    Own entries come first. Parameters that `__init__` does not take are left out.
    """
    own = vars(cls).get("__doc__")
    if not own:  # without a docstring of its own, or under `python -OO`
        return
    summary, sections = _sections(own)
    parameters = list(inspect.signature(cls.__init__).parameters)  # type: ignore[misc]
    for title in _INHERITED:
        documented = {name for names, _ in _entries(sections.get(title, "")) for name in names}
        inherited: dict[str, str] = {}
        for base in cls.__mro__[1:]:
            for names, entry in _entries(_sections(base.__doc__ or "")[1].get(title, "")):
                free = [name for name in names if name not in {*documented, *inherited}]
                if title == "Parameters":
                    free = [name for name in free if name in parameters]
                if free:
                    inherited[free[0]] = ", ".join(free) + entry
                    documented.update(free)
        if title == "Parameters":
            inherited = {name: inherited[name] for name in parameters if name in inherited}
        if inherited:
            own_entries = [sections[title]] if title in sections else []
            sections[title] = "\n".join([*own_entries, *inherited.values()])
    order = [title for title in _INHERITED if title in sections]
    order += [title for title in sections if title not in _INHERITED]
    texts = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in order]
    cls.__doc__ = "\n\n".join([summary, *texts])


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into what precedes its sections, and the text of each by its title."""
    summary, *rest = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return summary.strip(), {
        title: text.rstrip() for title, text in zip(rest[::2], rest[1::2], strict=True)
    }


def _entries(section: str) -> Iterator[tuple[list[str], str]]:
    """Yield the names that each entry of a section documents, and its text after the names."""
    for entry in re.split(r"\n(?=\S)", section):
        if found := re.match(r"\w+(, *\w+)*", entry):
            yield re.split(", *", found[0]), entry[found.end() :]
