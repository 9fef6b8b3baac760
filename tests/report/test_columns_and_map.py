"""The columns and the map of a report, against what NumPy and pandas say."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import OneClassPUClassifier, TwoHNCClassifier
from pucut.data.tables import read_table
from pucut.report import plane, render, summarise, unpacked
from pucut.report.columns import (
    MOST_COLUMNS,
    ColumnSource,
    column_facts,
    columns_shown,
    distribution_of,
    separation_of,
)
from pucut.report.values import percent, short_number

two_hnc = partial(TwoHNCClassifier, prior=0.5, n_estimators=20, random_state=0)

# Columns


def test_columns_of_a_data_frame(table):
    X, y, _ = table
    frame = pd.DataFrame(X.copy(), columns=["a", "b", "c", "<b>"])
    frame["kind"] = np.where(X[:, 0] > 1.5, "<b>", "plain")
    frame.loc[3, "a"] = np.nan
    frame.loc[4, "kind"] = None
    model = two_hnc().fit(frame, y)
    found = summarise(model, frame, y)
    by_name = {column["name"]: column for column in found["columns"]}
    assert set(by_name) == set(frame.columns)
    a, kind = by_name["a"], by_name["kind"]
    assert a["mean"] == pytest.approx(frame["a"].mean())
    assert a["mean_labelled"] == pytest.approx(frame["a"][y == 1].mean())
    assert a["deviation"] == pytest.approx(frame["a"].std(ddof=0))
    np.testing.assert_allclose(unpacked(a["values"]), frame["a"], rtol=1e-6)
    assert kind["categories"] == ["<b>", "plain"]
    assert kind["categories"][kind["usual"]] == frame["kind"].mode()[0]
    assert kind["categories"][kind["usual_labelled"]] == frame["kind"][y == 1].mode()[0]
    assert np.isnan(unpacked(kind["values"])[4])
    # The weights of the two features of "kind" count together.
    weights = {line["name"]: line["weight"] for line in found["weights"]}
    assert weights["kind"] == pytest.approx(model.feature_weights_[4:].sum() / 6)
    assert sum(weights.values()) == pytest.approx(1.0)
    named = pd.Series(model.feature_importances_, model.feature_names_in_)
    assert weights == pytest.approx(named.to_dict())
    assert found["data"]["n_columns"] == 5
    assert found["data"]["n_encoded"] == 6


def test_columns_of_a_sparse_table(table):
    X, y, _ = table
    dense = np.where(np.abs(X) > 1.0, X, 0.0)
    model = two_hnc().fit(sp.csr_array(dense), y)
    found = summarise(model, sp.csr_array(dense), y)
    for column in found["columns"]:
        number = int(column["name"].split()[1])
        np.testing.assert_allclose(unpacked(column["values"]), dense[:, number], rtol=1e-6)
        assert column["mean"] == pytest.approx(dense[:, number].mean())


def groups_of(known, found):
    known, found = np.array(known, dtype=bool), np.array(found, dtype=bool)
    return {"known": known, "found": found, "other": ~(known | found)}


def test_a_column_without_values():
    groups = groups_of([1, 0], [0, 0])
    source = ColumnSource("x", "number", "numbers")
    facts = column_facts(read_table(np.array([[np.nan], [np.nan]])), 0, "x", source, 1.0, groups)
    assert [facts[name] for name in ("mean", "mean_labelled", "deviation")] == [0.0] * 3
    assert (facts["n_missing"], facts["separation"]) == (2, 0.0)
    assert facts["distribution"]["medians"] == {"known": None, "found": None, "other": None}


def test_large_tables_show_the_heaviest_columns_only(monkeypatch):
    weights = np.array([1.0, 5.0, 5.0, 0.0, 2.0, 3.0])
    table = read_table(np.zeros((10, 6)))
    groups = groups_of(np.arange(10) < 2, np.zeros(10))
    assert columns_shown(table, weights, groups).tolist() == [1, 2, 5, 4, 0, 3]
    monkeypatch.setattr("pucut.report.columns.MOST_COLUMNS", 4)
    assert columns_shown(table, weights, groups).tolist() == [1, 2, 5, 4]


def test_without_weights_the_columns_that_separate_come_first():
    random = np.random.default_rng(0)
    groups = groups_of(np.arange(60) < 10, (np.arange(60) >= 10) & (np.arange(60) < 30))
    X = random.normal(size=(60, 3))
    X[groups["found"], 2] += 5.0
    assert columns_shown(read_table(X), None, groups)[0] == 2


def test_counts_of_each_group_are_those_of_pandas():
    random = np.random.default_rng(0)
    group = np.array(["known", "found", "other"])[random.integers(0, 3, 400)]
    groups = groups_of(group == "known", group == "found")
    frame = pd.DataFrame({"group": group, "size": random.normal(size=400)})
    frame["kind"] = random.choice(list("abcdefghij"), 400, p=np.arange(1, 11) / 55)
    frame["level"] = random.integers(0, 4, 400).astype(float)
    frame.loc[:20, ["size", "level"]] = np.nan

    sizes = distribution_of(frame["size"].to_numpy(), None, groups)
    assert sizes["medians"] == pytest.approx(frame.groupby("group")["size"].median().to_dict())
    for name, counts in sizes["counts"].items():
        assert sum(counts) == frame["size"][group == name].notna().sum()  # outliers at the ends
    edges = np.array(sizes["edges"])
    inside = frame["size"].between(edges[4], edges[5], inclusive="left")
    assert sizes["counts"]["found"][4] == (inside & (group == "found")).sum()

    levels = distribution_of(frame["level"].to_numpy(), None, groups)
    assert levels["values"] == ["0", "1", "2", "3"]
    assert levels["counts"]["other"] == [
        ((frame["level"] == level) & (group == "other")).sum() for level in range(4)
    ]

    codes = frame["kind"].map(list("abcdefghij").index).to_numpy(dtype=float)
    kinds = distribution_of(codes, list("abcdefghij"), groups)
    most = frame["kind"].value_counts().index[:6].tolist()
    assert sorted(kinds["values"][:6]) == sorted(most)
    assert kinds["values"][6] == "4 others"
    for name, counts in kinds["counts"].items():
        expected = [((frame["kind"] == value) & (group == name)).sum() for value in kinds["values"]]
        assert counts[:6] == expected[:6]
        assert sum(counts) == (group == name).sum()


def test_separation_against_pairs_and_shares():
    random = np.random.default_rng(1)
    values = random.integers(0, 9, 50).astype(float)
    groups = groups_of(np.arange(50) < 5, (np.arange(50) >= 5) & (values + random.random(50) > 5))
    inside, outside = values[groups["found"]], values[groups["other"]]
    larger = np.mean([(one > other) + 0.5 * (one == other) for one in inside for other in outside])
    assert separation_of(values, False, groups) == pytest.approx(abs(2 * larger - 1))
    shares = [[np.mean(part == code) for code in range(9)] for part in (inside, outside)]
    expected = np.abs(np.subtract(*shares)).sum() / 2
    assert separation_of(values, True, groups) == pytest.approx(expected)


def test_a_card_for_each_column(table):
    X, y, _ = table
    frame = pd.DataFrame(X.copy(), columns=["a", "b", "c", "d"])
    frame["kind"] = np.where(X[:, 0] > 1.5, "large", "small")
    frame.loc[:10, "c"] = np.nan
    summary = summarise(two_hnc().fit(frame, y), frame, y)
    cards = re.findall(r'<article class="card">.*?</article>', render(summary))
    assert [re.search("<h3>(.*?)</h3>", card)[1] for card in cards] == [
        column["name"] for column in summary["columns"]
    ]
    by_name = {column["name"]: card for column, card in zip(summary["columns"], cards, strict=True)}
    total = sum(line["weight"] for line in summary["weights"])
    for line in summary["weights"]:
        assert f"{percent(line['weight'] / total)} of the weight" in by_name[line["name"]]
    assert "numbers · 11 gaps (5\u202f%)" in by_name["c"]
    assert "2 categories · no gaps" in by_name["kind"]
    is_found = (unpacked(summary["rows"]["is_positive"]) == 1) & (y == 0)
    share = percent(float((frame["kind"][is_found] == "large").mean()))
    assert re.search(rf">large</th><td>.*?</td><td>.*?<span>{share}</span>", by_name["kind"])
    median = short_number(float(frame["a"][is_found].median()))
    assert f"median {median}" in by_name["a"]


def test_a_card_says_what_its_column_was_in_the_file(table):
    X, y, _ = table
    names = ["seen", "seen (weekday)", "note (cough)", "note (fever)"]
    frame = pd.DataFrame(np.abs(X.copy()), columns=names)
    frame["seen"] = np.floor(19_000 + 300 * X[:, 0])
    sources = {
        "seen": ColumnSource("seen", "date", "date with the day first", is_date=True),
        "seen (weekday)": ColumnSource("seen", "date", "weekday of the date 'seen'"),
        "note (cough)": ColumnSource("note", "text", "free text"),
        "note (fever)": ColumnSource("note", "text", "free text"),
    }
    model = two_hnc().fit(frame, y)
    summary = summarise(model, frame, y, sources=sources)
    assert summary["kinds"] == {"date": 1, "text": 1}
    assert (summary["data"]["n_columns"], summary["data"]["n_features"]) == (2, 4)
    weights = model.feature_importances_
    found = {line["name"]: line["weight"] for line in summary["weights"]}
    assert found == pytest.approx({"seen": weights[:2].sum(), "note": weights[2:].sum()})
    text = render(summary)
    cards = re.findall(r'<article class="card">.*?</article>', text)
    (seen,) = (card for card in cards if "<h3>seen</h3>" in card)
    assert "date with the day first · no gaps" in seen
    known = pd.to_datetime(frame["seen"][y == 1].median(), unit="D").date()
    assert f"median {known.isoformat()}" in seen
    assert "<dt>Columns</dt><dd>1 date, 1 text; as 4 features</dd>" in text
    assert "The 2 columns of the table were read as 4" in text
    without = summarise(model, frame, y)
    assert without["kinds"] == {"number": 4}


def test_known_negatives_are_a_group_of_their_own(table):
    X, y, truth = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    is_negative = (truth == 0) & (np.arange(len(y)) % 3 == 0)
    labels = np.where(y == 1, "yes", np.where(is_negative, "no", "open"))
    model = two_hnc(pos_label="yes", neg_label="no").fit(frame, labels)
    summary = summarise(model, frame, labels)
    probability = model.predict_proba(frame)[:, 1]
    counts = summary["probabilities"]["counts"]
    assert list(counts) == ["known", "found", "other", "negative"]
    expected = np.histogram(probability[is_negative], 20, (0.0, 1.0))[0]
    assert counts["negative"] == expected.tolist()
    assert summary["probabilities"]["means"]["negative"] == probability[is_negative].mean()
    for column in summary["columns"]:
        medians = column["distribution"]["medians"]
        assert medians["negative"] == pytest.approx(frame[column["name"]][is_negative].median())
        assert sum(column["distribution"]["counts"]["negative"]) == is_negative.sum()
    text = render(summary)
    assert f"known negative ({is_negative.sum()})" in text
    assert "swatch-known-negative" in text
    assert 'class="swatch-known-negative"' not in render(summarise(two_hnc().fit(X, y), X, y))


def test_a_wide_table_keeps_the_page_small():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 1000))
    y = np.arange(60) < 20
    model = OneClassPUClassifier(prior=0.6).fit(X, y)
    summary = summarise(model, X, y)
    assert len(summary["columns"]) == MOST_COLUMNS
    apart = [column["separation"] for column in summary["columns"]]
    assert apart == sorted(apart, reverse=True)
    assert len(render(summary)) < 300_000


def test_lists_are_read_as_fit_reads_them(table):
    X, y, _ = table
    rows = [[value, "many" if value > 0 else "few"] for value in X[:, 0].tolist()]
    model = two_hnc().fit(rows, y)
    found = {column["name"]: column for column in summarise(model, rows, y)["columns"]}
    assert found["column 0"]["categories"] is None
    assert found["column 1"]["categories"] == ["few", "many"]


def test_the_weights_of_the_chooser_are_those_of_its_first_space(chooser):
    model, summary = chooser
    assert summary["space"] == model.mixture_.spaces[0].name
    weights = {line["name"]: line["weight"] for line in summary["weights"]}
    expected = model.mixture_.spaces[0].weights
    found = [weights[f"column {number}"] for number in range(4)]
    assert found == pytest.approx((expected / expected.sum()).tolist())
    assert f"The weights are those of the space “{summary['space']}”" in render(summary)


def test_columns_that_all_count_the_same(table):
    X, y, _ = table
    model = two_hnc(feature_weights=None).fit(X, y)
    assert "All of them count the same." in render(summarise(model, X, y))


# The map


def test_the_map_is_that_of_singular_vectors():
    random = np.random.default_rng(0)
    points = random.normal(size=(200, 5)) * [5.0, 3.0, 1.0, 0.5, 0.1]
    found = plane.plane_of(points, 0)
    centred = points - points.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    for axis in (0, 1):
        expected = left[:, axis] * size[axis]
        low, high = np.quantile(expected, plane.FRAME)
        expected = np.clip((expected - low) / (high - low), 0.0, 1.0)
        place = found.place[:, axis] / 65535
        assert min(np.abs(place - expected).max(), np.abs(1 - place - expected).max()) < 1e-4
    assert found.explained == pytest.approx((size[:2] ** 2).sum() / (size**2).sum())
    assert found.drawn.tolist() == list(range(200))
    sparse = plane.plane_of(sp.csr_array(points), 0)
    np.testing.assert_allclose(sparse.explained, found.explained)


@pytest.mark.parametrize("shape", [(4, 1), (3, 2), (20, 3)])
def test_a_map_of_points_that_are_all_the_same(shape):
    found = plane.plane_of(np.ones(shape), 0)
    assert found.place.shape == (shape[0], 2)
    assert found.explained == 0.0


def test_of_many_rows_a_sample_is_drawn():
    points = np.random.default_rng(0).normal(size=(6000, 2))
    drawn = plane.plane_of(points, 0).drawn
    assert len(drawn) == plane.MOST_DRAWN
    assert (np.diff(drawn) > 0).all()
    assert plane.plane_of(points, 0).drawn.tolist() == drawn.tolist()
    assert plane.plane_of(points, 1).drawn.tolist() != drawn.tolist()
