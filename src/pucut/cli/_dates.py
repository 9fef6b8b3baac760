"""How cells write dates: as in ISO 8601, with the day or the month first, or with its name."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import numpy as np

from pucut._support.checks import FloatArray
from pucut.cli._numerals import STRAY_SHARE

# Which part comes first; "name" is for dates with the name of the month, in any order.
ORDERS = {
    "ymd": "the year first",
    "dmy": "the day first",
    "mdy": "the month first",
    "name": "the month by name",
}
# What a date says besides how late it is.
PARTS = ("month", "weekday", "hour")
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


class UnclearOrder(Exception):
    """Dates of which the order is not clear; the message says why."""


def days_of(text: str, order: str) -> float | None:
    """Days since 1970, in UTC where a zone is given; None if it is no such date."""
    for regex in _REGEXES[order]:
        found = regex.fullmatch(text)
        if found is not None:
            return _days(found)
    return None


def _days(found: re.Match[str]) -> float | None:
    month = found["month"].lower()[:3]
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 1900 if year >= 69 else 2000  # as POSIX has it
    hour = int(found["hour"] or 0)
    if found["half"] is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    zone = (found["zone"] or "Z").replace(":", "")
    offset = timedelta() if zone == "Z" else timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
    try:
        moment = datetime(
            year,
            number,
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


def find_order(counts: Mapping[str, int]) -> str | None:
    """In which order a column writes dates, from its texts and how often each occurs.

    None if they are no dates. A tenth of the cells may be anything.
    """
    n_needed = (1.0 - STRAY_SHARE) * sum(counts.values())
    valid = {
        order: {text for text in counts if days_of(text, order) is not None} for order in ORDERS
    }
    for order in ("ymd", "name"):
        if sum(counts[text] for text in valid[order]) >= n_needed:
            return order
    numbers = {order: valid[order] for order in ("dmy", "mdy")}
    dates = numbers["dmy"] | numbers["mdy"]
    if sum(counts[text] for text in dates) < n_needed:
        return None
    if any(re.match(r"\d{1,2}\D\d{1,2}\D\d{2}(?!\d)", text, re.ASCII) for text in dates):
        raise UnclearOrder("their years have two digits")
    whole = [order for order, texts in numbers.items() if texts == dates]
    if not whole:
        raise UnclearOrder("some have the day first and some the month")
    if len(whole) == 1:
        return whole[0]
    if all("." in text[:3] for text in dates):  # nobody writes 11.22.2021
        return "dmy"
    raise UnclearOrder("the day or the month may come first")


def parts_worth_having(days: FloatArray) -> tuple[str, ...]:
    """Of `PARTS` those that can tell rows apart: the month over years, the hour where there is one.

    The month says when in a year; within one year the date itself does.
    """
    known = days[~np.isnan(days)]
    span = float(known.max() - known.min()) if len(known) else 0.0
    worth = {
        "month": span >= _DAYS_OF_TWO_YEARS,
        "weekday": span >= _DAYS_OF_TWO_WEEKS,
        "hour": bool(np.any(known != np.floor(known))),
    }
    found = {part: part_of_dates(known, part) for part in PARTS if worth[part]}
    return tuple(part for part, values in found.items() if len(np.unique(values)) > 1)


def part_of_dates(days: FloatArray, part: str) -> FloatArray:
    """Months and weekdays from 1 (January, Monday), hours of the day with their fractions."""
    if part == "hour":
        return np.asarray(np.round((days - np.floor(days)) * 24.0, 6))
    whole = np.where(np.isnan(days), 0.0, np.floor(days)).astype(np.int64)
    if part == "weekday":
        values = (whole + 3) % 7 + 1  # 1970 began on a Thursday
    else:
        values = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    return np.where(np.isnan(days), np.nan, values.astype(np.float64))
