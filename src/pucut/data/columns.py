"""Columns of a table, one at a time: categories become their places, everything else numbers."""

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite

from pucut._support.checks import is_missing

MOST_CATEGORIES = 255  # per column, as in scikit-learn's histogram trees

# Read as they are; others are converted to the first of these that holds them.
NUMBER_TYPES = tuple(np.dtype(kind) for kind in ("f4", "f8", "u1", "i4", "i8"))
# The most characters of a value that an error names.
_SHOWN = 40

Column = npt.NDArray[Any]
Categories = npt.NDArray[np.object_]


class NotReadable(Exception):
    """The end of a reading: a text that says what X holds, and the error for users."""

    def __init__(self, text: str, error: type[Exception] = ValueError) -> None:
        super().__init__(text)
        self.error = error(text)


def read_column(
    column: Any, known: Categories | None, where: str, is_categorical: bool | None, is_lenient: bool
) -> tuple[Column, Categories | None, bool]:
    """Return numbers or places of categories, all categories, and whether leniency did not matter.

    Where `is_categorical` is None, strings and category types are categories.
    """
    is_strict = True
    if is_categorical is None:
        is_categorical = _holds_categories(column)
        if is_lenient and not is_categorical:  # columns of any other objects are categories too
            is_strict = all(is_missing(value) or _is_number(value) for value in _objects(column))
            is_categorical = not is_strict
    if is_categorical:
        codes, known, is_changed = _category_places(column, known, where, is_lenient)
        return codes, known, is_strict and not is_changed
    found = _column_of_numbers(column, where, is_lenient)
    return found, None, getattr(column.dtype, "kind", "") not in ("m", "M")


def _holds_categories(column: Any) -> bool:
    kind = str(getattr(column, "dtype", "")).lower()
    if kind.startswith(("categor", "enum", "str", "utf8", "<u", ">u")):
        return True
    return any(isinstance(value, (str, bytes)) for value in _objects(column))


def _objects(column: Any) -> Any:
    """Return the values of a column of objects; none of other columns."""
    has_objects = getattr(column.dtype, "kind", "O") in "OUST"
    return np.asarray(column, dtype=object) if has_objects else ()


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _category_places(
    column: Any, known: Categories | None, where: str, is_lenient: bool
) -> tuple[Column, Categories, bool]:
    """Return the place of each category, all categories, and whether leniency changed any."""
    plain = np.asarray(column, dtype=object).tolist()
    plain = [value.item() if isinstance(value, np.generic) else value for value in plain]
    present = [None if is_missing(value) else value for value in plain]
    is_changed = False
    if is_lenient:  # lists and the like have no hash
        kept = [value is None or isinstance(value, (str, numbers.Number)) for value in present]
        is_changed = not all(kept)
        present = [value if kept[row] else str(value) for row, value in enumerate(present)]
    if known is None:
        distinct = {value for value in present if value is not None}
        if len(distinct) > MOST_CATEGORIES:
            is_changed = True
            if not is_lenient:
                raise NotReadable(
                    f"{where} has {len(distinct)} categories, allowed are "
                    f"{MOST_CATEGORIES}; join rare ones, or encode it as numbers"
                )
        try:
            ordered = sorted(distinct)
        except TypeError:
            ordered = sorted(distinct, key=lambda value: (type(value).__name__, str(value)))
        known = np.empty(len(ordered), dtype=object)
        known[:] = ordered
    places = {value: place for place, value in enumerate(known)}
    codes = [np.nan if value is None else places.get(value, np.nan) for value in present]
    return np.array(codes, dtype=np.float32), known, is_changed


def _column_of_numbers(column: Any, where: str, is_lenient: bool) -> Column:
    if isinstance(column, np.ndarray) and column.dtype in NUMBER_TYPES:
        return column  # checked as a part of X
    dtype = getattr(column, "dtype", None)
    is_extension = not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "") in tuple("iufb")
    if is_extension and column.isna().any():  # a type of pandas with missing values of its own
        array = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    else:
        array = np.asarray(column)
    if array.dtype.kind not in "biuf":
        array = _numbers_from_objects(array, where, is_lenient)
    array = supported(array)
    return finite_or_missing(array, where) if array.dtype.kind == "f" else array


def finite_or_missing(array: Column, where: str = "X") -> Column:
    """Return the array itself, if it holds no infinity."""
    # It adds everything up first: huge values of both signs are no mistake.
    with np.errstate(invalid="ignore", over="ignore"):
        try:
            assert_all_finite(array, allow_nan=True, input_name=where)
        except ValueError as error:
            raise NotReadable(str(error)) from error
    return array


def supported(array: Column) -> Column:
    """Return numbers in a type of `NUMBER_TYPES`, by view where they have one; others as is."""
    if array.dtype in NUMBER_TYPES or array.dtype.kind not in "biuf":
        return array
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    fitting = [kind for kind in NUMBER_TYPES if np.can_cast(array.dtype, kind, "safe")]
    return array.astype(fitting[0] if fitting else np.float64)


def _numbers_from_objects(array: Column, where: str, is_lenient: bool) -> Column:
    if array.dtype.kind == "c":
        raise NotReadable(f"Complex data not supported: {where} is {array.dtype}")
    if array.dtype.kind in "mM" and is_lenient:
        return np.where(np.isnat(array), np.nan, array.astype(np.int64).astype(np.float64))
    first = next((value for value in array if not is_missing(value)), None)
    # Dates with a time zone and periods are objects.
    is_date = hasattr(first, "isoformat") or type(first).__name__ in ("Period", "timedelta")
    if array.dtype.kind in "mM" or is_date:
        raise NotReadable(f"{where} holds dates, which are neither numbers nor classes")
    return np.array([_as_float(value, row, where) for row, value in enumerate(array)], np.float64)


def _as_float(value: Any, row: int, where: str) -> float:
    if is_missing(value):
        return np.nan
    kind: type[Exception] = ValueError
    try:
        return float(value)
    except TypeError:
        # scikit-learn's checks look for these words, and for this type of error.
        allowed, kind = "argument must be a string or a real number", TypeError
    except OverflowError:
        allowed = f"numbers must be at most {np.finfo(np.float64).max:.2g} in size"
    except ValueError:
        allowed = "its values must be real numbers"
    try:
        shown = repr(value)
    except ValueError:  # Python does not write integers of more than 4300 digits
        shown = f"of {value.bit_length()} bits"
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    found = f"found {type(value).__name__} {shown} in row {row}"
    raise NotReadable(f"{where}: {allowed}, {found}", kind)
