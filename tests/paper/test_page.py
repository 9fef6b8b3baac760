"""Everything that `python -m paper tables` writes."""

import csv
import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from paper import FOLDER
from paper.row_files import read_rows
from paper.showing.contents import make_contents
from paper.showing.page import write_all
from paper.showing.published import read_published
from paper.showing.tables import to_csv, to_latex, to_markdown
from tests.helpers.paper_rows import real_rows, synthetic_rows, write_rows

pytestmark = pytest.mark.slow

PUBLISHED = FOLDER / "published"
REAL = real_rows(n_repetitions=3)
SYNTHETIC = synthetic_rows(sizes=(1000,), features=(5,))
VOID = {"meta", "link", "br", "img", "hr"}


# A small set of rows, in which nnPU has none on MNIST.
KEPT = [line for line in REAL if (line["dataset"], line["method"]) != ("mnist", "nnpu")]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    write_rows(folder / "rows" / "real.csv", KEPT)
    write_rows(folder / "rows" / "synthetic.csv.gz", SYNTHETIC)
    files = write_all(folder / "rows", PUBLISHED, folder / "out")
    return {file.name: file.read_text(encoding="utf-8") for file in files}


class Page(HTMLParser):
    """What is open, which ids there are, and what is asked of other places."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], Counter()
        self.scopes = Counter()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags[tag] += 1
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]
        if tag == "th":
            self.scopes[found.get("scope")] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()


def read_csv(text):
    return list(csv.DictReader(text.splitlines()))


def test_every_table_has_three_files_and_a_place_on_the_page(written):
    page = Page(written["index.html"])
    tables = {Path(name).stem for name in written if name.endswith(".csv")}
    figures = {Path(name).stem for name in written if name.endswith(".svg")}
    assert len(tables) == page.tags["table"] == page.tags["caption"]
    assert len(figures) == page.tags["figure"] == page.tags["svg"] == 11
    for name in tables:
        assert {f"{name}.md", f"{name}.tex"} <= written.keys()
    assert tables | figures <= set(page.ids)
    assert set(written) == {
        "index.html",
        "summary.md",
        *(f"{name}{ending}" for name in tables for ending in (".csv", ".md", ".tex")),
        *(f"{name}.svg" for name in figures),
    }


def test_page_is_whole_and_needs_nothing_else(written):
    page = Page(written["index.html"])
    assert [name for name, count in Counter(page.ids).items() if count > 1] == []
    for link in page.links:
        assert link[1:] in page.ids if link.startswith("#") else link in written
    assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
    for call in re.findall(r"url\(([^)]*)\)", written["index.html"]):
        assert call.startswith("#")
        assert call[1:] in page.ids
    assert None not in page.scopes
    assert {"row", "col", "colgroup"} == set(page.scopes)


def test_figures_are_well_formed_and_without_a_date(written):
    for name, text in written.items():
        if name.endswith(".svg"):
            assert ElementTree.fromstring(text).tag.endswith("svg")
            assert "dc:date" not in text
            assert "<text" in text


def test_latex_is_balanced(written):
    for name, text in written.items():
        if name.endswith(".tex"):
            assert text.isascii()
            plain = text.replace(r"\{", "").replace(r"\}", "")
            assert plain.count("{") == plain.count("}")
            n_columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])
            body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
            for line in body.strip().splitlines():
                assert len(re.findall(r"(?<!\\)&", line)) == n_columns - 1


def test_means_and_errors_are_those_of_the_rows(written):
    table = {
        line["Dataset"]: line for line in read_csv(written["real60_paper_layout_accuracy.csv"])
    }
    for dataset, title in (("vote", "Vote"), ("credit", "Credit"), ("mnist", "MNIST")):
        for method, column in (("pu_et", "PU ET"), ("two_hnc", "2-HNC")):
            scores = [
                100 * line["accuracy_own"]
                for line in REAL
                if (line["dataset"], line["method"], line["labelled_share"], line["prior_kind"])
                == (dataset, method, 0.6, "true")
            ]
            assert len(scores) == 3
            assert float(table[title][column]) == pytest.approx(np.mean(scores))
            error = np.std(scores, ddof=1) / np.sqrt(3)
            assert float(table[title][f"{column} (in brackets)"]) == pytest.approx(error)


def test_improvements_are_those_of_the_rows(written):
    lines = read_csv(written["synthetic_improvement_balanced_accuracy.csv"])
    scores = {
        (line["dataset"], line["repetition"], line["method"]): line["balanced_accuracy_own"]
        for line in SYNTHETIC
    }
    values = [
        100 * (scores[name, number, "two_hnc"] / score - 1)
        for (name, number, method), score in scores.items()
        if method == "upu"
    ]
    assert len(values) == 240
    assert lines[0]["Comparison"] == "2-HNC vs uPU"
    assert float(lines[0]["ours: average (s.d.)"]) == pytest.approx(np.mean(values))
    assert float(lines[0]["ours: average (s.d.) (in brackets)"]) == pytest.approx(
        np.std(values, ddof=1)
    )
    share = 100 * np.mean(np.array(values) > 0)
    assert float(lines[0]["ours: improved (%)"]) == pytest.approx(share)
    assert float(lines[0]["paper, 2160 datasets: average (s.d.)"]) == 16.96


def test_what_is_missing_is_said(written):
    text = written["real60_paper_layout_accuracy.md"]
    mnist = next(line for line in text.splitlines() if line.startswith("| MNIST"))
    assert mnist.split(" | ")[2] == "–"
    assert "- No runs of nnPU on MNIST." in text
    assert "No runs of nnPU, prior on MNIST." in written["real60_every_method_accuracy.md"]
    assert "9 datasets, 10 methods." in written["real60_ranks_accuracy.md"]


def test_summary_says_where_ours_agrees(written):
    text = written["summary.md"]
    line = next(line for line in text.splitlines() if line.startswith("| Phishing"))
    cells = line.strip("| ").split(" | ")
    ours, error = map(float, re.fullmatch(r"([\d.]+) \(([\d.]+)\)", cells[2]).groups())
    units = (ours - 94.96) / np.hypot(error, 0.29)
    assert cells[1] == "94.96"
    assert float(cells[3].replace("−", "-")) == pytest.approx(units, abs=0.1)
    assert cells[4] == ("agrees" if abs(units) <= 2 else "above" if units > 0 else "below")
    assert re.search(r"- Vote: (first|within|behind).*points against .*, standard error", text)


def test_same_rows_in_other_files_and_order_give_the_same_bytes(written, tmp_path):
    rows = [*KEPT, *SYNTHETIC]
    shuffled = random.Random(1).sample(rows, len(rows))
    write_rows(tmp_path / "b.csv.gz", shuffled[:200])
    write_rows(tmp_path / "a.csv", shuffled[200:])
    contents = make_contents(read_rows(tmp_path), read_published(PUBLISHED))
    assert contents.summary == written["summary.md"]
    for table in contents.tables:
        for ending, render in ((".csv", to_csv), (".md", to_markdown), (".tex", to_latex)):
            assert render(table) == written[table.name + ending]
    one_of_each_kind = {
        "real60_accuracy",
        "synthetic_histograms_pucut_accuracy",
        "real60_critical_difference_accuracy",
    }
    drawings = [one for one in contents.drawings if one.name in one_of_each_kind]
    assert len(drawings) == 3
    for drawing in drawings:
        assert drawing.svg == written[f"{drawing.name}.svg"]


def test_one_row_is_enough(tmp_path):
    write_rows(tmp_path / "rows" / "real.csv", REAL[:1])
    files = write_all(tmp_path / "rows", PUBLISHED, tmp_path / "out")
    assert "Vote: not run" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("out/*synthetic_critical_difference*"))
    Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert len(files) > 100
