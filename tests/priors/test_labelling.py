"""The check of the labels: it fires where it should, stays quiet where it should, and says so."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import false_discovery_control, mannwhitneyu

from pucut import check_labelling
from pucut.datasets import biased_labels, pu_split
from pucut.priors import labelling


def problem(n_rows=400, prior=0.5, seed=0):
    """Columns 0 and 1 tell the classes apart; 2 and 3 say nothing about them."""
    random = np.random.RandomState(seed)
    is_positive = np.arange(n_rows) < prior * n_rows
    X = random.normal(size=(n_rows, 4))
    X[is_positive, :2] += 3.0
    return X, is_positive


@pytest.mark.parametrize("seed", range(4))
def test_it_fires_under_strong_bias_and_names_the_column(seed):
    X, is_positive = problem(600, seed=seed)
    drawn = biased_labels(X, is_positive, [2], 2.0, 0.4, random_state=seed)
    check = check_labelling(X, drawn.is_labelled, prior=0.5, random_state=seed)
    assert check.is_random_draw is False
    assert check.columns[0] == "column 2"
    first = check.differences[0]
    assert first.labelled > first.others
    assert first.difference > 0.3
    assert abs(first.expected) < first.difference / 2.0


@pytest.mark.parametrize(("prior", "n_draws", "most"), [(0.5, 30, 5), ("auto", 10, 3)])
def test_alarms_are_rare_where_labels_are_random(prior, n_draws, most):
    """One in twenty is meant: more than these have a chance of less than two in a hundred."""
    alarms = 0
    for seed in range(n_draws):
        X, is_positive = problem(300, seed=seed)
        y = pu_split(is_positive, 0.4, random_state=seed)
        alarms += not check_labelling(X, y, prior=prior, random_state=seed).is_random_draw
    assert alarms <= most


def test_where_classes_overlap_columns_must_differ_at_the_smaller_prior_too(monkeypatch):
    """At a prior that is too large negatives are found, and these differ in any case."""
    X, is_positive = problem(400, 0.3)
    y = pu_split(is_positive, 0.4, random_state=0)

    def check(biased, random, overlap):
        found = {
            "biased": SimpleNamespace(prior=biased),
            "random": SimpleNamespace(prior=random, diagnostics={"negatives_passing": overlap}),
        }
        monkeypatch.setattr(
            labelling, "estimate_prior", lambda X, y, labelling="random", **_: found[labelling]
        )
        return check_labelling(X, y, random_state=0)

    too_large = check(0.7, 0.3, 0.4)
    assert too_large.lower_prior is None
    assert set(too_large.columns) >= {"column 0", "column 1"}
    both = check(0.7, 0.3, 0.6)
    assert both.is_random_draw
    assert (both.prior, both.lower_prior) == (0.7, 0.3)
    assert "at a prior of 0.70 (and again at 0.30)" in str(both)
    assert check(0.3, 0.7, 0.6).lower_prior is None  # the larger one says nothing more


def test_a_kind_without_any_label_goes_unseen():
    """As the docstring says: what is not found is not compared."""
    X, is_positive = problem(600)
    X[:150, 2] += 12.0
    y = pu_split(is_positive & (X[:, 2] < 6.0), 0.4, random_state=0)
    assert check_labelling(X, y, random_state=0).is_random_draw


def test_differences_are_those_of_mann_and_whitney():
    random = np.random.RandomState(0)
    values = np.column_stack([random.normal(size=80), random.randint(3, size=80)]).astype(float)
    group = random.randint(3, size=80)
    rows = (np.flatnonzero(of_group) for of_group in (group == 0, group == 1, group < 2))
    found = labelling._PredictedPositives(*rows)
    for column, difference in zip(values.T, found.differences(values), strict=True):
        one, other = column[group == 0], column[group == 1]
        pairs = np.sign(one[:, None] - other[None, :])
        assert difference == pytest.approx(pairs.mean())
        u = mannwhitneyu(one, other).statistic
        assert difference == pytest.approx(2.0 * u / (len(one) * len(other)) - 1.0)


def test_p_values_are_uniform_for_a_further_draw_and_corrected_by_holm():
    random = np.random.RandomState(0)
    draws = random.normal(3.0, 0.1, size=(labelling._N_REDRAWS, 20_000))
    p_values = labelling._p_values(random.normal(3.0, 0.1, size=20_000), draws)
    for level in (0.01, 0.05, 0.5):
        assert (p_values < level).mean() == pytest.approx(level, abs=4 * np.sqrt(level / 20_000))
    # By hand: 0.01 * 3, 0.02 * 2, and 0.03 is not below what stands before it.
    np.testing.assert_allclose(labelling._holm(np.array([0.02, 0.01, 0.03])), [0.04, 0.03, 0.04])
    one = np.array([0.2, 0.001, 0.04])
    assert (labelling._holm(one) >= false_discovery_control(one) - 1e-12).all()


def test_categories_and_gaps_are_compared_by_name():
    X, is_positive = problem(600)
    random = np.random.RandomState(1)
    by_north = np.where(random.uniform(size=600) < 0.5, "north", "south")
    chance = np.where(by_north == "north", 0.7, 0.15)
    y = is_positive & (random.uniform(size=600) < chance)
    amount = np.where(random.uniform(size=600) < 0.1, np.nan, X[:, 2])
    frame = pd.DataFrame(
        {"a": X[:, 0], "b": X[:, 1], "region": by_north, "amount": amount, "text": "same"}
    )
    check = check_labelling(frame, y, prior=0.5, random_state=0)
    # Others differ too: negatives of the region that labels come from are found for positives.
    assert "region" in check.columns
    assert "amount" not in check.columns
    assert "region (is 'north' in " in str(check) or "region (is 'south' in " in str(check)
    (gaps,) = (each for each in check.differences if each.category == "missing")
    assert str(gaps) == f"amount (missing in {gaps.labelled:.0%} against {gaps.others:.0%})"
    assert gaps.labelled == pytest.approx(0.1, abs=0.08)
    named = {(each.column, each.category) for each in check.differences}
    assert {("region", "north"), ("amount", "missing"), ("amount", None), ("a", None)} <= named


def test_the_answer_depends_on_the_seed_and_not_on_the_order_of_rows():
    X, is_positive = problem()
    y = biased_labels(X, is_positive, [2], 1.0, 0.4, random_state=0).is_labelled
    check = check_labelling(X, y, random_state=3)
    assert check == check_labelling(X, y, random_state=3)
    order = np.random.RandomState(0).permutation(len(y))
    assert check == check_labelling(X[order], y[order], random_state=3)
    assert check == check_labelling(X.tolist(), np.where(y, "yes", "no"), random_state=3)
    assert check != check_labelling(X, y, random_state=4)


def test_known_negatives_are_left_out():
    X, is_positive = problem()
    y = biased_labels(X, is_positive, [2], 2.0, 0.4, random_state=0).is_labelled
    known = np.where(y, "yes", "unknown").astype(object)
    negative = np.flatnonzero(~is_positive)[:60]
    known[negative] = "no"
    check = check_labelling(X, known, neg_label="no", prior=0.5, random_state=0)
    rest = np.delete(np.arange(len(y)), negative)
    other = check_labelling(X[rest], y[rest], prior=0.5 * 400 / 340, random_state=0)
    assert check.differences == other.differences
    assert check.prior == 0.5


def test_a_part_of_many_rows_is_compared(monkeypatch):
    monkeypatch.setattr(labelling, "MAX_ROWS", 300)
    X, is_positive = problem(900)
    y = biased_labels(X, is_positive, [2], 3.0, 0.4, random_state=0).is_labelled
    check = check_labelling(sp.csr_array(X), y, prior=0.5, random_state=0)
    assert check.n_labelled == 180
    assert 30 < check.n_labelled_found <= 90
    assert check.columns[0] == "column 2"


def test_what_it_says():
    X, is_positive = problem()
    y = pu_split(is_positive, 0.4, random_state=1)
    quiet = check_labelling(X, y, prior=0.5, random_state=0)
    assert str(quiet).startswith("The labelled positives look like a random draw of the positives")
    assert "does not prove that labels were drawn at random" in str(quiet)
    assert f"{quiet.n_labelled_found} of the 80 labelled rows" in str(quiet)
    assert "estimated from the same labels" not in str(quiet)
    assert "estimated from the same labels" in str(check_labelling(X, y, random_state=0))
    y = biased_labels(X, is_positive, [3], 4.0, 0.4, random_state=0).is_labelled
    loud = check_labelling(X, y, prior=0.5, random_state=0)
    assert "do not look like a random draw" in str(loud)
    assert "Labelled against others: column 3 (mean " in str(loud)
    assert "labelling='biased'" in loud._repr_html_().replace("&#x27;", "'").replace("&#39;", "'")


@pytest.mark.parametrize("case", ["one labelled", "nothing found", "constant"])
def test_too_little_to_compare_is_said(case):
    X, is_positive = problem(100)
    y = pu_split(is_positive, n_labelled=1 if case == "one labelled" else 30, random_state=0)
    X = np.ones_like(X) if case == "constant" else X
    prior = float(y.mean()) if case == "nothing found" else 0.5
    check = check_labelling(X, y, prior=prior, random_state=0)
    if case == "one labelled":
        assert check.is_random_draw is None
        assert "cannot be told" in str(check)
    else:
        assert check.is_random_draw is not False


def test_errors_name_the_argument(monkeypatch):
    X, is_positive = problem(100)
    y = pu_split(is_positive, 0.4, random_state=0)
    with pytest.raises(ValueError, match="prior must be a number or 'auto', found 'most'"):
        check_labelling(X, y, prior="most")
    with pytest.raises(ValueError, match=r"prior is 0\.1, below the labelled fraction 0\.2"):
        check_labelling(X, y, prior=0.1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        check_labelling(X, y[:-1])
    monkeypatch.setattr("pucut.data.encoding.MAX_DENSE_CELLS", 399)
    with pytest.raises(ValueError, match="X is sparse with 100 x 4 cells"):
        check_labelling(sp.csr_array(X), y, prior=0.5)
