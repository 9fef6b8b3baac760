"""The steps of a fit as those see them who follow it."""

import numpy as np

from pucut import TwoHNCClassifier
from pucut.datasets import pu_split
from pucut.methods.steps import FitSteps, watching_steps


def test_a_callback_sees_the_steps_of_one_estimator_alone(capsys):
    random = np.random.default_rng(0)
    is_positive = np.arange(120) < 50
    X = random.normal(size=(120, 3)) + 2 * is_positive[:, None]
    y = pu_split(is_positive, 0.5, random_state=0)
    watched, other = (TwoHNCClassifier(prior=0.42, random_state=0) for _ in range(2))
    seen = []
    with watching_steps(watched, lambda *step: seen.append(step)):
        other.fit(X, y)
        assert seen == []
        watched.fit(X, y)
    assert [number for _, number, _ in seen] == list(range(1, len(seen) + 1))
    assert list(dict.fromkeys(name for name, _, _ in seen)) == list(watched.step_seconds_)
    assert {n_steps for _, _, n_steps in seen} == {6}
    watched.fit(X, y)
    assert len(seen) == len(set(seen))  # nobody watches any more
    assert capsys.readouterr().out == ""  # and nothing is printed for it


def test_more_steps_than_were_announced_are_counted():
    seen = []
    with watching_steps(None, lambda *step: seen.append(step)):
        steps = FitSteps(None, n_steps=1, verbose=0)
        for name in ("a", "b"):
            with steps.step(name):
                pass
    assert seen == [("a", 1, 1), ("b", 2, 2)]
