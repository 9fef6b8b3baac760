"""Estimates of time and memory: how they grow, what is refused, and how limits are given."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from pucut import PUCutClassifier, TwoHNCClassifier
from pucut._support.memory import available_memory, checked_memory_limit, readable_bytes
from pucut.judging import places, scorers, weights
from pucut.methods.plan import SMALLEST_SEARCH_BYTES, Plan, check_fits
from pucut.methods.pu_cut import _cuts


@pytest.mark.parametrize(
    ("limit", "n_bytes"),
    [
        (None, None),
        (1, 1),
        (2.5e9, 2_500_000_000),
        (np.int64(7), 7),
        ("8GB", 8 * 10**9),
        ("1.5 gib", 3 << 29),
        (" 500 MB ", 500 * 10**6),
        ("12b", 12),
    ],
)
def test_limits_as_users_say_them(limit, n_bytes):
    assert checked_memory_limit(limit) == n_bytes


@pytest.mark.parametrize(
    "limit", [0, -1, True, np.nan, np.inf, "", "8", "GB", "8 XB", "-1GB", "0GB", [8], "1e3 MB"]
)
def test_other_limits_are_refused(limit):
    with pytest.raises(ValueError, match="memory_limit must be None, a number of bytes above 0"):
        checked_memory_limit(limit)


def test_sizes_in_words():
    assert [readable_bytes(size) for size in (512, 5_000_000, 1_234_567_890, 3e12)] == [
        "0.512 kB", "5 MB", "1.23 GB", "3 TB"
    ]  # fmt: skip


def test_the_machine_has_some_memory():
    free = available_memory()
    assert free is None or free > 1 << 20


BOTH = pytest.mark.parametrize("method", [TwoHNCClassifier, PUCutClassifier])


def estimated(method, n_rows, n_features, dtype=np.float64, **options):
    """Of a table that takes no memory: the same row again and again."""
    X = np.broadcast_to(np.zeros(n_features, dtype), (n_rows, n_features))
    return method(prior=0.3, **options).estimate(X)


@BOTH
def test_estimates_grow_with_rows_features_and_neighbours(method):
    small = estimated(method, 10**6, 20)
    for more in (
        estimated(method, 2 * 10**6, 20),
        estimated(method, 10**6, 40),
        estimated(method, 10**6, 20, n_neighbors=30),
    ):
        assert more.bytes > small.bytes
        assert more.seconds > small.seconds
    narrow = estimated(method, 10**6, 20, np.float32)
    assert narrow.bytes < small.bytes
    assert estimated(method, 10**6, 20, n_jobs=2).seconds < small.seconds


def test_the_chooser_takes_more_than_the_paper():
    paper = estimated(TwoHNCClassifier, 10**6, 20)
    chooser = estimated(PUCutClassifier, 10**6, 20)
    assert chooser.seconds > paper.seconds
    assert chooser.bytes > paper.bytes
    assert (paper.method, chooser.method) == ("2-HNC", "pucut")
    assert [stage.name for stage in paper.stages] == ["encoding", "trees", "neighbours", "cuts"]
    assert chooser.stages[3].name == "kernels"


def test_few_labels_make_the_chooser_repeat_its_work():
    """A fold for each fifth of the labels, up to five; the paper's method does not care."""
    size = (10**6, 20)
    chooser, paper = PUCutClassifier(prior=0.3), TwoHNCClassifier(prior=0.3)
    many, some, few = (chooser.estimate(size, n_labelled=n) for n in (3000, 100, 10))
    assert many == chooser.estimate(size)
    # Where most positives are labelled, one fold is enough with fewer labels.
    assert many.seconds < chooser.estimate(size, n_labelled=600).seconds
    rare, unknown = PUCutClassifier(prior=0.001), PUCutClassifier()
    assert rare.estimate(size, n_labelled=600) == many
    assert unknown.estimate(size, n_labelled=600).seconds > unknown.estimate(size).seconds
    # With few labels nothing could judge rounds.
    assert {each.name for each in many.stages} - {each.name for each in few.stages} == {"rounds"}
    for less, more in ((many, some), (some, few)):
        repeated = [each for each in less.stages[1:] if each.name != "rounds"]
        for before, after in zip(repeated, more.stages[1:], strict=True):
            assert after.seconds > before.seconds, after.name
            assert after.bytes > before.bytes, after.name
    assert paper.estimate(size, n_labelled=10) == paper.estimate(size)


def test_fit_executes_the_plan_of_the_chooser(monkeypatch):
    """Searches, cuts and forests, counted while it runs, if all candidates have weight."""
    monkeypatch.setattr(weights, "CLEARLY_BEHIND", np.inf)
    counted = {"searches": 0, "cuts": 0, "trees": 0, "regressions": 0}

    def watch(place, name, key, amount=lambda *_, **__: 1):
        function = getattr(place, name)

        def watched(*arguments, **options):
            counted[key] += amount(*arguments, **options)
            return function(*arguments, **options)

        monkeypatch.setattr(place, name, watched)

    watch(places, "weighted_space", "searches")
    watch(scorers, "fit_kernel_ridge", "regressions")
    watch(_cuts, "score_cut", "cuts")
    watch(places, "grow_forest", "trees", lambda *_, n_trees, **__: n_trees)
    watch(
        places,
        "cross_fitted_forest",
        "trees",
        lambda *_, n_trees, n_folds, **__: n_trees * n_folds,
    )
    # Columns with a scale in common, so that every space is there.
    X = np.random.default_rng(0).normal(size=(200, 20)) * np.repeat([1.0, 3.0], 10)
    for n_labelled in (30, 60):
        counted.update(dict.fromkeys(counted, 0))
        model = PUCutClassifier(
            prior=0.5,
            embeddings=[PCA(3), LinearDiscriminantAnalysis()],
            n_estimators=50,
            random_state=0,
        ).fit(X, np.arange(200) < n_labelled)
        plan = model._plan(200, 5, 8, n_labelled)
        assert counted["searches"] == plan.n_searches
        assert counted["regressions"] == plan.n_searches
        assert counted["cuts"] == plan.n_cuts
        assert counted["trees"] == pytest.approx(plan.n_forests * 50)
        assert len([c for c in model.selection_ if c.kind == "score"]) == plan.n_scores
        assert len([c for c in model.selection_ if c.kind == "cut"]) == plan.n_kinds + 1


def test_a_limit_takes_memory_from_the_search_first():
    free = estimated(TwoHNCClassifier, 10**7, 50, np.float32)
    assert free.search_bytes == 10**7 * 52 * 4
    tight = estimated(TwoHNCClassifier, 10**7, 50, np.float32, memory_limit=free.bytes // 2)
    assert SMALLEST_SEARCH_BYTES <= tight.search_bytes < free.search_bytes
    # The stages are those of the estimate without a limit but for the search.
    apart = [s.name for s, t in zip(free.stages, tight.stages, strict=True) if s != t]
    assert apart == ["neighbours"]
    saved = free.stages[2].bytes - tight.stages[2].bytes
    assert saved >= free.search_bytes - tight.search_bytes
    assert tight.stages[2].bytes <= free.bytes // 2


def test_refused_with_the_numbers():
    needed = estimated(TwoHNCClassifier, 10**7, 20, memory_limit=10**9)
    with pytest.raises(MemoryError) as refused:
        check_fits(needed, 10**9, is_given=True)
    text = str(refused.value)
    assert readable_bytes(needed.bytes) in text
    assert "10000000 x 20" in text
    assert "memory_limit is 1 GB" in text
    for stage in needed.stages:
        assert f"{stage.name} {readable_bytes(stage.bytes)}" in text
    rows = int(re.search(r"fit about (\d+) rows", text)[1])
    assert estimated(TwoHNCClassifier, rows, 20).bytes < 1.1 * 10**9
    check_fits(needed, needed.bytes, is_given=True)
    with pytest.raises(MemoryError, match="memory_limit is None, and the machine has 1 GB"):
        check_fits(needed, 10**9, is_given=False)


@BOTH
def test_who_needs_more_is_told_of_what_needs_less(method):
    with pytest.raises(MemoryError) as refused:
        check_fits(estimated(method, 10**7, 20), 10**9, is_given=True)
    advised = "use TwoHNCClassifier, which needs less" in str(refused.value)
    assert advised == (method is PUCutClassifier)


def test_of_a_model_without_reading_the_table():
    model = TwoHNCClassifier(prior=0.3, n_neighbors=[3, 8], n_estimators=10, n_jobs=1)
    X = np.zeros((200, 4), dtype=np.float32)
    plan = Plan("2-HNC", 200, 4, 4, 1, n_estimators=10, listed=8, graph_neighbors=8)
    expected = plan.price()
    assert model.estimate(X) == expected
    assert model.estimate(pd.DataFrame(X, columns=list("abcd"))) == expected
    assert model.estimate((200, 4)).stages[0].bytes > expected.stages[0].bytes
    with pytest.raises(ValueError, match="two dimensions"):
        model.estimate(np.zeros(3))
    # An estimate of the prior comes first, of as many rows as it draws.
    first, *others = model.set_params(prior="auto").estimate(X).stages
    assert tuple(others) == expected.stages
    assert (first.name, first.seconds > 0.0) == ("prior", True)
    large, larger = (model.estimate((n_rows, 4)).stages[0] for n_rows in (20_000, 10**7))
    assert large == larger
    assert large.seconds > first.seconds


@BOTH
def test_fit_refuses_before_it_starts(method):
    X = np.random.default_rng(0).normal(size=(400, 5))
    y = np.arange(400) % 3 == 0
    model = method(prior=0.5, memory_limit="10 kB")
    with pytest.raises(MemoryError, match=r"memory_limit is 10 kB"):
        model.fit(X, y)
    assert not hasattr(model, "prior_")
    with pytest.raises(ValueError, match="memory_limit must be None"):
        model.set_params(memory_limit="much").fit(X, y)


def test_fit_asks_the_machine_where_no_limit_is_given(monkeypatch):
    X = np.random.default_rng(0).normal(size=(400, 5))
    y = np.arange(400) % 3 == 0
    monkeypatch.setattr("pucut.methods.sized.available_memory", lambda: 1000)
    model = TwoHNCClassifier(prior=0.5, random_state=0)
    model.fit(X, y)  # so small that nobody asks
    monkeypatch.setattr("pucut.methods.sized.ALWAYS_TRIED", 0)
    with pytest.raises(MemoryError, match="memory_limit is None, and the machine has 1 kB"):
        model.fit(X, y)
