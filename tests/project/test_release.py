"""What is released says the same everywhere: versions, requirements, commands, addresses."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def parsed(file):
    return pytest.importorskip("yaml").safe_load(file.read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere():
    version = PROJECT["version"]
    assert f"\nversion: {version}\n" in text_of("CITATION.cff")
    assert f"\n  version: {version}\n" in text_of("packaging/conda/recipe.yaml")
    assert re.search(rf"^## {re.escape(version)} \(", text_of("CHANGELOG.md"), flags=re.MULTILINE)


def test_classifiers_begin_with_the_oldest_python():
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert f">=3.{named[0]}" == PROJECT["requires-python"]
    assert named == [str(minor) for minor in range(int(named[0]), int(named[0]) + len(named))]


def test_the_recipe_asks_for_the_same_packages():
    run = parsed(ROOT / "packaging" / "conda" / "recipe.yaml")["requirements"]["run"]
    assert [line.replace(" ", "") for line in run] == ["python", *PROJECT["dependencies"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=[file.stem for file in WORKFLOWS])
def test_workflows_call_commands_that_exist(file):
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), flags=re.MULTILINE))
    steps = [step for job in parsed(file)["jobs"].values() for step in job["steps"]]
    called = [
        word
        for step in steps
        for line in step.get("run", "").splitlines()
        if line.startswith("make ")
        for word in line.split()[1:]
        if "=" not in word
    ]
    assert set(called) <= targets
    assert called or "cibuildwheel" in text_of(f".github/workflows/{file.name}")
    # Releases of an action are named, never a branch that may become anything.
    uses = [step["uses"] for step in steps if "uses" in step]
    assert uses
    assert [use for use in uses if not re.search(r"@(v\d+(\.\d+)*|release/v\d+)$", use)] == []


def test_links_of_the_readme_work_on_pypi_too():
    """There they must be absolute; those into the repository lead to files of it."""
    targets = re.findall(r"\]\(([^)\s]+)\)", text_of("README.md"))
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []
    ours = [
        target.removeprefix(prefix).partition("#")[0]
        for target in targets
        for prefix in (f"{REPOSITORY}/blob/main/", f"{REPOSITORY}/raw/main/")
        if target.startswith(prefix)
    ]
    assert ours
    assert [path for path in ours if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize(
    "name", ["CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"]
)
def test_a_file_names_files_that_exist(name):
    named = re.findall(r"`((?:src|tests|docs|examples|native)/[\w./]+)`", text_of(name))
    new = {"src/pucut/methods/centroids.py"}  # which a contributor is shown how to write
    assert [path for path in named if path not in new and not (ROOT / path).exists()] == []
