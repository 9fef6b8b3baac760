"""Thresholds against counting, and the training rows against sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pucut.data.labels import checked_pu_labels
from pucut.judging.thresholds import positives_by_prior, threshold_for_share


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e9, 1e9), min_size=1, max_size=30),
    st.floats(0.0, 1.0),
)
def test_no_other_threshold_comes_nearer_to_the_share(scores, share):
    scores = np.array(scores, dtype=float)
    threshold = threshold_for_share(scores, share)
    miss = abs((scores > threshold).sum() - share * len(scores))
    candidates = np.concatenate([scores, [scores.min() - 1.0]])
    misses = [abs((scores > other).sum() - share * len(scores)) for other in candidates]
    # The count aimed at is a whole number, at most half a row from the share.
    assert miss <= min(misses) + 1.0


@pytest.mark.parametrize(
    ("scores", "share", "threshold"),
    [
        ([1.0, 2.0, 3.0, 4.0], 0.5, 2.5),
        ([4.0, 1.0, 3.0, 2.0], 0.25, 3.5),
        ([1.0, 2.0], 0.0, 2.0),
        ([1.0, 2.0], 1.0, np.nextafter(1.0, 0.0)),
        ([1.0, 1.0, 1.0, 5.0], 0.5, 3.0),  # one above is nearer to two than all four
        ([1.0, 1.0, 5.0, 5.0], 0.75, 3.0),  # two and four are equally near
        ([0.0, np.nextafter(0.0, 1.0)], 0.5, 0.0),  # no number lies between
    ],
)
def test_threshold_lies_halfway_between_the_scores_it_parts(scores, share, threshold):
    assert threshold_for_share(np.array(scores), share) == threshold


def test_labelled_rows_are_positive_and_the_best_of_the_others_fill_up_the_prior():
    labels = checked_pu_labels([1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    scores = np.array([-9.0, 5.0, 1.0, 9.0, 2.0, 8.0, 3.0, 4.0, 6.0, 7.0])
    for prior, expected in [(0.2, [0, 3]), (0.3, [0, 3, 5]), (0.5, [0, 3, 5, 8, 9])]:
        assert np.flatnonzero(positives_by_prior(scores, labels, prior)).tolist() == expected
    assert positives_by_prior(scores, labels, 0.99).all()
