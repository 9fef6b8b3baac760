"""Files that exist completely or not at all."""

import os

import pytest

from pucut._support.files import whole_file, write_all_whole, write_whole


def test_a_file_gets_its_name_when_it_is_whole(tmp_path):
    path = tmp_path / "a.bin"
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert not path.exists()
        (part,) = os.listdir(tmp_path)
        assert part.startswith(".a.bin.")
        assert part.endswith(".part")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.bin"
    write_whole(path, b"old")
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half", "no bytes"])
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


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_others_may_read_what_the_mask_lets_them(tmp_path):
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "a.bin", b"")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.bin").stat().st_mode & 0o777 == 0o640
