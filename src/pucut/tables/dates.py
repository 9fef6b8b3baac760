"""Dates in cells: as in ISO 8601, with the day or the month first, or with the month by name."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np

from pucut._support.checks import FloatArray
from pucut.tables.errors import TableError
from pucut.tables.numerals import STRAY_SHARE

# The part that comes first, and an example; "name" is for months by name, wherever they stand.
ORDERS = {
    "ymd": ("the year first", "2024-05-31"),
    "dmy": ("the day first", "31.05.2024"),
    "mdy": ("the month first", "05/31/2024"),
    "name": ("the month by name", "31 May 2024"),
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME = (
    r"(?:(?:T|,?\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r"\s*(?P<half>[AaPp][Mm])?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4}|\d{2})"
_NAME = rf"(?P<month>(?:{'|'.join(_MONTHS)})[a-z]*)\.?"
_PATTERNS = {
    "ymd": [rf"(?P<year>\d{{4}})(?P<sep>[-/.]){_MONTH}(?P=sep){_DAY}"],
    "dmy": [rf"{_DAY}(?P<sep>[-/.]){_MONTH}(?P=sep){_YEAR}"],
    "mdy": [rf"{_MONTH}(?P<sep>[-/.]){_DAY}(?P=sep){_YEAR}"],
    "name": [
        rf"{_DAY}\.?[-\s]\s*{_NAME}[-\s]\s*(?P<year>\d{{4}})",
        rf"{_NAME}\s+{_DAY},?\s+(?P<year>\d{{4}})",
    ],
}
_REGEXES = {
    order: [re.compile(pattern + _TIME, re.IGNORECASE | re.ASCII) for pattern in patterns]
    for order, patterns in _PATTERNS.items()
}
_DAYS_OF_TWO_YEARS = 730
_DAYS_OF_TWO_WEEKS = 14


def days_of(text: str, order: str) -> float | None:
    """Return the days since 1970, in UTC where a zone is given; None for other texts."""
    found = next(filter(None, (regex.fullmatch(text) for regex in _REGEXES[order])), None)
    if found is None:
        return None
    month = found["month"].lower()[:3]
    year, hour = int(found["year"]), int(found["hour"] or 0)
    if len(found["year"]) == 2:
        year += 1900 if year >= 69 else 2000  # as POSIX has it
    if found["half"] is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    zone = (found["zone"] or "Z").upper().replace("Z", "+0000").replace(":", "")
    try:
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
        moment = datetime(
            year,
            _MONTHS.index(month) + 1 if month in _MONTHS else int(month),
            int(found["day"]),
            hour,
            int(found["minute"] or 0),
            int(found["second"] or 0),
            int((found["fraction"] or "")[:6].ljust(6, "0")),
            tzinfo=timezone(-offset if zone[0] == "-" else offset),
        )
        return (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    except (ValueError, OverflowError):
        return None


def find_order(counts: Mapping[str, int], where: str, name: str) -> str | None:
    """Return the order of the dates of a column; None if over a tenth of its cells are not dates.

    `counts` says how often each text occurs. An order that is not clear is an error.
    """
    n_needed = (1.0 - STRAY_SHARE) * sum(counts.values())
    valid = {
        order: {text for text in counts if days_of(text, order) is not None} for order in ORDERS
    }
    for order in ("ymd", "name"):
        if sum(counts[text] for text in valid[order]) >= n_needed:
            return order
    dates = valid["dmy"] | valid["mdy"]
    if sum(counts[text] for text in dates) < n_needed:
        return None
    whole = [order for order in ("dmy", "mdy") if valid[order] == dates]
    if any(re.match(r"\d{1,2}\D\d{1,2}\D\d{2}(?!\d)", text, re.ASCII) for text in dates):
        why = "their years have two digits"
    elif not whole:
        why = "some have the day first and some the month"
    elif len(whole) == 1:
        return whole[0]
    elif all("." in text[:3] for text in dates):  # nobody writes 11.22.2021
        return "dmy"
    else:
        why = "the day or the month may come first"
    example = min(counts, key=lambda text: days_of(text, "dmy") is None)
    raise TableError(
        f"{where} holds dates such as {example!r}, and {why}: use --date-column '{name}=dmy' if "
        f"the day comes first, mdy if the month does, or --drop {name!r}"
    )


def parts_worth_having(days: FloatArray) -> tuple[str, ...]:
    """Return the parts of dates that can tell rows apart: within a year the month does not."""
    known = days[~np.isnan(days)]
    span = float(np.ptp(known)) if len(known) else 0.0
    may_matter = {
        "month": span >= _DAYS_OF_TWO_YEARS,
        "weekday": span >= _DAYS_OF_TWO_WEEKS,
        "hour": bool(np.any(known != np.floor(known))),
    }
    parts = [part for part, matters in may_matter.items() if matters]
    return tuple(part for part in parts if len(np.unique(part_of_dates(known, part))) > 1)


def part_of_dates(days: FloatArray, part: str) -> FloatArray:
    """Return months or weekdays from 1 (January, Monday), or hours of the day with fractions."""
    if part == "hour":
        return np.asarray(np.round((days - np.floor(days)) * 24.0, 6))
    whole = np.where(np.isnan(days), 0.0, np.floor(days)).astype(np.int64)
    if part == "weekday":
        values = (whole + 3) % 7 + 1  # 1970 began on a Thursday
    else:
        values = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    return np.where(np.isnan(days), np.nan, values.astype(np.float64))


def days_of_type(cells: Any) -> FloatArray:
    """Return the days since 1970 of a column of pandas' own dates."""
    import pandas as pd

    days = (pd.to_datetime(cells, utc=True) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(days, dtype=np.float64)
