"""Files written whole or not at all, tables in the form their names ask for, and stdout."""

import csv
import json
import os
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pucut._support.files import write_all_whole
from pucut.cli._errors import UserError
from pucut.cli._reading import STDIN

STDOUT = "-"
_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_BINARY = (".xlsx", ".parquet", ".feather", ".arrow")
# Of columns in Excel files, in letters: the rows looked at, the room for the arrow of a filter.
_ROWS_MEASURED = 500
_ROOM = 4
_WIDEST = 60
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def check_outputs(outputs: Mapping[str, str | None], inputs: Sequence[str]) -> None:
    """Refuses, before any work, outputs that cannot be written or that are an input.

    `outputs` has paths by the option that gave them.
    """
    read = {_resolved(path): path for path in inputs if path != STDIN}
    taken: dict[Path, str] = {}
    for option, given in outputs.items():
        if given is None or given == STDOUT:
            continue
        path = _resolved(given)
        if path in read:
            raise UserError(f"{option} {given!r} is the input itself: choose another name")
        if path in taken:
            raise UserError(f"{option} and {taken[path]} are the same file, {given!r}")
        taken[path] = option
        if path.is_dir():
            raise UserError(f"{option} {given!r} is a folder: name a file in it")
        if not path.parent.is_dir():
            raise UserError(f"{option} {given!r}: there is no folder {str(path.parent)!r}")
        if not os.access(path.parent, os.W_OK):
            raise UserError(f"{option} {given!r}: the folder {str(path.parent)!r} is not writable")


def check_ending(option: str, given: str | None) -> None:
    """Refuses a name whose ending promises a form that is not written; none at all means CSV."""
    if given is None or given == STDOUT or not Path(given).suffix:
        return
    endings = [ending.lower() for ending in Path(given).suffixes]
    is_packed = endings[-1] == ".gz"
    kind = (endings[-2:-1] or [""])[0] if is_packed else endings[-1]
    if kind in (_DELIMITED if is_packed else (*_DELIMITED, *_BINARY)):
        return
    raise UserError(
        f"{option} {given!r}: a table is not written as {''.join(endings[-1 - is_packed :])}; "
        f"endings may be {', '.join((*_DELIMITED, *_BINARY))}, and .gz after the first "
        f"{len(_DELIMITED)}"
    )


def _resolved(path: str) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(f"{path!r} is not a usable path: {error}") from error


def write_files(files: Mapping[str, bytes]) -> None:
    """Writes all files, or none: beside their places first, then moved there."""
    places = {Path(path).resolve(): data for path, data in files.items()}
    is_special = {path: path.exists() and not path.is_file() for path in places}
    try:
        for path, data in places.items():
            if is_special[path]:
                path.write_bytes(data)  # a pipe or device
        write_all_whole({path: data for path, data in places.items() if not is_special[path]})
    except OSError as error:
        names = " or ".join(repr(path) for path in files)
        raise UserError(f"{names} cannot be written: {error.strerror}") from error


def table_bytes(frame: Any, path: str) -> bytes:
    """The table in the form that the ending of the path names; CSV where it names none."""
    endings = [ending.lower() for ending in Path(path).suffixes]
    buffer = BytesIO()
    if endings[-1:] == [".parquet"]:
        frame.to_parquet(buffer, index=False)
    elif endings[-1:] in ([".arrow"], [".feather"]):
        frame.to_feather(buffer)
    elif endings[-1:] == [".xlsx"]:
        _write_excel(frame, buffer, path)
    else:
        is_packed = endings[-1:] == [".gz"]
        kind = endings[-2:-1] if is_packed else endings[-1:]
        frame.to_csv(
            buffer,
            sep="\t" if kind in ([".tsv"], [".tab"]) else ",",
            index=False,
            lineterminator="\n",
            quoting=_quoting(frame),
            encoding="utf-8",
            # No time of writing: the same call gives the same file.
            compression={"method": "gzip", "mtime": 0} if is_packed else None,
        )
    return buffer.getvalue()


def _quoting(frame: Any) -> Literal[0, 2]:
    """All texts in quotes if one holds a carriage return, which Python leaves bare otherwise."""
    texts = frame.select_dtypes(include=["object", "string"])
    has_return = any("\r" in str(cell) for name in texts for cell in texts[name]) or any(
        "\r" in str(name) for name in frame.columns
    )
    return csv.QUOTE_NONNUMERIC if has_return else csv.QUOTE_MINIMAL


def is_delimited(path: str) -> bool:
    """Whether `table_bytes` writes CSV or the like there."""
    return Path(path).suffix.lower() not in _BINARY


def without_formulas(frame: Any) -> tuple[Any, int]:
    """The table with an apostrophe before texts that spreadsheets take for formulas, and how many.

    Those begin with one of = + - @, a tab or a line end, and are not numbers. Names of columns are
    texts too.
    """
    import pandas as pd

    safe = frame.copy()
    n_changed = 0
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            continue
        is_formula = np.array([_is_formula(cell) for cell in column], dtype=np.bool_)
        if is_formula.any():
            texts = column.astype(object).to_numpy(copy=True)
            texts[is_formula] = [f"'{cell}" for cell in texts[is_formula]]
            safe = safe.assign(**{str(name): texts})
            n_changed += int(is_formula.sum())
    named = [f"'{name}" if _is_formula(name) else name for name in safe.columns]
    n_changed += sum(new != old for new, old in zip(named, safe.columns, strict=True))
    safe.columns = named
    return safe, n_changed


def _is_formula(cell: Any) -> bool:
    if not isinstance(cell, str) or cell[:1] not in _BEGIN_FORMULAS or not cell:
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _write_excel(frame: Any, buffer: BytesIO, path: str) -> None:
    """Every text as a text, none a formula, a link or an error code; the header stays in view."""
    import pandas as pd

    try:
        from openpyxl.utils import get_column_letter
        from openpyxl.utils.exceptions import IllegalCharacterError
    except ImportError as error:
        raise UserError("writing Excel files needs openpyxl: pip install 'pucut[cli]'") from error
    try:
        with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
            frame.to_excel(writer, index=False)
            sheet = writer.book.active
            for row in sheet.iter_rows():
                for cell in row:
                    if isinstance(cell.value, str):
                        cell.data_type = "s"
            sheet.freeze_panes = "A2"
            sheet.auto_filter.ref = sheet.dimensions
            for place, name in enumerate(frame.columns, start=1):
                widest = (
                    frame.iloc[:_ROWS_MEASURED, place - 1].map(lambda cell: len(str(cell))).max()
                )
                width = min(max(len(str(name)), widest) + _ROOM, _WIDEST)
                sheet.column_dimensions[get_column_letter(place)].width = width
    except (IllegalCharacterError, ValueError) as error:  # or more rows than such files hold
        raise UserError(
            f"{path!r} cannot hold this table ({type(error).__name__}: {str(error)!r}): write .csv "
            "or .parquet instead"
        ) from error


def print_table(frame: Any) -> None:
    """CSV on stdout."""
    sys.stdout.write(frame.to_csv(index=False, lineterminator="\n", quoting=_quoting(frame)))
    sys.stdout.flush()


def print_json(content: Mapping[str, Any]) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False), flush=True)
