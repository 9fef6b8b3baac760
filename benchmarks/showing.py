"""Results as lines of a table, and as JSON."""

import json
import math
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# A pair is a mean and its standard error.
Cell = str | bool | int | float | tuple[float, float] | None
NAME_WIDTH, LEAST_WIDTH = 34, 9


def machine_facts() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def column_widths(rows: Sequence[Mapping[str, Cell]]) -> dict[str, int]:
    """Wide enough for the names of the columns and for what these rows have in them."""
    return {
        column: max(LEAST_WIDTH, len(column) + 2, *(len(text_of(row[column])) + 2 for row in rows))
        for column in (rows[0] if rows else ())
    }


def table_line(
    name: str,
    cells: Mapping[str, Cell],
    widths: Mapping[str, int],
    name_width: int = NAME_WIDTH,
) -> str:
    """Numbers are aligned on the right; the name and, last, the peer on the left."""
    texts = (
        f"  {text_of(cell)}" if column == "peer" else f"{text_of(cell):>{widths[column]}}"
        for column, cell in cells.items()
    )
    return f"{name:<{name_width}}" + "".join(texts)


def text_of(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, tuple):
        digits = decimals(cell[0])
        return f"{cell[0]:.{digits}f} ({cell[1]:.{digits}f})"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.0e}" if 0 < abs(cell) < 5e-4 else f"{cell:.{decimals(cell)}f}"
    return str(cell)


def decimals(value: float) -> int:
    return 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1 if abs(value) < 1000 else 0


def write_json(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(plain(content), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """Convert to JSON types: no numbers of numpy, and null for NaN and infinity."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
