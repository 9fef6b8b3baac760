"""Scores of methods under one setting, paired by repetition."""

from paper.showing.results import pair_up


def test_pairs_are_of_common_repetitions():
    found = pair_up({0: 1.0, 2: 3.0, 3: 9.0}, {2: 1.0, 0: 0.5, 1: 7.0})
    assert (found.first, found.second) == ((1.0, 3.0), (0.5, 1.0))
    assert found.difference.mean == 1.25
    assert pair_up({0: 1.0}, {1: 1.0}).difference is None
