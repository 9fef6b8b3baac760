"""The page without its script: what it says, names that would break it, and one set of numbers."""

import json
import os
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import PUCutClassifier, TwoHNCClassifier, report
from pucut.comparison import Comparison, MethodScores
from pucut.cuts.parametric_cut import parametric_cut
from pucut.cuts.two_stages import Partition
from pucut.priors.result import PriorEstimate
from pucut.report import page, render, summarise, unpacked
from pucut.report.cautions import cautions
from pucut.report.numbers import percent

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'"
# What the script fills.
SCRIPTED = re.compile(r'<(div|p|tbody) id="(?:curve|readout|lines|listed)"[^>]*></\1>')


class Parsed(HTMLParser):
    """Elements and the text a reader sees; what stands in scripts is kept apart."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.attributes, self.text = [], [], [], ""
        self._open = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag in ("script", "style"):
            self._open = tag
            self.scripts.append("")

    def handle_endtag(self, tag):
        if tag == self._open:
            self._open = None

    def handle_data(self, data):
        if self._open:
            self.scripts[-1] += data
        else:
            self.text += data


def parse(text):
    return Parsed(text)


# One set of numbers


def counts_of_positives(summary):
    """Every count of positives that the dict and the page without its script have."""
    data, page = summary["data"], parse(render(summary))
    text = " ".join(page.text.split())
    n_labelled, n_samples = data["n_labelled"], data["n_samples"]
    found = {
        "dict": summary["n_positive"],
        "rows": int(unpacked(summary["rows"]["is_positive"]).sum()),
        "title": int(re.search(r"(\d+) of \d+ samples are classified as positive ·", text)[1]),
        "headline": int(re.findall(r"(\d+) of \d+ samples are classified as positive", text)[1]),
        "standfirst": n_labelled
        + int(re.search(r"(\d+) of these (?:are on the positive|rank highest)", text)[1]),
        "facts": int(re.search(r"Positive(\d+) \(", text)[1]),
        "facts, unlabelled": n_labelled + int(re.search(r"Of the unlabelled(\d+)", text)[1]),
        "facts, negative": n_samples - int(re.search(r"Negative(\d+) \(", text)[1]),
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
    assert {name for name, value in other.items() if value == summary["n_positive"] + 7} >= {
        "dict",
        "title",
        "headline",
        "standfirst",
        "facts",
        "facts, unlabelled",
        "facts, negative",
    }


# What the page says of each method


def test_the_page_says_how_2_hnc_came_to_its_classes(paper):
    page = parse(render(paper[1]))
    assert "on the positive side of the cut whose share of positives comes closest" in page.text
    assert "Of all partitions of both stages" in page.text
    assert "Every cut of 2-HNC" in page.text
    assert "pucut tried" not in page.text


def test_the_page_says_how_pucut_came_to_its_classes(chooser):
    model, summary = chooser
    page = parse(render(summary))
    text = " ".join(page.text.split())
    assert "rank highest and are classified as positive too" in text
    assert "how many of the labelled samples they found that were hidden from everything" in text
    assert "What pucut tried" in text
    for word in ("stage", "lambda", "λ", "likely negative", "partition", "2-hnc", "reach"):
        assert word not in text.lower(), word
    ids = {value for name, value in page.attributes if name == "id"}
    assert not ids & {"step", "mark", "readout", "curve", "to-chosen", "cuts-title"}
    *tried, mixture = model.selection_
    found = f"{percent(mixture.hidden_recall)} ± {percent(mixture.standard_error)}"
    assert f"The mixture found {found} of the positives that were hidden from it." in page.text
    assert f"Hidden positives found{found}" in page.text
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
    assert "Hidden positives found" not in page.text.partition("What pucut tried")[0]


def by_weight(candidates, kind):
    return sorted(
        (c for c in candidates if c.kind == kind), key=lambda c: (-c.weight, -c.hidden_recall)
    )


def test_probabilities_are_counted(chooser, table):
    X, y, _ = table
    model, summary = chooser
    probability = np.float32(model.predict_proba(X)[:, 1][y == 0])
    text = parse(render(summary)).text
    for step in range(10):
        low, high = step / 10, (step + 1) / 10
        inside = (probability >= low) & ((probability < high) | (step == 9))
        assert f"{10 * step} to {10 * (step + 1)}\u202f%{inside.sum()}" in text


def test_sections_that_do_not_apply_are_absent(summary):
    """No heading without a text, no table without a line."""
    text = render(summary)
    assert not re.findall(r"<(section|div|p|tbody|ul|figure)[^>]*>\s*</\1>", SCRIPTED.sub("", text))
    assert "$" not in parse(text).text
    assert f"classified as positive · {summary['method']}</title>" in text
    assert f"unlabelled samples · {summary['method']}</p>" in text


@pytest.mark.parametrize("make", [TwoHNCClassifier, PUCutClassifier])
def test_names_that_would_break_a_page_are_only_text(make, table):
    X, y, _ = table
    labels = np.where(y == 1, HOSTILE, "<!--")
    frame = pd.DataFrame(X, columns=[HOSTILE, "<script>alert(1)</script>", "${x}", "$title"])
    model = make(prior=0.5, n_estimators=20, random_state=0, pos_label=HOSTILE)
    model.fit(frame, labels)
    names = [f"{HOSTILE}{row}" for row in range(len(X))]
    summary = summarise(model, frame, labels, ids=names)
    for line in summary["selection"] or []:
        line["why"] = HOSTILE
    parsed = parse(render(summary))
    assert parsed.tags.count("script") == 2
    assert parsed.tags.count("img") == 0
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert HOSTILE in parsed.text
    style, data, script = parsed.scripts
    assert json.loads(data) == summary
    assert "alert" not in style + script


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
    with pytest.raises(ValueError, match="schema 'pucut-report/2', as summarise makes it, found 2"):
        report.write(path, {**summary, "schema": 2})
    with pytest.raises(ValueError, match="Out of range float"):
        report.write(path, {**summary, "extra": float("nan")})
    assert path.read_text(encoding="utf-8") == render(summary)
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(FileNotFoundError):
        report.write(tmp_path / "nowhere" / "report.html", summary)


# Cautions


def without_cautions(summary):
    plain = json.loads(json.dumps(summary))
    plain["prior"]["interval"] = None
    plain["n_positive"] = 110
    if plain["partition"] is not None:
        plain["partition"]["n_unreached"] = 0
    assert cautions(plain) == []
    return plain


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda s: s["prior"].update(is_upper_bound=True, upper_bound=0.9, interval=[0.2, 0.7]),
            "a guess",
        ),
        (lambda s: s["prior"].update(is_given=False, interval=[0.2, 0.9]), "uncertain"),
        (lambda s: s["data"].update(n_labelled=5), "Only 5 samples are labelled"),
        (lambda s: s["data"].update(n_labelled=1), "Only 1 sample is labelled"),
        (lambda s: s["graph"].update(neighbor_recall=0.9), "90\u202f% of the true nearest"),
        (lambda s: s["prior"].update(value=0.01), "no positives among the unlabelled"),
        (lambda s: s["prior"].update(value=0.9999), "leaves no negatives"),
    ],
)
def test_cautions_in_plain_words(change, text, summary):
    plain = without_cautions(summary)
    change(plain)
    found = cautions(plain)
    assert any(text in caution for caution in found)
    assert text in parse(render({**plain, "cautions": found})).text


def test_cautions_of_one_method(paper, chooser):
    of_paper, of_chooser = without_cautions(paper[1]), without_cautions(chooser[1])
    of_paper["n_positive"] = of_chooser["n_positive"] = 10
    assert "no partition comes closer" in cautions(of_paper)[0]
    assert "samples with equal scores" in cautions(of_chooser)[0]
    of_paper["n_positive"] = 110
    of_paper["partition"]["n_unreached"] = 3
    assert "No label reaches 3 samples" in cautions(of_paper)[0]


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
