"""Downloads that the page offers. The application itself needs a server, and this does not."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Export:
    """A file made on request: what it is, its media type, and the function that makes it."""

    about: str
    kind: str
    make: Callable[[], bytes]
