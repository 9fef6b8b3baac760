"""The subcommands: their help and their options.

The work of a subcommand is in the module of its name in this folder. That is imported when it runs,
and nothing here imports anything heavy, so that every `--help` is quick.
"""

import argparse
from typing import Any

from pucut.cli import _options as options
from pucut.methods import METHOD_BY_SLUG

# The methods of `estimate_prior`, whose module takes long to import.
PRIOR_METHODS = ("auto", "bbe", "clusters", "dedpul", "elkan_noto", "km2", "tice")
# The method of `pucut rank` that ranks as `pucut label` does.
AS_LABEL = "label"

_CLASSIFY = """\
Classifies every row of a table in which some positives are known, and perhaps some negatives.

The label column marks the known positives (1, yes, positive ...) and, if there are
any, the known negatives (no, negative ...); other values and empty cells mean
unlabelled.

The output has a line for every row, in the order of the table: identifiers, the label,
the predicted class, the probability of being positive, the rank among the rows that
were not known (1 is the most likely positive), what the row was known as, the least
share of positives with which it would be positive, and a score. Of the rows that were
not known none is negative with a probability above one half, or positive with one
below. Known positives are predicted positive and known negatives negative; their
probability says how positive the other rows make them look.

Columns of numbers, dates, categories and free text are used. What each column was
taken for is reported on stderr, and which are not used, and why. Cells that are empty,
or hold NA, NaN, null or ?, are missing values.

examples:
  pucut classify genes.csv --label-column known --out predictions.csv
  pucut classify genes.xlsx --label-column known --prior 0.2 --report report.html
  cat genes.csv | pucut classify - --label-column known --method pu-extra-trees | head
"""


def classify(commands: Any) -> None:
    parser = options.add_command(
        commands, "classify", "which rows of a table are positive", _CLASSIFY
    )
    options.add_table_options(parser)
    options.add_model_options(parser)
    options.add_check_option(parser)
    options.add_output_options(parser)
    parser.add_argument("--report", metavar="FILE", help="a page (.html) that explains the result")
    about = "the fitted model, for `pucut apply`; it may contain the rows of the table"
    parser.add_argument("--save-model", metavar="FILE", help=about)


_RANK = """\
Ranks the unlabelled rows of a table, for the next round of labelling.

The most likely positives come first, or the most likely negatives. Rows are in the
order of their score, and of their probability where scores are equal.

--method label is the ranking of `pucut label`, for few labels and for texts. It learns
from known positives and negatives alone and needs no share of positives, so it says of
no row which class it is, and gives probabilities only where three rows of each kind
are known. Rows without words come last, unranked.

examples:
  pucut rank genes.csv --label-column known --top 20
  pucut rank genes.csv --label-column known --first negative --out negatives.csv
  pucut rank genes.csv --label-column known --method pu-extra-trees | head -n 50
  pucut rank records.csv --label-column relevant --method label --top 50
"""


def rank(commands: Any) -> None:
    parser = options.add_command(commands, "rank", "which unlabelled rows to look at next", _RANK)
    options.add_table_options(parser)
    about, kinds = "which of them come first (default: positive)", ["positive", "negative"]
    parser.add_argument("--first", choices=kinds, default="positive", help=about)
    parser.add_argument("--top", type=int, metavar="N", help="only the first N (default: all)")
    options.add_model_options(
        parser, others=[AS_LABEL], about=f"; {AS_LABEL} ranks as `pucut label` does"
    )
    options.add_output_options(parser)


_LABEL = """\
Opens a page on which you label a table, one row after the other.

The page shows the row that is most likely positive, or one that answers another
question; you say yes or no, by key, thumb or mouse, and the ranking learns from both.
It says how many positives are probably left, so that you know when to stop.

Every answer is written at once to a journal beside the table (TABLE.labels.jsonl), and
the next start goes on from there. The table itself is never changed; --out writes a
new one when the page is ended. The page is served to this machine alone, under an
address that nobody else knows. Ctrl-C ends the program.

examples:
  pucut label genes.csv --label-column known
  pucut label records.csv --label-column relevant --text-column title --text-column abstract
  pucut label genes.csv --label-column known --out labelled.csv
"""


def label(commands: Any) -> None:
    parser = options.add_command(commands, "label", "label a table on a page, row by row", _LABEL)
    options.add_table_options(parser)
    group = parser.add_argument_group("page")
    about = "where answers are kept (default: TABLE.labels.jsonl)"
    group.add_argument("--journal", metavar="FILE", help=about)
    about = "your name in the journal (default: your login)"
    group.add_argument("--who", metavar="NAME", help=about)
    group.add_argument("--port", type=int, default=0, help="of the address (default: a free one)")
    options.add_flag(group, "--no-browser", "print the address, and open no browser")
    about = "the table with the answers, written when the page is ended"
    group.add_argument("--out", metavar="FILE", help=about)
    options.add_model_options(parser)


_PRIOR = """\
Estimates the share of positives among all rows of a table, from some known ones.

It assumes that the known positives are like the others: not the easiest, not the
newest. --check-labels compares them with the other positives found. Where the data
only bound the share from above, the answer says so.

examples:
  pucut prior genes.csv --label-column known
  pucut prior genes.csv --label-column known --method bbe --json
"""


def prior(commands: Any) -> None:
    parser = options.add_command(commands, "prior", "how many rows of a table are positive", _PRIOR)
    options.add_table_options(parser)
    about = "how it is estimated (default: auto, a combination)"
    parser.add_argument("--method", choices=PRIOR_METHODS, default="auto", help=about)
    options.add_check_option(parser)
    options.add_flag(parser, "--json", "the estimate as JSON")


_COMPARE = """\
Fits every method to a table and shows which finds most of the known positives that
were hidden from it.

Every method is fitted five times, once while its memory is measured, which is slow:
start with a few methods on a large table. With the true classes of all rows
(--truth-column), accuracy on the unlabelled rows is shown too; the methods never see
them. Methods that give no result are listed with the reason; if none gives one, the
exit code is 2.

examples:
  pucut compare genes.csv --label-column known
  pucut compare genes.csv --label-column known --methods pu-cut,2-hnc,rocchio
  pucut compare test.csv --label-column known --truth-column class --json
"""


def compare(commands: Any) -> None:
    parser = options.add_command(commands, "compare", "every method on one table", _COMPARE)
    options.add_table_options(parser)
    options.add_prior_option(parser)
    about = f"some of {', '.join(METHOD_BY_SLUG)} (default: all)"
    parser.add_argument("--methods", type=_methods, metavar="NAME,...", help=about)
    about = "column of the true classes, used for the evaluation only"
    parser.add_argument("--truth-column", metavar="NAME", help=about)
    options.add_flag(parser, "--json", "the table as JSON")


_APPLY = """\
Applies a model that `pucut classify --save-model` wrote to the rows of another table.

Columns are matched by name; their order does not matter. The score of a row is above 0
where it is predicted positive. Model files run no code when they are read; pickles are
refused.

examples:
  pucut classify genes.csv --label-column known --save-model genes.skops --out first.csv
  pucut apply genes.skops new_genes.csv --out predictions.csv
  cat new_genes.csv | pucut apply genes.skops - | head
"""


def apply(commands: Any) -> None:
    parser = options.add_command(commands, "apply", "a saved model on new rows", _APPLY)
    parser.add_argument("model", help="file that `pucut classify --save-model` wrote")
    parser.add_argument("table", help="file with the same columns; - for CSV on stdin")
    options.add_reading_options(parser)
    options.add_output_options(parser)


_DEMO = """\
Which digits are odd, if 60 % of the odd ones are known and nothing else?

Fits pucut to the 1797 handwritten digits of scikit-learn, and prints its accuracy on
the unknown ones beside that of 2-HNC and of two other methods.

examples:
  pucut demo
  pucut demo --out predictions.csv
"""


def demo(commands: Any) -> None:
    parser = options.add_command(commands, "demo", "handwritten digits: which are odd?", _DEMO)
    parser.add_argument("--out", metavar="FILE", help="CSV with the predictions of all rows")
    options.add_seed_option(parser)


def _methods(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in METHOD_BY_SLUG]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"must name some of {', '.join(METHOD_BY_SLUG)}, found {', '.join(unknown) or text!r}"
        )
    return [METHOD_BY_SLUG[name] for name in names]


COMMANDS = {add.__name__: add for add in (classify, rank, label, prior, compare, apply, demo)}
