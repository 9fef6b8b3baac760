"""Numbers as a reader wants them, and the reader's own words for the two classes."""

from datetime import date, timedelta
from typing import Any

from pucut.data.label_words import meaning_of, number_of

NARROW_SPACE = "\u202f"
LONGEST_WORD = 30


def grouped(value: int) -> str:
    """Write 17970 as 17 970, with a narrow space that does not break."""
    return f"{value:,}".replace(",", NARROW_SPACE) if abs(value) >= 10_000 else str(value)


def count(value: int, one: str, many: str) -> str:
    """Write a number and its noun."""
    return f"{grouped(value)} {one if value == 1 else many}"


def percent(share: float) -> str:
    """Write whole percents, with one more digit near 0 and 100."""
    value = 100.0 * share
    digits = 0 if 5.0 <= value <= 95.0 or value in (0.0, 100.0) else 1
    return f"{value:.{digits}f}{NARROW_SPACE}%"


def significant(value: float, digits: int = 3) -> str:
    """Write so many significant digits, without an exponent where that is readable."""
    return f"{value:.{digits}g}"


def of_kind(value: float, kind: str) -> str:
    """Write a value of a column: a date for days since 1970, else a short number."""
    if kind == "date":
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    return short_number(value)


def short_number(value: float) -> str:
    """Write three significant digits or a whole number, with a typographic minus sign."""
    text = f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
    return text.replace("-", "−")


def shortened(value: Any, longest: int = 200) -> str:
    """Write a value as a text of at most `longest` characters."""
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def listed_names(names: list[str]) -> str:
    """Write "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def word_for(mark: str) -> str | None:
    """Return the mark of known positives if it is a word for them, such as "cancer"."""
    text = mark.strip()
    says_nothing = len(text) < 2 or meaning_of(text) is not None or number_of(text) is not None
    return None if says_nothing or len(text) > LONGEST_WORD else text


def called(summary: dict[str, Any]) -> str:
    """Name the positives: positive, or the reader's own word in quotes."""
    word = summary["data"]["word"]
    return "positive" if word is None else f"“{word}”"


def n_found(summary: dict[str, Any]) -> int:
    """Count the rows that were not known to be positive and are classified as such."""
    return int(summary["n_positive"] - summary["data"]["n_labelled"])


def headline(summary: dict[str, Any]) -> str:
    """Say how many rows were found, as the page's title and first heading do."""
    verb = "looks" if n_found(summary) == 1 else "look"
    n_others = grouped(summary["data"]["n_unlabelled"])
    return f"{grouped(n_found(summary))} of {n_others} unlabelled rows {verb} {called(summary)}"
