"""The page in a real browser, served by the command: keys, two windows, kill -9, a changed table.

Runs where Chromium and its driver are installed (Debian: chromium, chromium-driver).
"""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.helpers.browser import CHROMIUM, DRIVER, by_id, faint_texts, start_browser
from tests.helpers.labelling_sessions import HOSTILE, texts_about

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="Chromium or its driver is not installed"
    ),
]
SECONDS = 60
N_ROWS = 60


@pytest.fixture(scope="module")
def browser():
    started = start_browser()
    yield started
    started.quit()


def write_table(path):
    texts = texts_about(N_ROWS, 20)
    texts[1] = f"{HOSTILE} {texts[1]}"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "report", "size", "ill"])
        rows.writerows(
            [f"n{row}", text, row % 7, "yes" * (row == 0)] for row, text in enumerate(texts)
        )
    return path


class Program:
    """`pucut label` in a process of its own."""

    def __init__(self, table, *options):
        call = ["label", table, "--label-column", "ill", "--text-column", "report", "--no-browser"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pucut", *call, "--quiet", *options],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Table of the program that most tests share."""
    return write_table(tmp_path_factory.mktemp("labelling") / "notes.csv")


@pytest.fixture(scope="module")
def program(table):
    started = Program(table)
    yield started
    assert started.end() == 0


def entries(table):
    lines = Path(f"{table}.labels.jsonl").read_text(encoding="ascii").splitlines()
    return [json.loads(line) for line in lines[1:]]


def until(browser, condition):
    return WebDriverWait(browser, SECONDS, poll_frequency=0.05).until(lambda _: condition())


def opened(browser, address, width=1200):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get_log("browser")
    browser.get(address)
    until(browser, lambda: title(browser).startswith("Row "))
    return browser


def title(browser):
    return by_id(browser, "card-title").text


def press(browser, keys):
    """On the page itself, with what has the focus; waits for what the page says then."""
    browser.execute_script("document.getElementById('said').textContent = ''")
    browser.switch_to.active_element.send_keys(keys)
    until(browser, lambda: by_id(browser, "said").text)
    return by_id(browser, "said").text


def test_everything_by_the_keyboard(browser, program, table):
    opened(browser, program.address)
    n_before = len(entries(table))
    first = title(browser)
    assert press(browser, "y") == f"Saved: {first.lower()}, yes."
    second = title(browser)
    assert second != first
    assert press(browser, "n") == f"Saved: {second.lower()}, no."
    third = title(browser)
    assert press(browser, "u") == f"Taken back: {second.lower()}."
    assert title(browser) == second
    browser.switch_to.active_element.send_keys("m")
    assert browser.switch_to.active_element.get_attribute("id") == "note"
    browser.switch_to.active_element.send_keys("y is not an answer here", Keys.ESCAPE)
    assert press(browser, "s") == f"Saved: {second.lower()}, skip."
    kept = [
        (entry["action"], f"Row {entry['row'] + 1}", entry["note"])
        for entry in entries(table)[n_before:]
    ]
    assert kept == [
        ("yes", first, ""),
        ("no", second, ""),
        ("undo", second, ""),
        ("skip", second, "y is not an answer here"),
    ]
    assert third != second
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_hostile_cells_are_shown_as_they_are_written(browser, program):
    opened(browser, program.address)
    by_id(browser, "go").send_keys("2", Keys.ENTER)
    until(browser, lambda: title(browser) == "Row 2")
    cells = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#cells dd")]
    assert cells[1].startswith(HOSTILE)
    assert browser.title == "notes.csv · pucut"
    assert browser.find_elements(By.CSS_SELECTOR, "#cells img") == []


def read_out(browser):
    """Contents for a screen reader, in order: (role, name, description, whether it is live)."""
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    by_node = {node["nodeId"]: node for node in nodes}
    found = []

    def walk(node):
        if not node["ignored"]:
            words = [
                node.get(part, {}).get("value", "").strip() for part in ("name", "description")
            ]
            live = [one for one in node.get("properties", []) if one["name"] == "live"]
            found.append((node["role"]["value"], *words, bool(live)))
        for child in node.get("childIds", []):
            walk(by_node[child])

    walk(nodes[0])
    return found


def test_a_screen_reader_gets_a_name_for_everything(browser, program):
    opened(browser, program.address)
    press(browser, "y")
    focused = browser.switch_to.active_element
    assert focused.get_attribute("id") == "card-title"  # the next row is read out
    heard = read_out(browser)
    by_role = {}
    for role, name, description, _ in heard:
        by_role.setdefault(role, []).append((name, description))
    here = title(browser)
    assert by_role["article"] == [(here, "")]
    assert by_role["heading"][0] == (here, by_id(browser, "facts").text)
    assert [name for name, _ in by_role["button"]][:5] == [
        "Save the note alone",
        "Yes",
        "No",
        "Skip",
        "Undo",
    ]
    assert [name for name, _ in by_role["textbox"]] == ["Your name", "Go to row", "Note (M)"]
    assert "positives found in" in by_role["image"][0][0]
    for role in ("button", "link", "textbox", "combobox", "table", "region", "complementary"):
        assert all(name for name, _ in by_role[role]), role
    # One thing speaks by itself after an answer; the alert does so only when it is there.
    assert [role for role, _, _, live in heard if live] == ["status"]
    assert by_id(browser, "said").get_attribute("role") == "status"


def test_what_has_the_focus_keeps_it_when_the_page_is_renewed(browser, program):
    opened(browser, program.address)
    script = "const link = document.querySelector('#exports a'); link.focus(); return link.text"
    assert browser.execute_script(script) == "labels.csv"
    browser.execute_async_script("renew().then(arguments[0])")
    assert browser.switch_to.active_element.text == "labels.csv"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    until(browser, lambda: by_id(browser, "said").text == "labels.csv is made.")
    assert not by_id(browser, "alert").is_displayed()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_fits_and_can_be_read(browser, program, width):
    opened(browser, program.address, width)
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    assert faint_texts(browser) == []
    for name in ("yes", "no", "skip", "undo"):
        button = by_id(browser, name)
        assert button.is_displayed()
        assert button.size["height"] >= 44  # for a thumb
    unnamed = browser.execute_script(
        "return [...document.querySelectorAll('input, select, textarea')]"
        ".filter((field) => !field.labels.length).map((field) => field.id)"
    )
    assert unnamed == []
    by_id(browser, "no").click()
    until(browser, lambda: by_id(browser, "said").text.startswith("Saved"))


def test_two_windows_have_rows_of_their_own(browser, program, table):
    n_before = len(entries(table))
    opened(browser, program.address)
    here = title(browser)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    opened(browser, program.address)
    assert title(browser) != here
    name = by_id(browser, "who")
    name.clear()
    name.send_keys("bob", Keys.TAB)
    by_id(browser, "go").send_keys(here.removeprefix("Row "), Keys.ENTER)
    until(browser, lambda: title(browser) == here)
    by_id(browser, "no").click()
    until(browser, lambda: by_id(browser, "said").text.startswith("Saved"))
    browser.close()
    browser.switch_to.window(first)
    by_id(browser, "yes").click()
    until(browser, lambda: by_id(browser, "said").text.startswith("Saved"))
    until(browser, lambda: by_id(browser, "people").is_displayed())
    assert "bob no" in by_id(browser, "disagreements").text
    assert entries(table)[n_before]["who"] == "bob"
    assert len(entries(table)) == n_before + 2


def test_kill_between_click_and_answer(browser, tmp_path):
    """The process is stopped, a click sent, and the process killed: it never saw the click."""
    table = write_table(tmp_path / "notes.csv")
    program = Program(table)
    opened(browser, program.address)
    first = title(browser)
    press(browser, "y")
    second = title(browser)
    os.kill(program.process.pid, signal.SIGSTOP)
    by_id(browser, "no").click()
    assert by_id(browser, "said").text == f"Saved: {first.lower()}, yes."
    os.kill(program.process.pid, signal.SIGKILL)
    program.ended()
    until(browser, lambda: by_id(browser, "alert").is_displayed())
    assert "does not answer" in by_id(browser, "alert").text
    assert title(browser) == second  # not saved, and the page does not pretend it was
    again = Program(table)
    opened(browser, again.address)
    assert by_id(browser, "counts").text.startswith("1 yes, 0 no")
    assert title(browser) != first
    assert [entry["action"] for entry in entries(table)] == ["yes"]
    assert again.end(signal.SIGTERM) == 0


def test_a_table_that_changes_is_noticed_and_takes_no_answers(browser, program, table):
    opened(browser, program.address)
    before = title(browser)
    content, n_before = table.read_bytes(), len(entries(table))
    table.write_bytes(content + b"n60,more words,3,\n")
    by_id(browser, "yes").click()
    until(browser, lambda: "has changed on the disk" in by_id(browser, "alert").text)
    assert title(browser) == before
    assert len(entries(table)) == n_before
    table.write_bytes(content)  # the same again
    by_id(browser, "yes").click()
    until(browser, lambda: by_id(browser, "said").text.startswith("Saved"))


def test_the_new_table_and_the_old_one(tmp_path, browser):
    table = write_table(tmp_path / "notes.csv")
    before = table.read_bytes()
    out = tmp_path / "labelled.csv"
    program = Program(table, "--out", out, "--who", "ada")
    opened(browser, program.address)
    row = int(title(browser).removeprefix("Row ")) - 1
    press(browser, "n")
    by_id(browser, "end").click()
    assert program.ended() == 0
    until(browser, lambda: title(browser) == "The program has ended")
    assert not by_id(browser, "alert").is_displayed()
    assert table.read_bytes() == before
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == N_ROWS
    assert [rows[0]["pucut_label"], rows[row]["pucut_label"]] == ["yes", "no"]
    assert rows[row]["pucut_said"] == "ada: no"
    assert sum(bool(one["pucut_label"]) for one in rows) == 2
