"""How cells write numbers, and that there is none.

A cell may hold a number with a limit (<0.5), a currency (€5.20) or a unit (12.1 kDa, 63.7 %). What
the cells of a column have in common is its `NumberForm`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Cells that mean "no value", beside empty ones.
MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "?")
# A column of numbers or dates may hold this share of other texts ("n.d."), which then count as
# missing.
STRAY_SHARE = 0.1

_SPACES = " \u00a0\u2009\u202f"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"


def _numeral(decimal: str, grouping: str = "") -> str:
    plain = rf"(?:[0-9]+{decimal}?[0-9]*|{decimal}[0-9]+){_EXPONENT}"
    grouped = rf"[0-9]{{1,3}}(?:[{grouping}][0-9]{{3}})+(?:{decimal}[0-9]*)?|" if grouping else ""
    return f"[+-]?(?:{grouped}{plain})"


# In the order in which they are tried: of those that fit a column equally well the first is meant.
NUMERALS = {
    "point": _numeral(r"\."),
    "comma": _numeral(","),
    "thousands": _numeral(r"\.", ","),
    "dots": _numeral(",", "."),
    "spaces": _numeral(r"\.", _SPACES),
    "spaces, comma": _numeral(",", _SPACES),
    "apostrophes": _numeral(r"\.", "'’"),
}
EXAMPLES = {
    "comma": "a decimal comma",
    "thousands": "commas between thousands",
    "dots": "points between thousands",
    "spaces": "spaces between thousands",
    "spaces, comma": "spaces between thousands and a decimal comma",
    "apostrophes": "apostrophes between thousands",
}
BY_DECIMAL: Mapping[str | None, tuple[str, ...]] = {
    None: tuple(NUMERALS),
    ".": ("point", "thousands", "spaces", "apostrophes"),
    ",": ("comma", "dots", "spaces, comma"),
}
WITH_COMMA = BY_DECIMAL[","]

_CURRENCIES = "€$£¥"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK"
_CELL = re.compile(
    r"(?P<limit><=|>=|[<>≤≥])?\s*"
    rf"(?P<sign>[+-])?(?:(?P<before>[{_CURRENCIES}]|{_CODES})\s*)?"
    rf"(?P<number>[+-]?[0-9.,](?:[0-9.,'’{_SPACES}]*[0-9.,])?{_EXPONENT})"
    rf"\s*(?P<after>[{_CURRENCIES}%‰]|°?[^\W\d_][^\s<>=]{{0,14}}(?: [a-z]{{1,9}})?)?"
)
# Where a column has several of these, they are different scales and not words. Capital letters
# alone are not here: seats and houses have them.
_KNOWN_UNITS = (
    "% ‰ Da kDa MDa g mg µg μg ug ng pg kg t m cm mm µm μm um nm km s sec ms min h hour d day week "
    "month year yr mM µM μM uM nM pM mol mmol l ml mL µl μl ul dl dL bp kb Mb kbp Mbp °C °F Hz kHz "
    "MHz GHz mV mA kW kJ cal kcal Pa kPa hPa bar mbar kB MB GB TB"
)
_SCALES = frozenset(("", *_KNOWN_UNITS.split(" "), *_CURRENCIES))


@dataclass(frozen=True)
class NumberForm:
    """How the numbers of a column are written; a name of `NUMERALS` and what stands beside them."""

    numerals: str = "point"
    unit: str = ""


@dataclass(frozen=True)
class NumberCell:
    """A number as a cell writes it: the numeral, what stands beside it, and its limit or ""."""

    numeral: str
    unit: str
    limit: str


def split_cell(text: str) -> NumberCell | None:
    """The parts of a cell that may be a number, None for any other."""
    found = _CELL.fullmatch(text.replace("−", "-"))
    if found is None or (found["before"] and found["after"]):
        return None
    if found["sign"] and found["number"][0] in "+-":
        return None
    unit = found["before"] or found["after"] or ""
    if len(unit) > 3 and unit.endswith("s") and unit.isalpha():
        unit = unit[:-1]  # days and day
    limit = {"≤": "<", "≥": ">"}.get(found["limit"], found["limit"] or "")[:1]
    return NumberCell((found["sign"] or "") + found["number"], unit, limit)


def is_numeral(text: str, numerals: str) -> bool:
    return re.fullmatch(NUMERALS[numerals], text) is not None


def to_number(numeral: str, numerals: str) -> float:
    """The value of a text that matches."""
    if numerals in WITH_COMMA:
        numeral = numeral.replace(".", "").replace(",", ".")
    return float(re.sub(f"[,'’{_SPACES}]", "", numeral))


class MixedUnits(Exception):
    """Numbers of several scales; `units` are the commonest first, "" for none."""

    def __init__(self, units: list[str]) -> None:
        super().__init__(units)
        self.units = units


class DecimalOrThousands(Exception):
    """Every comma may be a decimal sign or stand between thousands."""


def find_form(counts: Mapping[str, int], decimal: str | None = None) -> NumberForm | None:
    """The form of a column from its texts and how often each occurs; None if they are no numbers.

    A tenth of the cells may be anything.
    """
    n_needed = (1.0 - STRAY_SHARE) * sum(counts.values())
    cells = {text: cell for text in counts if (cell := split_cell(text)) is not None}
    n_of_unit: dict[str, int] = {}
    for text, cell in cells.items():
        if any(is_numeral(cell.numeral, numerals) for numerals in BY_DECIMAL[decimal]):
            n_of_unit[cell.unit] = n_of_unit.get(cell.unit, 0) + counts[text]
    units = sorted(n_of_unit, key=lambda unit: -n_of_unit[unit])
    if not units:
        return None
    if n_of_unit[units[0]] < n_needed:
        is_scale = _SCALES.issuperset(units)
        if is_scale and sum(n_of_unit.values()) >= n_needed:
            raise MixedUnits(units)
        return None
    numerals = best_numerals(
        {
            cell.numeral: counts[text]
            for text, cell in sorted(cells.items())
            if cell.unit == units[0]
        },
        decimal,
    )
    return None if numerals is None else NumberForm(numerals, units[0])


def best_numerals(counts: Mapping[str, int], decimal: str | None) -> str | None:
    """The name of those `NUMERALS` that most texts match, if enough of them do."""
    fits = {
        numerals: sum(count for text, count in counts.items() if is_numeral(text, numerals))
        for numerals in BY_DECIMAL[decimal]
    }
    most = max(fits.values())
    if most < (1.0 - STRAY_SHARE) * sum(counts.values()):
        return None
    best = [numerals for numerals, n_fitting in fits.items() if n_fitting == most]
    if best[0] == "comma" and "thousands" in best:
        raise DecimalOrThousands
    return best[0]
