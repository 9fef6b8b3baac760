"""Real datasets from the network, which is a server on this machine here.

Where the folder PUCUT_DATA is there, its tables are written in the formats of those who publish
them, and have to come back the same.
"""

import gzip
import http.server
import io
import os
import struct
import sys
import threading
import zipfile
from dataclasses import replace
from functools import cache as cache_function
from pathlib import Path
from types import SimpleNamespace
from xml.sax.saxutils import escape

import numpy as np
import pytest
import sklearn.datasets

from paper.datasets import REAL, REAL_NAMES, download, load_real, originals, real
from paper.datasets.download import SOURCES, DatasetError, Remote, cache_folder
from paper.datasets.real import ENVIRONMENT_VARIABLE, content_sum

pytestmark = pytest.mark.slow

FOLDER = os.environ.get(ENVIRONMENT_VARIABLE)
needs_data = pytest.mark.skipif(
    not FOLDER, reason=f"{ENVIRONMENT_VARIABLE} does not name a folder with the real datasets"
)
VOTES = "republican," + ",".join("nyny?yynnynyyynn") + "\ndemocrat," + ",".join("y" * 16) + "\n"
VOTE_FILE = "house-votes-84.data"


@pytest.fixture
def server():
    """What it serves by path, whom it was asked for, and how it misbehaves."""
    state = SimpleNamespace(files={}, asked=[], cut_off=False)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            state.asked.append(self.path)
            content = state.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if state.cut_off else content)

        def log_message(self, *given):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        state.address = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=[0.01])
        thread.start()
        yield state
        running.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache and no folder of data; proxies do not lead to this machine."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("PUCUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache" / "datasets"


def served(monkeypatch, server, name, files):
    """Lets the table of addresses name the server for one dataset."""
    server.files.update({f"/{name}/{number}": files[file] for number, file in enumerate(files)})
    remotes = {
        file: Remote((f"{server.address}/{name}/{number}",)) for number, file in enumerate(files)
    }
    monkeypatch.setattr(download, "SOURCES", {**SOURCES, name: remotes})
    return remotes


def expect(monkeypatch, dataset):
    """Makes a table the expected one."""
    entry = replace(REAL[dataset.name], table_sum=content_sum(dataset))
    monkeypatch.setitem(REAL, dataset.name, entry)


@pytest.fixture
def votes(monkeypatch, server, cache):
    """Two members of the House, whose table is made the expected one."""
    remotes = served(monkeypatch, server, "vote", {VOTE_FILE: VOTES.encode()})
    rows = [[{"n": -1.0, "?": 0.0, "y": 1.0}[vote] for vote in "nyny?yynnynyyynn"], [1.0] * 16]
    expected = real.RealDataset("vote", np.array(rows), np.array([False, True]), ())
    expect(monkeypatch, expected)
    return SimpleNamespace(expected=expected, remotes=remotes)


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


def test_a_dataset_is_fetched_once(server, cache, votes):
    first = load_real("vote")
    np.testing.assert_array_equal(first.X, votes.expected.X)
    np.testing.assert_array_equal(first.is_positive, [False, True])
    assert first.feature_names == originals.VOTE_NAMES
    assert server.asked == ["/vote/0"]
    assert files_in(cache) == ["vote.npz"]
    second = load_real("vote")
    assert server.asked == ["/vote/0"]
    np.testing.assert_array_equal(second.X, first.X)
    assert second.feature_names == first.feature_names
    assert second.X.dtype == first.X.dtype
    real.ensure_real("vote")
    assert server.asked == ["/vote/0"]


def test_a_changed_dataset_is_refused_and_not_kept(server, cache, votes):
    server.files["/vote/0"] = VOTES.replace("?", "y").encode()
    with pytest.raises(DatasetError, match=f"'vote' is not .* expected {REAL['vote'].table_sum}"):
        load_real("vote")
    assert files_in(cache) == []
    server.files["/vote/0"] = VOTES.encode()
    load_real("vote")


def test_a_file_with_a_known_sum_is_compared_with_it(server, cache, votes, monkeypatch):
    remote = replace(votes.remotes[VOTE_FILE], md5="0" * 32)
    monkeypatch.setattr(download, "SOURCES", {"vote": {VOTE_FILE: remote}})
    with pytest.raises(DatasetError, match=f"/vote/0 has the MD5 sum .* expected {'0' * 32}"):
        load_real("vote")
    assert files_in(cache) == []


def test_what_is_not_of_the_right_kind_is_refused(server, cache, votes):
    server.files["/vote/0"] = b"<html>We have moved</html>"
    with pytest.raises(DatasetError, match="fetched for the dataset 'vote' is not as"):
        load_real("vote")
    assert files_in(cache) == []


def test_a_missing_file_is_named(server, cache, votes):
    server.files.clear()
    with pytest.raises(DatasetError, match=r"/vote/0 answered 404.*PUCUT_DATA"):
        load_real("vote")
    assert files_in(cache) == []


def test_no_network_is_said(server, cache, votes, monkeypatch):
    remote = Remote(("http://127.0.0.1:1/x",))  # nobody answers at port 1
    monkeypatch.setattr(download, "SOURCES", {"vote": {VOTE_FILE: remote}})
    with pytest.raises(DatasetError, match=r"127.0.0.1:1/x could not be read.*PUCUT_DATA"):
        load_real("vote")


def test_another_place_is_tried(server, cache, votes, monkeypatch):
    remote = Remote((f"{server.address}/gone", f"{server.address}/vote/0"))
    monkeypatch.setattr(download, "SOURCES", {"vote": {VOTE_FILE: remote}})
    load_real("vote")
    assert server.asked == ["/gone", "/vote/0"]


def test_a_download_that_breaks_off_leaves_nothing(server, cache, votes):
    server.cut_off = True
    with pytest.raises(DatasetError, match=f"broke off after .* of {len(VOTES)} bytes"):
        load_real("vote")
    assert files_in(cache) == []
    server.cut_off = False
    load_real("vote")


def test_a_damaged_cache_is_said(server, cache, votes):
    load_real("vote")
    path = cache / "vote.npz"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"vote.npz is damaged.*Remove it"):
        load_real("vote")


def test_archives_are_looked_into(server, cache, votes):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("house/house-votes-84.names", "about")
        archive.writestr(f"house/{VOTE_FILE}", VOTES)
    server.files["/vote/0"] = content.getvalue()
    np.testing.assert_array_equal(load_real("vote").X, votes.expected.X)


def test_every_dataset_has_a_home():
    assert set(SOURCES) == set(REAL_NAMES)
    for files in SOURCES.values():
        for remote in files.values():
            assert all(url.startswith("https://") for url in remote.urls)


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"PUCUT_CACHE": "/c"}, "/c"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/pucut"),
        ("linux", {}, "/home/me/.cache/pucut"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "/home/me/Library/Caches/pucut"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/pucut/Cache"),
        ("win32", {}, "/home/me/AppData/Local/pucut/Cache"),
    ],
)
def test_the_cache_is_where_the_system_keeps_such_things(
    monkeypatch, platform, environment, expected
):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    for name in ("PUCUT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder().as_posix() == expected


def test_files_of_the_folder_are_compared_with_their_sums(tmp_path, monkeypatch):
    (tmp_path / "vote.csv.gz").write_bytes(gzip.compress(b"class\nrepublican\n"))
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(tmp_path))
    with pytest.raises(DatasetError, match=r"vote\.csv\.gz has the SHA-256 sum .* expected 68354a"):
        load_real("vote")
    with pytest.raises(DatasetError, match=r"has no file german\.csv\.gz"):
        load_real("german")
    with pytest.raises(DatasetError, match=r"has no file german\.csv\.gz"):
        real.ensure_real("german")


def test_documents_are_the_means_of_their_words(tmp_path):
    random = np.random.default_rng(0)
    words = ["the", "cat", "sat", "été"]
    vectors = {word: random.normal(size=300).round(5) for word in words}
    glove = tmp_path / "glove.zip"
    with zipfile.ZipFile(glove, "w") as archive:
        lines = [f"{word} {' '.join(map(str, vectors[word]))}\n" for word in (*words, ",")[:4]]
        archive.writestr("glove.6B.300d.txt", "".join(lines))
    found = originals.document_vectors(["The cat, THE a Été!", "x unknown"], glove)
    mean = (2 * vectors["the"] + vectors["cat"] + vectors["été"]) / 4
    np.testing.assert_array_equal(found, [mean.astype(np.float16), np.zeros(300)])


# The formats of the originals, from the columns of the files in PUCUT_DATA.


def step(name):
    """Of the large tables so few rows are written: all are read alike."""
    return max(1, REAL[name].n_samples // 6000)


def texts(name):
    content = gzip.decompress((Path(FOLDER) / REAL[name].file).read_bytes()).decode()
    header, *rows = [line.split(",") for line in content.splitlines()]
    return header, rows[:: step(name)]


def class_first(rows):
    return "".join(",".join([row[-1], *row[:-1]]) + "\n" for row in rows).encode()


def as_vote():
    return {VOTE_FILE: class_first(texts("vote")[1])}


def as_letter():
    return {"letter-recognition.data": class_first(texts("letter")[1]).replace(b"\n", b"\r\n")}


def as_german():
    lines = ["  " + "   ".join(row) + " \n" for row in texts("german")[1]]
    return {"german.data-numeric": "".join(lines).encode()}


def as_obesity():
    header, rows = texts("obesity")
    lines = [",".join(row) + "\r\n" for row in [[*header[:-1], "NObeyesdad"], *rows]]
    return {"ObesityDataSet_raw_and_data_sinthetic.csv": "".join(lines).encode()}


def as_mushroom():
    lines = []
    for *cells, label in texts("mushroom")[1]:
        pairs = [f"{number}:{cell}" for number, cell in enumerate(cells, 1) if cell != "0"]
        lines.append(" ".join([label, *pairs]) + " \n")
    return {"mushrooms": "".join(lines).encode()}


def as_phishing():
    header, rows = texts("phishing")
    lines = ["@relation phishing", ""]
    lines += [f"@attribute {name}  {{ -1,0,1 }}" for name in [*header[:-1], "Result"]]
    lines += ["", "", "@data", *(",".join(row) for row in rows), ""]
    return {"Training Dataset.arff": "\r\n".join(lines).encode()}


def as_credit():
    names = ["ID", *(f"X{number}" for number in range(1, 24)), "Y"]
    lines = [",".join(names)]
    lines += [",".join([str(number), *row]) for number, row in enumerate(texts("credit")[1], 1)]
    return {"data.csv": ("\n".join(lines) + "\n").encode()}


def as_bean():
    """A spreadsheet, inside an archive."""
    header, rows = texts("bean")
    header = [*header[:-1], "Class"]
    strings = sorted({*header, *(row[-1] for row in rows)})
    places = {text: place for place, text in enumerate(strings)}

    def row_of(number, cells):
        parts = [
            f'<c r="A{number}" t="s"><v>{places[cell]}</v></c>'
            if cell in places
            else f'<c r="A{number}"><v>{cell}</v></c>'
            for cell in cells
        ]
        return f'<row r="{number}">{"".join(parts)}</row>'

    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = "".join(row_of(number, cells) for number, cells in enumerate([header, *rows], 1))
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        shared = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
        archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{shared}</sst>")
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f"<worksheet {space}><sheetData>{sheet}</sheetData></worksheet>",
        )
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("DryBeanDataset/Dry_Bean_Dataset.arff", "not read")
        archive.writestr("DryBeanDataset/Dry_Bean_Dataset.xlsx", inner.getvalue())
    return {"Dry_Bean_Dataset.xlsx": outer.getvalue()}


def as_mnist():
    with np.load(Path(FOLDER) / "mnist.npz") as arrays:
        images, labels = (
            arrays["X"].reshape(-1, 28, 28)[:: step("mnist")],
            arrays["y"][:: step("mnist")],
        )

    def idx(values):
        header = struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape)
        return gzip.compress(header + values.tobytes(), compresslevel=1)

    return {
        f"{part}-{kind}-ubyte.gz": idx(values[rows])
        for part, rows in (("train", slice(5000)), ("t10k", slice(5000, None)))
        for kind, values in (("images-idx3", images), ("labels-idx1", labels))
    }


WRITERS = {
    name.removeprefix("as_"): make for name, make in list(globals().items()) if "as_" in name[:3]
}


def test_all_but_the_texts_have_a_writer():
    assert {*WRITERS, "news"} == set(REAL_NAMES)


@pytest.fixture(scope="module")
def folder_tables():
    """The tables of the folder, each loaded once, which compares it with its sums."""
    return cache_function(lambda name: load_real(name, FOLDER))


def part_of(dataset):
    rows = slice(None, None, step(dataset.name))
    return replace(dataset, X=dataset.X[rows], is_positive=dataset.is_positive[rows])


@needs_data
@pytest.mark.parametrize("name", REAL_NAMES)
def test_tables_of_the_folder_are_those_of_the_catalogue(name, folder_tables):
    entry = REAL[name]
    assert folder_tables(name).X.shape == (entry.n_samples, entry.n_features)


@needs_data
@pytest.mark.parametrize("name", list(WRITERS))
def test_originals_give_the_tables_of_the_folder(name, server, cache, monkeypatch, folder_tables):
    expected = part_of(folder_tables(name))
    expect(monkeypatch, expected)
    served(monkeypatch, server, name, WRITERS[name]())
    found = load_real(name)
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.is_positive, expected.is_positive)
    assert found.X.dtype == expected.X.dtype
    assert found.feature_names == expected.feature_names


@needs_data
def test_texts_and_words_give_the_table_of_the_folder(server, cache, monkeypatch, folder_tables):
    """Each document is one word, whose vector is that of the document."""
    expect(monkeypatch, part_of(folder_tables("news")))
    with np.load(Path(FOLDER) / "news.npz") as arrays:
        vectors, groups = (arrays[part][:: step("news")] for part in ("X", "y"))
    content = io.BytesIO()
    template = " ".join(["%.5g"] * 300)
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        lines = (f"word{i} {template % tuple(row)}" for i, row in enumerate(vectors.tolist()))
        archive.writestr("glove.6B.300d.txt", "\n".join(lines))
    served(monkeypatch, server, "news", {"glove.6B.300d.txt": content.getvalue()})
    documents = [f"Word{i}." for i in range(len(vectors))]
    monkeypatch.setattr(
        sklearn.datasets,
        "fetch_20newsgroups",
        lambda **given: SimpleNamespace(data=documents, target=groups),
    )
    np.testing.assert_array_equal(load_real("news").X, vectors.astype(np.float32))


def test_texts_that_cannot_be_fetched_are_said(server, cache, monkeypatch):
    def fail(**given):
        raise OSError("no route to host")

    served(monkeypatch, server, "news", {"glove.6B.300d.txt": b""})
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", fail)
    with pytest.raises(DatasetError, match=r"texts of 20 newsgroups .* no route to host"):
        load_real("news")
