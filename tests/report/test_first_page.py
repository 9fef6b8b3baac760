"""The first page of a report: six answers in words, alerts, and the reader's own words."""

import json
import re

import numpy as np
import pytest

from pucut import TwoHNCClassifier
from pucut.data.labels import checked_pu_labels
from pucut.judging.thresholds import positives_by_prior
from pucut.priors import LabellingCheck
from pucut.report import render, summarise, unpacked
from pucut.report.alerts import alerts
from pucut.report.values import percent, short_number, word_for
from tests.helpers.reports import parse


def test_six_questions_are_answered_in_order(summary):
    text = parse(render(summary)).text
    asked = ("How many?", "Which?", "How sure?", "Why these?", "What would change it?")
    asked += ("Can I trust it?", "In pictures", "The rows, and why", "the mathematics")
    places = [text.index(question) for question in asked]
    assert places == sorted(places)


def test_the_page_opens_with_the_rows_found(model, table, summary):
    _, y, _ = table
    lines = re.findall(r"<li>row (\d+)<span>", render(summary))
    is_found = (model.transduction_ == 1) & (y == 0)
    order = np.argsort(-model.scores_, kind="stable")
    assert [int(row) for row in lines] == order[is_found[order]][:12].tolist()


def test_how_sure_is_counted_from_probabilities(model, table, summary):
    X, y, _ = table
    probability = np.float32(model.predict_proba(X)[:, 1])
    is_found = (model.transduction_ == 1) & (y == 0)
    is_other = (model.transduction_ == 0) & (y == 0)
    text = " ".join(parse(render(summary)).text.split())
    assert f"about {round(float(probability[is_found].sum()))} of the {is_found.sum()} " in text
    assert f"about {round(float(probability[is_other].sum()))} more are among the rows" in text
    n_sure, n_close = (probability[is_found] >= 0.9).sum(), (probability[is_found] < 0.6).sum()
    assert f"{n_sure} of the rows found have a probability of 90\u202f% or more; {n_close}" in (
        parse(render(summary)).text
    )


def test_hidden_positives_found_again_are_told_in_words(chooser, paper):
    model, summary = chooser
    last = model.selection_[-1]
    text = parse(render(summary)).text
    assert f"It found {percent(last.hidden_recall)} of them again. About as many" in text
    assert f"give or take {percent(last.standard_error)}, should be among the rows" in text
    assert "of them again" not in parse(render(paper[1])).text


def test_why_names_the_columns(chooser):
    _, summary = chooser
    text = parse(render(summary)).text
    total = sum(line["weight"] for line in summary["weights"])
    first = summary["weights"][0]
    told = f"count most: {first['name']} ({percent(first['weight'] / total)})"
    assert told in text
    apart = max(summary["columns"], key=lambda column: column["separation"])
    medians = apart["distribution"]["medians"]
    pair = f"{short_number(medians['found'])} against {short_number(medians['other'])}"
    assert f"differ most from the other rows in {apart['name']} (median {pair})" in text


def test_what_another_prior_would_change_is_said_in_words(summary):
    text = " ".join(parse(render(summary)).text.split())
    fewer, more = summary["sensitivity"][1], summary["sensitivity"][2]
    assert f", {fewer['n_to_negative']} fewer rows are found; at" in text
    assert f", {more['n_to_positive']} more." in text


def test_own_words_and_the_name_of_the_file(table):
    X, y, _ = table
    labels = np.where(y == 1, "cancer", "?")
    model = TwoHNCClassifier(prior=0.5, n_estimators=20, random_state=0, pos_label="cancer")
    model.fit(X, labels)
    summary = summarise(model, X, labels, source="patients.csv", label_name="diagnosis")
    assert summary["data"]["word"] == "cancer"
    text = parse(render(summary)).text
    n_found = summary["n_positive"] - int(y.sum())
    assert f"{n_found} of {(y == 0).sum()} unlabelled rows look “cancer” · patients.csv" in text
    assert f"{y.sum()} rows were known to be “cancer” (diagnosis = cancer)" in text
    assert "Probability of being “cancer”" in text
    for mark in ("1", "True", "yes", "Known", "positive", "+", "x" * 40):
        assert word_for(mark) is None


def test_the_share_over_the_prior_counts_rows(model, table, summary):
    _, y, _ = table
    (points,) = re.findall(r'<polyline points="([^"]*)"', render(summary))
    labels = checked_pu_labels(y)
    n_others = (y == 0).sum()
    drawn = np.array([[float(value) for value in point.split(",")] for point in points.split()])
    for prior, height in drawn[60:180:17]:
        expected = positives_by_prior(model.scores_, labels, prior / 100).sum() - y.sum()
        assert (1 - height / 60) * n_others == pytest.approx(expected, abs=1.01)


# Alerts


def without_alerts(summary):
    plain = json.loads(json.dumps(summary))
    plain["prior"]["interval"], plain["found_by_prior"]["at_interval"] = None, [10, 50]
    plain["n_positive"] = 110
    assert alerts(plain, {}) == []
    return plain


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda s: s["prior"].update(is_upper_bound=True, upper_bound=0.9, interval=[0.2, 0.7]),
            "a guess",
        ),
        (lambda s: s["prior"].update(is_given=False, interval=[0.2, 0.9]), "uncertain"),
        (lambda s: s["data"].update(n_labelled=5), "Only 5 rows are known"),
        (lambda s: s["data"].update(n_labelled=1), "Only 1 row is known"),
        (lambda s: s["graph"].update(neighbor_recall=0.9), "90\u202f% of the true nearest"),
        (lambda s: s["prior"].update(value=0.01), "no positives among the others"),
        (
            lambda s: s["prior"].update(doubts={"no_signal": "the columns say nothing"}),
            "The prior is a guess: the columns say nothing.",
        ),
        (
            lambda s: s.update(suspects=[{"text": "'by' is filled in 9 of 9 labelled rows"}]),
            "A column knows which rows were labelled: 'by' is filled in 9 of 9 labelled rows.",
        ),
        (
            lambda s: s.update(
                labelling={"is_random_draw": False, "finding": "They differ.", "meaning": "Bias."}
            ),
            "They differ. Bias. Ask how the known positives came to be known",
        ),
        (lambda s: s["prior"].update(value=0.9999), "leaves no negatives"),
        (
            lambda s: s.update(hidden={"recall": 0.3, "standard_error": 0.1}),
            "Only 30\u202f% of the known positives were found again",
        ),
    ],
)
def test_alerts_in_plain_words(change, text, summary):
    plain = without_alerts(summary)
    change(plain)
    found = alerts(plain, {})
    assert any(text in alert["text"] for alert in found)
    assert text in parse(render({**plain, "alerts": found})).text


def test_alerts_of_one_method(paper, chooser):
    of_paper, of_chooser = without_alerts(paper[1]), without_alerts(chooser[1])
    of_paper["n_positive"] = of_chooser["n_positive"] = 10
    assert "no partition comes closer" in alerts(of_paper, {})[0]["text"]
    assert "rows with equal scores" in alerts(of_chooser, {})[0]["text"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("unreached", "No known row reaches 3 rows"),
        ("repeated", "3 rows repeat another one"),
    ],
)
def test_alerts_about_rows_can_list_them(kind, text, summary):
    plain = without_alerts(summary)
    (found,) = alerts(plain, {kind: np.array([3, 5, 8])})
    assert text in found["text"]
    assert unpacked(found["rows"]).tolist() == [3, 5, 8]
    assert 'data-filter="alert-0"' in render({**plain, "alerts": [found]})


def test_rows_that_repeat_another_are_found(table):
    X, y, _ = table
    X, y = np.vstack([X, X[[4, 9]]]), np.append(y, [0, 0])
    model = TwoHNCClassifier(prior=0.5, n_estimators=20, random_state=0).fit(X, y)
    (found,) = [a for a in summarise(model, X, y)["alerts"] if a["kind"] == "repeated"]
    assert unpacked(found["rows"]).tolist() == [220, 221]


def test_columns_that_are_not_used_are_an_alert(model, table):
    X, y, _ = table
    summary = summarise(model, X, y, notes=["'comment': not used, free text"])
    assert summary["alerts"][-1]["kind"] == "column"
    assert "'comment': not used, free text" in parse(render(summary)).text


def test_whether_the_labels_were_checked_is_said(model, table, summary):
    X, y, _ = table
    assert "was not checked here; pucut.check_labelling does" in parse(render(summary)).text
    check = LabellingCheck((), 0.5, True, 40, 3, 20)
    checked = summarise(model, X, y, labelling=check)
    assert checked["labelling"]["is_random_draw"] is None
    text = " ".join(parse(render(checked)).text.split())
    assert "It was checked. Whether labels were drawn at random cannot be told" in text
    assert "not checked here" not in text


def test_no_alert_is_said_too(summary):
    plain = without_alerts(summary)
    assert "Nothing in the table speaks against it" in parse(render({**plain, "alerts": []})).text
