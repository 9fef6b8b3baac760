"""ARCHITECTURE.md is short and true to the tree, and wrong phrases stay out of what is written."""

import re
from pathlib import Path

import pytest

from tests.project.test_rooms import ROOMS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pucut"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_BYTES = 8000

# Each with what to write instead.
WRONG = {
    r"learned by heart": "memorised; for what is not: out-of-sample",
    r"\buntold\b": "hidden",
    r"\bfound out\b": "detected",
    r"\ba (row|line) a ": "one row per",
    r"\bforemost\b": "first",
    r"\bwhoever\b": "anyone who, or the passive",
}


def named_paths(text):
    """What stands in backticks and looks like a path: with a slash, or with a file's ending."""
    for name in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w./*-]+", name) and re.search(r"/|\.(py|pyi|md|rst|cpp|hpp)$", name):
            yield name


def exists(name):
    """Paths are relative to the repository or to the package; stars stand for any text."""
    return any(any(folder.glob(name.rstrip("/"))) for folder in (ROOT, PACKAGE))


FOLDERS = ("src", "paper", "native", "bindings", "benchmarks", "examples", "docs")
ENDINGS = (".py", ".md", ".rst", ".cpp", ".hpp", ".js", ".html")


def written_files():
    """All that is written by hand: the documentation has pages made from other files too."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            parts = set(file.relative_to(ROOT).parts)
            if file.suffix in ENDINGS and not parts & {"gallery", "generated"}:
                yield file
    yield ROOT / "README.md"
    yield ROOT / "ARCHITECTURE.md"


def wrong_phrases(text):
    """(line, phrase) of each, also where it is broken over two lines."""
    for wrong in WRONG:
        for found in re.finditer(wrong.replace(" ", r"\s+(?:#\s+)?"), text, flags=re.IGNORECASE):
            yield text[: found.start()].count("\n") + 1, " ".join(found[0].split())


def test_the_architecture_is_short():
    assert len(ARCHITECTURE.encode()) <= MOST_BYTES


def test_the_architecture_names_paths_that_exist():
    paths = set(named_paths(ARCHITECTURE))
    assert len(paths) > 20
    assert sorted(path for path in paths if not exists(path)) == []


@pytest.mark.parametrize("room", ROOMS)
def test_the_architecture_names_every_room(room):
    assert {f"{room}/", f"{room}.py"} & set(named_paths(ARCHITECTURE))


def test_no_wrong_phrase():
    found = [
        f"{file.relative_to(ROOT)}:{line}: {phrase!r}"
        for file in written_files()
        for line, phrase in wrong_phrases(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_checks_find_what_they_should():
    text = "`cuts/`, `nowhere.py`, `python -m paper`, `CutPath`, `pucut._core`"
    assert list(named_paths(text)) == ["cuts/", "nowhere.py"]
    assert exists("cuts/")
    assert exists("native/flow/*.hpp")
    assert not exists("nowhere.py")
    assert list(wrong_phrases("rows\n# learned by\n# heart, and told")) == [
        (2, "learned by # heart")
    ]
    assert list(wrong_phrases("one row a sample, a\nrow a sample")) == [(1, "a row a")]
