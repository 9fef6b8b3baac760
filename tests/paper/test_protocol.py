"""Splits and runs: what is labelled, and that seeds depend on names alone."""

import numpy as np
import pytest

from paper import protocol
from paper.datasets import FAMILIES, REAL_NAMES, SYNTHETIC, make_synthetic, seed_from_names
from paper.methods import METHODS
from paper.protocol import Split, load_split, real_runs, synthetic_runs
from pucut.datasets import pu_split


def test_splits_are_those_of_the_benchmarks(monkeypatch):
    truth = np.arange(1000) % 3 == 0
    monkeypatch.setattr(protocol, "_real_table", lambda name: (np.zeros((1000, 2)), truth))
    for repetition in range(3):
        found = load_split(Split("real", "german", 0.6, repetition))
        seed = seed_from_names("german", 0.6, repetition)
        np.testing.assert_array_equal(found.is_labelled, pu_split(truth, 0.6, random_state=seed))
        assert not (found.is_labelled & ~truth).any()


def test_small_share_has_exact_numbers(monkeypatch):
    truth = np.ones(9000, dtype=bool)
    monkeypatch.setattr(protocol, "_real_table", lambda name: (np.zeros((9000, 2)), truth))
    numbers = {"vote": 40, "obesity": 100, "mushroom": 400, "news": 1000, "letter": 1000}
    for name, n_labelled in {**numbers, "mnist": 3500}.items():
        assert load_split(Split("real", name, 0.1, 0)).is_labelled.sum() == n_labelled


def test_a_number_of_labels_beyond_the_positives_is_refused():
    with pytest.raises(ValueError, match="n_labelled must be from 1 to 3"):
        pu_split(np.array([True, True, True, False]), n_labelled=4, random_state=0)


def test_runs_are_all_combinations():
    runs = real_runs(REAL_NAMES, list(METHODS), shares=[0.6, 0.1])
    assert len(runs) == len(set(runs)) == (10 + 6) * 5 * len(METHODS) * 2
    assert len({run.place for run in runs}) == len(runs)
    assert {run.split.dataset for run in runs if run.split.labelled_share == 0.1} == {
        "vote",
        "obesity",
        "mushroom",
        "news",
        "letter",
        "mnist",
    }
    made = synthetic_runs(SYNTHETIC.values(), ["pu_et"], ["true"])
    assert len(made) == len({run.place for run in made}) == 2160
    assert len({run.split.seed for run in runs + made}) == (10 + 6) * 5 + 2160


def test_families_have_splits_of_their_own_with_the_same_seeds():
    """What differs between families is the number of informative features, and nothing else."""
    chosen = [SYNTHETIC["n1000-f10-p40-c2-s1.0-hypercube"]]
    made = {
        family: synthetic_runs(chosen, ["pu_et"], ["true"], [3], family)[0] for family in FAMILIES
    }
    assert len({run.place for run in made.values()}) == len(FAMILIES)
    assert len({str(run) for run in made.values()}) == len(FAMILIES)
    assert len({run.split.seed for run in made.values()}) == 1
    tables = {family: load_split(run.split) for family, run in made.items()}
    assert len({data.X.tobytes() for data in tables.values()}) == len(FAMILIES)
    for family, data in tables.items():
        np.testing.assert_array_equal(
            data.X, make_synthetic("n1000-f10-p40-c2-s1.0-hypercube", 3, family).X
        )
