"""Files that exist completely or not at all."""

import os
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name once everything is written and on the disk.

    A file that is replaced keeps its mode. If the process is killed without a chance to clean up
    (SIGKILL, loss of power), what is left of an unfinished file has a name that begins with a dot
    and ends in ".part".
    """
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            _finish(file, part, path)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    _keep_name(path.parent)


def write_whole(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def write_all_whole(contents: Mapping[Path, bytes]) -> None:
    """Writes all files, or none: each is complete and on the disk before the first gets its name.

    Interruptions wait while names are given. Only what no process can prevent (SIGKILL, loss of
    power) can still come between two names; each file is whole even then, old or new.
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
    for folder in {path.parent for path in contents}:
        _keep_name(folder)


def _finish(file: BinaryIO, part: str, path: Path) -> None:
    """Brings it to the disk, with the mode of the file that it replaces or of a new one.

    Temporary files are for their owner only; new results are as readable as other new files.
    """
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
    """Ctrl-C and requests to end are answered afterwards."""
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda got, frame: came.append(got))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _keep_name(folder: Path) -> None:
    """The new name is in the folder, which has to reach the disk too, if folders can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
