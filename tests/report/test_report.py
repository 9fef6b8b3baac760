"""What a report says of a fitted 2-HNC: numbers against oracles, names that would break a page."""

import json
import os
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pucut import TwoHNCClassifier, report
from pucut.comparison import Comparison, MethodScores
from pucut.cuts.parametric_cut import parametric_cut
from pucut.cuts.two_stages import Partition
from pucut.data.labels import checked_pu_labels
from pucut.data.tables import read_table
from pucut.priors.result import PriorEstimate
from pucut.report import page, plane, render, summarise, unpacked
from pucut.report.cautions import cautions
from pucut.report.columns import column_facts, columns_shown
from pucut.report.packing import packed
from pucut.report.reasons import chains_to_labels, labelled_neighbors, turning_priors
from pucut.scores.thresholds import positives_by_prior
from tests.helpers.pu_contract import pu_table

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'"


@pytest.fixture(scope="module")
def table():
    return pu_table(220)


@pytest.fixture(scope="module", params=["paper", "default"])
def model(request, table):
    X, y, _ = table
    given = {"preset": "paper"} if request.param == "paper" else {}
    return TwoHNCClassifier(random_state=0, **given).fit(X, y)


@pytest.fixture(scope="module")
def summary(model, table):
    X, y, _ = table
    return summarise(model, X, y)


@pytest.fixture(scope="module")
def paper(table):
    X, y, _ = table
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(X, y)
    return model, summarise(model, X, y)


def two_islands(n_lost=30):
    """Labels on one island only: no label reaches the rows of the other."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60 + n_lost, 2)) * 0.1
    X[30:60] += 5.0
    X[60:] += 50.0
    X[60:, 0] += np.linspace(0, 3, n_lost)
    y = np.zeros(60 + n_lost, dtype=int)
    y[:15] = 1
    return X, y


# Numbers


def test_the_summary_is_plain_json(summary):
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text) == summary
    assert summary["schema"] == "pucut-report/1"


def test_the_same_input_gives_the_same_page(model, table, summary):
    X, y, _ = table
    again = summarise(model, X, y)
    assert {**again, "seconds": None} == {**summary, "seconds": None}
    assert render(again) == render(summary)


def test_packed_arrays_come_back():
    for dtype, values in (("int32", [-1, 2**31 - 1]), ("float32", [0.5, np.nan]), ("uint8", [])):
        np.testing.assert_array_equal(unpacked(packed(values, dtype)), np.array(values))
    with pytest.raises(ValueError, match="do not fit into uint8: largest is 256"):
        packed([1, 256], "uint8")
    with pytest.raises(ValueError, match="type must be one of"):
        unpacked({"type": "complex64", "base64": ""})


def test_every_step_is_the_cut_of_its_lambda(model, summary):
    for stage, path in zip(summary["stages"], (model.stage1_, model.stage2_), strict=True):
        lams, turn = unpacked(stage["lam"]), unpacked(stage["turn"])
        sizes = unpacked(stage["n_positive"])
        assert (np.diff(lams) > 0).all()
        # No partition is left out: one a breakpoint, and the ends of the range.
        assert set(path.breakpoints) <= set(lams)
        for step, lam in enumerate(lams):
            expected = path.source_set(lam)
            found = turn >= step if stage["stage"] == 1 else turn <= step
            np.testing.assert_array_equal(found, expected)
            assert sizes[step] == expected.sum()


def test_the_chosen_step_is_the_partition(paper):
    model, summary = paper
    choice = summary["choice"]
    assert choice["stage"] == model.partition_.stage
    assert choice["lam"] == model.partition_.lam
    stage = summary["stages"][choice["stage"] - 1]
    assert unpacked(stage["lam"])[choice["step"]] == model.partition_.lam
    assert choice["n_differing"] == 0
    assert choice["n_positive"] == model.transduction_.sum()


def test_classes_that_are_no_cut_are_said_to_differ(paper, table):
    X, y, _ = table
    model, _ = paper
    other = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(X, y)
    flipped = np.flatnonzero(y == 0)[[0, 7, 30]]
    other.transduction_ = other.transduction_.copy()
    other.transduction_[flipped] = 1 - other.transduction_[flipped]
    found = summarise(other, X, y)
    assert found["choice"]["n_differing"] == 3
    assert any("differ in 3 samples" in text for text in found["cautions"])
    np.testing.assert_array_equal(
        unpacked(found["rows"]["is_positive"]) != model.transduction_,
        np.isin(np.arange(220), flipped),
    )


def test_rows_hold_what_the_estimator_says(model, table, summary):
    X, y, _ = table
    rows = summary["rows"]
    np.testing.assert_array_equal(unpacked(rows["is_labelled"]), y)
    np.testing.assert_array_equal(unpacked(rows["is_positive"]), model.transduction_)
    probability = unpacked(rows["probability"])
    np.testing.assert_allclose(probability, model.predict_proba(X)[:, 1], rtol=1e-6)
    np.testing.assert_allclose(unpacked(rows["score"]), model.scores_, rtol=1e-6, atol=1e-7)
    order = unpacked(rows["order"])
    assert sorted(order) == list(range(len(X)))
    assert (np.diff(model.scores_[order]) <= 0).all()
    place = unpacked(rows["negative_place"])
    for expected, row in enumerate(model.negative_ranking_, start=1):
        assert place[row] == expected
    assert (place[y == 1] == 0).all()
    likely = np.flatnonzero(unpacked(rows["is_likely_negative"]))
    assert likely.tolist() == sorted(model.likely_negative_)


def test_labelled_neighbours_are_those_of_a_plain_search(model, table):
    _, y, _ = table
    graph = model.graph_.toarray()
    found = labelled_neighbors(model.graph_, y == 1, 3)
    for row in range(len(graph)):
        near = [other for other in np.flatnonzero(graph[row]) if y[other] and other != row]
        near = sorted(near, key=lambda other: (-graph[row, other], other))[:3]
        assert [other for other in found.row[row] if other >= 0] == near
        np.testing.assert_allclose(found.weight[row, : len(near)], graph[row, near])


def test_chains_are_the_strongest():
    random = np.random.default_rng(1)
    upper = np.triu(random.random((25, 25)) * (random.random((25, 25)) < 0.12), 1)
    graph = upper + upper.T
    is_labelled = np.zeros(25, dtype=bool)
    is_labelled[:2] = True
    # Bellman and Ford: the best product of weights in up to 25 steps.
    best = is_labelled.astype(float)
    for _ in range(25):
        best = np.maximum(best, (graph * best).max(axis=1))
    towards = chains_to_labels(sp.csr_array(graph), is_labelled)
    assert (best == 0.0).any()
    assert ((best > 0.0) & (best < 1.0)).sum() > 5
    for row in range(25):
        strength, at = 1.0, row
        while towards[at] >= 0:
            strength *= graph[at, towards[at]]
            at = towards[at]
        assert is_labelled[at] == (best[row] > 0.0)
        if best[row] > 0.0:
            assert strength == pytest.approx(best[row])


def test_the_turning_prior_is_where_a_row_turns(paper, table):
    _, y, _ = table
    model, summary = paper
    turning = unpacked(summary["rows"]["turning_prior"])
    labels = checked_pu_labels(y)
    np.testing.assert_allclose(turning, turning_priors(model.scores_, y == 1), rtol=1e-6)
    assert (turning[y == 1] == 0.0).all()
    step = 1.0 / len(y)
    for row in np.flatnonzero(y == 0):
        if turning[row] + step < 1.0:
            assert positives_by_prior(model.scores_, labels, turning[row] + step)[row]
        if turning[row] - step > labels.labelled_share:
            assert not positives_by_prior(model.scores_, labels, turning[row] - step)[row]


def test_sensitivity_cuts_the_same_ranking_elsewhere(paper):
    model, summary = paper
    rows = summary["rows"]
    is_labelled = unpacked(rows["is_labelled"]) == 1
    before = unpacked(rows["is_positive"]) == 1
    assert [line["move"] for line in summary["sensitivity"]] == [-0.1, -0.05, 0.05, 0.1]
    falling = np.sort(model.scores_[~is_labelled])[::-1]
    some_changed = 0
    for line in summary["sensitivity"]:
        wanted = np.floor(line["prior"] * len(before) - is_labelled.sum() + 0.5)
        # Rows of equal score stay together: of all such cuts the nearest in size.
        sizes = [
            n
            for n in range(len(falling) + 1)
            if n in (0, len(falling)) or falling[n - 1] > falling[n]
        ]
        size = min(sizes, key=lambda n: (abs(n - wanted), n))
        now = is_labelled | (model.scores_ >= (falling[size - 1] if size else np.inf))
        assert unpacked(line["to_positive"]).tolist() == np.flatnonzero(now & ~before).tolist()
        assert unpacked(line["to_negative"]).tolist() == np.flatnonzero(before & ~now).tolist()
        assert line["n_to_positive"] == np.count_nonzero(now & ~before)
        some_changed += line["n_to_positive"] + line["n_to_negative"]
    assert some_changed > 10


def test_priors_below_the_labelled_share_are_not_asked_for(table):
    X, y, _ = table
    prior = float(y.mean()) + 0.02
    found = summarise(TwoHNCClassifier(preset="paper", prior=prior, random_state=0).fit(X, y), X, y)
    assert [line["is_possible"] for line in found["sensitivity"]] == [False, False, True, True]
    assert "not possible with these labels" in render(found)


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


# Columns


def test_columns_of_a_data_frame(table):
    X, y, _ = table
    frame = pd.DataFrame(X, columns=["a", "b", "c", HOSTILE])
    frame["kind"] = np.where(X[:, 0] > 1.5, "<b>", "plain")
    frame.loc[3, "a"] = np.nan
    frame.loc[4, "kind"] = None
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(frame, y)
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
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(sp.csr_array(dense), y)
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
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0).fit(rows, y)
    found = {column["name"]: column for column in summarise(model, rows, y)["columns"]}
    assert found["column 0"]["categories"] is None
    assert found["column 1"]["categories"] == ["few", "many"]


def test_columns_that_all_count_the_same(table):
    X, y, _ = table
    model = TwoHNCClassifier(preset="paper", prior=0.5, feature_weights=None).fit(X, y)
    assert "4 columns count the same" in parse(render(summarise(model, X, y))).text


# Other kinds of graphs


def test_rows_without_a_label_in_reach():
    X, y = two_islands()
    model = TwoHNCClassifier(preset="paper", prior=0.8, random_state=0).fit(X, y)
    assert model.n_unreached_ > 0
    found = summarise(model, X, y)
    is_reached = unpacked(found["rows"]["is_reached"])
    assert np.count_nonzero(is_reached == 0) == model.n_unreached_
    assert (unpacked(found["rows"]["towards_label"])[is_reached == 0] == -1).all()
    # The prior wants some of them: the partition is no cut, but still one of the steps.
    assert found["choice"]["n_differing"] == 0
    text = render(found)
    assert "Samples no label reaches" in text
    assert any(f"No label reaches {model.n_unreached_} samples" in c for c in found["cautions"])


@pytest.mark.parametrize("kind", ["similarities", "distances", "forest", "nearest"])
def test_given_graphs_and_other_similarities(kind, table, paper):
    X, y, _ = table
    if kind == "similarities":
        X = paper[0].graph_
        model = TwoHNCClassifier(preset="paper", prior=0.5, similarity="precomputed")
    elif kind == "distances":
        from sklearn.neighbors import kneighbors_graph

        X = kneighbors_graph(X, 15, mode="distance")
        model = TwoHNCClassifier(preset="paper", prior=0.5, neighbors="precomputed", n_neighbors=10)
    elif kind == "forest":
        model = TwoHNCClassifier(preset="paper", prior=0.5, similarity="forest", random_state=0)
    else:
        model = TwoHNCClassifier(preset="paper", prior=0.5, inductive="nearest", random_state=0)
    found = summarise(model.fit(X, y), X, y)
    assert found["data"]["is_pairwise"] == (kind in ("similarities", "distances"))
    text = render(found)
    assert ("What counts in a distance" in text) == (not found["data"]["is_pairwise"])


@pytest.mark.parametrize(
    ("X", "n_labelled", "prior"),
    [
        (np.array([[0.0], [1.0]]), 1, 0.6),
        (np.array([[0.0], [1.0], [2.0]]), 1, 0.5),
        (np.ones((30, 3)), 5, 0.4),
        (np.arange(40.0)[:, None], 10, 0.25),
        (np.arange(40.0)[:, None] * 1e40, 10, 0.99),
        (sp.csr_array(np.eye(20)[:, :2]), 5, 0.5),
    ],
    ids=["two rows", "three rows", "all the same", "no prior left", "huge", "sparse"],
)
def test_small_and_strange_tables(X, n_labelled, prior):
    y = np.arange(X.shape[0]) < n_labelled
    model = TwoHNCClassifier(preset="paper", prior=prior, random_state=0).fit(X, y)
    found = summarise(model, X, y)
    assert found["choice"]["n_differing"] == 0
    n_positive = np.count_nonzero(model.transduction_)
    assert f"{n_positive} of {X.shape[0]} samples are taken for positive" in render(found)


def test_what_was_tried_is_shown(paper, table):
    X, y, _ = table
    model, _ = paper
    tried = [
        {"graph": "5 neighbours", "hidden_recall": np.float64(0.91234), "chosen": True},
        {"graph": HOSTILE, "hidden_recall": np.nan, "chosen": np.bool_(False), "why": "slow"},
    ]
    for form in (tried, pd.DataFrame(tried), [SelectionLine(**line) for line in tried]):
        model.selection_ = form
        try:
            found = summarise(model, X, y)
        finally:
            del model.selection_
        selection = found["choice"]["selection"]
        assert selection["columns"] == ["graph", "hidden_recall", "chosen", "why"]
        assert selection["lines"][0] == ["5 neighbours", 0.91234, True, None]
        assert selection["lines"][1][1] is None
        parsed = parse(render(found))
        assert "0.9123" in parsed.text
        assert HOSTILE in parsed.text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda s: s["prior"].update(is_upper_bound=True, interval=[0.2, 0.9]), "upper bound"),
        (lambda s: s["prior"].update(is_given=False, interval=[0.2, 0.9]), "uncertain"),
        (lambda s: s["data"].update(n_labelled=5), "Only 5 samples are labelled"),
        (lambda s: s["data"].update(n_labelled=1), "Only 1 sample is labelled"),
        (lambda s: s["choice"].update(n_unreached=3), "No label reaches 3 samples"),
        (lambda s: s["choice"].update(neighbor_recall=0.9), "90\u202f% of the true nearest"),
        (lambda s: s["prior"].update(value=0.01), "no positives among the unlabelled"),
        (lambda s: s["prior"].update(value=0.9999), "leaves no negatives"),
        (lambda s: s["choice"].update(n_positive=10), "no partition comes closer"),
        (lambda s: s["choice"].update(n_differing=2), "differ in 2 samples"),
    ],
)
def test_cautions_in_plain_words(change, text, paper):
    plain = json.loads(json.dumps(paper[1]))
    plain["prior"]["interval"] = None
    plain["choice"].update(n_unreached=0, n_differing=0, n_positive=110)
    assert cautions(plain) == []
    change(plain)
    found = cautions(plain)
    assert any(text in caution for caution in found)
    assert text in parse(render({**plain, "cautions": found})).text


# The page


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


@dataclass
class SelectionLine:
    graph: str
    hidden_recall: float
    chosen: bool
    why: str | None = None


def parse(text):
    return Parsed(text)


def test_names_that_would_break_a_page_are_only_text(table):
    X, y, _ = table
    labels = np.where(y == 1, HOSTILE, "<!--")
    frame = pd.DataFrame(X, columns=[HOSTILE, "<script>alert(1)</script>", "${x}", "$title"])
    model = TwoHNCClassifier(preset="paper", prior=0.5, random_state=0, pos_label=HOSTILE)
    model.fit(frame, labels)
    names = [f"{HOSTILE}{row}" for row in range(len(X))]
    summary = summarise(model, frame, labels, ids=names)
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
    with pytest.raises(ValueError, match="schema 'pucut-report/1', as summarise makes it, found 2"):
        report.write(path, {**summary, "schema": 2})
    with pytest.raises(ValueError, match="Out of range float"):
        report.write(path, {**summary, "extra": float("nan")})
    assert path.read_text(encoding="utf-8") == render(summary)
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(FileNotFoundError):
        report.write(tmp_path / "nowhere" / "report.html", summary)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"ids": ["a"]}, ValueError, "ids must name the 220 rows of X, found 1 names"),
        ({"feature_names": ["a"]}, ValueError, "must name the 4 columns of X, found 1 names"),
        ({"X": np.ones((3, 4))}, ValueError, "with 220 rows, found 3 rows"),
        ({"y": [0, 1]}, ValueError, "X has 220 rows, y has 2 labels"),
    ],
)
def test_errors_say_what_was_found(change, error, match, paper, table):
    X, y, _ = table
    given = {"X": X, "y": y} | change
    with pytest.raises(error, match=match):
        summarise(paper[0], given.pop("X"), given.pop("y"), **given)


def test_other_estimators_are_refused(table):
    from pucut import PUExtraTreesClassifier

    X, y, _ = table
    other = PUExtraTreesClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="TwoHNCClassifier, found PUExtraTreesClassifier without"):
        summarise(other, X, y)
    with pytest.raises(ValueError, match="not fitted"):
        summarise(TwoHNCClassifier(), X, y)


# What notebooks show


def test_results_have_a_small_html_form():
    estimate = PriorEstimate(0.5, 0.4, (0.4, 0.6), "<b>auto</b>", False, 10, 50)
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


def test_the_page_says_how_the_classes_came_about(model, summary):
    page = render(summary)
    if model.preset == "paper":
        assert "on the positive side of the cut whose share of positives comes closest" in page
        assert "Of all partitions of both stages" in page
        return
    assert "rank highest and are taken for positive too" in page
    assert "by how many labelled samples they find that were hidden from them" in page
    lines = summary["choice"]["selection"]["lines"]
    assert [line[0] for line in lines] == [candidate.name for candidate in model.selection_]
