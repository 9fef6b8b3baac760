"""The report in a real browser: it moves, searches, sorts, explains, and fetches nothing.

Runs where Chromium and its driver are installed (Debian: chromium, chromium-driver).
"""

import csv
import io
import itertools
import json
import shutil
import time

import numpy as np
import pandas as pd
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from pucut import TwoHNCClassifier
from pucut.report import plane, summarise, unpacked, write
from pucut.report.packing import packed
from tests.helpers.pu_contract import pu_table

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="Chromium or its driver is not installed"
)

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"
QUOTED = 'comma, "quote"\nand a line'
N_ROWS = 300
N_DRAWN = 120

SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # With the driver named, selenium looks for none elsewhere.
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def fitted():
    X, y, _ = pu_table(N_ROWS)
    frame = pd.DataFrame(X, columns=["alpha", "beta", "gamma", HOSTILE])
    frame["kind"] = np.where(X[:, 0] > 1.5, "<b>large</b>", "small")
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(frame, y)
    return model, frame, y


@pytest.fixture(scope="module")
def names():
    return [HOSTILE, QUOTED, *(f"Sample {row:03d}" for row in range(2, N_ROWS))]


@pytest.fixture(scope="module")
def report(fitted, names, tmp_path_factory):
    """The file, and the dict it was made of; not all rows are drawn."""
    model, X, y = fitted
    path = tmp_path_factory.mktemp("report") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plane, "MOST_DRAWN", N_DRAWN)
        summary = summarise(model, X, y, ids=names)
    write(path, summary)
    return path, summary


@pytest.fixture
def opened(browser, report):
    return show(browser, report[0])


def show(browser, path, width=1200, scheme="light"):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(path.as_uri())
    return browser


def by_id(browser, name):
    return browser.find_element(By.ID, name)


def readout(browser):
    """What the line under the slider says, as numbers."""
    line = by_id(browser, "readout")
    found = {
        name: line.get_attribute(f"data-{name}") for name in ("stage", "step", "positive", "drawn")
    }
    return {name: int(value) for name, value in found.items()}


def pixels(browser):
    return browser.execute_script("return document.getElementById('map').toDataURL()")


def listed(browser):
    """The cells of the page of the table that is shown."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#lines tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )


def choose(browser, name, value):
    script = "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
    script += "e.dispatchEvent(new Event('change'));"
    browser.execute_script(script, name, value)


def test_the_slider_walks_through_the_cuts(opened, report, fitted):
    model, _, _ = fitted
    _, summary = report
    drawn = unpacked(summary["plane"]["drawn"])
    slider = by_id(opened, "step")
    start = readout(opened)
    assert (start["stage"], start["step"]) == (model.partition_.stage, summary["choice"]["step"])
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
            assert f"{expected.sum()} sample" in text
            assert f"of those drawn {expected[drawn].sum()}" in text
            assert f"{expected.sum()} of {N_ROWS}" in slider.get_attribute("aria-valuetext")
            pictures.append((expected[drawn].tolist(), pixels(opened)))
        for (sides, picture), (next_sides, next_picture) in itertools.pairwise(pictures):
            if sides != next_sides:
                n_changes += 1
                assert picture != next_picture
        assert n_changes > 1
    by_id(opened, "to-chosen").click()
    assert readout(opened) == start


def test_the_chosen_partition_is_marked_under_the_slider(opened, report):
    _, summary = report
    stage = summary["choice"]["stage"]
    mark, slider = by_id(opened, "mark"), by_id(opened, "step")
    assert mark.is_displayed()
    last = len(unpacked(summary["stages"][stage - 1]["lam"])) - 1
    expected = slider.rect["x"] + 8 + (slider.rect["width"] - 16) * summary["choice"]["step"] / last
    assert mark.rect["x"] == pytest.approx(expected, abs=2)
    opened.find_element(By.CSS_SELECTOR, f"input[name=stage][value='{2 - stage}']").click()
    assert not mark.is_displayed()


def test_the_curve_follows_the_pointer(opened, fitted):
    curve = opened.find_element(By.CSS_SELECTOR, "#curve svg")
    assert len(curve.find_elements(By.CSS_SELECTOR, "path.line")) == 2
    before = readout(opened)
    webdriver.ActionChains(opened).move_to_element(curve).click().perform()
    assert readout(opened)["step"] != before["step"]


def test_search(opened, names):
    assert by_id(opened, "listed").text == f"Rows 1 to 25 of {N_ROWS} samples"
    by_id(opened, "search").send_keys("ample 04")
    assert by_id(opened, "listed").text == f"Rows 1 to 10 of 10 samples out of {N_ROWS}"
    assert sorted(line[0] for line in listed(opened)) == [
        f"Sample {row:03d}" for row in range(40, 50)
    ]
    by_id(opened, "search").send_keys("x")
    assert listed(opened) == []
    assert not by_id(opened, "download").is_enabled()


def test_sorting_and_pages(opened, report, names):
    _, summary = report
    probability = unpacked(summary["rows"]["probability"])
    assert [int(line[3]) for line in listed(opened)] == list(range(1, 26))
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
    assert [line[0] for line in listed(opened)] == names[:25]


def test_filters_list_what_they_say(opened, report, fitted, names):
    model, _, y = fitted
    _, summary = report
    choose(opened, "filter", "found")
    n_found = np.count_nonzero(model.transduction_ & (y == 0))
    assert int(by_id(opened, "listed").get_attribute("data-count")) == n_found
    for place, line in enumerate(summary["sensitivity"]):
        button = opened.find_element(By.CSS_SELECTOR, f"button[data-filter=move-{place}]")
        n_changed = line["n_to_positive"] + line["n_to_negative"]
        assert button.is_enabled() == (n_changed > 0)
        if n_changed:
            button.click()
            changed = {*unpacked(line["to_positive"]), *unpacked(line["to_negative"])}
            assert int(by_id(opened, "listed").get_attribute("data-count")) == n_changed
            assert {line[0] for line in listed(opened)} <= {names[row] for row in changed}


def select_row(browser, name):
    by_id(browser, "search").clear()
    by_id(browser, "search").send_keys(name)
    browser.find_element(By.CSS_SELECTOR, "#lines button").send_keys(Keys.ENTER)


def test_a_sample_is_explained(opened, fitted, names):
    model, X, y = fitted
    graph = model.graph_.toarray()
    labelled = y == 1
    with_labels = [row for row in np.flatnonzero(~labelled) if (graph[row] > 0)[labelled].any()]
    row = with_labels[5]
    before = pixels(opened)
    select_row(opened, names[row])
    assert by_id(opened, "detail-title").text == f"Sample {names[row]}"
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
    assert f"leaves the positive side at λ = {model.stage1_.switch[row]:.4g}" in text
    joins = model.stage2_.switch[row]
    expected = "never joins" if joins == np.inf else f"joins at λ = {joins:.4g}"
    assert ("pulled in from the start" if joins <= 0 else expected) in text
    assert f"Probability of being positive {model.predict_proba(X)[row, 1]:.3g}" in text
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


def test_a_sample_without_labelled_neighbours_has_a_chain(opened, report, fitted, names):
    _, summary = report
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
    assert [button.text for button in buttons] == [names[step] for step in way[1:]]
    buttons[-1].click()
    assert by_id(opened, "detail-title").text == f"Sample {names[way[-1]]}"


def test_points_of_the_map_are_selected_by_keyboard_and_by_pointer(opened, report, names):
    _, summary = report
    drawn = unpacked(summary["plane"]["drawn"])
    x, y = unpacked(summary["plane"]["x"]), unpacked(summary["plane"]["y"])
    canvas = by_id(opened, "map")
    canvas.send_keys(Keys.ARROW_RIGHT)
    first = by_id(opened, "detail-title").text.removeprefix("Sample ")
    canvas.send_keys(Keys.ARROW_RIGHT)
    second = by_id(opened, "detail-title").text.removeprefix("Sample ")
    assert x[names.index(second)] > x[names.index(first)]
    row = drawn[np.argmin((x[drawn] / 65535 - 0.5) ** 2 + (y[drawn] / 65535 - 0.5) ** 2)]
    width, height = canvas.size["width"], canvas.size["height"]
    left = 10 + x[row] / 65535 * (width - 20) - width / 2
    top = height / 2 - 10 - y[row] / 65535 * (height - 20)
    opened.execute_script("arguments[0].scrollIntoView()", canvas)
    point = webdriver.ActionChains(opened)
    point.move_to_element_with_offset(canvas, round(left), round(top)).click().perform()
    assert by_id(opened, "detail-title").text == f"Sample {names[row]}"


def test_the_download_is_the_table(opened, report, fitted, names, tmp_path):
    model, X, y = fitted
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    opened.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    opened.find_element(By.CSS_SELECTOR, "[data-sort=name]").click()
    by_id(opened, "download").click()
    path = tmp_path / "samples.csv"
    for _ in range(100):
        if path.exists():
            break
        time.sleep(0.05)
    table = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))
    assert [line["sample"] for line in table] == names
    assert [int(line["row"]) for line in table] == list(range(N_ROWS))
    assert [int(line["labelled"]) for line in table] == y.tolist()
    assert [int(line["positive"]) for line in table] == model.transduction_.astype(int).tolist()
    probability = [float(line["probability"]) for line in table]
    np.testing.assert_allclose(probability, model.predict_proba(X)[:, 1], rtol=1e-6)
    score = [float(line["score"]) for line in table]
    np.testing.assert_allclose(score, model.scores_, rtol=1e-6, atol=1e-7)
    for line, leaves, joins in zip(table, model.stage1_.switch, model.stage2_.switch, strict=True):
        assert line["leaves_at"] == "" if leaves == np.inf else float(line["leaves_at"]) == leaves
        assert (
            line["joins_at"] == "" if joins == np.inf else float(line["joins_at"]) == max(joins, 0)
        )


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "light"), (360, "dark")])
def test_it_fits_is_readable_and_silent(browser, report, width, scheme):
    path, _ = report
    show(browser, path, width, scheme)
    select_row(browser, "Sample 100")
    where = "return document.getElementById('detail').getBoundingClientRect().top"
    assert -1 < browser.execute_script(where) < 900
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


def fetched(browser):
    """Everything that was asked for since the page was opened."""
    messages = [json.loads(line["message"])["message"] for line in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def faint_texts(browser):
    """Texts whose contrast with what is behind them is below 4.5, as WCAG 2 counts."""
    return browser.execute_script(
        """
        const light = (colour) => {
          const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
            .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
        };
        const behind = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)$/.test(colour)) return colour;
          }
        };
        const faint = [];
        const main = document.querySelector("main");
        const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const node = walker.currentNode.parentElement;
          if (!walker.currentNode.data.trim() || !node.checkVisibility()) continue;
          if (node.closest(":disabled, svg")) continue;
          const [one, other] = [light(getComputedStyle(node).color), light(behind(node))];
          const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
          if (contrast < 4.5) faint.push([walker.currentNode.data, contrast]);
        }
        return faint;
        """
    )


def test_everything_one_can_use_has_a_name_and_shows_its_focus(opened):
    tree = opened.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "slider", "searchbox", "combobox", "radio", "application", "table", "image"}
    nodes = [n for n in tree if not n.get("ignored") and n.get("role", {}).get("value") in roles]
    assert {node["role"]["value"] for node in nodes} == roles
    assert [node for node in nodes if not node.get("name", {}).get("value")] == []
    reached = set()
    for _ in range(9):
        webdriver.ActionChains(opened).send_keys(Keys.TAB).perform()
        focused = opened.switch_to.active_element
        reached.add(focused.get_attribute("id") or focused.get_attribute("name"))
        assert focused.value_of_css_property("outline-style") == "solid"
    assert {"theme", "stage", "step", "map", "search", "filter"} <= reached


def test_names_that_would_break_a_page_are_shown_as_they_are(opened, names):
    assert opened.title != "broken"
    opened.find_element(By.CSS_SELECTOR, "[data-sort=name]").click()
    select_row(opened, "script")
    assert by_id(opened, "detail-title").text == f"Sample {HOSTILE}"
    heads = opened.find_elements(By.CSS_SELECTOR, "#values th[scope=row]")
    assert HOSTILE in [head.text for head in heads]
    assert opened.find_elements(By.TAG_NAME, "img") == []
    assert opened.get_log("browser") == []


def test_the_policy_lets_nothing_else_run_or_be_fetched(opened, report):
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


def many_rows(summary, times):
    """The same report with every row so many times: a large page without a long fit."""
    found = json.loads(json.dumps(summary))
    n_rows = summary["data"]["n_samples"] * times
    found["data"]["n_samples"] = n_rows

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
    for column in found["columns"]:
        column["values"] = repeated(column["values"])
    random = np.random.default_rng(0)
    found["plane"] |= {
        "x": packed(random.integers(0, 65536, n_rows), "uint16"),
        "y": packed(random.integers(0, 65536, n_rows), "uint16"),
        "drawn": packed(np.sort(random.choice(n_rows, 5000, replace=False)), "int32"),
        "n_drawn": 5000,
    }
    found["choice"]["n_positive"] *= times
    return found


def test_fifty_thousand_rows(browser, report, tmp_path):
    _, small = report
    summary = many_rows(small, 167)
    n_rows = 167 * N_ROWS
    path = tmp_path / "large.html"
    write(path, summary)
    assert path.stat().st_size < 15e6
    show(browser, path)
    shown = f"{n_rows:,}".replace(",", "\u202f")
    assert f"5000 of {shown} drawn" in browser.find_element(By.CSS_SELECTOR, ".map figcaption").text
    assert by_id(browser, "listed").text == f"Rows 1 to 25 of {shown} samples"
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
    assert int(listed(browser)[-1][3].replace("\u202f", "")) == n_rows
    by_id(browser, "search").send_keys("50099")
    assert listed(browser)[0][0] == "50099"
    assert browser.get_log("browser") == []
