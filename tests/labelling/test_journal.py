"""The journal: what was kept is there, whatever happened; what people said, taken together."""

import json
import os
import signal
import subprocess
import sys

import pytest

from pucut.labelling.journal import (
    NO,
    NOTE,
    SKIP,
    UNDO,
    YES,
    About,
    Entry,
    Journal,
    JournalError,
    current_answers,
    last_entry_of,
    not_undone,
)

ABOUT = About("genes.csv", "ab12", 10, "known")


def entry(key, action=YES, row=0, who="ada", **others):
    return Entry(str(key), "2026-01-02T03:04:05.000+00:00", who, action, row, **others)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "genes.labels.jsonl"


def test_entries_come_back(path):
    said = [entry(1), entry(2, NO, 3, note="näh \u2028 <b>"), entry(3, UNDO, 3, undone="2")]
    with Journal(path, ABOUT) as journal:
        assert [journal.append(one) for one in said] == [True] * 3
    with Journal(path, ABOUT) as journal:
        assert journal.entries == said
    head = json.loads(path.read_text(encoding="ascii").splitlines()[0])
    assert head["sha256"] == "ab12"


def test_what_is_sent_twice_is_kept_once(path):
    with Journal(path, ABOUT) as journal:
        assert journal.append(entry("same"))
        assert not journal.append(entry("same", NO))
        assert journal.entries == [entry("same")]
    with Journal(path, ABOUT) as journal:
        assert not journal.append(entry("same"))


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_an_unfinished_line_is_cut_off_and_the_rest_is_there(path, cut):
    with Journal(path, ABOUT) as journal:
        journal.append(entry(1))
        journal.append(entry(2, NO, 1))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with Journal(path, ABOUT) as journal:
        assert journal.entries == [entry(1)]
        journal.append(entry(2, NO, 1))
    assert path.read_bytes() == whole


def test_a_head_that_was_never_finished_is_written_again(path):
    path.write_bytes(b'{"schema": "pucut-la')
    with Journal(path, ABOUT) as journal:
        assert journal.entries == []
    with Journal(path, ABOUT) as journal:
        assert journal.entries == []


KILLED = """
import sys
from pathlib import Path
from pucut.labelling.journal import About, Entry, Journal
journal = Journal(Path(sys.argv[1]), About("genes.csv", "ab12", 10, "known"))
for key in range(10**6):
    journal.append(Entry(str(key), "", "ada", "yes", key % 10, "x" * 300))
    print(key, flush=True)
"""


def test_nothing_that_was_acknowledged_is_lost_by_a_kill(path):
    writer = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE)
    for _ in range(10):
        acknowledged = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.communicate()[0].split()
    acknowledged = int(rest[-1]) if rest else acknowledged
    with Journal(path, ABOUT) as journal:
        keys = [int(one.key) for one in journal.entries]
    assert keys == list(range(len(keys)))
    assert len(keys) in (acknowledged + 1, acknowledged + 2)  # the last may not be confirmed


def test_only_one_process_has_it_open(path):
    with Journal(path, ABOUT), pytest.raises(JournalError, match=r"in use: another `pucut label`"):
        Journal(path, ABOUT)
    Journal(path, ABOUT).close()


class WindowsLocks:
    """Stands in for `msvcrt` in this process: a locked byte cannot be locked again."""

    LK_NBLCK = 2

    def __init__(self):
        self.taken = {}

    def locking(self, descriptor, mode, n_bytes):
        assert (mode, n_bytes) == (self.LK_NBLCK, 1)
        place = (os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        holder = self.taken.get(place)
        if holder not in (None, descriptor) and _is_open(holder):  # else closed, number used again
            raise PermissionError(13, "Permission denied")
        self.taken[place] = descriptor


def _is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def test_only_one_process_has_it_open_on_windows(path, monkeypatch):
    windows = WindowsLocks()
    monkeypatch.setitem(sys.modules, "fcntl", None)  # cannot be imported there
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    with Journal(path, ABOUT) as journal:
        journal.append(entry(1))
        with pytest.raises(JournalError, match=r"in use: another `pucut label`"):
            Journal(path, ABOUT)
        # Nobody can read a locked byte, so it must not be one of the journal's, ever.
        assert [place for _, place in windows.taken] == [2**31 - 2]
        assert path.stat().st_size < 1000
    with Journal(path, ABOUT) as journal:
        assert journal.entries == [entry(1)]


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (About("genes.csv", "other", 10, "known"), "its sha256 is 'ab12'"),
        (About("genes.csv", "ab12", 11, "known"), "its n_rows is 10"),
        (About("genes.csv", "ab12", 10, "seen"), "its label_column is 'known'"),
    ],
)
def test_the_journal_of_another_table_is_refused(path, about, words):
    Journal(path, ABOUT).close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match=words):
        Journal(path, about)
    assert path.read_bytes() == before


def test_a_table_may_be_renamed(path):
    Journal(path, ABOUT).close()
    Journal(path, About("moved.csv", "ab12", 10, "known")).close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gene,known", "line 2 is not an object of JSON"),
        ("[1]", "line 2 is not an object of JSON"),
        ('{"key": "1"}', "line 2 is not an entry"),
        (json.dumps({**entry(1).__dict__, "action": "burn"}), "action 'burn'"),
        (json.dumps({**entry(1).__dict__, "row": 10}), "row 10 is not of 0 to 9"),
    ],
)
def test_a_broken_line_in_the_middle_is_an_error(path, line, words):
    Journal(path, ABOUT).close()
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(JournalError, match=words):
        Journal(path, ABOUT)


def test_another_file_is_not_taken_for_a_journal(path):
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(JournalError, match="is not a journal"):
        Journal(path, ABOUT)
    assert path.read_text(encoding="utf-8") == "{}\n"


def test_people_agree_disagree_skip_and_change_their_minds():
    said = current_answers(
        [
            entry(1, YES, 0, "ada"),
            entry(2, YES, 0, "bob"),
            entry(3, YES, 1, "ada"),
            entry(4, NO, 1, "bob"),
            entry(5, SKIP, 2, "ada"),
            entry(6, NO, 2, "bob"),
            entry(7, YES, 3, "ada"),
            entry(8, NO, 3, "ada"),
            entry(9, SKIP, 4, "ada"),
            entry(10, NOTE, 5, "ada", note="ask Eve"),
        ]
    )
    assert said.labels == {0: True, 2: False, 3: False}
    assert said.disagreements == [1]
    assert said.notes == {5: (("ada", "ask Eve"),)}
    assert 5 not in said.by_row


def test_an_answer_taken_back_counts_for_nothing_and_the_one_before_it_again():
    entries = [entry(1, YES, 0), entry(2, NO, 0), entry(3, YES, 1, "bob")]
    assert current_answers(entries).labels == {0: False, 1: True}
    assert last_entry_of("ada", entries).key == "2"
    entries.append(entry(4, UNDO, 0, undone="2"))
    assert current_answers(entries).labels == {0: True, 1: True}
    assert last_entry_of("ada", entries).key == "1"
    entries.append(entry(5, UNDO, 0, undone="1"))
    assert last_entry_of("ada", entries) is None
    assert [one.key for one in not_undone(entries)] == ["3"]
