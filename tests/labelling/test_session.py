"""Sessions: what an answer does, what comes next in each window, and what survives a restart."""

import threading

import numpy as np
import pytest

from pucut.labelling.ranking import calibrated, rank_scores
from pucut.labelling.rows import differing_columns, kind_of_cell
from pucut.labelling.session import (
    RESERVED_SECONDS,
    SessionError,
    heading,
    row_card,
    session_status,
    thinned,
)
from tests.helpers.labelling_sessions import (
    HOSTILE,
    close,
    made_rows,
    made_session,
    settle,
    texts_about,
)


@pytest.fixture
def session(tmp_path):
    made = made_session(tmp_path)
    yield made
    close(made)


def test_the_ranking_learns_from_answers_in_the_background(session):
    before = session.ranking
    for row in (1, 2):
        session.answer(f"yes {row}", "ada", "yes", row)
    session.answer("no 50", "ada", "no", 50)
    settle(session)
    assert before.labels.n_known == 2
    assert session.ranking.labels.n_known == 5
    known = (session.labels.is_positive, session.labels.is_negative)
    assert np.flatnonzero(known[0]).tolist() == [0, 1, 2]
    assert np.flatnonzero(known[1]).tolist() == [50, 59]
    wanted = rank_scores(session.rows.features, *known)
    assert (session.ranking.scores == wanted).all()


def test_positives_are_found_first(session):
    found = []
    for step in range(19):
        row = session.next_row("window", "find")
        found.append(row < 20)
        session.answer(str(step), "ada", "yes" if row < 20 else "no", row)
        settle(session)
    assert sum(found) > 13  # of 19, and 6 at random


def test_a_row_is_asked_about_once_and_all_of_them_are(session):
    rows = []
    while (row := session.next_row("window", "find")) is not None:
        rows.append(row)
        session.answer(str(row), "ada", "no", row)
    assert sorted(rows) == list(range(1, 59))
    left = session.remaining()
    assert (left.left, left.n_next) == (0, 0)


def test_two_windows_never_show_the_same_row(session):
    first, second = session.next_row("one", "find"), session.next_row("two", "find")
    assert first != second
    assert session.next_row("one", "find") == first
    late = 2 * RESERVED_SECONDS
    # A window that was left open gives its row away after a while.
    assert session.next_row("three", "find", now=late + 1e9) == first


def test_many_threads_at_once_lose_nothing(session):
    def work(name):
        for _ in range(6):
            row = session.next_row(name, "find")
            session.answer(f"{name} {row}", name, "no", row)

    threads = [threading.Thread(target=work, args=(f"w{place}",)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = [entry.row for entry in session.journal.entries]
    assert len(rows) == len(set(rows)) == 24


def test_skipped_rows_come_again_when_nothing_else_is_left(session):
    first = session.next_row("window", "find")
    session.answer("s", "ada", "skip", first)
    rows = []
    for step in range(57):
        rows.append(session.next_row("window", "find"))
        session.answer(str(step), "ada", "no", rows[-1])
    assert first not in rows
    assert session.next_row("window", "find") == first


def test_undo_goes_back_step_by_step(session):
    session.answer("1", "ada", "yes", 5)
    session.answer("2", "bob", "yes", 6)
    session.answer("3", "ada", "no", 7)
    assert session.undo("u1", "ada") == 7
    assert session.undo("u1", "ada") == 7  # sent twice
    assert session.undo("u2", "ada") == 5
    assert session.undo("u3", "ada") is None
    assert session.answers.labels == {6: True}


def test_a_ranking_with_as_many_labels_as_now_may_be_out_of_date(session):
    session.answer("1", "ada", "yes", 1)
    settle(session)
    session.close()  # the ranking stays as it is
    session.undo("u1", "ada")
    session.answer("2", "ada", "no", 40)
    shown = session_status(session)
    assert (shown["n_labels"], shown["ranked_with"]) == (3, 1)  # rows 1 and 40 changed
    is_new = session.labels.changed_since(session.ranking.labels)
    assert np.flatnonzero(is_new).tolist() == [1, 40]
    # Rows like the one answered since then wait.
    assert session._kept_apart(np.ones(60))[40] == pytest.approx(0.0)


def test_a_session_goes_on_where_it_was(tmp_path, session):
    session.answer("1", "ada", "yes", 5, note="sure", goal="count")
    session.answer("2", "ada", "no", 40)
    session.journal.close()
    again = made_session(tmp_path)
    assert again.answers == session.answers
    assert again.labels.answered == session.labels.answered
    assert again.ranking.labels.n_known == 4
    close(again)


def test_goals(session):
    drawn = set()
    for step in range(12):
        row = session.next_row("window", "count")
        drawn.add(row)
        session.answer(str(step), "ada", "no", row, goal="count")
    assert len(drawn) == 12
    settle(session)
    assert session.ranking.calibration is None  # one positive is too few to calibrate by
    row = session.next_row("window", "improve")
    is_free = session.labels.is_free
    assert row == np.argmax(np.where(is_free, session.ranking.uncertainties, -1.0))
    assert session.ranking.uncertainties[row] > 0.0
    with pytest.raises(SessionError, match=r"find, count or improve, found 'win'"):
        session.next_row("window", "win")


@pytest.mark.parametrize(
    ("action", "row", "words"), [("maybe", 1, "found 'maybe'"), ("yes", 60, "0 to 59, found 60")]
)
def test_what_is_no_answer_is_refused(session, action, row, words):
    with pytest.raises(SessionError, match=words):
        session.answer("1", "ada", action, row)
    assert session.journal.entries == []


def test_probabilities_are_those_of_rows_left_out():
    rows = made_rows(300, 100, texts=texts_about(300, 100, seed=1))
    truth = np.arange(300) < 100
    is_known = np.arange(300) % 2 == 0
    found = calibrated(rows.features, truth & is_known, ~truth & is_known)
    scores = rank_scores(rows.features, truth & is_known, ~truth & is_known)
    probability = found.probabilities(scores)[~is_known]
    others = truth[~is_known]
    assert probability.mean() == pytest.approx(others.mean(), abs=0.06)
    assert probability[others].mean() > 0.8
    few = np.arange(300) < 2
    assert calibrated(rows.features, few, ~truth) is None


def test_a_card_has_everything_about_a_row(session, tmp_path):
    session.answer("1", "ada", "skip", 3, note="ask Eve")
    shown = row_card(session, 3)
    assert shown["number"] == 4
    assert [cell["name"] for cell in shown["cells"]] == ["name", "report", "size", "see"]
    assert [cell["kind"] for cell in shown["cells"]] == ["value", "text", "value", "link"]
    assert shown["cells"][0]["text"] == "id 3"
    assert shown["said"] == {"ada": "skip"}
    assert shown["notes"] == [["ada", "ask Eve"]]
    near = shown["nearest"]
    assert [(one["row"], one["answer"]) for one in near] == [(0, "yes"), (59, "no")]
    assert {line["column"] for line in near[0]["differs"]} == {"size"}  # names of rows do not count
    assert near[0]["heading"].startswith(session.rows.cells[1][0][:20])
    is_free = session.labels.is_free
    order = np.argsort(-session.ranking.scores[is_free])
    best = int(np.flatnonzero(is_free)[order[0]])
    assert row_card(session, best)["rank"] == 1


def test_the_status_counts(session):
    for step, (row, action) in enumerate([(1, "yes"), (2, "yes"), (50, "no"), (51, "skip")]):
        session.answer(str(step), "ada", action, row)
    session.answer("b", "bob", "no", 2)
    now = session_status(session)
    assert (now["n_yes"], now["n_no"], now["n_skipped"]) == (1, 1, 1)
    assert now["disagreements"] == [{"row": 2, "number": 3, "said": {"ada": "yes", "bob": "no"}}]
    assert now["curve"] == [[1, 1], [2, 1]]
    assert now["people"] == ["ada", "bob"]
    assert now["n_known"] == 2
    assert now["sentence"] == "How many are left is said after 20 answers."


def test_pictures_are_found_below_the_folder_and_nowhere_else(tmp_path):
    folder = tmp_path / "tables"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "one.png").write_bytes(b"picture")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (folder / "notes.txt").write_bytes(b"text")
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    cells = [
        "pictures/one.png",
        "../secret.png",
        str(tmp_path / "secret.png"),
        "out.png",
        "notes.txt",
        "missing.png",
        "x" * 5000 + ".png",
        "a\0b.png",
        "",
    ]
    rows = made_rows(len(cells), 3, folder=folder)
    rows = type(rows)(**{**vars(rows), "cells": (*rows.cells[:3], cells)})
    found = [rows.picture(row, 3) for row in range(len(cells))]
    assert found == [folder.resolve() / "pictures" / "one.png", *[None] * 8]
    assert kind_of_cell(rows, 0, 3) == "picture"


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("https://example.org/x?y=1", "link"),
        ("javascript:alert(1)", "value"),
        ("data:text/html,x", "value"),
        ("see https://example.org", "value"),
        ('https://example.org/"onclick="x', "value"),
        (HOSTILE, "value"),
    ],
)
def test_only_plain_addresses_become_links(cell, kind):
    rows = made_rows(3, 1)
    rows = type(rows)(**{**vars(rows), "cells": (*rows.cells[:3], [cell] * 3)})
    assert kind_of_cell(rows, 0, 3) == kind


def test_columns_that_differ_most_come_first():
    rows = made_rows(5, 2)
    cells = (
        ["a", "b", "a", "a", "a"],  # a category
        ["some", "other", "words", "and", "more"],  # texts, which do not count
        ["1", "1.1", "0", "2", "3"],  # by 0.1 of 1.01
        ["10", "100", "10", "10", ""],  # by 90 of 39
    )
    used = frozenset(rows.columns)
    rows = type(rows)(**{**vars(rows), "cells": cells, "used_columns": used})
    assert rows.spreads == pytest.approx((None, None, 1.0127, 38.971), abs=1e-3)
    assert [one["column"] for one in differing_columns(rows, 0, 1)] == ["see", "name", "size"]
    assert differing_columns(rows, 0, 4) == [
        {"column": "size", "here": "1", "there": "3"},
        {"column": "see", "here": "10", "there": ""},  # not a number: as a category
    ]


def test_headings_and_curves_are_short():
    rows = made_rows(4, 2, texts=["word " * 100, "two", "", "four"])
    assert len(heading(rows, 0)) == 120
    assert heading(rows, 2) == f"id 2, , {rows.cells[2][2]}, https://example.org/a"
    assert thinned([]) == []
    assert thinned([0, 1, 1]) == [[1, 0], [2, 1], [3, 1]]
    long = thinned(list(range(1000)))
    assert len(long) <= 201
    assert long[-1] == [1000, 999]
