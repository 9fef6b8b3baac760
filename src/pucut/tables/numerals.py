"""Numbers as cells write them, and the marks of missing values.

A cell may hold a number with a limit (<0.5), a currency (€5.20) or a unit (12.1 kDa, 63.7 %). The
cells of a column share a unit and a form, which has a name in `NUMERALS`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pucut.tables.errors import TableError

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


# Ways to write numbers: the decimal sign, the separators of thousands, and a description. If
# several fit a column equally well, the first is meant.
_WAYS = {
    "point": (".", "", ""),
    "comma": (",", "", "a decimal comma"),
    "thousands": (".", ",", "commas between thousands"),
    "dots": (",", ".", "points between thousands"),
    "spaces": (".", _SPACES, "spaces between thousands"),
    "spaces, comma": (",", _SPACES, "spaces between thousands and a decimal comma"),
    "apostrophes": (".", "'’", "apostrophes between thousands"),
}
NUMERALS = {name: _numeral(re.escape(sign), group) for name, (sign, group, _) in _WAYS.items()}
DESCRIPTIONS = {name: text for name, (_, _, text) in _WAYS.items()}
BY_DECIMAL: Mapping[str | None, tuple[str, ...]] = {
    None: tuple(_WAYS),
    ".": tuple(name for name, way in _WAYS.items() if way[0] == "."),
    ",": tuple(name for name, way in _WAYS.items() if way[0] == ","),
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
class NumberCell:
    """A number as a cell writes it; `forms` are names of `NUMERALS`, `limit` is "<", ">" or ""."""

    numeral: str
    forms: tuple[str, ...]
    unit: str
    limit: str

    def value(self, numerals: str) -> float:
        """Return the number, if it is written in this form."""
        numeral = self.numeral
        if numerals in WITH_COMMA:
            numeral = numeral.replace(".", "").replace(",", ".")
        return float(re.sub(f"[,'’{_SPACES}]", "", numeral))


def float_of(text: str) -> float | None:
    """Return the number that Python reads in a text, if it does."""
    try:
        return float(text)
    except ValueError:
        return None


def split_cell(text: str) -> NumberCell | None:
    """Return the parts of a cell that may be a number, None for any other."""
    found = _CELL.fullmatch(text.replace("−", "-"))
    if found is None or (found["before"] and found["after"]):
        return None
    if found["sign"] and found["number"][0] in "+-":
        return None
    unit = found["before"] or found["after"] or ""
    if len(unit) > 3 and unit.endswith("s") and unit.isalpha():
        unit = unit[:-1]  # days and day
    limit = {"≤": "<", "≥": ">"}.get(found["limit"], found["limit"] or "")[:1]
    numeral = (found["sign"] or "") + found["number"]
    forms = tuple(name for name, form in NUMERALS.items() if re.fullmatch(form, numeral))
    return NumberCell(numeral, forms, unit, limit)


def find_form(
    cells: Mapping[str, NumberCell],
    counts: Mapping[str, int],
    decimal: str | None,
    where: str,
    name: str,
) -> tuple[str, str] | None:
    """Return the form and the unit of a column's numbers; None if they are no numbers.

    `counts` says how often each text occurs, and `cells` has the parts of those that may be
    numbers. A tenth of the cells may be anything. It is an error if the form is not clear.
    """
    n_needed = (1.0 - STRAY_SHARE) * sum(counts.values())
    allowed = {*BY_DECIMAL[decimal]}
    written = {text: cell for text, cell in cells.items() if not allowed.isdisjoint(cell.forms)}
    n_of_unit = count_units(written, counts)
    units = [unit for unit, _ in n_of_unit.most_common()]
    if not units:
        return None
    if n_of_unit[units[0]] < n_needed:
        if _SCALES.issuperset(units) and sum(n_of_unit.values()) >= n_needed:
            shown = ", ".join(repr(unit) if unit else "no unit" for unit in units[:5])
            raise TableError(
                f"{where} holds numbers with different units ({shown}): write them in one unit, "
                f"or use --category-column {name!r} or --drop {name!r}"
            )
        return None
    of_unit = {
        (cell.numeral, cell.forms): counts[text]
        for text, cell in sorted(cells.items())
        if cell.unit == units[0]
    }
    best = best_forms(of_unit, decimal)
    if best[:1] == ["comma"] and "thousands" in best:
        example = next(text for text in counts if "," in text)
        why = "may be a decimal comma or a separator of thousands"
        raise TableError(f"{where}: {example!r} {why}: use --decimal ',' or --decimal '.'")
    return (best[0], units[0]) if best else None


def count_units(cells: Mapping[str, NumberCell], counts: Mapping[str, int]) -> Counter[str]:
    """Return how many cells have each unit."""
    n_of_unit: Counter[str] = Counter()
    for text, cell in cells.items():
        n_of_unit[cell.unit] += counts[text]
    return n_of_unit


def best_forms(counts: Mapping[tuple[str, tuple[str, ...]], int], decimal: str | None) -> list[str]:
    """Return the names of `NUMERALS` that most cells match; none if too few do.

    `counts` has the number of cells with each numeral and its forms.
    """
    fits = {
        name: sum(count for (_, forms), count in counts.items() if name in forms)
        for name in BY_DECIMAL[decimal]
    }
    most = max(fits.values())
    if most < (1.0 - STRAY_SHARE) * sum(counts.values()):
        return []
    return [name for name, n_fitting in fits.items() if n_fitting == most]
