"""The pages of both methods in a real browser: they search, sort, explain, and fetch nothing.

Runs where Chromium and its driver are installed (Debian: chromium, chromium-driver).
"""

import csv
import io
import time

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pucut.report import summarise, unpacked, write
from pucut.report.values import packed, percent
from tests.helpers.browser import (
    CHROMIUM,
    DRIVER,
    by_id,
    choose,
    faint_texts,
    fetched,
    listed,
    n_listed,
    pixels,
    readout,
    select_row,
    show,
    unfold,
)
from tests.helpers.reports import HOSTILE, N_ROWS, shown_graph

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="Chromium or its driver is not installed"
    ),
]


# Where the pages have the same script, one is enough.
on_one_page = pytest.mark.parametrize("method", ["pucut"])


@on_one_page
def test_search(opened):
    choose(opened, "filter", "all")
    assert by_id(opened, "listed").text == f"1 to 25 of {N_ROWS} rows"
    by_id(opened, "search").send_keys("ample 04")
    assert by_id(opened, "listed").text == f"1 to 10 of 10 rows out of {N_ROWS}"
    assert sorted(line[0] for line in listed(opened)) == [
        f"Sample {row:03d}" for row in range(40, 50)
    ]
    by_id(opened, "search").send_keys("x")
    assert listed(opened) == []
    assert not by_id(opened, "download").is_enabled()


def test_the_list_opens_with_the_rows_found(opened, report):
    model, y = report.model, report.y
    is_found = (model.transduction_ == 1) & (y == 0)
    order = np.argsort(-model.scores_, kind="stable")
    expected = [report.names[row] for row in order[is_found[order]]]
    assert [line[0] for line in listed(opened)] == expected[:25]
    assert n_listed(opened) == len(expected)
    # The rank is that among the unlabelled rows.
    others = order[y[order] == 0]
    ranks = {report.names[row]: place for place, row in enumerate(others, start=1)}
    assert all(int(line[3]) == ranks[line[0]] for line in listed(opened))


def test_sorting_and_pages(opened, report):
    choose(opened, "filter", "all")
    probability = unpacked(report.summary["rows"]["probability"])
    head = opened.find_element(By.CSS_SELECTOR, "[data-sort=probability]")
    head.send_keys(Keys.ENTER)
    falling = np.sort(probability)[::-1]
    assert [line[2] for line in listed(opened)] == [f"{value:.3f}" for value in falling[:25]]
    sorted_by = opened.find_element(By.CSS_SELECTOR, "th[aria-sort=descending]")
    assert sorted_by.text.startswith("Probability")
    opened.switch_to.active_element.send_keys(Keys.ENTER)
    assert [line[2] for line in listed(opened)] == [f"{value:.3f}" for value in falling[::-1][:25]]
    by_id(opened, "last-page").click()
    assert [line[2] for line in listed(opened)] == [f"{value:.3f}" for value in falling[24::-1]]
    assert not by_id(opened, "next-page").is_enabled()
    by_id(opened, "previous-page").click()
    assert by_id(opened, "page").text == "Page 11 of 12"
    opened.find_element(By.CSS_SELECTOR, "[data-sort=name]").click()
    assert [line[0] for line in listed(opened)] == report.names[:25]


def test_filters_list_what_they_say(opened, report):
    model, y, summary = report.model, report.y, report.summary
    choose(opened, "filter", "found")
    n_found = np.count_nonzero(model.transduction_ & (y == 0))
    assert n_listed(opened) == n_found
    for place, line in enumerate(summary["sensitivity"]):
        button = opened.find_element(By.CSS_SELECTOR, f"button[data-filter=move-{place}]")
        n_changed = line["n_to_positive"] + line["n_to_negative"]
        assert button.is_enabled() == (n_changed > 0)
        if n_changed:
            button.click()
            changed = {*unpacked(line["to_positive"]), *unpacked(line["to_negative"])}
            assert n_listed(opened) == n_changed
            assert {line[0] for line in listed(opened)} <= {report.names[row] for row in changed}


def test_a_sample_is_explained(opened, report):
    model, X, names = report.model, report.X, report.names
    graph = shown_graph(model).toarray()
    labelled = report.y == 1
    with_labels = [row for row in np.flatnonzero(~labelled) if (graph[row] > 0)[labelled].any()]
    row = with_labels[5]
    before = pixels(opened)
    select_row(opened, names[row])
    assert by_id(opened, "detail-title").text == f"Row {names[row]}"
    near = sorted(
        (other for other in np.flatnonzero(graph[row]) if labelled[other]),
        key=lambda other: (-graph[row, other], other),
    )[:5]
    lines = opened.execute_script(
        "return [...document.querySelectorAll('#neighbours tbody tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )
    assert [line[0] for line in lines] == [names[other] for other in near]
    weights = [float(line[1]) for line in lines]
    np.testing.assert_allclose(weights, graph[row, near], rtol=6e-3)
    text = by_id(opened, "detail-body").text
    has_stages = report.summary["stages"] is not None
    assert ("λ" in text) == ("likely negatives" in text) == has_stages
    assert ("in the graph of the cut with most weight" in text) == (not has_stages)
    probability = percent(float(np.float32(model.predict_proba(X)[row, 1])))
    assert f"Probability of being positive: {probability}." in text
    values = opened.execute_script(
        "return [...document.querySelectorAll('#values tbody tr')]"
        ".map((line) => [...line.cells].slice(0, 3).map((cell) => cell.textContent))"
    )
    shown = {name: (here, mean) for name, here, mean in values}
    assert set(shown) == set(X.columns)
    here, mean = (float(text.replace("−", "-")) for text in shown["alpha"])
    assert here == pytest.approx(X["alpha"][row], rel=1e-3)
    assert mean == pytest.approx(X["alpha"].mean(), rel=1e-3)
    assert shown["kind"] == (X["kind"][row], X["kind"].mode()[0])
    assert (
        opened.find_element(By.CSS_SELECTOR, "#lines tr[aria-current=true] th").text == names[row]
    )
    assert pixels(opened) != before
    # The keyboard stays where it was.
    assert opened.switch_to.active_element.text == names[row]


def test_a_sample_without_labelled_neighbours_has_a_chain(opened, report):
    summary, names = report.summary, report.names
    towards = unpacked(summary["rows"]["towards_label"])
    n_listed = summary["rows"]["n_listed_neighbors"]
    first = unpacked(summary["rows"]["neighbor"])[::n_listed]
    is_labelled = unpacked(summary["rows"]["is_labelled"])
    row = next(row for row in range(N_ROWS) if first[row] < 0 and towards[row] >= 0)
    select_row(opened, names[row])
    way = [row]
    while towards[way[-1]] >= 0:
        way.append(towards[way[-1]])
    assert is_labelled[way[-1]]
    buttons = by_id(opened, "chain").find_elements(By.TAG_NAME, "button")
    steps = way[1:] if len(way) <= 13 else [*way[1:12], way[-1]]  # long ones have a gap
    assert [button.text for button in buttons] == [names[step] for step in steps]
    buttons[-1].click()
    assert by_id(opened, "detail-title").text == f"Row {names[way[-1]]}"


def test_points_of_the_map_are_selected_by_keyboard_and_by_pointer(opened, report):
    summary, names = report.summary, report.names
    drawn = unpacked(summary["plane"]["drawn"])
    x, y = unpacked(summary["plane"]["x"]), unpacked(summary["plane"]["y"])
    canvas = by_id(opened, "map")
    canvas.send_keys(Keys.ARROW_RIGHT)
    first = by_id(opened, "detail-title").text.removeprefix("Row ")
    canvas.send_keys(Keys.ARROW_RIGHT)
    second = by_id(opened, "detail-title").text.removeprefix("Row ")
    assert x[names.index(second)] > x[names.index(first)]
    row = drawn[np.argmin((x[drawn] / 65535 - 0.5) ** 2 + (y[drawn] / 65535 - 0.5) ** 2)]
    width, height = canvas.size["width"], canvas.size["height"]
    left = 10 + x[row] / 65535 * (width - 20) - width / 2
    top = height / 2 - 10 - y[row] / 65535 * (height - 20)
    opened.execute_script("arguments[0].scrollIntoView()", canvas)
    point = webdriver.ActionChains(opened)
    point.move_to_element_with_offset(canvas, round(left), round(top)).click().perform()
    assert by_id(opened, "detail-title").text == f"Row {names[row]}"


def test_the_map_shows_the_classes(opened, report):
    """Positives are filled, negatives are rings; asked of rows that no other row covers."""
    plane = report.summary["plane"]
    drawn = unpacked(plane["drawn"])
    canvas = by_id(opened, "map")
    size = np.array([canvas.size["width"] - 20, canvas.size["height"] - 20])
    x, y = (unpacked(plane[axis])[drawn] / 65535 for axis in "xy")
    places = 10 + size * np.column_stack([x, 1 - y])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    lone = apart.min(axis=1) > 6  # no sign reaches as far from its place
    is_filled = opened.execute_script(
        "const pen = document.getElementById('map').getContext('2d');"
        "return arguments[0].map(([x, y]) => pen.getImageData(x, y, 1, 1).data[3] > 0)",
        places[lone].round().tolist(),
    )
    expected = report.model.transduction_[drawn][lone] == 1
    assert is_filled == expected.tolist()
    assert min(expected.sum(), (~expected).sum()) > 5


def test_the_download_is_the_table(opened, report, tmp_path):
    model, X, y, names = report.model, report.X, report.y, report.names
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    opened.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    choose(opened, "filter", "all")
    opened.find_element(By.CSS_SELECTOR, "[data-sort=name]").click()
    by_id(opened, "download").click()
    path = tmp_path / "rows.csv"
    for _ in range(100):
        if path.exists():
            break
        time.sleep(0.05)
    table = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))
    assert [line["name"] for line in table] == names
    assert [int(line["row"]) for line in table] == list(range(N_ROWS))
    assert [int(line["known"]) for line in table] == y.tolist()
    assert [int(line["positive"]) for line in table] == model.transduction_.astype(int).tolist()
    probability = [float(line["probability"]) for line in table]
    np.testing.assert_allclose(probability, model.predict_proba(X)[:, 1], rtol=1e-6)
    score = [float(line["score"]) for line in table]
    np.testing.assert_allclose(score, model.scores_, rtol=1e-6, atol=1e-7)
    if report.summary["stages"] is None:
        assert not {"leaves_at", "joins_at", "negative_place"} & set(table[0])
        return
    for line, leaves, joins in zip(table, model.stage1_.switch, model.stage2_.switch, strict=True):
        assert line["leaves_at"] == "" if leaves == np.inf else float(line["leaves_at"]) == leaves
        assert (
            line["joins_at"] == "" if joins == np.inf else float(line["joins_at"]) == max(joins, 0)
        )


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "light"), (390, "dark")])
def test_it_fits_is_readable_and_silent(browser, report, width, scheme):
    path = report.path
    show(browser, path, width, scheme)
    select_row(browser, "Sample 100")
    where = "return document.getElementById('detail').getBoundingClientRect().top"
    assert -1 < browser.execute_script(where) < 900
    unfold(browser)
    if report.summary["stages"] is not None:
        by_id(browser, "step").send_keys(Keys.ARROW_RIGHT)
    assert browser.execute_script("return window.innerWidth") == width
    wide = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
    assert browser.execute_script(wide) == 0
    assert faint_texts(browser) == []
    before = pixels(browser)
    by_id(browser, "theme").click()
    assert pixels(browser) != before
    assert by_id(browser, "theme").get_attribute("aria-pressed") == str(scheme == "light").lower()
    assert faint_texts(browser) == []
    assert browser.get_log("browser") == []
    assert fetched(browser) == [path.as_uri()]
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_everything_one_can_use_has_a_name_and_shows_its_focus(opened, report):
    unfold(opened)
    tree = opened.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "searchbox", "combobox", "application", "table"}
    ids = {"theme", "map", "search", "filter"}
    if report.summary["stages"] is not None:
        roles |= {"slider", "radio", "image"}
        ids |= {"stage", "step"}
    nodes = [n for n in tree if not n.get("ignored") and n.get("role", {}).get("value") in roles]
    assert {node["role"]["value"] for node in nodes} == roles
    assert [node for node in nodes if not node.get("name", {}).get("value")] == []
    reached = set()
    for _ in range(70):
        if ids <= reached:
            break
        webdriver.ActionChains(opened).send_keys(Keys.TAB).perform()
        focused = opened.switch_to.active_element
        reached.add(focused.get_attribute("id") or focused.get_attribute("name"))
        assert focused.value_of_css_property("outline-style") == "solid"
    assert ids <= reached


def test_names_that_would_break_a_page_are_shown_as_they_are(opened):
    assert opened.title != "broken"
    select_row(opened, "script")
    assert by_id(opened, "detail-title").text == f"Row {HOSTILE}"
    heads = opened.find_elements(By.CSS_SELECTOR, "#values th[scope=row]")
    assert HOSTILE in [head.text for head in heads]
    assert opened.find_elements(By.TAG_NAME, "img") == []
    assert opened.get_log("browser") == []


@on_one_page
def test_the_policy_lets_nothing_else_run_or_be_fetched(opened):
    opened.execute_script(
        "const script = document.createElement('script');"
        "script.textContent = 'window.ran = true'; document.body.append(script)"
    )
    assert opened.execute_script("return window.ran") is None
    fetching = (
        "const done = arguments[0]; fetch('data:,x').then(() => done('read'), () => done('no'))"
    )
    assert opened.execute_async_script(fetching) == "no"
    messages = [line["message"] for line in opened.get_log("browser")]
    assert messages
    assert all("Content Security Policy" in message for message in messages)


def test_there_is_one_count_of_positives(opened, report):
    n_positive = int(report.model.transduction_.sum())
    counts = [report.summary["n_positive"]]
    n_known = int(report.y.sum())
    counts.append(int(opened.find_element(By.TAG_NAME, "h1").text.split(" of ")[0]) + n_known)
    choose(opened, "filter", "found")
    counts.append(n_listed(opened) + n_known)
    choose(opened, "filter", "other")
    counts.append(N_ROWS - n_listed(opened))
    if report.summary["stages"] is not None:
        counts.append(readout(opened)["positive"])
    assert counts == [n_positive] * len(counts)


def test_without_its_script_the_page_has_no_empty_parts(browser, report):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, report.path)
        text = browser.find_element(By.TAG_NAME, "main").text
        shown = {
            heading.text
            for heading in browser.find_elements(By.TAG_NAME, "h2")
            if heading.is_displayed()
        }
        buttons = [b for b in browser.find_elements(By.TAG_NAME, "button") if b.is_displayed()]
        frames = browser.find_elements(By.CSS_SELECTOR, "canvas, #samples, #step, #curve")
        visible = [frame for frame in frames if frame.is_displayed()]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "The map and the list of all rows need JavaScript" in text
    assert {"How many?", "Which?", "The columns", "If the prior were different"} <= shown
    assert (buttons, visible) == ([], [])
    n_found, n_others = report.summary["n_positive"] - report.y.sum(), (report.y == 0).sum()
    assert f"{n_found} of {n_others} unlabelled rows look positive" in text


def test_buttons_of_the_answers_list_rows(opened, report):
    press(opened, "found")
    assert n_listed(opened) == report.summary["n_positive"] - report.y.sum()
    press(opened, "border")
    turning = unpacked(report.summary["rows"]["turning_prior"])
    away = np.abs(turning - report.summary["prior"]["value"])[report.y == 0]
    assert n_listed(opened) == 25
    shown = [abs(turning[report.names.index(line[0])] - 0.5) for line in listed(opened)]
    np.testing.assert_allclose(sorted(shown), np.sort(away)[:25], atol=1e-6)


@on_one_page
def test_an_alert_lists_its_rows(browser, report, tmp_path):
    rows = [7, 30, 41]
    alert = {"kind": "repeated", "text": "Look at these.", "rows": packed(rows, "int32")}
    path = tmp_path / "alert.html"
    write(path, report.summary | {"alerts": [alert]})
    show(browser, path)
    press(browser, "alert-0")
    assert sorted(line[0] for line in listed(browser)) == [report.names[row] for row in rows]


def press(browser, name):
    button = browser.find_element(By.CSS_SELECTOR, f"button[data-filter={name}]")
    browser.execute_script("arguments[0].click()", button)


# A sheet of A4 between margins of a centimetre, in CSS pixels.
SHEET_WIDTH, SHEET_HEIGHT = 718, 1046


def test_the_first_sheet_of_paper_has_the_answers(browser, report):
    show(browser, report.path, SHEET_WIDTH, "dark")
    media = {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    end = "return document.querySelector('.answers').getBoundingClientRect().bottom"
    assert browser.execute_script(end) <= SHEET_HEIGHT
    wide = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
    assert browser.execute_script(wide) == 0
    # Nothing to press, dark ink on white, and the rows found.
    buttons = browser.find_elements(
        By.CSS_SELECTOR, "main button:not(#lines button, #heads button)"
    )
    assert [button.text for button in buttons if button.is_displayed()] == []
    assert faint_texts(browser) == []
    background = "return getComputedStyle(document.body).backgroundColor"
    assert browser.execute_script(background) == "rgb(255, 255, 255)"
    assert by_id(browser, "lines").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_page_with_some_of_the_rows(browser, report, tmp_path, monkeypatch):
    monkeypatch.setattr("pucut.report.listed.MOST_LISTED", 60)
    monkeypatch.setattr("pucut.report.plane.MOST_DRAWN", 10)
    found = summarise(report.model, report.X, report.y, ids=report.names)
    path = tmp_path / "some.html"
    write(path, found)
    page = show(browser, path)
    n_rows = found["listed"]["n_rows"]
    choose(page, "filter", "all")
    assert by_id(page, "listed").text == f"1 to 25 of {n_rows} rows"
    choose(page, "filter", "found")
    assert by_id(page, "listed").text.endswith(f"out of {n_rows} on this page")
    names = [line[0] for line in listed(page)]
    order = unpacked(found["rows"]["order"])
    is_found = unpacked(found["rows"]["is_positive"]) > unpacked(found["rows"]["is_labelled"])
    assert names == [found["rows"]["ids"][row] for row in order if is_found[row]][:25]
    for row in range(n_rows):
        page.execute_script(f"document.querySelector('#lines tr')?.setAttribute('data-row', {row})")
        page.find_element(By.CSS_SELECTOR, "#lines tr th button").click()
    assert [line for line in page.get_log("browser") if line["level"] == "SEVERE"] == []
