"""The documentation: examples run and are listed, pages name everything, and links lead somewhere.

`make docs` builds the pages and runs every example, with warnings as errors: about a minute and a
half. Here only those examples run that take a few seconds.
"""

import importlib
import re
import runpy
import sys
import warnings
from pathlib import Path

import pytest

import pucut
from pucut import (
    calibration,
    cli,
    dask,
    datasets,
    exceptions,
    metrics,
    model_selection,
    priors,
    report,
)
from pucut.methods import METHODS
from pucut.utils import estimator_checks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Each takes a few seconds on one core; the others are left to `make docs`.
FAST = (
    "all_cuts.py",
    "cut_outliers.py",
    "cut_engine.py",
    "in_a_picture.py",
    "next_labelling_round.py",
    "next_labels.py",
    "outliers.py",
    "report_digits.py",
    "your_own_graph.py",
)
LARGEST_PICTURE = 200_000
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
FILES_OF_THE_REPOSITORY = r"https://github\.com/pucut/pucut/(?:blob|tree|raw)/main/([^)#\s]+)"
MOST_LINES_OF_THE_LOG, MOST_BYTES_OF_THE_LOG = 250, 30_000
# Of modules that have no __all__.
PUBLIC = {
    "pucut.calibration": ["calibrate", "Calibration"],
    "pucut.datasets": ["pu_split", "biased_labels", "BiasedLabels"],
}


def gallery_order():
    return runpy.run_path(str(DOCS / "gallery_order.py"))["ORDER"]


def pages():
    found = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), *DOCS.glob("api/*.rst"), *RESULTS]
    others = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md")
    return sorted([*found, *(ROOT / name for name in others)])


def test_every_example_has_its_place_in_the_gallery():
    assert sorted(gallery_order()) == [file.name for file in EXAMPLES]


@pytest.mark.parametrize("file", EXAMPLES, ids=[file.stem for file in EXAMPLES])
def test_an_example_begins_as_the_gallery_wants_it(file):
    opening, title, underline, *_ = file.read_text(encoding="utf-8").splitlines()
    assert opening == '"""'
    assert title.strip()
    assert underline == "=" * len(title)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_a_fast_example_runs(name, tmp_path, monkeypatch, capsys):
    """In this process: a new one would load libraries longer than most of them work."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    file = str(ROOT / "examples" / name)
    monkeypatch.setattr(sys, "argv", [file])
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as for anyone who runs it: the suite makes them errors
        warnings.simplefilter("error", FutureWarning)
        runpy.run_path(file, run_name="__main__")
    importlib.import_module("matplotlib.pyplot").close("all")
    assert capsys.readouterr().out.strip()
    assert list(tmp_path.iterdir()) == []


def test_the_readme_is_short_and_its_code_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    (code,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert len([line for line in code.splitlines() if line]) <= 10
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("About ")
    assert "look positive" in (tmp_path / "report.html").read_text(encoding="utf-8")


def local_targets(text):
    """Files that a page names: Markdown links, pictures, plots and toctrees."""
    text = re.sub(r"^```(?:python|sh)\n.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    yield from re.findall(r"^```\{image\} (\S+)", text, flags=re.MULTILINE)
    yield from re.findall(r"^\.\. plot:: (\S+)", text, flags=re.MULTILINE)
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        lines = (line for line in block.splitlines() if line and not line.startswith(":"))
        yield from (f"{line}.page" for line in lines)


def exists(target, folder):
    """Pages of the gallery are made from the examples when the documentation is built."""
    path = folder / target
    if path.is_relative_to(DOCS / "gallery"):
        return path.stem == "index" or (ROOT / "examples" / f"{path.stem}.py").is_file()
    if path.suffix == ".page":
        return any(path.with_suffix(ending).is_file() for ending in (".md", ".rst"))
    return path.exists()


@pytest.mark.parametrize("page", pages(), ids=[str(page.relative_to(ROOT)) for page in pages()])
def test_links_lead_to_files(page):
    targets = [
        target
        for target in local_targets(page.read_text(encoding="utf-8"))
        if not re.match(r"[a-z]+:", target)
    ]
    assert [target for target in targets if not exists(target, page.parent)] == []


@pytest.mark.parametrize("page", pages(), ids=[str(page.relative_to(ROOT)) for page in pages()])
def test_links_into_the_repository_lead_to_files(page):
    names = re.findall(FILES_OF_THE_REPOSITORY, page.read_text(encoding="utf-8"))
    assert [name for name in names if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", RESULTS, ids=[page.stem for page in RESULTS])
def test_measurements_have_a_date_and_a_command(page):
    text = page.read_text(encoding="utf-8")
    assert re.search(r"[Mm]easured 2026-\d\d-\d\d", text)
    assert re.search(
        r"`[^`]*(python -m |make )|^PUCUT_DATA=|No command repeats", text, re.MULTILINE
    )


def test_the_log_of_decisions_is_short_and_complete():
    text = (DOCS / "design" / "tried.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES_OF_THE_LOG
    assert len(text.encode()) <= MOST_BYTES_OF_THE_LOG
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    entries = [row for row in rows if row != "| idea | effect | date | command |"]
    assert len(entries) > 100
    assert [
        row for row in entries if not re.search(r"\| 1[0-9]-[0-3]\d \| (—|`[^`]+`) \|$", row)
    ] == []


def test_the_search_for_links_finds_what_it_should():
    text = (
        "[a](b.md) and [](c.md#part)\n```{image} d.png\n```\n.. plot:: e.py\n"
        "```{toctree}\n:hidden:\n\nf\n```\n```python\nx[0](y)\n```\n"
    )
    assert list(local_targets(text)) == ["b.md", "c.md", "d.png", "e.py", "f.page"]
    assert not exists("nowhere.md", DOCS)
    assert not exists("gallery/nowhere.rst", DOCS)


def listed_names():
    """The full names of everything the pages of the reference list."""
    names = set()
    for page in DOCS.glob("api/*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            elif re.fullmatch(r"   [A-Za-z_][\w.]*", line):
                names.add(f"{module}.{line.strip()}")
    return names


@pytest.mark.parametrize(
    "module",
    [
        pucut,
        dask,
        exceptions,
        metrics,
        model_selection,
        priors,
        datasets,
        report,
        calibration,
        estimator_checks,
    ],
    ids=lambda module: module.__name__,
)
def test_the_reference_lists_what_is_public(module):
    names = getattr(module, "__all__", PUBLIC.get(module.__name__))
    public = {name for name in names if callable(getattr(module, name))}
    listed = {name.rsplit(".", 1)[1] for name in listed_names() if name.startswith("pucut")}
    assert public
    assert public - listed == set()


def test_the_page_on_methods_has_every_method():
    text = (DOCS / "which_method.md").read_text(encoding="utf-8")
    first_cells = set(re.findall(r"^\| ([^|]+?) \|", text, flags=re.MULTILINE))
    assert set(METHODS) - first_cells == set()


def test_help_of_every_command_is_found():
    pytest.importorskip("sphinx")
    sys.path.insert(0, str(DOCS))
    try:
        directives = runpy.run_path(str(DOCS / "directives.py"))
    finally:
        sys.path.remove(str(DOCS))
    for name in cli.COMMANDS:
        assert f"usage: pucut {name}" in directives["help_of"](name)


def test_committed_pictures_are_small():
    pictures = [*DOCS.glob("images/*.png"), *DOCS.glob("images/*.svg")]
    assert pictures
    assert [file.name for file in pictures if file.stat().st_size > LARGEST_PICTURE] == []


def test_links_show_a_picture_of_the_usual_size(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))  # which the settings lengthen
    settings = runpy.run_path(str(DOCS / "conf.py"))
    (name,) = re.findall(r"/_static/([^/]+)$", settings["ogp_image"])
    (picture,) = (DOCS / path for path in settings["html_static_path"] if path.endswith(name))
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert [int.from_bytes(content[at : at + 4], "big") for at in (16, 20)] == [1200, 630]
