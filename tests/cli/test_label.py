"""`pucut label` without its page: what is refused, what is shown, and what can be taken home."""

import argparse
import csv
import io
import json

import numpy as np
import pytest

from pucut.cli import main
from pucut.cli._commands import add_command
from pucut.cli._learning import read_labelled
from pucut.cli._voice import Voice
from pucut.cli.label import TableFile, exports, rows_of, table_with_labels
from pucut.labelling.journal import About, Journal
from pucut.labelling.ranking import rank_scores
from pucut.labelling.session import Session
from tests.helpers.labelling_sessions import texts_about

FORMULA = "=1+1 is no formula here"


@pytest.fixture
def table(tmp_path):
    texts, random = texts_about(60, 20), np.random.default_rng(0)
    texts[4] = f"{FORMULA} {texts[4]}"
    path = tmp_path / "notes.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "report", "size", "ill"])
        for row, text in enumerate(texts):
            size = round(float(random.normal() + (row < 20)), 2)
            known = {0: "yes", 1: "yes", 2: "yes", 59: "no"}.get(row, "")
            rows.writerow([f"n{row}", text, size, known])
    return path


def given(table, *options):
    commands = argparse.ArgumentParser().add_subparsers()
    add_command(commands, "label")
    call = [str(table), "--label-column", "ill", "--text-column", "report", *options]
    return commands.choices["label"].parse_args(call)


@pytest.fixture
def opened(table):
    """The arguments, the labelled table and a session in which two people answered."""
    arguments = given(table, "--method", "pu-extra-trees", "--prior", "0.33")
    labelled = read_labelled(arguments, Voice(quiet=True))
    rows = rows_of(labelled, table)
    with Journal(table.with_name("j.jsonl"), About(table.name, "ab", len(rows), "ill")) as journal:
        session = Session(rows, journal)
        for key, (who, action, row) in enumerate(
            [("ada", "yes", 4), ("bob", "no", 40), ("ada", "yes", 7), ("bob", "no", 7)]
        ):
            session.answer(str(key), who, action, row, note="=note" if row == 40 else "")
        yield arguments, labelled, session
        session.close()


def read(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_texts_and_other_columns_are_learned_from(opened):
    _, labelled, session = opened
    rows = session.rows
    assert rows.columns == ("name", "report", "size")
    assert rows.text_columns == {"report"}
    assert np.flatnonzero(rows.is_positive).tolist() == [0, 1, 2]
    assert np.flatnonzero(rows.is_negative).tolist() == [59]
    assert rows.cell(4, 1).startswith(FORMULA)
    sizes = labelled.X["size"].to_numpy()
    beside = rows.features.X.toarray()[:, -1]
    assert beside == pytest.approx(0.2 * (sizes - sizes.mean()) / sizes.std())


def test_the_table_with_answers(opened):
    _, labelled, session = opened
    found = table_with_labels(labelled, session)
    assert found["report"].tolist() == labelled.table.frame["report"].tolist()
    labels = found["pucut_label"].to_numpy()
    assert np.flatnonzero(labels == "yes").tolist() == [0, 1, 2, 4]
    assert np.flatnonzero(labels == "no").tolist() == [40, 59]
    assert found["pucut_said"][7] == "ada: yes; bob: no"
    assert found["pucut_note"][40] == "bob: =note"


def test_exports(opened):
    arguments, labelled, session = opened
    offered = exports(arguments, session, labelled)
    labels = read(offered["labels.csv"].make())
    assert labels[4]["report"].startswith("'=1+1")  # no formula for a spreadsheet
    lines = offered["journal.jsonl"].make().splitlines()
    assert [json.loads(line)["who"] for line in lines[1:]] == ["ada", "bob", "ada", "bob"]
    predictions = read(offered["predictions.csv"].make())
    assert len(predictions) == 60
    assert {predictions[row]["predicted"] for row in (0, 1, 2, 4)} == {"positive"}
    assert {predictions[row]["known_as"] for row in (40, 59)} == {"negative"}
    assert predictions[7]["known_as"] == ""
    assert b"<html" in offered["report.html"].make()


def test_a_changed_table_is_told_by_its_content(table):
    file = TableFile(table)
    assert not file.is_changed()
    content = table.read_bytes()
    table.write_bytes(content + b"n60,more,1.0,\n")
    assert file.is_changed()
    table.write_bytes(content)
    assert not file.is_changed()
    table.unlink()
    assert file.is_changed()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "70000"], "--port must be from 0 to 65535, found 70000"),
        (["--out", "TABLE"], "is the input itself"),
        (["--journal", "TABLE"], "is the input itself"),
        (["--out", "new.pdf"], "is not written as .pdf"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(table, options, words, capsys):
    options = [str(table) if option == "TABLE" else option for option in options]
    assert main(["label", str(table), "--label-column", "ill", *options]) == 2
    assert words in capsys.readouterr().err
    assert [path.name for path in table.parent.iterdir()] == [table.name]


def test_a_table_on_stdin_has_no_place_for_a_journal(capsys):
    assert main(["label", "-", "--label-column", "ill"]) == 2
    assert "no place for a journal" in capsys.readouterr().err


def test_the_journal_of_another_table_is_refused(table, capsys):
    path = table.with_name("notes.csv.labels.jsonl")
    Journal(path, About("notes.csv", "other", 60, "ill")).close()
    assert main(["label", str(table), "--label-column", "ill", "--text-column", "report"]) == 2
    assert "belongs to another state of the table" in capsys.readouterr().err


RANK = ("--label-column", "ill", "--text-column", "report", "--method", "label", "--json")


def ranked(capsys, table, *options):
    assert main(["rank", str(table), *RANK, *options]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_rank_as_the_page_does(table, opened, capsys):
    """Before anybody answered: the order of the page's scores, of the rows without a label."""
    _, labelled, session = opened
    rows, known = session.rows, (labelled.y.is_labelled, labelled.y.is_negative)
    scores = rank_scores(rows.features, *known)
    asked = np.flatnonzero(~(known[0] | known[1]))
    found, said = ranked(capsys, table)
    order = [int(one["name"][1:]) for one in found["ranking"]]
    assert order == asked[np.argsort(-scores[asked], kind="stable")].tolist()
    assert [one["score"] for one in found["ranking"]] == pytest.approx(scores[order], rel=1e-5)
    assert [one["rank"] for one in found["ranking"]] == list(range(1, 57))
    assert found["prior"] is None
    assert {one["probability"] for one in found["ranking"]} == {None}  # one negative is known
    assert "no probabilities: they need 3 known positives and 3 known negatives" in said
    backwards, _ = ranked(capsys, table, "--first", "negative", "--top", "5")
    assert [int(one["name"][1:]) for one in backwards["ranking"]] == order[::-1][:5]


def test_rank_gives_probabilities_and_leaves_rows_without_words_for_the_end(table, capsys):
    with table.open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    for row in (56, 57, 58):
        lines[row][3] = "no"
    lines[10][1] = "... !"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[head[1], head[3]], *([line[1], line[3]] for line in lines)])
    for first in ("positive", "negative"):
        found, said = ranked(capsys, table, "--first", first)
        *others, last = found["ranking"]
        assert (last["row"], last["score"], last["probability"]) == (11, None, None)
        steps = np.diff([one["probability"] for one in others])
        assert np.all(steps <= 0 if first == "positive" else steps >= 0)
        assert "1 rows have no words or numbers to go by" in said
    assert np.mean([one["row"] <= 20 for one in others[-16:]]) > 0.8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--prior", "0.3"), "--prior 0.3 has no use with --method label"),
        (("--device", "cuda"), "--device cuda has no use with --method label"),
        (("--drop", "size", "--positive", "silent"), "cannot rank: no known positive"),
    ],
)
def test_rank_refuses_what_it_cannot_use(table, capsys, options, words):
    text = table.read_text(encoding="utf-8").replace("ill\n", "ill\r\n", 1)
    table.write_text(text + "n60,,0.1,silent\n", encoding="utf-8")
    assert main(["rank", str(table), *RANK, *options]) == 2
    assert words in capsys.readouterr().err
