"""The colours of all pages have one home."""

import re
from pathlib import Path

import pytest

import pucut
from pucut._support.html import palette

PACKAGE = Path(pucut.__file__).parent
SHEETS = [path for path in PACKAGE.rglob("*.css") if path.name != "palette.css"]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_stylesheets_use_the_palette_and_no_colours_of_their_own(sheet):
    text = sheet.read_text(encoding="utf-8")
    named = set(re.findall(r"(--[\w-]+):", palette()))
    own = set(re.findall(r"(--[\w-]+):", text))
    used = set(re.findall(r"var\((--[\w-]+)", text))
    assert len(used & named) > 5
    assert used <= named | own
    assert not own & named
    assert re.findall(r"#[0-9a-f]{3,8}\b(?=[^{}]*\})|rgb|hsl", text) == []
