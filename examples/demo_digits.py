"""Which digits are odd, if 60 % of the odd ones are known and nothing else?

The same as `pucut demo --out predictions.csv`, which src/pucut/cli/demo.py has: 2-HNC on
scikit-learn's 1797 bundled digits, beside two other ways.
"""

import sys

from pucut.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", "--out", sys.argv[1] if len(sys.argv) > 1 else "predictions.csv"]))
