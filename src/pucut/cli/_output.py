"""Results as files, written whole or not at all, and on stdout."""

import argparse
import csv
import json
import os
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pucut._support.files import write_all_whole
from pucut.cli._ending import UserError, raise_lost_request, user_errors
from pucut.cli._voice import Voice, printable
from pucut.model_files import PICKLE_ENDINGS
from pucut.tables.errors import INSTALL
from pucut.tables.numerals import float_of
from pucut.tables.reading import STDIN

STDOUT = "-"
_ROWS_ON_A_TERMINAL = 10
_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_BINARY = (".xlsx", ".parquet", ".feather", ".arrow")
# Columns in Excel files are as wide as the texts of the first rows, with room for a filter's arrow.
_ROWS_MEASURED = 500
_ROOM = 4
_WIDEST = 60
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def check_output_options(arguments: argparse.Namespace, inputs: list[str]) -> None:
    """Refuse, before any work, outputs that cannot be written or would mix."""
    if arguments.json and arguments.out == STDOUT:
        raise UserError("--json and --out - would mix on stdout: name a file with --out")
    model = getattr(arguments, "save_model", None)
    if model is not None and model.lower().endswith(PICKLE_ENDINGS):
        why = "models are not written as pickles; call it .skops"
        raise UserError(f"--save-model {model!r}: {why}")
    report = getattr(arguments, "report", None)
    check_outputs({"--out": arguments.out, "--report": report, "--save-model": model}, inputs)


def check_outputs(outputs: Mapping[str, str | None], inputs: Sequence[str]) -> None:
    """Refuse outputs, by the option that gave them, that cannot be written or are an input."""
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
    _check_ending(outputs["--out"])


def _check_ending(given: str | None) -> None:
    """Refuse a name whose ending promises a form that is not written; none at all means CSV."""
    if given is None or given == STDOUT or not Path(given).suffix:
        return
    kind, packed = _form(given)
    if kind not in (_DELIMITED if packed else (*_DELIMITED, *_BINARY)):
        raise UserError(
            f"--out {given!r}: a table is not written as {kind}{packed}; endings may be "
            f"{', '.join((*_DELIMITED, *_BINARY))}, and .gz after the first {len(_DELIMITED)}"
        )


def _form(path: str) -> tuple[str, str]:
    """Return the ending of a path that says its form, and ".gz" or ""."""
    endings = ["", "", *(ending.lower() for ending in Path(path).suffixes)]
    return (endings[-2], ".gz") if endings[-1] == ".gz" else (endings[-1], "")


def _resolved(path: str) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(f"{path!r} is not a usable path: {error}") from error


def deliver(
    arguments: argparse.Namespace,
    predictions: Any,
    summary: Mapping[str, Any],
    voice: Voice,
    other_files: Mapping[str, bytes] | None = None,
) -> None:
    """Write all files; on stdout the summary, or the predictions or their beginning."""
    files = dict(other_files or {})
    delimited = predictions
    if not arguments.keep_formulas and _is_delimited(arguments.out or STDOUT):
        delimited, n_changed = without_formulas(predictions)
        if n_changed and not arguments.json:
            voice.note(
                f"{n_changed} texts that spreadsheets would run as formulas begin with ' in the "
                "answers; --keep-formulas writes them as they are"
            )
    if arguments.out is not None and arguments.out != STDOUT:
        files = {arguments.out: table_bytes(delimited, arguments.out), **files}
    raise_lost_request()
    write_files(files)
    voice.note(*(f"written: {path}" for path in files))
    if arguments.json:
        print_json(summary)
    elif arguments.out == STDOUT or (arguments.out is None and not sys.stdout.isatty()):
        sys.stdout.write(_write_csv(delimited, None))
        sys.stdout.flush()
    elif arguments.out is None:
        print(printable(predictions.head(_ROWS_ON_A_TERMINAL).to_string(index=False)), flush=True)
        if len(predictions) > _ROWS_ON_A_TERMINAL:
            n_more = len(predictions) - _ROWS_ON_A_TERMINAL
            voice.note(f"... and {n_more} more: --out FILE writes all")


def print_json(content: Mapping[str, Any]) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False), flush=True)


def write_files(files: Mapping[str, bytes]) -> None:
    """Write all files, or none: beside their places first, then moved there."""
    places = {Path(path).resolve(): data for path, data in files.items()}
    is_special = {path: path.exists() and not path.is_file() for path in places}
    with user_errors(f"{' or '.join(map(repr, files))} cannot be written: ", OSError):
        for path, data in places.items():
            if is_special[path]:
                path.write_bytes(data)  # a pipe or device
        write_all_whole({path: data for path, data in places.items() if not is_special[path]})


def table_bytes(frame: Any, path: str) -> bytes:
    """Return the table in the form that the ending of the path names; CSV where it names none."""
    kind, packed = _form(path)
    buffer = BytesIO()
    if packed or kind not in _BINARY:
        # No time of writing: the same call gives the same file.
        compression = {"method": "gzip", "mtime": 0} if packed else None
        _write_csv(frame, buffer, "\t" if kind in (".tsv", ".tab") else ",", compression)
    elif kind == ".parquet":
        frame.to_parquet(buffer, index=False)
    elif kind == ".xlsx":
        _write_excel(frame, buffer, path)
    else:
        frame.to_feather(buffer)
    return buffer.getvalue()


def _write_csv(frame: Any, place: Any, separator: str = ",", compression: Any = None) -> Any:
    """Write delimited text to a place; return it if that is None."""
    texts = frame.select_dtypes(include=["object", "string"])
    cells = chain(frame.columns, *(texts[name] for name in texts))
    # Python leaves carriage returns bare, unless all texts are in quotes.
    has_return = any("\r" in str(cell) for cell in cells)
    return frame.to_csv(
        place,
        sep=separator,
        index=False,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if has_return else csv.QUOTE_MINIMAL,
        encoding="utf-8",
        compression=compression,
    )


def _is_delimited(path: str) -> bool:
    return Path(path).suffix.lower() not in _BINARY


def safe_bytes(frame: Any, path: str) -> bytes:
    """Return the table as `table_bytes` does, with no text that a spreadsheet would run."""
    return table_bytes(without_formulas(frame)[0] if _is_delimited(path) else frame, path)


def without_formulas(frame: Any) -> tuple[Any, int]:
    """Put an apostrophe before texts and names that are formulas to spreadsheets, and count them.

    Such texts begin with one of = + - @, a tab or a line end, and are not numbers.
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
    return isinstance(cell, str) and cell.startswith(_BEGIN_FORMULAS) and float_of(cell) is None


def _write_excel(frame: Any, buffer: BytesIO, path: str) -> None:
    """Write every text as a text, none as a formula, a link or an error code."""
    import pandas as pd

    try:
        from openpyxl.utils import get_column_letter
        from openpyxl.utils.exceptions import IllegalCharacterError
    except ImportError as error:
        raise UserError(f"writing Excel files needs openpyxl: {INSTALL}") from error
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
                cells = frame.iloc[:_ROWS_MEASURED, place - 1]
                widest = max(map(len, map(str, [name, *cells])))
                width = min(widest + _ROOM, _WIDEST)
                sheet.column_dimensions[get_column_letter(place)].width = width
    except (IllegalCharacterError, ValueError) as error:  # or more rows than such files hold
        raise UserError(
            f"{path!r} cannot hold this table ({type(error).__name__}: {str(error)!r}): write .csv "
            "or .parquet instead"
        ) from error
