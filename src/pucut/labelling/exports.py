"""Something to take home from the page: a file made when it is asked for."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Export:
    """What it is, for people and, as a kind, for browsers; and the function that makes the file."""

    about: str
    kind: str
    make: Callable[[], bytes]
