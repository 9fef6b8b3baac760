"""What the columns of the features are in the file, as a report says it."""

from collections.abc import Sequence

from pucut.cli._plan import Feature, columns_of, in_words
from pucut.report import ColumnSource


def column_sources(features: Sequence[Feature]) -> dict[str, ColumnSource]:
    """The source of each column of features, by its name."""
    return {
        column: ColumnSource(feature.name, feature.kind, text, is_date)
        for feature, columns in zip(features, columns_of(features).values(), strict=True)
        for column, (text, is_date) in zip(columns, _texts(feature), strict=True)
    }


def _texts(feature: Feature) -> list[tuple[str, bool]]:
    """For each column of a feature what it is, and whether its numbers are dates."""
    name = repr(feature.name)
    if feature.text is not None:
        n_directions = len(feature.text.names)
        text = f"free text: one of {n_directions} directions in the words of {name}"
        return [(text, False)] * n_directions
    if feature.kind == "category":
        n_values = len(feature.categories)
        first = f"{n_values} categor{'ies' if n_values != 1 else 'y'}"
    elif feature.kind == "flag":
        first = f"1 where the cell says {feature.categories[0]}, 0 where it is empty"
    else:
        first = in_words(feature)
    found = [(first, feature.kind == "date")]
    found += [(f"{part} of the date {name}", False) for part in feature.parts]
    if feature.has_limits:
        found.append((f"limits of {name}: \u22121 for <, 1 for >, else 0", False))
    return found
