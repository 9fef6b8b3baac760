"""What a ranking for labelling learns from: texts by their words, the rest by columns."""

from typing import Any

from pucut.cli._plan import columns_of
from pucut.cli._problem import Problem
from pucut.data.encoding import learn_encoding
from pucut.labelling.ranking import Features, features_of
from pucut.labelling.texts import text_matrix


def learned_from(problem: Problem) -> Features:
    texts = text_columns(problem)
    columns = columns_of(problem.plan.features)
    others = [
        column
        for feature in problem.plan.features
        if feature.name not in texts
        for column in columns[feature.name]
    ]
    words = text_matrix(_joined(problem.table.frame, texts)) if texts else None
    points = learn_encoding(problem.X[others])[1] if others else None
    return features_of(words, points)


def text_columns(problem: Problem) -> list[str]:
    return [feature.name for feature in problem.plan.features if feature.kind == "text"]


def _joined(frame: Any, names: list[str]) -> list[str]:
    columns = [shown_cells(frame[name]) for name in names]
    return [" . ".join(cells) for cells in zip(*columns, strict=True)]


def shown_cells(column: Any) -> list[str]:
    """As they were found; empty where there is nothing."""
    texts: list[str] = column.map(str, na_action="ignore").astype(object).fillna("").tolist()
    return texts
