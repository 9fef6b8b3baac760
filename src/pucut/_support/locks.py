"""Files that one process at a time has open for writing, on POSIX and on Windows."""

import os

# Windows locks bytes, and nobody else can read a locked one, not even this process through another
# descriptor. The byte that stands for the file is therefore far behind its end; the C library
# counts in 32 bits.
_FAR_BEHIND = 2**31 - 2


def lock(descriptor: int) -> None:
    """Until the descriptor is closed or the process ends; OSError if another has the file."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        os.lseek(descriptor, _FAR_BEHIND, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # Windows only
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
