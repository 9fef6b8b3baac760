"""
The demonstration
=================

Which digits are odd, if 60 % of the odd ones are known and nothing else? ``make demo`` runs this
file. It does the same as ``pucut demo --out predictions.csv``, on scikit-learn's 1797 digits, with
two other methods for comparison.
"""

import sys

from pucut.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", "--out", sys.argv[1] if len(sys.argv) > 1 else "predictions.csv"]))
