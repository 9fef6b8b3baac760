"""The rules for unseen rows against the objective itself, computed with the row added."""

import numpy as np
import pytest

from pucut.cuts.inductive import nearness, objective_threshold, share_of_similarity
from pucut.cuts.two_stages import Partition


def hnc_objective(weights, inside, lam, stage):
    degrees = weights.sum(axis=1)
    rewarded = ~inside if stage == 1 else inside
    return weights[np.ix_(inside, ~inside)].sum() - lam * degrees[rewarded].sum()


@pytest.mark.parametrize("stage", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_the_objective_rule_changes_the_objective_least(stage, seed):
    random = np.random.default_rng(seed)
    n_rows = 8
    weights = np.triu(random.random((n_rows, n_rows)), 1)
    weights += weights.T
    inside = random.random(n_rows) < 0.5
    to_rows = random.random(n_rows) * (random.random(n_rows) < 0.7)
    larger = np.block([[weights, to_rows[:, None]], [to_rows[None, :], np.zeros((1, 1))]])
    for lam in (0.0, 0.2, 0.5, 0.9):
        objectives = [
            hnc_objective(larger, np.append(inside, new), lam, stage) for new in (False, True)
        ]
        partition = Partition(stage, lam, inside.astype(float), 1.0, int(inside.sum()))
        share = share_of_similarity(
            np.array([to_rows[inside].sum()]), np.array([to_rows.sum()]), np.array([0.5])
        )
        if not np.isclose(*objectives, atol=1e-9):
            assert (share[0] > objective_threshold(partition)) == (objectives[1] < objectives[0])


def test_rows_similar_to_nothing_get_what_they_are_given():
    share = share_of_similarity(np.array([0.0, 1.0]), np.array([0.0, 4.0]), np.array([0.7, 0.1]))
    assert share.tolist() == [0.7, 0.25]


def test_nearness_is_the_sign_of_the_nearer_side():
    to_positive = np.array([1.0, 3.0, 0.0, 0.0, np.inf, 2.0])
    to_negative = np.array([3.0, 1.0, 2.0, 0.0, 1.0, np.inf])
    assert nearness(to_positive, to_negative).tolist() == [0.5, -0.5, 1.0, 0.0, -1.0, 1.0]
