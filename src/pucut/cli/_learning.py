"""A table to learn from, read and checked as the options say, and a method fitted to it."""

import argparse
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pucut.cli._ending import UnknownShareError, UserError
from pucut.cli._voice import Voice
from pucut.data.labels import PULabels
from pucut.data.repeats import Repeats, equal_rows, repeats
from pucut.data.suspects import Suspect, in_words
from pucut.exceptions import RepeatedRowsWarning, SuspectColumnWarning, UncertainPriorWarning
from pucut.methods import METHOD_BY_SLUG, METHODS
from pucut.priors.result import ADVICE
from pucut.tables.columns import EncodedTable, learn_columns, suspects_of
from pucut.tables.dates import ORDERS
from pucut.tables.errors import one_line
from pucut.tables.labels import LabelColumn, read_labels
from pucut.tables.reading import InputTable, read_file


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table with its labels, and the equal rows and suspect columns among its features."""

    table: InputTable
    labels: LabelColumn
    encoded: EncodedTable
    label_column: str
    repeats: Repeats
    suspects: tuple[Suspect, ...]

    @property
    def X(self) -> Any:
        return self.encoded.X

    @property
    def y(self) -> PULabels:
        return self.labels.known

    def summary(self, arguments: argparse.Namespace) -> dict[str, Any]:
        """Return what every command says of the table it read."""
        return {
            "table": self.table.name,
            "n_rows": self.table.n_rows,
            "n_known_positives": self.y.n_labelled,
            "n_known_negatives": self.y.n_negative,
            "n_repeated_rows": self.repeats.n_repeated,
            "repeated_rows_are_copies": self.repeats.are_copies,
            "suspects": {suspect.column: str(suspect) for suspect in self.suspects},
            "suspects_are_dropped": bool(self.suspects) and arguments.drop_suspects,
            "label_column": self.label_column,
            "positive": list(self.labels.positives),
            "negative": list(self.labels.negatives),
            "id_columns": list(self.encoded.ids),
            "features": self.encoded.account(),
            "notes": [*self.table.notes, *self.encoded.notes],
            "seed": arguments.seed,
        }


def read_input(arguments: argparse.Namespace) -> InputTable:
    """Read the table that the options name."""
    return read_file(
        arguments.table, sep=arguments.sep, encoding=arguments.encoding, sheet=arguments.sheet
    )


def read_labelled(arguments: argparse.Namespace, voice: Voice, *hidden: str) -> LabelledTable:
    """Read the table that the options name, and report on it; `hidden` columns are not used."""
    table = read_input(arguments)
    voice.note(*table.notes)
    label = table.column(arguments.label_column, "--label-column")
    ids = [table.column(name, "--id-column") for name in arguments.id_column]
    dropped = [table.column(name, "--drop") for name in arguments.drop]
    kinds = _kinds_of_columns(arguments, table)
    if table.frame.shape[1] == 1:
        raise UserError(f"{table.name} has one column, {label!r}: there is nothing to learn from")
    _refuse_repeated([*{label, *hidden}, *{*ids}, *{*dropped}, *kinds])
    labels = read_labels(
        table,
        label,
        positive=arguments.positive,
        negative=arguments.negative,
        unlabelled=arguments.unlabelled,
    )
    encoded = learn_columns(
        table, ids=ids, ignored=[label, *hidden, *dropped], kinds=kinds, decimal=arguments.decimal
    )
    voice.note(labels.note, *encoded.lines(), *encoded.notes, *encoded.lost)
    voice.note(*duplicate_notes(table, encoded.ids))
    suspects = suspects_of(encoded, labels.known)
    if suspects:
        done = "Leave such columns out with --drop-suspects, unless nearly all positives are known."
        if arguments.drop_suspects:
            done = "They are left out (--drop-suspects)."
            encoded = encoded.without(suspect.column for suspect in suspects)
        voice.note(f"warning: {in_words(suspects)} {done}")
        if not encoded.features:
            raise UserError(f"{table.name}: no column is left to learn from")
    equal = repeats(equal_rows(encoded.X), labels.known.is_labelled)
    if equal.n_repeated:
        advice = " If they are the same samples twice, delete them." if equal.are_copies else ""
        voice.note(f"{'warning: ' if equal.are_copies else ''}{equal}{advice}")
    return LabelledTable(table, labels, encoded, label, equal, suspects)


def _kinds_of_columns(arguments: argparse.Namespace, table: InputTable) -> dict[str, str]:
    """Return the kinds that options give to columns, as `learn_columns` takes them."""
    kinds: dict[str, str] = {}
    for kind in ("number", "category", "text", "date"):
        for given in getattr(arguments, f"{kind}_column"):
            name, _, order = given.rpartition("=")
            if kind != "date" or order not in ORDERS or given in table.frame.columns:
                name, order = given, ""
            name = table.column(name, f"--{kind}-column")
            _refuse_repeated([name, *kinds])
            kinds[name] = f"{kind}={order}" if order else kind
    return kinds


def _refuse_repeated(names: Iterable[str]) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise UserError(f"column {repeated[0]!r} is named by two options")


def duplicate_notes(table: InputTable, ids: Sequence[str]) -> list[str]:
    """Return a warning for every identifier that names several rows."""
    notes = []
    for name in ids:
        column = table.frame[name]
        repeated = column[column.duplicated(keep=False) & column.notna()]
        if len(repeated):
            notes.append(
                f"warning: {name!r} names several rows: {len(repeated)} rows share a name, such as "
                f"{repeated.iloc[0]!s} in {table.place(int(repeated.index[0]))}"
            )
    return notes


def make_estimator(arguments: argparse.Namespace) -> Any:
    """Return the method that the options name, with those of the options that it has."""
    estimator = METHODS[METHOD_BY_SLUG[arguments.method]]()
    own = estimator.get_params(deep=False)
    given = {"prior": arguments.prior, "n_jobs": arguments.n_jobs, "random_state": arguments.seed}
    if arguments.device is not None:
        if "device" not in own:
            raise no_use_of("--device", arguments.device, arguments.method)
        given["device"] = arguments.device
    return estimator.set_params(**{name: given[name] for name in given if name in own})


def no_use_of(option: str, value: Any, method: str, why: str = "") -> UserError:
    return UserError(f"{option} {value} has no use with --method {method}{why}: leave it out")


@contextmanager
def refusals(arguments: argparse.Namespace) -> Iterator[None]:
    """Turn what the library refuses, or can only guess, into errors of the user's."""
    with warnings.catch_warnings():
        # Copies of rows and suspect columns were reported when the table was read.
        for reported in (RepeatedRowsWarning, SuspectColumnWarning):
            warnings.simplefilter("ignore", reported)
        # A guess that was accepted is reported with the results.
        warnings.simplefilter(
            "ignore" if arguments.accept_upper_bound else "error", UncertainPriorWarning
        )
        try:
            yield
        except UncertainPriorWarning as guess:
            raise UnknownShareError(
                f"the share of positives is not known. {str(guess).removesuffix(ADVICE)} Give the "
                "share, such as --prior 0.3, or take the guess with --accept-upper-bound; more "
                "known positives, or columns that tell the classes apart, would help"
            ) from guess
        except (ValueError, TypeError) as error:
            raise UserError(one_line(error)) from error


def fit(arguments: argparse.Namespace, labelled: LabelledTable, voice: Voice) -> Any:
    """Return the method that the options name, fitted."""
    estimator = make_estimator(arguments)
    n_labelled = labelled.y.n_labelled
    with (
        voice.progress_of(estimator, METHOD_BY_SLUG[arguments.method], labelled.X, n_labelled),
        refusals(arguments),
    ):
        estimator.fit(labelled.X, labelled.y)
    voice.note(*_notes_on_texts(estimator, labelled.encoded))
    return estimator


def _notes_on_texts(estimator: Any, encoded: EncodedTable) -> Iterator[str]:
    """Return a sentence for each free text: its share in the weights of all columns."""
    weights = getattr(estimator, "feature_importances_", None)
    if weights is None or len(weights) != encoded.X.shape[1] or not np.sum(weights) > 0.0:
        return
    by_column = dict(zip(encoded.X.columns, weights, strict=True))
    total = float(np.sum(weights))
    for feature in encoded.features:
        if feature.kind == "text":
            columns = encoded.columns[feature.name]
            share = float(sum(by_column[column] for column in columns)) / total
            yield f"{feature.name!r}: its texts have {share:.0%} of the weight of all columns"
