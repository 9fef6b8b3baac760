"""How cells write numbers, and that there is none."""

# Cells that mean "no value", beside empty ones.
MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "?")

_POINT = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMERALS = {
    "point": _POINT,
    "comma": _POINT.replace(r"\.", ","),
    "thousands": rf"(?:[+-]?[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]*)?|{_POINT})",
}
