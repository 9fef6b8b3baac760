"""The page of 2-HNC in a real browser: all of its cuts, by a slider and on a curve.

Runs where Chromium and its driver are installed (Debian: chromium, chromium-driver).
"""

import itertools
import json

import numpy as np
import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from pucut.report import unpacked, write
from pucut.report.values import packed
from tests.helpers.browser import (
    CHROMIUM,
    DRIVER,
    by_id,
    choose,
    listed,
    n_listed,
    pixels,
    readout,
    select_row,
    show,
    unfold,
)
from tests.helpers.reports import N_ROWS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="Chromium or its driver is not installed"
    ),
]


@pytest.fixture
def method():
    """Only this method has stages."""
    return "2-HNC"


@pytest.fixture
def opened(opened):
    """The cuts are folded, as all mathematics are."""
    unfold(opened)
    return opened


def test_the_slider_walks_through_the_cuts(opened, report):
    model, summary = report.model, report.summary
    drawn = unpacked(summary["plane"]["drawn"])
    slider = by_id(opened, "step")
    start = readout(opened)
    assert (start["stage"], start["step"]) == (model.partition_.stage, summary["partition"]["step"])
    assert start["positive"] == model.transduction_.sum()
    assert "This is the chosen partition" in by_id(opened, "readout").text
    for stage, path in enumerate((model.stage1_, model.stage2_)):
        lams = unpacked(summary["stages"][stage]["lam"])
        opened.find_element(By.CSS_SELECTOR, f"input[name=stage][value='{stage}']").click()
        slider.send_keys(Keys.HOME)
        pictures, n_changes = [], 0
        for step, lam in list(enumerate(lams))[:8]:
            if step:
                slider.send_keys(Keys.ARROW_RIGHT)
            expected = path.source_set(lam)
            found = readout(opened)
            assert found == {
                "stage": stage + 1,
                "step": step,
                "positive": expected.sum(),
                "drawn": expected[drawn].sum(),
            }
            text = by_id(opened, "readout").text
            assert f"{expected.sum()} row" in text
            assert f"of those drawn {expected[drawn].sum()}" in text
            assert f"{expected.sum()} of {N_ROWS}" in slider.get_attribute("aria-valuetext")
            pictures.append((expected[drawn].tolist(), pixels(opened, "cut-map")))
        for (sides, picture), (next_sides, next_picture) in itertools.pairwise(pictures):
            if sides != next_sides:
                n_changes += 1
                assert picture != next_picture
        assert n_changes > 1
    by_id(opened, "to-chosen").click()
    assert readout(opened) == start


def test_the_chosen_partition_is_marked_under_the_slider(opened, report):
    summary = report.summary
    stage = summary["partition"]["stage"]
    mark, slider = by_id(opened, "mark"), by_id(opened, "step")
    assert mark.is_displayed()
    last = len(unpacked(summary["stages"][stage - 1]["lam"])) - 1
    expected = (
        slider.rect["x"] + 8 + (slider.rect["width"] - 16) * summary["partition"]["step"] / last
    )
    assert mark.rect["x"] == pytest.approx(expected, abs=2)
    opened.find_element(By.CSS_SELECTOR, f"input[name=stage][value='{2 - stage}']").click()
    assert not mark.is_displayed()


def test_the_curve_follows_the_pointer(opened):
    def click(_):
        curve = opened.find_element(By.CSS_SELECTOR, "#curve svg")
        n_lines = len(curve.find_elements(By.CSS_SELECTOR, "path.line"))
        webdriver.ActionChains(opened).move_to_element(curve).click().perform()
        return n_lines

    before = readout(opened)
    # When it is unfolded it gets a size, and is drawn again, at any moment of these steps.
    redrawn = [StaleElementReferenceException]
    assert WebDriverWait(opened, 10, 0.05, ignored_exceptions=redrawn).until(click) == 2
    assert readout(opened)["step"] != before["step"]


def test_a_sample_has_its_lambdas(opened, report):
    model, names = report.model, report.names
    row = rows_with_labelled_neighbours(report)[5]
    select_row(opened, names[row])
    text = by_id(opened, "detail-body").text
    assert f"leaves the positive side at λ = {model.stage1_.switch[row]:.4g}" in text
    joins = model.stage2_.switch[row]
    expected = "never joins" if joins == np.inf else f"joins at λ = {joins:.4g}"
    assert ("pulled in from the start" if joins <= 0 else expected) in text
    place = model.negative_ranking_.tolist().index(row) + 1
    assert f"Place {place} of {np.sum(report.y == 0)} in the ranking of likely negatives" in text


def rows_with_labelled_neighbours(report):
    graph, labelled = report.model.graph_.toarray(), report.y == 1
    return [row for row in np.flatnonzero(~labelled) if (graph[row] > 0)[labelled].any()]


def test_likely_negatives_are_listed(opened, report):
    choose(opened, "filter", "likely-negative")
    assert n_listed(opened) == len(report.model.likely_negative_)


def many_rows(summary, times):
    """The same report with every row so many times: a large page without a long fit."""
    found = json.loads(json.dumps(summary))
    n_rows = summary["data"]["n_samples"] * times
    found["data"]["n_samples"] = found["listed"]["n_rows"] = n_rows
    found["data"]["n_unlabelled"] *= times

    def repeated(entry, count=times):
        return packed(np.tile(unpacked(entry), count), entry["type"])

    for stage in found["stages"]:
        stage["turn"] = repeated(stage["turn"])
        stage["n_positive"] = packed(unpacked(stage["n_positive"]) * times, "int32")
    rows = found["rows"]
    rows["ids"] = None
    for name, entry in rows.items():
        if isinstance(entry, dict) and name != "order":
            rows[name] = repeated(entry)
    rows["order"] = packed(np.argsort(-unpacked(rows["score"]), kind="stable"), "int32")
    order = unpacked(rows["order"])
    unlabelled = order[unpacked(rows["is_labelled"])[order] == 0]
    rank = np.zeros(n_rows, dtype=np.int32)
    rank[unlabelled] = np.arange(1, len(unlabelled) + 1)
    rows["rank"] = packed(rank, "int32")
    for column in found["columns"]:
        column["values"] = repeated(column["values"])
    random = np.random.default_rng(0)
    found["plane"] |= {
        "x": packed(random.integers(0, 65536, n_rows), "uint16"),
        "y": packed(random.integers(0, 65536, n_rows), "uint16"),
        "drawn": packed(np.sort(random.choice(n_rows, 5000, replace=False)), "int32"),
        "n_drawn": 5000,
    }
    found["n_positive"] *= times
    return found


def test_fifty_thousand_rows(browser, report, tmp_path):
    summary = many_rows(report.summary, 167)
    n_rows = 167 * N_ROWS
    path = tmp_path / "large.html"
    write(path, summary)
    assert path.stat().st_size < 15e6
    show(browser, path)
    unfold(browser)
    shown = f"{n_rows:,}".replace(",", "\u202f")
    assert f"5000 of {shown} drawn" in browser.find_element(By.CSS_SELECTOR, ".map figcaption").text
    choose(browser, "filter", "all")
    assert by_id(browser, "listed").text == f"1 to 25 of {shown} rows"
    before = readout(browser)
    by_id(browser, "step").send_keys(Keys.ARROW_RIGHT)
    after = readout(browser)
    assert after["step"] == before["step"] + 1
    stage = summary["stages"][after["stage"] - 1]
    turn = unpacked(stage["turn"])
    inside = turn >= after["step"] if after["stage"] == 1 else turn <= after["step"]
    assert after["positive"] == np.count_nonzero(inside)
    assert after["drawn"] == np.count_nonzero(inside[unpacked(summary["plane"]["drawn"])])
    by_id(browser, "last-page").click()
    n_others = n_rows - 167 * summary["data"]["n_labelled"]
    assert int(listed(browser)[-1][3].replace("\u202f", "")) == n_others
    by_id(browser, "search").send_keys("50099")
    assert listed(browser)[0][0] == "50099"
    assert browser.get_log("browser") == []
