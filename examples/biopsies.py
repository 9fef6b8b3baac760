"""
Biopsies: from a spreadsheet to a decision
==========================================

The Wisconsin breast cancer table of the UCI repository, which scikit-learn brings along: 569
biopsies, 30 measurements of cell nuclei each. Suppose that 40 % of the malignant ones have been
confirmed and nothing is known about the others. Which of these should be looked at first?

``python examples/biopsies.py FOLDER`` keeps the files; :doc:`the tutorial </tutorial>` reads them.
"""

# %%
# The spreadsheet
# ---------------
#
# An identifier, measurements, and a column in which the confirmed cases are marked. Everything
# else in that column is empty.

import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer

from pucut.datasets import pu_split

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)

data = load_breast_cancer(as_frame=True)
is_malignant = data.target.to_numpy() == 0
is_confirmed = pu_split(is_malignant, 0.4, random_state=0)
sheet = data.data.copy()
sheet.insert(0, "biopsy", [f"B{number:03d}" for number in range(1, len(sheet) + 1)])
sheet["diagnosis"] = pd.Series("malignant", sheet.index).where(is_confirmed, "")
sheet.to_excel(folder / "biopsies.xlsx", index=False)
print(sheet.iloc[15:20, [0, 1, 2, 3, -1]].to_string(index=False))

# %%
# From the file to the report
# ---------------------------
#
# One command reads the spreadsheet, classifies every row, and writes predictions and a report.


def run(*words):
    """Run a command, and print it and its output."""
    print("$", *words)
    ended = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=True, cwd=folder
    )
    print(ended.stderr + ended.stdout)


label = ("--label-column", "diagnosis")
files = ("--out", "answers.csv", "--report", "report.html")
run("pucut", "classify", "biopsies.xlsx", *label, *files)

# %%
# The predictions
# ---------------
#
# A line for every biopsy. These are the strongest of those that nobody has confirmed:

answers = pd.read_csv(folder / "answers.csv")
others = answers[answers["diagnosis"].isna()]
print(others.sort_values("rank").head().to_string(index=False))

# %%
# The decision
# ------------
#
# If there is time to look at twenty biopsies, these are the first twenty of the ranking. Here the
# truth is known, and we can count; the commands above have not seen it.

ranked = others.sort_values("rank").index
is_found = (others["predicted"] == "positive").to_numpy()
print(f"{is_malignant[ranked[:20]].sum()} of the first 20 are malignant.")
print(
    f"{is_found.sum()} were found; {is_malignant[others.index[is_found]].sum()} of these are "
    f"malignant, out of {is_malignant[others.index].sum()} that were not confirmed."
)

# sphinx_gallery_thumbnail_path = 'images/tutorial_answers.png'
