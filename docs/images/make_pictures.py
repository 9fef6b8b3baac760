"""Make the committed pictures anew: `python docs/images/make_pictures.py`, in the root folder.

The pictures of reports need Chromium and its driver.
"""

import io
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from PIL import Image, ImageOps
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

HERE = Path(__file__).parent
WIDTH = 1040
EXAMPLES = HERE.parents[1] / "examples"


def make_two_moons() -> None:
    subprocess.run(
        [sys.executable, EXAMPLES / "in_a_picture.py", HERE / "two_moons.png"],
        check=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )


def make_social_card() -> None:
    """Make the picture for links to the pages, 1200 x 630: both ends of the example."""
    drawn = runpy.run_path(str(EXAMPLES / "in_a_picture.py"))
    X, y, said = drawn["X"], drawn["y"], drawn["said"]
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    figure = plt.figure(figsize=(12, 6.3))
    figure.text(0.05, 0.84, "pucut", size=54, weight="bold", color=drawn["BLUE"])
    figure.text(0.05, 0.755, project["project"]["description"], size=24, color="#333333")
    known = figure.add_axes((0.05, 0.06, 0.42, 0.58))
    known.scatter(*X[~y].T, s=22, color=drawn["GREY"])
    known.scatter(*X[y].T, s=62, color=drawn["BLUE"], marker="D")
    known.set_title("A few positives are known", size=20, color="#333333")
    found = figure.add_axes((0.53, 0.06, 0.42, 0.58))
    found.scatter(*X[~said].T, s=26, color=drawn["RUST"], marker="v")
    found.scatter(*X[said].T, s=26, color=drawn["BLUE"])
    found.set_title("Both classes are found", size=20, color="#333333")
    for ax in (known, found):
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_color("#cccccc")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=100)
    Image.open(picture).convert("RGB").quantize(96).save(HERE / "social_card.png", optimize=True)


def make_report() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([sys.executable, EXAMPLES / "report_digits.py", page], check=True)
        take(page, {"report.png": 1180})


def make_tutorial() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, EXAMPLES / "biopsies.py", folder], check=True)
        pictures = {
            "tutorial_answers.png": 1080,
            "tutorial_pictures.png": "#pictures",
            "tutorial_columns.png": "#columns",
        }
        take(Path(folder) / "report.html", pictures)


def take(page: Path, pictures: dict[str, int | str]) -> None:
    """Pictures of a page: its upper part, so many pixels high, or the element of a selector."""
    options = webdriver.ChromeOptions()
    for switch in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(switch)
    options.binary_location = shutil.which("chromium")
    # With the driver named, selenium looks for none elsewhere.
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.set_window_size(WIDTH, 5000)
        browser.get(page.as_uri())
        for name, part in pictures.items():
            selector = part if isinstance(part, str) else "body"
            shot = browser.find_element(By.CSS_SELECTOR, selector).screenshot_as_png
            image = Image.open(io.BytesIO(shot)).convert("RGB")
            if isinstance(part, int):
                image = image.crop((0, 0, image.width, part))
            else:
                image = ImageOps.expand(image, 24, image.getpixel((0, image.height - 1)))
            # Few colours are enough, and a third of the bytes.
            image.quantize(96).save(HERE / name, optimize=True)
    finally:
        browser.quit()


if __name__ == "__main__":
    matplotlib.use("Agg")
    make_two_moons()
    make_social_card()
    make_report()
    make_tutorial()
    for file in sorted(HERE.glob("*.png")):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")
