"""Estimates of the positives left: closed forms for single shapes, and coverage of intervals."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import nbinom

from pucut.labelling import remaining as room
from pucut.labelling.journal import COUNT, FIND, IMPROVE
from pucut.labelling.remaining import Answer, Remaining, remaining, sentence


def answered(answers, goal=FIND):
    return [Answer(bool(answer), goal) for answer in answers]


@pytest.fixture
def one_shape(monkeypatch):
    """The rate is the same everywhere."""
    monkeypatch.setattr(room, "_SCALES", (1.0,))
    monkeypatch.setattr(room, "_POWERS", (np.inf,))
    monkeypatch.setattr(room, "_FLOORS", (1.0,))


def test_an_even_rate_has_a_closed_form(one_shape):
    found = remaining(answered([1] * 12 + [0] * 188), 1000)
    exposure = 0.2 + 1e-3
    share = exposure / (exposure + 0.8)
    low, middle, high = nbinom.ppf([0.04, 0.5, 0.96], 12.5, share)
    # Above 60 the numbers that are tried have gaps of a few per cent.
    assert (found.low, found.left) == (low, middle)
    assert found.high == pytest.approx(high, rel=0.03)
    assert found.in_next == pytest.approx(12.5 * 0.1 / exposure)


def test_rows_at_random_tell_of_all_that_were_not_seen():
    ten_per_cent = np.arange(300) % 10 == 0
    found = remaining(answered(ten_per_cent, COUNT), 3000)
    assert found.low <= 270 <= found.high
    assert found.high - found.low < 250
    assert found.left == pytest.approx(270, rel=0.25)


def test_rows_shown_to_improve_the_ranking_tell_nothing():
    nothing = remaining(answered([1, 0] * 10, IMPROVE), 1000)
    other = remaining(answered([0, 0] * 10, IMPROVE), 1000)
    assert nothing == other


def test_the_longer_nothing_is_found_the_less_is_left():
    begin = [1] * 30 + [0] * 10
    left = [remaining(answered(begin + [0] * n), 2000) for n in (0, 50, 200, 800)]
    assert all(a.left >= b.left and a.high > b.high for a, b in pairwise(left))
    assert left[-1].low == 0
    assert left[-1].in_next < 1


def test_the_ends():
    assert remaining(answered([1, 0, 1]), 3) == Remaining(0, 0, 0, 0.0, 0)
    nothing = remaining([], 50)
    assert nothing.low == 0
    assert 40 <= nothing.high <= 50
    with pytest.raises(ValueError, match=r"at most n_rows, 2, found 3"):
        remaining(answered([1, 0, 1]), 2)


def test_the_interval_holds_what_was_drawn():
    """Rates fall as a power here, with a floor: neither is one of the shapes that are tried."""
    random = np.random.default_rng(0)
    n_rows, held, wide = 1500, [], []
    place = np.arange(n_rows)
    for _ in range(40):
        rate = (1.0 + place / random.uniform(10, 150)) ** -random.uniform(1.3, 3.0)
        rate = random.uniform(0.3, 0.9) * rate + random.uniform(0.0, 0.004)
        truth = random.random(n_rows) < rate
        n_seen = int(np.exp(random.uniform(np.log(30), np.log(1000))))
        found = remaining(answered(truth[:n_seen]), n_rows)
        held.append(found.low <= truth[n_seen:].sum() <= found.high)
        wide.append(found.high - found.low)
    assert np.mean(held) >= 0.85
    assert np.median(wide) < 150


def test_the_sentence():
    assert sentence(Remaining(11, 4, 25, 3.2, 100), 129, 300) == (
        "Of the next 100 rows about 3 are positive; about 11 of 140 are left (between 4 and 25)."
    )
    assert sentence(Remaining(0, 0, 2, 0.1, 80), 12, 300) == (
        "Of the next 80 rows hardly any are positive; about 0 of 12 are left (between 0 and 2)."
    )
    assert "about 1 is positive" in sentence(Remaining(2, 0, 5, 1.2, 100), 7, 20)
    assert sentence(Remaining(0, 0, 0, 0.0, 0), 7, 12) == "Every row was looked at: 7 are positive."
    assert sentence(Remaining(9, 0, 90, 9.0, 100), 3, 19) == (
        "How many are left is said after 20 answers."
    )
