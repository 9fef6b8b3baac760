"""Columns of a table that know which rows were labelled, by the names the user gave them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pucut.cli._kinds import cells_of
from pucut.cli._plan import ColumnPlan, Feature, columns_of
from pucut.cli._reading import InputTable
from pucut.data.containers import as_table
from pucut.data.labels import PULabels
from pucut.data.suspects import Suspect, in_words, suspect_columns


def suspects_of(
    table: InputTable, features: Sequence[Feature], X: Any, labels: PULabels
) -> tuple[Suspect, ...]:
    """Of the features as they stand in the file: text is filled or not, and dates are dates."""
    import pandas as pd

    names = columns_of(features)
    view = {
        feature.name: cells_of(table.frame[feature.name]).notna().to_numpy(dtype=float)
        if feature.text is not None
        else X[names[feature.name][0]].array
        for feature in features
    }
    kinds = {feature.name: "text" if feature.text else feature.kind for feature in features}
    table_of_view = as_table(pd.DataFrame(view))
    found = () if table_of_view is None else suspect_columns(table_of_view, labels)
    return tuple(_read_aloud(suspect, kinds[suspect.column]) for suspect in found)


def _read_aloud(suspect: Suspect, kind: str) -> Suspect:
    import pandas as pd

    if kind in ("text", "flag"):
        is_filled = suspect.what == "is 1" or suspect.limits == (1.0, 1.0)
        return replace(suspect, what="is filled" if is_filled else "is empty")
    if kind == "date" and suspect.limits is not None:
        low, high = (pd.Timestamp(day, unit="D").date() for day in suspect.limits)
        return replace(suspect, what=f"is between {low} and {high}")
    return suspect


def note_on(suspects: Sequence[Suspect], are_dropped: bool) -> str:
    done = (
        "They are left out (--drop-suspects)."
        if are_dropped
        else "Leave such columns out with --drop-suspects, unless nearly all positives are known."
    )
    return f"warning: {in_words(suspects)} {done}"


def without(plan: ColumnPlan, X: Any, suspects: Sequence[Suspect]) -> tuple[ColumnPlan, Any]:
    """Plan and features without these columns."""
    dropped = {suspect.column for suspect in suspects}
    names = columns_of(plan.features)
    features = tuple(feature for feature in plan.features if feature.name not in dropped)
    columns = [column for feature in features for column in names[feature.name]]
    return replace(plan, features=features), X[columns]
