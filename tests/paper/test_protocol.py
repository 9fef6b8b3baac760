"""Splits and methods: who sees what, and that seeds depend on names alone."""

import numpy as np
import pytest

from paper.datasets import REAL_NAMES, SYNTHETIC, seed_from_names
from paper.running import protocol
from paper.running.methods import METHODS, PUData, SupervisedMethod, answer_of
from paper.running.protocol import Split, load_split, real_runs, synthetic_runs
from pucut import PUExtraTreesClassifier, PUThresholdClassifier, TwoHNCClassifier
from pucut.datasets import pu_split

SPLIT = Split("synthetic", "n1000-f5-p40-c2-s1.0-hypercube", 0.6, 2)


@pytest.fixture(scope="module")
def known():
    data = load_split(SPLIT)
    rows = np.arange(0, 1000, 4)
    return data.is_positive[rows], PUData(
        "made", data.X[rows], data.is_labelled[rows], float(data.is_positive[rows].mean()), 7
    )


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


def test_only_the_oracle_is_told_the_truth():
    supervised = [name for name, one in METHODS.items() if isinstance(one, SupervisedMethod)]
    assert supervised == ["oracle"]
    assert not hasattr(PUData, "is_positive")
    assert "is_positive" not in PUData.__dataclass_fields__


def test_other_methods_answer_the_same_whatever_the_truth(known):
    truth, data = known
    for method in ("naive", "pu_et", "two_hnc_paper", "two_hnc"):
        one, other = (answer_of(method, data, given) for given in (truth, ~truth))
        np.testing.assert_array_equal(one.scores, other.scores)
    one, other = (answer_of("oracle", data, given) for given in (truth, ~truth))
    assert np.corrcoef(one.scores, other.scores)[0, 1] < -0.5


def test_own_rules_are_those_of_the_estimators(known):
    truth, data = known
    given = {"prior": data.prior, "random_state": data.seed}
    U = ~data.is_labelled
    answers = {name: answer_of(name, data, truth) for name in ("naive", "pu_et", "two_hnc_paper")}
    half = PUExtraTreesClassifier(threshold="half", **given).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answers["pu_et"].is_positive[U], half.transduction_[U])
    paper = TwoHNCClassifier(preset="paper", **given).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answers["two_hnc_paper"].is_positive, paper.transduction_)
    naive = PUThresholdClassifier(**given).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answers["naive"].is_positive, naive.scores_ > 0.5)


@pytest.mark.parametrize("method", ["upu", "nnpu"])
def test_networks_answer_by_the_sign_of_their_output(known, method, monkeypatch):
    pytest.importorskip("torch")
    from pucut import NNPUClassifier, UPUClassifier

    truth, data = known
    kind = {"upu": UPUClassifier, "nnpu": NNPUClassifier}[method]
    answer = answer_of(method, data, truth)
    own = kind(prior=data.prior, random_state=data.seed).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answer.scores, own.scores_)
    np.testing.assert_array_equal(answer.is_positive, own.scores_ > 0)
