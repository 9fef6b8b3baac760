"""Machines of 32 bits or with big-endian numbers are refused, with the reason."""

import sys

import pytest

from pucut._support.platform import check_platform


def test_this_machine_is_accepted():
    check_platform()


@pytest.mark.parametrize(
    ("byte_order", "largest_size", "reason"),
    [
        ("little", 2**31 - 1, "needs a 64-bit Python.*has 32 bits"),
        ("big", 2**31 - 1, "needs a 64-bit Python"),
        ("big", 2**63 - 1, "needs a little-endian processor.*is big-endian"),
    ],
)
def test_others_are_refused(byte_order, largest_size, reason):
    with pytest.raises(ImportError, match=reason):
        check_platform(byte_order, largest_size)


def test_the_package_asks_when_it_is_imported(monkeypatch):
    monkeypatch.setattr(sys, "byteorder", "big")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pucut"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match="is big-endian"):
        import pucut  # noqa: F401  # the import itself is tested
