"""
Wines: few labels, and what the report says about them
======================================================

The wine table of the UCI repository, which scikit-learn brings along: 178 wines of one region, 13
chemical measurements each, pressed from three kinds of grapes. Suppose that twelve wines are known
to be of the first kind. Which others are?
"""

# %%
# The file
# --------
#
# A CSV file as a laboratory would send it, with one column that is of no use and some gaps.

import re
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())

data = load_wine(as_frame=True)
is_first = data.target.to_numpy() == 0
random = np.random.default_rng(0)
known = random.choice(np.flatnonzero(is_first), 12, replace=False)
table = data.data.copy()
table.loc[random.random(len(table)) < 0.05, "magnesium"] = np.nan
table["laboratory"] = "Genoa"
table["grape"] = ""
table.loc[known, "grape"] = "Barolo"
table.to_csv(folder / "wines.csv", index=False)

# %%
# From the file to the report
# ---------------------------

words = ["pucut", "classify", "wines.csv", "--label-column", "grape", "--out", "answers.csv"]
words += ["--report", "report.html"]
print("$", *words)
ended = subprocess.run(
    [sys.executable, "-m", *words], capture_output=True, text=True, check=True, cwd=folder
)
print(ended.stderr)

# %%
# The report
# ----------
#
# It is a page for a browser. Its headline and the answer to "Can I trust it?":

page = (folder / "report.html").read_text(encoding="utf-8")
print(re.search("<h1>(.*?)</h1>", page)[1])
for alert in re.findall(r"<li>(.*?)<", re.search(r'class="alerts">(.*?)</ul>', page)[1]):
    print("-", unescape(alert).strip())

# %%
# With twelve labels everything is uncertain, as the page warns. The ranking is often better than
# the number of predicted positives. Here the truth is known, and we can count:

answers = pd.read_csv(folder / "answers.csv")
others = answers[answers["grape"].isna()].sort_values("rank").index
n_hidden = int(is_first[others].sum())
print(f"{is_first[others[:n_hidden]].sum()} of the first {n_hidden} are of the first kind.")
