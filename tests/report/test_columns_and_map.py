"""The columns and the map of a report, against what NumPy and pandas say."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import TwoHNCClassifier
from pucut.data.tables import read_table
from pucut.report import plane, render, summarise, unpacked
from pucut.report.columns import column_facts, columns_shown

two_hnc = partial(TwoHNCClassifier, prior=0.5, n_estimators=20, random_state=0)

# Columns


def test_columns_of_a_data_frame(table):
    X, y, _ = table
    frame = pd.DataFrame(X, columns=["a", "b", "c", "<b>"])
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
    assert weights["kind"] == pytest.approx(model.feature_weights_[4:].sum())
    assert sum(weights.values()) == pytest.approx(model.feature_weights_.sum())
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


def test_a_column_without_values():
    facts = column_facts(
        read_table(np.array([[np.nan], [np.nan]])), 0, "x", 1.0, np.array([True, False])
    )
    assert (facts.mean, facts.mean_labelled, facts.deviation) == (0.0, 0.0, 0.0)


def test_large_tables_show_the_heaviest_columns_only():
    weights = np.array([1.0, 5.0, 5.0, 0.0, 2.0, 3.0])
    assert columns_shown(weights, 10).tolist() == [1, 2, 5, 4, 0, 3]
    assert columns_shown(weights, 1_000_000).tolist() == [1, 2, 5, 4]


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
    assert [weights[f"column {number}"] for number in range(4)] == expected.tolist()
    assert f"in the space that the tables call “{summary['space']}”" in render(summary)


def test_columns_that_all_count_the_same(table):
    X, y, _ = table
    model = two_hnc(feature_weights=None).fit(X, y)
    assert "4 columns all count the same" in render(summarise(model, X, y))


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
