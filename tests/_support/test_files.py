"""Files that exist completely or not at all."""

import os
import signal
from pathlib import Path

import pytest

from pucut._support.files import write_all_whole, write_whole


def test_a_file_gets_its_name_when_it_is_whole(tmp_path, monkeypatch):
    path, parts, real = tmp_path / "a.bin", [], os.replace

    def replace(part, name):
        assert not path.exists()
        parts.append(Path(part))
        assert parts[0].read_bytes() == b"new"
        real(part, name)

    monkeypatch.setattr(os, "replace", replace)
    write_whole(path, b"new")
    assert parts[0].parent == tmp_path
    assert parts[0].name.startswith(".a.bin.")
    assert parts[0].name.endswith(".part")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.bin"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, "no bytes")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_of_several_files_all_are_written_or_none(tmp_path):
    first, second = tmp_path / "a.bin", tmp_path / "b.bin"
    write_whole(first, b"old")
    with pytest.raises(FileNotFoundError):
        write_all_whole({first: b"new", tmp_path / "missing" / "c.bin": b"new"})
    assert first.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]
    write_all_whole({first: b"new", second: b"new"})
    assert first.read_bytes() == second.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes of files")
def test_others_may_read_what_the_mask_lets_them(tmp_path):
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "a.bin", b"")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.bin").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes of files")
def test_a_replaced_file_keeps_its_mode(tmp_path):
    for write in (
        lambda path: write_whole(path, b"new"),
        lambda path: write_all_whole({path: b"new"}),
    ):
        path = tmp_path / "secret.csv"
        path.write_bytes(b"old")
        path.chmod(0o600)
        write(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="Windows does not send these signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_two_names_waits(tmp_path, monkeypatch, number):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.write_bytes(b"old")
    real = os.replace

    def replace(old, new):
        real(old, new)
        os.kill(os.getpid(), number)

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    monkeypatch.setattr(os, "replace", replace)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_all_whole(dict.fromkeys(paths, b"new"))
    finally:
        signal.signal(number, before)
    assert [path.read_bytes() for path in paths] == [b"new"] * 3
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
