"""The error of this room, and how names are listed in its messages."""

from collections.abc import Sequence

INSTALL = "pip install 'pucut[cli]'"
_SHOWN_NAMES = 12


class TableError(ValueError):
    """A table that cannot be read, or is not clear.

    The message is one sentence for the person who has the table. It names settings as the command
    line does: --decimal, --date-column, --drop.
    """


def listing(names: Sequence[str], n_shown: int = _SHOWN_NAMES) -> str:
    """Return names in quotes, the first few of many."""
    shown = ", ".join(repr(str(name)) for name in names[:n_shown])
    return shown if len(names) <= n_shown else f"{shown} and {len(names) - n_shown} more"


def one_line(message: object) -> str:
    """Return the message, such as that of an error, without line ends."""
    return " ".join(str(message).split())
