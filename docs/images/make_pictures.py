"""Makes the committed pictures anew: `python docs/images/make_pictures.py`, in the root folder.

The picture of the report needs Chromium.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def make_two_moons() -> None:
    subprocess.run(
        [sys.executable, EXAMPLES / "in_a_picture.py", HERE / "two_moons.png"],
        check=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )


def make_report() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder) / "report.html", Path(folder) / "report.png"
        subprocess.run([sys.executable, EXAMPLES / "report_digits.py", page], check=True)
        subprocess.run(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--hide-scrollbars",
                "--window-size=1040,1180",
                "--virtual-time-budget=4000",
                f"--screenshot={shot}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )
        # Few colours are enough, and a third of the bytes.
        image = Image.open(shot).convert("RGB").quantize(96)
        image.save(HERE / "report.png", optimize=True)


if __name__ == "__main__":
    make_two_moons()
    make_report()
    for file in sorted(HERE.glob("*.png")):
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")
