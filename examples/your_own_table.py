"""
Your own table
==============

A data frame with numbers, categories and missing values, used as it is; and the same table as a
file, from the command line.
"""

# %%
# A table as it comes
# -------------------
#
# It is made from scikit-learn's breast cancer data: an identifier, a column of strings, a column of
# a category type, and missing values. 60 % of the malignant cases, the positives here, are known.

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from pucut import PUCutClassifier
from pucut.datasets import pu_split

data = load_breast_cancer(as_frame=True)
is_malignant = data.target.to_numpy() == 0
random = np.random.default_rng(0)

table = data.data[["mean radius", "mean concavity", "worst smoothness", "area error"]].copy()
table["texture"] = pd.qcut(data.data["mean texture"], 3, labels=["fine", "medium", "coarse"])
table["symmetry"] = np.where(data.data["worst symmetry"] > 0.3, "skewed", "even")
for column in ("mean concavity", "texture"):
    table.loc[random.random(len(table)) < 0.05, column] = None
known = pu_split(is_malignant, 0.6, random_state=0)
print(table.head().to_string())
print(table.dtypes.to_string())

# %%
# From Python
# -----------
#
# Nothing has to be encoded, filled in or scaled. Strings and categories become one feature per
# value, numbers are standardised, and missing values become the mean.

model = PUCutClassifier(random_state=0).fit(table, known)
truth = pd.Series(is_malignant[~known], name="malignant")
said = pd.Series(model.transduction_[~known], name="said malignant")
print(pd.crosstab(truth, said))

# %%
# Probabilities of the rows whose class was not known:

probability = model.predict_proba(table)[~known, 1]
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
for malignant, colour in ((False, "0.6"), (True, "#b5532a")):
    shown = probability[is_malignant[~known] == malignant]
    ax.hist(shown, np.linspace(0, 1, 21), color=colour, alpha=0.8, label=f"malignant: {malignant}")
ax.set(xlabel="probability of being malignant", ylabel="unlabelled rows", yscale="log")
ax.legend()

# %%
# New rows have the same columns. Missing values, and values not seen in ``fit``, are allowed.

new = table.iloc[[0, 19]].copy()
new["symmetry"] = ["skewed", None]
print(model.predict_proba(new).round(3))

# %%
# From the command line
# ---------------------
#
# In a file the known ones are marked in a column. Everything else in it, including empty cells,
# means unlabelled.


def run(*words):
    """Run a command, and print it and its output."""
    print("$", *words)
    ended = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=True, cwd=folder
    )
    print(ended.stderr + ended.stdout)


folder = Path(tempfile.mkdtemp())
table["patient"] = [f"P{number:04d}" for number in range(len(table))]
table["known"] = np.where(known, "yes", "")
table.to_csv(folder / "patients.csv", index=False)
run("pucut", "classify", "patients.csv", "--label-column", "known", "--out", "answers.csv")
print(pd.read_csv(folder / "answers.csv").head().to_string())

# %%
# Who should be examined next?

run("pucut", "rank", "patients.csv", "--label-column", "known", "--top", "5", "--quiet")
