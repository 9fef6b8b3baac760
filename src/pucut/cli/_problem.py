"""What the options name, read and checked: a table to learn from, and a method fitted to it."""

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pucut.cli._columns import plan_columns
from pucut.cli._errors import UnknownShareError, UserError
from pucut.cli._features import feature_frame
from pucut.cli._labels import LabelColumn, NamedLabels, read_labels
from pucut.cli._plan import ColumnPlan, column_lines
from pucut.cli._reading import InputTable, read_input
from pucut.cli._shares import text_notes
from pucut.cli._suspects import note_on, suspects_of, without
from pucut.cli._told import dropped_columns, told_columns
from pucut.cli._voice import Voice
from pucut.data.labels import PULabels
from pucut.data.repeats import Repeats, equal_rows, repeats
from pucut.data.suspects import Suspect
from pucut.exceptions import RepeatedRowsWarning, SuspectColumnWarning, UncertainPriorWarning
from pucut.methods import METHOD_BY_SLUG, METHODS
from pucut.priors.result import ADVICE


@dataclass(frozen=True, eq=False)
class Problem:
    """A table with its labels, ready to be learned from.

    Attributes
    ----------
    table : InputTable
    labels : LabelColumn
    plan : ColumnPlan
    X : pandas.DataFrame
        The features.
    label_column : str
    repeats : Repeats
        Of the features.
    suspects : tuple of Suspect
        Columns that know which rows were labelled, in the table.
    """

    table: InputTable
    labels: LabelColumn
    plan: ColumnPlan
    X: Any
    label_column: str
    repeats: Repeats
    suspects: tuple[Suspect, ...]

    @property
    def y(self) -> PULabels:
        """What is known of the rows, for `fit`."""
        return self.labels.known


def read_table(arguments: argparse.Namespace) -> InputTable:
    """The table the options name, read as they say."""
    return read_input(
        arguments.table, sep=arguments.sep, encoding=arguments.encoding, sheet=arguments.sheet
    )


def read_problem(arguments: argparse.Namespace, voice: Voice, *hidden: str) -> Problem:
    """Reads the table the options name, and says what was found; `hidden` columns are not used."""
    table = read_table(arguments)
    for note in table.notes:
        voice.note(note)
    label = table.column(arguments.label_column, "--label-column")
    ids = [table.column(name, "--id-column") for name in arguments.id_column]
    dropped = dropped_columns(arguments, table)
    told = told_columns(arguments, table)
    if table.frame.shape[1] == 1:
        raise UserError(f"{table.name} has one column, {label!r}: there is nothing to learn from")
    named = Counter([*{label, *hidden}, *{*ids}, *{*dropped}, *told])
    twice = sorted(name for name, count in named.items() if count > 1)
    if twice:
        raise UserError(f"column {twice[0]!r} is named by two options")
    values = NamedLabels(arguments.positive, arguments.negative, arguments.unlabelled)
    labels = read_labels(table, label, values)
    plan = plan_columns(
        table,
        taken=[label, *hidden],
        ids=ids,
        ignored=dropped,
        told=told,
        decimal=arguments.decimal,
    )
    X, notes = feature_frame(table, plan.features)
    voice.note(labels.note)
    for note in (
        *column_lines(plan.features, X),
        *plan.notes,
        *notes,
        *duplicate_notes(table, plan.ids),
    ):
        voice.note(note)
    suspects = suspects_of(table, plan.features, X, labels.known)
    if suspects:
        voice.note(note_on(suspects, arguments.drop_suspects))
    if suspects and arguments.drop_suspects:
        plan, X = without(plan, X, suspects)
        if not plan.features:
            raise UserError(f"{table.name}: no column is left to learn from")
    equal = repeats(equal_rows(X), labels.known.is_labelled)
    if equal.n_repeated:
        advice = " If they are the same samples twice, delete them." if equal.are_copies else ""
        voice.note(f"{'warning: ' if equal.are_copies else ''}{equal}{advice}")
    return Problem(table, labels, plan, X, label, equal, suspects)


def duplicate_notes(table: InputTable, ids: tuple[str, ...]) -> list[str]:
    """A warning for every identifier that names several rows."""
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
    """The method the options name, with those of the options that it has."""
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
    """What the library refuses, or can only guess, is the user's to settle.

    A guess that was accepted is said with the results, as copies of rows and suspect columns were
    when the table was read: their warnings would say it twice.
    """
    with warnings.catch_warnings():
        for said in (RepeatedRowsWarning, SuspectColumnWarning):
            warnings.simplefilter("ignore", said)
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
            raise UserError(" ".join(str(error).split())) from error


def fit(arguments: argparse.Namespace, problem: Problem, voice: Voice) -> Any:
    """The fitted method."""
    estimator = make_estimator(arguments)
    n_labelled = problem.y.n_labelled
    with (
        voice.progress_of(estimator, METHOD_BY_SLUG[arguments.method], problem.X, n_labelled),
        refusals(arguments),
    ):
        estimator.fit(problem.X, problem.y)
    for note in text_notes(estimator, problem.plan.features, problem.X):
        voice.note(note)
    return estimator
