"""The columns of a table: which are identifiers, which are features, and of which kind."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from pucut.data.columns import MOST_CATEGORIES
from pucut.data.labels import PULabels
from pucut.data.suspects import Suspect, suspect_columns
from pucut.data.tables import as_table
from pucut.tables.cells import Cells
from pucut.tables.errors import TableError, listing
from pucut.tables.kinds import (
    KINDS,
    CategoryFeature,
    DateFeature,
    Feature,
    FlagFeature,
    NumberFeature,
    TextFeature,
)
from pucut.tables.numerals import WITH_COMMA
from pucut.tables.reading import InputTable
from pucut.tables.texts import WORDS_OF_A_TEXT

# Up to this number of distinct texts are categories in a table however small.
FEW_TEXTS = 10
# Lines about columns in a table of very many.
_MOST_LINES = 30

_ID_NAME = re.compile(r"(^|[ _.\-])(id|ids|uuid)$|[a-z]I[dD]$|^row_name$", re.ASCII)
_MAY_BE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """A table as numbers and categories, X, and what each of its columns is.

    `lost` has notes on cells that could not be read, `notes` those on columns that are not used.
    """

    ids: tuple[str, ...]
    features: tuple[Feature, ...]
    X: Any
    lost: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The names of the columns of X that each feature has become."""
        return named_columns(self.features)

    def without(self, names: Iterable[str]) -> "EncodedTable":
        """Return the same without these features."""
        left_out = {*names}
        features = tuple(each for each in self.features if each.name not in left_out)
        X = self.X[[column for each in features for column in self.columns[each.name]]]
        X.columns = list(chain(*named_columns(features).values()))
        return replace(self, features=features, X=X)

    def lines(self) -> list[str]:
        """Return a line for each feature; the first of them where there are very many."""
        features = self.features
        shown = features if len(features) <= _MOST_LINES else features[: _MOST_LINES - 1]
        lines = [f"{len(features)} column{'s' * (len(features) > 1)} used:"]
        for feature in shown:
            n = self._n_missing[feature.name]
            gaps = [f"{n} gap{'s' * (n > 1)}"] if n else []
            lines.append(f"  {feature.name}: {', '.join([*feature.details(self.X), *gaps])}")
        rest = Counter(feature.kind for feature in features[len(shown) :])
        if rest:
            plural = {kind: f"{kind}s" for kind in rest} | {"category": "categories"}
            named = [f"{n} {plural[kind] if n > 1 else kind}" for kind, n in rest.most_common()]
            lines.append(f"  and {', '.join(named)} more; --json lists them all")
        return lines

    def account(self) -> dict[str, dict[str, Any]]:
        """Return, by the name of each feature, how it was read, as plain values."""
        found = {}
        for feature in self.features:
            plain = feature.to_dict()
            if isinstance(feature, TextFeature):
                plain["text"] = {"directions": list(feature.text.names)}
            del plain["name"]
            found[feature.name] = {**plain, "n_missing": self._n_missing[feature.name]}
        return found

    @cached_property
    def _n_missing(self) -> dict[str, int]:
        """The number of gaps of each feature."""
        n_missing = self.X.isna().to_numpy().sum(axis=0).tolist()
        of_column = dict(zip(self.X.columns, n_missing, strict=True))
        return {name: of_column[columns[0]] for name, columns in self.columns.items()}


def learn_columns(
    table: InputTable,
    *,
    ids: Sequence[str] = (),
    ignored: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    decimal: str | None = None,
) -> EncodedTable:
    """Decide on every column that is neither an identifier nor ignored, and read it.

    `kinds` has the columns whose kind the user named: "number", "category", "text" or "date", or
    with the order of its parts "date=dmy".
    """
    kinds = kinds or {}
    fixed = {*ids, *ignored}
    features: list[Feature] = []
    values: list[list[Any]] = []
    unused: dict[str, list[str]] = {}
    lost: list[str] = []
    failed: TableError | None = None
    for name in map(str, table.frame.columns):
        if name in fixed:
            continue
        cells = Cells(table, name)
        decision = _decide(cells, kinds.get(name), decimal)
        if isinstance(decision, Feature):
            features.append(decision)
            try:
                values.append(decision.read(cells, None))
            except TableError as error:  # errors in deciding on later columns come first
                failed = failed or error
            lost += cells.lost
        else:
            unused.setdefault(decision, []).append(name)
    found_ids = unused.pop("id", [])
    notes = [f"{listing(names, 20)}: not used, {why}" for why, names in unused.items()]
    if found_ids:
        many = "s" * (len(found_ids) > 1)
        notes.insert(0, f"{listing(found_ids)}: taken as identifier{many}, not as feature{many}")
    if not features:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise TableError(f"{table.name} has no column that can be used as a feature{why}")
    if decimal is None:
        _refuse_unclear_thousands(table, features)
    if failed is not None:
        raise failed
    X = _frame(features, values)
    return EncodedTable((*ids, *found_ids), tuple(features), X, tuple(lost), tuple(notes))


def encode_table(
    table: InputTable,
    features: Sequence[Feature],
    ids: Sequence[str] = (),
    decimal: str | None = None,
) -> EncodedTable:
    """Read the features of a table as was decided about another.

    `decimal` is the decimal sign of this table, where it need not be that of the other.
    """
    check_present(table, features)
    values, lost = [], []
    for feature in features:
        cells = Cells(table, feature.name)
        values.append(feature.read(cells, decimal))
        lost += cells.lost
    return EncodedTable(tuple(ids), tuple(features), _frame(features, values), tuple(lost))


def check_present(table: InputTable, features: Sequence[Feature]) -> None:
    """Refuse a table without one of the features."""
    present = [str(name) for name in table.frame.columns]
    missing = [feature.name for feature in features if feature.name not in present]
    if missing:
        needed = f"{listing(missing)}, which the model needs"
        raise TableError(f"{table.name} lacks {needed}; it has {listing(present)}")


def named_columns(features: Iterable[Feature]) -> dict[str, tuple[str, ...]]:
    """Return the names of the columns of numbers or categories that each feature becomes."""
    features = list(features)
    taken = {feature.name for feature in features}
    found = {}
    for feature in features:
        columns = [] if isinstance(feature, TextFeature) else [feature.name]
        for what in feature.further:
            name = f"{feature.name} ({what})"
            while name in taken:
                name += "'"
            taken.add(name)
            columns.append(name)
        found[feature.name] = tuple(columns)
    return found


def _frame(features: Sequence[Feature], values: Iterable[Sequence[Any]]) -> Any:
    import pandas as pd

    names = chain(*named_columns(features).values())
    return pd.DataFrame(dict(zip(names, chain(*values), strict=True)))


def _decide(cells: Cells, stated: str | None, decimal: str | None) -> Feature | str:
    """Return a feature, "id", or why the column is of no use."""
    if cells.n_present == 0:
        return "without any value"
    if stated is not None:
        kind, _, detail = stated.partition("=")
        feature = KINDS[kind].find(cells, decimal, detail)
        if feature is None:
            raise cells.refused_as(kind)
        return feature
    found = NumberFeature.find(cells, decimal) or DateFeature.find(cells, decimal)
    if found is None and cells.typed is not None:
        return "neither numbers nor texts nor dates"
    if _ID_NAME.search(cells.name) and (found is None or _are_whole(cells, found)):
        return "id"
    n_distinct = len(cells.texts) if cells.typed is None else int(cells.typed.nunique())
    if n_distinct == 1:
        is_constant = cells.n_present == cells.n_rows
        return "constant" if is_constant else FlagFeature.find(cells, decimal)
    if found is not None:
        return found
    n_words = sum(count * len(text.split()) for text, count in cells.counts.items())
    if n_distinct == cells.n_present and n_words < WORDS_OF_A_TEXT * cells.n_present:
        return "id"
    if n_distinct > min(MOST_CATEGORIES, max(FEW_TEXTS, cells.n_rows // 4)):
        return TextFeature.find(cells, decimal) or "texts that have nothing in common"
    return CategoryFeature.find(cells, decimal)


def _are_whole(cells: Cells, found: Feature) -> bool:
    import pandas as pd

    if cells.typed is None:
        whole = all(re.fullmatch("[0-9]+", text) for text in cells.texts)
        return isinstance(found, NumberFeature) and whole
    return bool(pd.api.types.is_integer_dtype(cells.typed.dtype))


def _refuse_unclear_thousands(table: InputTable, features: Iterable[Feature]) -> None:
    """Refuse 1.234 and 2.500 where other columns have decimal commas: they may mean thousands."""
    numbers = [feature for feature in features if isinstance(feature, NumberFeature)]
    comma = next((feature for feature in numbers if feature.numerals in WITH_COMMA), None)
    if comma is None:
        return
    for feature in numbers:
        if feature.numerals != "point":
            continue
        cells = Cells(table, feature.name)
        with_point = [text for text in cells.texts if "." in text]
        if with_point and all(map(_MAY_BE_THOUSANDS.fullmatch, with_point)):
            raise TableError(
                f"{cells.where}: {with_point[0]!r} may be a decimal point or a separator of "
                f"thousands, as {comma.name!r} has decimal commas: use --decimal ',' or "
                "--decimal '.'"
            )


def suspects_of(encoded: EncodedTable, labels: PULabels) -> tuple[Suspect, ...]:
    """Return the features that know which rows were labelled, in the words of the file."""
    import pandas as pd

    features = {feature.name: feature for feature in encoded.features}
    columns = {}
    for name, feature in features.items():
        values = encoded.X[encoded.columns[name][0]]
        is_text = isinstance(feature, TextFeature)
        columns[name] = values.notna().to_numpy(dtype=float) if is_text else values.array
    table = as_table(pd.DataFrame(columns))
    found = () if table is None else suspect_columns(table, labels)
    return tuple(
        replace(suspect, what=features[suspect.column].suspicion(suspect)) for suspect in found
    )
