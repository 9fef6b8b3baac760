"""Check of the machine: 64 bits, little-endian."""

import sys


def check_platform(byte_order: str = sys.byteorder, largest_size: int = sys.maxsize) -> None:
    """Refuse an untested kind of machine; CMakeLists.txt does so when compiling."""
    if largest_size < 2**63 - 1:
        raise ImportError(
            "pucut needs a 64-bit Python: sizes and offsets are 64-bit numbers. This Python has "
            f"{(largest_size + 1).bit_length()} bits."
        )
    if byte_order != "little":
        raise ImportError(
            "pucut needs a little-endian processor, such as x86-64 or ARM64. This one is "
            f"{byte_order}-endian, on which its results were never tested."
        )
