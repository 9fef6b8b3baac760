"""Plots: what they draw, against numbers counted by hand."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from pucut.utils.estimator_checks._tools import pu_table

mpl.use("Agg")
import matplotlib.pyplot as plt

from pucut import (
    CutPathDisplay,
    NegativeRankingDisplay,
    PriorSensitivityDisplay,
    PUCalibrationDisplay,
    PUCutClassifier,
    PUExtraTreesClassifier,
    SelectionDisplay,
    TwoHNCClassifier,
)
from pucut.data.labels import checked_pu_labels
from pucut.displays.calibration import pu_calibration
from pucut.judging.thresholds import positives_by_prior


@pytest.fixture(scope="module")
def table():
    return pu_table(300)


def fitted(make, table):
    X, y, truth = table
    return make(prior=float(truth.mean()), n_estimators=20, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def paper(table):
    return fitted(TwoHNCClassifier, table)


@pytest.fixture(scope="module")
def chooser(table):
    return fitted(PUCutClassifier, table)


@pytest.fixture(params=["paper", "chooser"])
def model(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, pucut, pucut.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_cut_path_shows_the_share_of_every_cut(paper):
    model = paper
    display = CutPathDisplay.from_estimator(model)
    for line, path in zip(display.lines_, (model.stage1_, model.stage2_), strict=True):
        lams, shares = line.get_data()
        assert (lams[0], lams[-1]) == path.lambda_range
        assert set(path.breakpoints) <= set(lams)
        for lam, share in zip(lams, shares, strict=True):
            assert share == path.source_set(lam).mean()
        # Between two breakpoints the step belongs to the right one of them.
        middle = (lams[:-1] + lams[1:]) / 2
        neighbour = shares[:-1] if path.grows else shares[1:]
        np.testing.assert_array_equal([path.source_set(lam).mean() for lam in middle], neighbour)
        assert line.get_drawstyle() == ("steps-post" if path.grows else "steps-pre")
    lam, share = (values[0] for values in display.chosen_.get_data())
    assert (lam, share) == (model.partition_.lam, model.partition_.positive_fraction)
    assert display.prior_line_.get_ydata()[0] == model.prior_
    assert display.figure_ is display.ax_.figure


def test_plots_draw_on_given_axes_and_pass_on_what_is_given(paper):
    model = paper
    _, ax = plt.subplots()
    display = CutPathDisplay.from_estimator(model, ax=ax, linewidth=5)
    assert display.ax_ is ax
    assert [line.get_linewidth() for line in display.lines_] == [5, 5]
    again = CutPathDisplay(model.stage1_, model.stage2_).plot(color="red")
    assert again.ax_ is not ax
    assert again.chosen_ is None
    assert {line.get_color() for line in again.lines_} == {"red"}


def test_negative_ranking(paper):
    model = paper
    display = NegativeRankingDisplay.from_estimator(model)
    places, levels = display.line_.get_data()
    np.testing.assert_array_equal(places, np.arange(1, len(model.negative_ranking_) + 1))
    for level, row in zip(levels, model.negative_ranking_, strict=True):
        # The row is in S up to its level and not behind it.
        assert model.stage1_.source_set(level)[row]
        if level < 1.0:
            assert not model.stage1_.source_set(np.nextafter(level, 1.0))[row]
    assert len(display.likely_negative_line_.get_xdata()) == len(model.likely_negative_)
    n_negative = np.count_nonzero(model.transduction_ == model.classes_[0])
    assert display.cut_line_.get_xdata()[0] == n_negative + 0.5
    assert NegativeRankingDisplay([0.1, 0.2], 1).plot().cut_line_ is None


def test_sensitivity_counts_rows_by_hand():
    # Two labelled rows, eight others with scores 8 to 1: at prior 0.5 the best three are positive.
    y = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    scores = [9, 10, 8, 7, 6, 5, 4, 3, 2, 1]
    display = PriorSensitivityDisplay.from_predictions(y, scores, prior=0.5, reach=0.3)
    priors, to_positive = display.to_positive_line_.get_data()
    _, to_negative = display.to_negative_line_.get_data()
    assert priors[0] == 0.2
    assert priors[-1] == pytest.approx(0.8)
    for prior, gained, lost in zip(priors, to_positive, to_negative, strict=True):
        wanted = np.floor((prior - 0.2) / 0.8 * 8 + 0.5 + 1e-9)
        if abs((prior * 10) % 1 - 0.5) > 1e-6:
            assert (gained * 8, lost * 8) == (max(wanted - 3, 0), max(3 - wanted, 0))
    assert display.prior_line_.get_xdata()[0] == 0.5
    assert display.interval_ is None


@pytest.mark.parametrize("make", [TwoHNCClassifier, PUCutClassifier, PUExtraTreesClassifier])
def test_sensitivity_of_estimators(make, table):
    X, y, _ = table
    estimator = make(n_estimators=20, random_state=0).fit(X, y)
    display = PriorSensitivityDisplay.from_estimator(estimator, y)
    priors = np.asarray(display.priors)
    here = np.argmin(np.abs(priors - estimator.prior_))
    assert display.n_to_positive[here] == display.n_to_negative[here] == 0
    assert (np.diff(display.n_to_positive) >= 0).all()
    assert (np.diff(display.n_to_negative) <= 0).all()
    assert priors.min() >= y.mean()
    assert display.interval == estimator.prior_estimate_.interval


def test_calibration_is_bayes_rule_on_counts():
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    probability = np.array([0.9, 0.8, 0.7, 0.6, 0.6, 0.1, 0.2, 0.3, 0.4, 0.45])
    display = PUCalibrationDisplay.from_predictions(
        y, probability, prior=0.5, n_bins=2, strategy="uniform"
    )
    x, share = display.line_.get_data()
    # P(bin | labelled) is 1/4 and 3/4, P(bin) is 1/2 each.
    np.testing.assert_allclose(share, [0.5 * 0.25 / 0.5, 0.5 * 0.75 / 0.5])
    np.testing.assert_allclose(x, [np.mean([0.1, 0.2, 0.3, 0.4, 0.45]), np.mean(probability[:5])])
    assert (display.calibration.low < share).all()
    assert (display.calibration.high > share).all()


def test_calibration_intervals_hold_as_often_as_they_say():
    random = np.random.default_rng(0)
    n_rows, truth_in_bin = 400, np.array([0.1, 0.5, 0.9])
    probability = np.repeat([0.15, 0.5, 0.85], n_rows)
    held = []
    for _ in range(300):
        is_positive = random.random(3 * n_rows) < np.repeat(truth_in_bin, n_rows)
        y = is_positive & (random.random(3 * n_rows) < 0.4)
        labels = checked_pu_labels(y)
        # With the label frequency known: the prior that makes it 0.4.
        prior = labels.n_labelled / 0.4 / labels.n_samples
        found = pu_calibration(labels, probability, prior, n_bins=3, strategy="uniform")
        held.append((found.low <= truth_in_bin) & (truth_in_bin <= found.high))
    assert (np.mean(held, axis=0) > 0.91).all()
    assert (np.mean(held, axis=0) < 0.99).all()


def test_calibration_leaves_out_empty_bins_and_has_bins_of_equal_count():
    y = np.tile([1, 0, 0, 0, 0], 20)
    probability = np.linspace(0.0, 0.5, 100)
    uniform = PUCalibrationDisplay.from_predictions(
        y, probability, prior=0.4, n_bins=4, strategy="uniform"
    )
    assert len(uniform.calibration.share) == 3
    assert uniform.calibration.n_rows.tolist() == [50, 49, 1]
    by_count = PUCalibrationDisplay.from_predictions(y, probability, prior=0.4, n_bins=4)
    assert by_count.calibration.n_rows.tolist() == [25, 25, 25, 25]
    assert by_count.calibration.n_labelled.sum() == 20


def test_calibration_stays_within_its_axes():
    # All labels fall into the upper bin, of which the estimate is 0.5 * (3 / 3) / (4 / 10) = 1.25.
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    probability = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.1, 0.2, 0.3, 0.4, 0.45])
    display = PUCalibrationDisplay.from_predictions(
        y, probability, prior=0.5, n_bins=2, strategy="uniform"
    )
    assert display.calibration.share[1] == pytest.approx(1.25)
    assert display.line_.get_ydata().tolist() == [0.0, 1.0]
    assert display.beyond_.get_xdata().tolist() == [display.calibration.probability[1]]
    drawn = [point for bar in display.errors_.get_segments() for point in bar]
    low, high = display.ax_.get_ylim()
    assert all(low <= height <= high for _, height in drawn)
    inside = PUCalibrationDisplay.from_predictions(
        y, probability, prior=0.35, n_bins=2, strategy="uniform"
    )
    assert inside.beyond_ is None


def test_what_decided_in_the_chooser(chooser):
    display = SelectionDisplay.from_estimator(chooser, n_shown=5)
    *tried, mixture = chooser.selection_
    heaviest = sorted(tried, key=lambda each: -each.weight)[:5]
    assert display.shown_ == [mixture, *heaviest]
    recalls, places = display.dots_.get_offsets().T
    assert recalls.tolist() == [each.hidden_recall for each in display.shown_]
    assert (np.diff(places) < 0).all()
    ends = [bar[:, 0].tolist() for bar in display.errors_.get_segments()]
    for each, (low, high) in zip(display.shown_, ends, strict=True):
        assert low == max(each.hidden_recall - each.standard_error, 0.0)
        assert high == min(each.hidden_recall + each.standard_error, 1.0)
    titles = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert titles[0] == "the mixture, which answers"
    assert titles[1] == f"{heaviest[0].kind}: {heaviest[0].name} ({100 * heaviest[0].weight:.0f} %)"
    with pytest.raises(ValueError, match="n_shown must be 1 or more, found 0"):
        SelectionDisplay(chooser.selection_, n_shown=0).plot()


def test_what_only_the_chooser_has_is_not_drawn_of_others(paper):
    with pytest.raises(TypeError, match="shows what PUCutClassifier has, found TwoHNCClassifier"):
        SelectionDisplay.from_estimator(paper)


def test_the_chooser_answers_at_the_prior_that_is_drawn(chooser, table):
    """The classes of the chooser are those at the marked prior: none changes there."""
    _, y, _ = table
    display = PriorSensitivityDisplay.from_estimator(chooser, y)
    here = display.prior_line_.get_xdata()[0]
    assert here == chooser.prior_
    now = positives_by_prior(chooser.scores_, checked_pu_labels(y), here)
    np.testing.assert_array_equal(now, chooser.transduction_ == 1)


def test_calibration_of_an_estimator(model, table):
    X, y, _ = table
    display = PUCalibrationDisplay.from_estimator(model, X, y, n_bins=5)
    assert display.prior == model.prior_
    assert display.line_.get_label() == type(model).__name__
    assert display.calibration.n_rows.sum() == len(X)
    # Weighted by rows the shares have the prior as their mean, whatever the bins.
    bins = display.calibration
    assert np.average(bins.share, weights=bins.n_rows) == pytest.approx(model.prior_)


@pytest.mark.parametrize(
    ("draw", "error", "match"),
    [
        (
            lambda m, X, y: PriorSensitivityDisplay.from_estimator(m, y, reach=2.0),
            ValueError,
            "reach must lie between 0 and 1, found 2.0",
        ),
        (
            lambda m, X, y: PUCalibrationDisplay.from_estimator(m, X, y, n_bins=0),
            ValueError,
            "n_bins must be 1 or more, found 0",
        ),
        (
            lambda m, X, y: PUCalibrationDisplay.from_estimator(m, X, y, strategy="equal"),
            ValueError,
            "strategy must be 'quantile' or 'uniform', found 'equal'",
        ),
        (
            lambda m, X, y: PUCalibrationDisplay.from_predictions(y, 2.0 * y, prior=0.5),
            ValueError,
            "y_prob must hold probabilities",
        ),
    ],
)
def test_errors_say_what_was_found(draw, error, match, table):
    X, y, _ = table
    estimator = PUExtraTreesClassifier(prior=0.5, n_estimators=5, random_state=0).fit(X, y)
    with pytest.raises(error, match=match):
        draw(estimator, X, y)


@pytest.mark.parametrize(
    ("display", "missing"),
    [
        (CutPathDisplay, "stage1_, stage2_, partition_"),
        (NegativeRankingDisplay, "likely_negative_, stage1_"),
    ],
)
def test_what_only_2_hnc_has_is_not_drawn_of_others(display, missing, chooser):
    with pytest.raises(TypeError) as refused:
        display.from_estimator(chooser)
    assert str(refused.value) == (
        f"{display.__name__} shows what TwoHNCClassifier has, found PUCutClassifier, which has no "
        f"{missing}"
    )


def test_an_unfitted_estimator_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        CutPathDisplay.from_estimator(TwoHNCClassifier())
