"""
A report
========

Which digits are odd, if 60 % of the odd ones are known and nothing else? The answer is one HTML
file to open in a browser: how many, which, how sure, why, what would change it, and whether to
trust it; then pictures, and a list of all digits with the reason for each class.

``python examples/report_digits.py FILE`` chooses where it is written; ``pucut classify`` writes the
same for a table with ``--report``.
"""

import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_digits

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.report import summarise, write

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "report.html"

X, digit = load_digits(return_X_y=True)
is_known = pu_split(digit % 2 == 1, 0.6, random_state=0)
model = PUCutClassifier(random_state=0).fit(X, is_known)

# %%
# ``summarise`` turns a fitted model into a plain dict; the page is made from the dict alone. Names
# of rows and columns are for the reader. Every PU classifier has such a page; that of
# ``TwoHNCClassifier`` has a slider through all of its cuts.

summary = summarise(
    model,
    X,
    is_known,
    ids=[f"{value}, image {row}" for row, value in enumerate(digit)],
    source="handwritten digits",
    positive="odd",
    feature_names=[f"row {row}, column {column}" for row in range(8) for column in range(8)],
)
write(out, summary)
print(f"{model.transduction_.sum()} of {len(X)} digits are classified as odd; see {out.name}.")

# %%
# The dict can be kept as JSON and used for other things. These are the alerts that the page shows:

print(*([alert["text"] for alert in summary["alerts"]] or ["none"]), sep="\n")

# sphinx_gallery_thumbnail_path = 'images/report.png'
