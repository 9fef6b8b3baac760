"""A real browser for the pages of reports, and what tests ask of a page in it."""

import json
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")

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


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # With the driver named, selenium looks for none elsewhere.
    return webdriver.Chrome(options=options, service=Service(DRIVER))


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


def unfold(browser):
    """Opens all that is folded."""
    browser.execute_script(
        "document.querySelectorAll('details').forEach((each) => each.open = true)"
    )


def pixels(browser, name="map"):
    return browser.execute_script("return document.getElementById(arguments[0]).toDataURL()", name)


def n_listed(browser):
    """How many rows the table has on all of its pages."""
    return int(by_id(browser, "listed").get_attribute("data-count"))


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


def select_row(browser, name):
    choose(browser, "filter", "all")
    by_id(browser, "search").clear()
    by_id(browser, "search").send_keys(name)
    browser.find_element(By.CSS_SELECTOR, "#lines button").send_keys(Keys.ENTER)


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
