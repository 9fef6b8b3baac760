"""Numbers as a reader wants them."""

from datetime import date, timedelta

NARROW_SPACE = "\u202f"


def grouped(value: int) -> str:
    """1797 as 1 797, with a narrow space that does not break."""
    return f"{value:,}".replace(",", NARROW_SPACE) if abs(value) >= 10_000 else str(value)


def count(value: int, one: str, many: str) -> str:
    """A number and its noun."""
    return f"{grouped(value)} {one if value == 1 else many}"


def percent(share: float) -> str:
    """Whole percents, with a digit more near 0 and 100, where it matters."""
    value = 100.0 * share
    digits = 0 if 5.0 <= value <= 95.0 or value in (0.0, 100.0) else 1
    return f"{value:.{digits}f}{NARROW_SPACE}%"


def significant(value: float, digits: int = 3) -> str:
    """So many digits that matter, without an exponent where that is readable."""
    return f"{value:.{digits}g}"


def of_kind(value: float, kind: str) -> str:
    """A value of a column: a date for days since 1970, else a short number."""
    if kind == "date":
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    return short_number(value)


def short_number(value: float) -> str:
    """Three digits that matter, or a whole number, with a minus sign as printers set it."""
    text = f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
    return text.replace("-", "−")
