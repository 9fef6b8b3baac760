"""Something to take home from the page: a file made when it is asked for."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Export:
    """A kind, as browsers name them, and the function that makes the file."""

    kind: str
    make: Callable[[], bytes]
