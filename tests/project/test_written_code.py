"""The code on the pages runs: each page from top to bottom, on small tables.

What a page takes for granted, such as X and y, is given here. Code that needs a cluster or
minutes is left out, by name.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import pucut
from pucut.utils.estimator_checks import PU_CHECKS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
# Pages whose code needs a cluster or minutes, with a word of it, so that a new reason is seen.
LEFT_OUT = {
    "dask.md": ("tcp://scheduler:8786", "tests/dask does the same on a cluster of its own"),
    "which_method.md": ("compare(X, y)", "tests/test_comparison.py does so, method by method"),
}
CHECKED = ("learns", "answers", "labels_of_every_kind", "sparse", "row_order", "interrupted_fit")


def code_blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def given(page):
    """What the code of a page takes for granted."""
    X, truth = make_blobs(120, 25, centers=2, random_state=0)
    y = np.where(np.arange(len(truth)) % 2, truth, 0)
    if page == "both_classes.md":
        y = np.where(np.arange(len(truth)) % 4, -1, truth)
    if page == "next_labels.md":
        y = np.where(np.arange(len(truth)) % 4, np.nan, truth)
    if page == "labels.md":
        y = np.array(["", "yes", "no"])[np.where(np.arange(len(truth)) % 4, 0, 2 - truth)]
    if page in ("biased_labels.md", "chooser.md"):
        X = pd.DataFrame(X, columns=["age", *(f"column {number}" for number in range(1, 25))])
    names = {name: getattr(pucut, name) for name in ("PUCutClassifier", "TwoHNCClassifier")}
    if page in ("chooser.md", "report.md"):
        names["model"] = names["PUCutClassifier"](prior=0.5, n_estimators=10, random_state=0)
        names["model"].fit(X, y)
    return names | {
        "X": X,
        "y": y,
        "X_new": X[:5] + 0.1,
        "known": truth == 0,
        "is_positive": truth == 1,
        "ask_somebody": lambda rows: truth[rows],
        "PCA": PCA,
        "HistGradientBoostingClassifier": HistGradientBoostingClassifier,
        "LogisticRegression": LogisticRegression,
    }


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    blocks = code_blocks(page.read_text(encoding="utf-8"))
    if page.name in LEFT_OUT:
        assert LEFT_OUT[page.name][0] in "".join(blocks)
        pytest.skip(LEFT_OUT[page.name][1])
    if not blocks:
        return
    for library in ("skactiveml", "pulearn"):
        if f"from {library}" in "".join(blocks):
            pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)  # the report is written where one stands
    names = given(page.name)
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


def test_the_method_that_contributors_are_shown_keeps_the_contract():
    (block,) = code_blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    names = {"__name__": "centroids"}
    exec(compile(block, "centroids.py", "exec"), names)
    for check in PU_CHECKS:
        if check.__name__.removeprefix("check_pu_") in CHECKED:
            check(names["CentroidClassifier"]())


def test_the_search_for_code_finds_what_it_should():
    text = "a\n```python\nx = 1\n```\n```sh\nls\n```\n```python\ny = 2\nz = 3\n```\n"
    assert code_blocks(text) == ["x = 1\n", "y = 2\nz = 3\n"]
