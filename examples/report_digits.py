"""A report on 2-HNC: which digits are odd, if 60 % of the odd ones are known and nothing else?

Writes report.html, one file to open in a browser: all cuts on a map, the ranking of all digits, and
why each is where it is.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_digits

from pucut import TwoHNCClassifier
from pucut.datasets import pu_split
from pucut.report import summarise, write

SEED = 0


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "report.html")
    X, digit = load_digits(return_X_y=True)
    is_known = pu_split(digit % 2 == 1, 0.6, random_state=SEED)
    model = TwoHNCClassifier(random_state=SEED).fit(X, is_known)
    summary = summarise(
        model,
        X,
        is_known,
        ids=[f"{value}, image {row}" for row, value in enumerate(digit)],
        feature_names=[f"row {row}, column {column}" for row in range(8) for column in range(8)],
    )
    write(out, summary)
    print(f"{model.transduction_.sum()} of {len(X)} digits are taken for odd; see {out}.")


if __name__ == "__main__":
    main()
