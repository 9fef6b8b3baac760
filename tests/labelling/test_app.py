"""The application through a test client: who is let in, what is kept, what goes out."""

import json

import pytest
from starlette.testclient import TestClient

from pucut.labelling.app import POLICY, Surroundings, application
from pucut.labelling.session import Export
from tests.helpers.labelling_sessions import HOSTILE, close, made_rows, made_session, texts_about

TOKEN = "secret-token"
HOST = "127.0.0.1:8000"


class Page:
    """A window on the page, in the words of its script."""

    def __init__(self, session, **around):
        self.session, self.ended = session, []
        surroundings = Surroundings(
            token=TOKEN,
            hosts=frozenset({HOST, "localhost:8000"}),
            who="ada",
            end=lambda: self.ended.append(True),
            **around,
        )
        app = application(session, surroundings)
        self.client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)

    def get(self, path, **options):
        return self.client.get(f"/{TOKEN}/{path}", **options)

    def post(self, path, body, **options):
        return self.client.post(f"/{TOKEN}/{path}", json=body, **options)

    def answer(self, key, row, action="yes", **others):
        sent = {"key": key, "row": row, "action": action, "who": "ada", "goal": "find"}
        return self.post("answers", {**sent, "client": "window", **others})


@pytest.fixture
def page(tmp_path):
    session = made_session(tmp_path)
    yield Page(session)
    close(session)


@pytest.mark.parametrize(
    "path",
    ["/", "/status", "/secret-token", "/secret-toke/", "/Secret-token/", "//secret-token/", "/x/y"],
)
def test_without_the_token_nothing_is_found(page, path):
    reply = page.client.get(path, follow_redirects=False)
    assert reply.status_code == 404
    assert reply.text == "There is nothing here."


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1:9000", ""])
def test_another_host_is_refused(page, host):
    assert page.get("status", headers={"host": host}).status_code == 421
    assert page.get("status", headers={"host": "LOCALHOST:8000"}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_another_page_cannot_send_answers(page, headers, code):
    body = json.dumps({"key": "1", "row": 3, "action": "yes", "who": "eve", "goal": "find"})
    headers = {"content-type": "application/json", **headers}
    assert page.client.post(f"/{TOKEN}/answers", content=body, headers=headers).status_code == code
    assert page.session.journal.entries == []


def test_the_page_and_its_files_carry_the_policy(page):
    for path, kind in (("", "html"), ("label.css", "css"), ("label.js", "javascript")):
        reply = page.get(path)
        assert reply.status_code == 200
        assert kind in reply.headers["content-type"]
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cache-control"] == "no-store"
    text = page.get("").text
    assert "<style" not in text
    assert " style=" not in text
    assert " on" + "click" not in text
    assert page.get("session.py").status_code == 404
    assert page.get("..%2fsession.py").status_code == 404


def test_an_answer_is_on_the_disk_when_the_next_card_comes(page):
    first = page.get("next", params={"client": "window", "goal": "find"}).json()
    row = first["card"]["row"]
    reply = page.answer("k1", row, note=" good ")
    assert reply.status_code == 200
    assert reply.json()["card"]["row"] != row
    assert reply.json()["status"]["n_yes"] == 1
    lines = page.session.journal.path.read_text(encoding="ascii").splitlines()
    kept = json.loads(lines[-1])
    assert (kept["key"], kept["row"], kept["action"], kept["note"], kept["goal"]) == (
        "k1",
        row,
        "yes",
        "good",
        "find",
    )
    page.answer("k1", row)  # the reply was lost, and the page sends it again
    assert len(page.session.journal.entries) == 1


def test_undo_and_notes_and_rows_by_number(page):
    page.answer("k1", 5)
    page.answer("k2", 6, "note", note="look again", stay=True)
    taken = page.post("undo", {"key": "u1", "who": "ada"}).json()
    assert taken["card"]["row"] == 6
    assert taken["card"]["notes"] == []
    assert page.post("undo", {"key": "u2", "who": "ada"}).json()["card"]["row"] == 5
    assert page.post("undo", {"key": "u3", "who": "ada"}).json()["nothing"] is True
    assert page.get("rows/5").json()["card"]["number"] == 6
    assert page.get("rows/60").status_code == 404


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"row": "3"}, "row must be a whole number, found '3'"),
        ({"row": True}, "row must be a whole number"),
        ({"row": 60}, "from 0 to 59, found 60"),
        ({"action": "undo"}, "found 'undo'"),
        ({"who": "  "}, "who must not be empty"),
        ({"key": ""}, "key must not be empty"),
        ({"note": ["x"]}, "note must be a text"),
        ({"note": "x" * 10_001}, "note must be a text of at most 10000"),
        ({"goal": "win"}, "found 'win'"),
    ],
)
def test_what_is_no_answer_is_refused_and_not_kept(page, change, words):
    reply = (
        page.answer("k1", **{"row": 3, **change})
        if "key" not in change
        else page.post(
            "answers", {"key": "", "row": 3, "action": "yes", "who": "ada", "goal": "find"}
        )
    )
    assert reply.status_code == 400
    assert words in reply.json()["error"]
    assert page.session.journal.entries == []


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff"])
def test_broken_bodies_are_refused(page, body):
    headers = {"content-type": "application/json"}
    reply = page.client.post(f"/{TOKEN}/answers", content=body, headers=headers)
    assert reply.status_code == 400
    long = page.answer("k", 3, note="x" * 70_000)
    assert long.status_code == 413
    assert page.session.journal.entries == []


def test_a_table_that_changed_takes_no_more_answers(tmp_path):
    session, changed = made_session(tmp_path), []
    page = Page(session, is_changed=lambda: bool(changed))
    assert page.answer("1", 3).status_code == 200
    changed.append(True)
    assert page.get("status").json()["changed"] is True
    reply = page.answer("2", 4)
    assert reply.status_code == 409
    assert "has changed on the disk" in reply.json()["error"]
    assert page.post("undo", {"key": "u", "who": "ada"}).status_code == 409
    assert len(session.journal.entries) == 1
    close(session)


def test_a_full_disk_is_said_and_the_answer_not_taken(page, monkeypatch):
    def full(entry):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(page.session.journal, "append", full)
    reply = page.answer("1", 3)
    assert reply.status_code == 500
    assert reply.json()["error"] == "Nothing was saved: No space left on device"
    assert page.session.answers.labels == {}


def test_hostile_cells_stay_texts(tmp_path):
    texts = [HOSTILE, *texts_about(20, 5)]
    session = made_session(tmp_path, made_rows(21, texts=texts))
    reply = Page(session).get("rows/0")
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.json()["card"]["cells"][1]["text"] == HOSTILE
    close(session)


def test_pictures_are_served_without_a_way_to_run(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(b"\x89PNG")
    session = made_session(tmp_path, made_rows(folder=tmp_path))
    page = Page(session)
    reply = page.get("pictures/1/3")
    assert reply.content == b"\x89PNG"
    assert reply.headers["content-type"] == "image/png"
    assert "sandbox" in reply.headers["content-security-policy"]
    for path in ("pictures/2/3", "pictures/1/9", "pictures/99/3"):
        assert page.get(path).status_code == 404
    close(session)


def test_exports(tmp_path):
    def fails():
        raise ValueError("too few\nlabels")

    session = made_session(tmp_path)
    exports = {
        "labels.csv": Export("the answers", "text/csv", lambda: b"a,b\n"),
        "report.html": Export("the report", "text/html", lambda: b"<p>"),
        "broken.csv": Export("nothing", "text/csv", fails),
    }
    page = Page(session, exports=exports)
    offered = page.get("status").json()["exports"]
    assert [one["name"] for one in offered] == ["labels.csv", "report.html", "broken.csv"]
    assert offered[0]["about"] == "the answers"
    table = page.get("exports/labels.csv")
    assert table.content == b"a,b\n"
    assert table.headers["content-disposition"] == 'attachment; filename="labels.csv"'
    report = page.get("exports/report.html")
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts")
    broken = page.get("exports/broken.csv")
    assert (broken.status_code, broken.text) == (409, "too few labels")
    assert page.get("exports/other").status_code == 404
    close(session)


def test_the_page_can_end_the_program(page):
    assert page.post("end", {}).json() == {"ended": True}
    assert page.ended == [True]
