"""The committed stub of the compiled module matches the module."""

from pathlib import Path

from nanobind.stubgen import StubGen

from pucut import _core

STUB = Path(__file__).parents[2] / "src" / "pucut" / "_core.pyi"


def test_stub_is_up_to_date():
    generator = StubGen(_core)
    generator.put(_core)
    assert STUB.read_text() == generator.get(), "run `make stubs`"
