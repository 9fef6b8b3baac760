"""The page without its script: what it says, names that would break it, and one set of numbers."""

import json
import os
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import PUCutClassifier, TwoHNCClassifier, report
from pucut._support.html import element
from pucut.comparison import Comparison, MethodScores
from pucut.cuts.parametric_cut import parametric_cut
from pucut.cuts.two_stages import Partition
from pucut.priors.result import PriorEstimate
from pucut.report import page, render, summarise, unpacked
from pucut.report.sections import SECTIONS
from pucut.report.values import percent
from tests.helpers.reports import parse

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'"
# What the script fills.
SCRIPTED = re.compile(r'<(div|p|tbody) id="(?:curve|readout|lines|listed)"[^>]*></\1>')


# One set of numbers


def counts_of_positives(summary):
    """Every count of positives that the dict and the page without its script have."""
    data, page = summary["data"], parse(render(summary))
    text = " ".join(page.text.split())
    n_labelled, n_samples = data["n_labelled"], data["n_samples"]
    n_others = n_samples - n_labelled
    told = re.findall(rf"(\d+) of {n_others} unlabelled rows look", text)
    found = {
        "dict": summary["n_positive"],
        "rows": int(unpacked(summary["rows"]["is_positive"]).sum()),
        "title": n_labelled + int(told[0]),
        "headline": n_labelled + int(told[1]),
        "how many, found": n_labelled
        + int(re.search(rf"Of the {n_others} others, (\d+) look the same", text)[1]),
        "how many, all": int(re.search(rf"Together they are (\d+) of {n_samples} rows", text)[1]),
        "which": n_labelled + int(re.search(r"List all (\d+)", text)[1]),
        "which, more": n_labelled + 12 + int(re.search(r"And (\d+) more", text)[1]),
        "how sure": n_labelled + int(re.search(r"about \d+ of the (\d+) rows found", text)[1]),
        "share over the prior": n_labelled
        + int(re.search(rf"(\d+) of {n_others} unlabelled rows are found", text)[1]),
        "data of the script": json.loads(page.scripts[1])["n_positive"],
    }
    if summary["partition"] is not None:
        stage = summary["stages"][summary["partition"]["stage"] - 1]
        found["slider"] = int(unpacked(stage["n_positive"])[summary["partition"]["step"]])
    return found


def test_there_is_one_count_of_positives(model, summary):
    counts = counts_of_positives(summary)
    assert len(counts) >= 9
    assert set(counts.values()) == {int(model.transduction_.sum())}
    # Each of the texts follows the dict: none is computed elsewhere.
    other = counts_of_positives(summary | {"n_positive": summary["n_positive"] + 7})
    follow = {name for name, value in other.items() if value == summary["n_positive"] + 7}
    assert set(other) - follow <= {"rows", "slider"}


# What the page says of each method


def test_the_page_says_how_2_hnc_came_to_its_classes(paper):
    page = parse(render(paper[1]))
    assert "The cut whose share of positives comes closest to the prior decides" in page.text
    assert "Of all partitions of both stages" in page.text
    assert "Every cut of 2-HNC" in page.text
    assert "pucut tried" not in page.text


def test_the_page_says_how_pucut_came_to_its_classes(chooser):
    model, summary = chooser
    page = parse(render(summary))
    text = " ".join(page.text.split())
    assert "The rows that rank highest are classified as positive" in text
    assert "mixed by how many known positives they found again that had been hidden" in text
    assert "What pucut tried" in text
    for word in ("stage", "lambda", "λ", "likely negative", "partition", "2-hnc", "reaches"):
        assert word not in text.lower(), word
    ids = {value for name, value in page.attributes if name == "id"}
    assert not ids & {"step", "mark", "readout", "curve", "to-chosen", "cuts-title"}
    *tried, mixture = model.selection_
    found = f"{percent(mixture.hidden_recall)} ± {percent(mixture.standard_error)}"
    told = f"The mixture of all of them found {found} of the positives that were hidden."
    assert told in page.text
    assert mixture.why not in text  # no line of the tables
    heaviest = [by_weight(tried, kind)[0] for kind in ("score", "cut")]
    first, second = (f"“{each.name}” ({percent(each.weight)})" for each in heaviest)
    assert f"Most weight among the scores has {first}; among the cuts, {second}." in page.text
    for candidate in tried:
        recall = percent(candidate.hidden_recall)
        assert f"{candidate.name}{recall} ± " in page.text
        assert f"{percent(candidate.weight)}{candidate.why}" in page.text
    # Heaviest first, in both tables.
    lines = [c for kind in ("score", "cut") for c in by_weight(model.selection_, kind)]
    places = [page.text.index(f"{line.name}{percent(line.hidden_recall)}") for line in lines]
    assert places == sorted(places)


def test_one_label_cannot_judge():
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.arange(20) == 3
    model = PUCutClassifier(prior=0.5, n_estimators=5, random_state=0).fit(X, y)
    summary = summarise(model, X, y)
    assert {line["hidden_recall"] for line in summary["selection"]} == {None}
    page = parse(render(summary))
    assert "A single label cannot be hidden" in page.text
    assert "linearnot known" in page.text
    assert "nan" not in page.text.lower().split()
    assert "A single known row cannot be hidden" in page.text


def by_weight(candidates, kind):
    return sorted(
        (c for c in candidates if c.kind == kind), key=lambda c: (-c.weight, -c.hidden_recall)
    )


def test_probabilities_are_counted(model, table, summary):
    """Of known rows, of those found, and of the others."""
    X, y, _ = table
    probability = np.float32(model.predict_proba(X)[:, 1]).astype(float)
    known, positive = y == 1, model.transduction_ == 1
    groups = (known, positive & ~known, ~positive & ~known)
    text = parse(render(summary)).text
    for step in range(10):
        low, high = step / 10, (step + 1) / 10
        inside = (probability >= low) & ((probability < high) | (step == 9))
        counts = "".join(str((inside & group).sum()) for group in groups)
        assert f"{10 * step} to {10 * (step + 1)}\u202f%{counts}" in text
    for name, group in zip(("known", "found", "not found"), groups, strict=True):
        mean = percent(float(probability[group].mean()))
        assert f"{name} ({group.sum()})mean {mean}" in text
    bars = re.search(r'<svg[^>]*class="histogram known"[^>]*>(.*?)</svg>', render(summary))[1]
    counts, _ = np.histogram(probability[known], bins=20, range=(0.0, 1.0))
    heights = [float(height) for height in re.findall(r' height="([\d.]+)"', bars)]
    np.testing.assert_allclose(heights, 30 * counts[counts > 0] / counts.max(), atol=0.01)


def test_sections_that_do_not_apply_are_absent(summary):
    """No heading without a text, no table without a line."""
    text = render(summary)
    assert not re.findall(r"<(section|div|p|tbody|ul|figure)[^>]*>\s*</\1>", SCRIPTED.sub("", text))
    assert "$" not in parse(text).text
    assert f"look positive · {summary['method']}</title>" in text
    assert f'<p class="kicker">{summary["method"]}</p>' in text


def test_every_sentence_is_used():
    folder = Path(report.__file__).parent
    names = set(tomllib.loads((folder / "assets" / "sentences.toml").read_text(encoding="utf-8")))
    code = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    used = set(re.findall(r"""["']([\w-]+)["']""", code))
    assert names <= used
    assert set(re.findall(r"""sentence\(["']([\w-]+)""", code)) <= names


def test_a_section_needs_a_module_and_its_place_in_the_list(model, table, summary, monkeypatch):
    X, y, _ = table
    section = SimpleNamespace(
        facts=lambda fit: {"n_rows_twice": 2 * fit.labels.n_samples},
        render=lambda summary: element("section", "<twice>: ", summary["n_rows_twice"]),
    )
    monkeypatch.setattr(page, "SECTIONS", (*SECTIONS, section))
    found = summarise(model, X, y)
    assert found["n_rows_twice"] == 440
    assert set(found) == {*summary, "n_rows_twice"}
    assert "<section>&lt;twice&gt;: 440</section>\n</main>" in render(found)


@pytest.mark.parametrize("make", [TwoHNCClassifier, PUCutClassifier])
def test_names_that_would_break_a_page_are_only_text(make, table):
    X, y, _ = table
    labels = np.where(y == 1, HOSTILE, "<!--")
    frame = pd.DataFrame(X, columns=[HOSTILE, "<script>alert(1)</script>", "${x}", "$title"])
    model = make(prior=0.5, n_estimators=20, random_state=0, pos_label=HOSTILE)
    model.fit(frame, labels)
    names = [f"{HOSTILE}{row}" for row in range(len(X))]
    summary = summarise(
        model, frame, labels, ids=names, source=HOSTILE, label_name=HOSTILE, notes=[HOSTILE]
    )
    for line in summary["selection"] or []:
        line["why"] = HOSTILE
    parsed = parse(render(summary))
    assert parsed.tags.count("script") == 2
    assert parsed.tags.count("img") == 0
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert HOSTILE in parsed.text
    style, data, script = parsed.scripts
    assert json.loads(data) == summary
    assert "alert(" not in style + script


def test_the_page_fetches_nothing_and_runs_only_its_script(summary):
    text = render(summary)
    assert "default-src &#x27;none&#x27;" in text
    parsed = parse(text)
    style, _, script = parsed.scripts
    (policy,) = [value for name, value in parsed.attributes if name == "content" and "src" in value]
    assert page._digest(style) in policy
    assert page._digest(script) in policy
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert not {"link", "img", "iframe", "object"} & set(parsed.tags)
    assert not [value for name, value in parsed.attributes if name in ("src", "style")]


def test_writing_is_all_or_nothing(tmp_path, summary):
    path = tmp_path / "report.html"
    report.write(path, summary)
    assert path.read_text(encoding="utf-8") == render(summary)
    report.write(str(path), summary)
    with pytest.raises(ValueError, match="schema 'pucut-report/4', as summarise makes it, found 2"):
        report.write(path, {**summary, "schema": 2})
    with pytest.raises(ValueError, match="Out of range float"):
        report.write(path, {**summary, "extra": float("nan")})
    assert path.read_text(encoding="utf-8") == render(summary)
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(FileNotFoundError):
        report.write(tmp_path / "nowhere" / "report.html", summary)


# What notebooks show


def test_results_have_a_small_html_form():
    estimate = PriorEstimate(0.5, 0.4, (0.4, 0.6), "<b>auto</b>", False, 0.6, 10, 50)
    assert estimate._repr_html_().startswith("<p>About 50 %")
    comparison = Comparison(
        (MethodScores("<i>x</i>", hidden_recall=0.5), MethodScores("y", error="<u>")), 0.5, 60, 10
    )
    graph = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    path = parametric_cut(graph, ([0, 0], [0, 1]), ([1, 1], [0, 0]), source_seeds=[0])
    partition = Partition(1, 0.25, np.array([0.1, 0.3, 0.5, 0.5]), 0.3, 3)
    texts = [shown._repr_html_() for shown in (estimate, comparison, path, partition)]
    for text in texts:
        assert not {"b", "i", "u"} & set(parse(text).tags)
    assert "3 of 4 rows (75.0%)" in texts[3]
    assert parse(texts[1]).tags.count("tr") == 3
    assert "<i>x</i>" in parse(texts[1]).text
    assert "y: <u>" in parse(texts[1]).text
    assert "1 to 2" in parse(texts[2]).text or "grows" in parse(texts[2]).text
