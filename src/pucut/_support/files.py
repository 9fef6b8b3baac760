"""Files that are written completely or not at all, and locks on files."""

import os
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_FAR_BEHIND = 2**31 - 2  # the C library counts in 32 bits


def write_whole(path: Path, content: bytes) -> None:
    write_all_whole({path: content})


def write_all_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files, or none: each is complete and on the disk before the first gets its name.

    A file that is replaced keeps its mode. Only SIGKILL and loss of power can come between two
    names; each file is whole even then, and an unfinished one remains as ".NAME.*.part".
    """
    parts: dict[Path, str] = {}
    try:
        for path, content in contents.items():
            descriptor, parts[path] = tempfile.mkstemp(
                prefix=f".{path.name}.", suffix=".part", dir=path.parent
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                _finish(file, parts[path], path)
        with _uninterrupted():
            for path in contents:
                os.replace(parts[path], path)
                del parts[path]
    finally:
        for part in parts.values():
            os.unlink(part)
    if os.name != "posix":  # folders cannot be opened
        return
    for folder in {path.parent for path in contents}:
        # The folder holds the new name: it goes to the disk too.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _finish(file: BinaryIO, part: str, path: Path) -> None:
    """Bring a file to the disk, with the mode of the file that it replaces or of a new one."""
    file.flush()
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.chmod(part, mode)
    os.fsync(file.fileno())


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and requests to end."""
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda got, frame: received.append(got))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def lock(descriptor: int) -> None:
    """Lock a file until the descriptor is closed or the process ends; OSError if another has it.

    Windows locks bytes, and nobody can read a locked one, not even this process through another
    descriptor. The byte that stands for the file is therefore far behind its end.
    """
    try:
        import fcntl
    except ImportError:
        import msvcrt

        os.lseek(descriptor, _FAR_BEHIND, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # Windows only
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
