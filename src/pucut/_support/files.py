"""Files that exist completely or not at all."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name once everything is written and on the disk.

    If the process is killed, what is left of an unfinished file has a name that begins with a dot
    and ends in ".part".
    """
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _open_to_others(part)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    _keep_name(path.parent)


def write_whole(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def write_all_whole(contents: Mapping[Path, bytes]) -> None:
    """Writes all files next to their destinations before the first of them gets its name."""
    with ExitStack() as files:
        for path, content in contents.items():
            file = files.enter_context(whole_file(path))
            file.write(content)
            file.flush()


def _open_to_others(part: str) -> None:
    """Temporary files are for their owner only; results are as readable as other new files."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(part, 0o666 & ~mask)


def _keep_name(folder: Path) -> None:
    """The new name is in the folder, which has to reach the disk too, if folders can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
