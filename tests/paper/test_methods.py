"""Methods: what each is given, and that their own rules are those of the estimators."""

from dataclasses import replace

import numpy as np
import pytest

from paper.methods import COMPARED, METHODS, PUData, SupervisedMethod, answer_of, with_role
from paper.protocol import Split, load_split
from pucut import (
    PUCutClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    TwoHNCClassifier,
)

SPLIT = Split("synthetic", "n1000-f5-p40-c2-s1.0-hypercube", 0.6, 2)


@pytest.fixture(scope="module")
def known():
    data = load_split(SPLIT)
    rows = np.arange(0, 1000, 4)
    return data.is_positive[rows], PUData(
        "made", data.X[rows], data.is_labelled[rows], float(data.is_positive[rows].mean()), 7
    )


def test_the_paper_and_pucut_have_one_method_each():
    assert (with_role("paper"), with_role("ours")) == (("two_hnc",), ("pucut",))
    assert with_role("benchmark") == ("upu", "nnpu", "pu_et")
    assert len({method.title for method in METHODS.values()}) == len(METHODS)


def test_only_the_oracle_is_given_the_truth():
    supervised = [name for name, one in METHODS.items() if isinstance(one, SupervisedMethod)]
    assert supervised == ["oracle"]
    assert not hasattr(PUData, "is_positive")
    assert "is_positive" not in PUData.__dataclass_fields__


@pytest.fixture(scope="module")
def answers(known):
    truth, data = known
    return {name: answer_of(name, data, truth) for name in ("naive", "pu_et", "two_hnc", "pucut")}


def test_other_methods_answer_the_same_whatever_the_truth(known, answers):
    truth, data = known
    for method, answer in answers.items():
        other = answer_of(method, data, ~truth)
        np.testing.assert_array_equal(answer.scores, other.scores)
    one, other = (answer_of("oracle", data, given) for given in (truth, ~truth))
    assert np.corrcoef(one.scores, other.scores)[0, 1] < -0.5


def test_own_rules_are_those_of_the_estimators(known, answers):
    _, data = known
    given = {"prior": data.prior, "random_state": data.seed}
    U = ~data.is_labelled
    half = PUExtraTreesClassifier(threshold="half", **given).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answers["pu_et"].is_positive[U], half.transduction_[U])
    for name, estimator in (("two_hnc", TwoHNCClassifier), ("pucut", PUCutClassifier)):
        fitted = estimator(**given).fit(data.X, data.is_labelled)
        np.testing.assert_array_equal(answers[name].is_positive, fitted.transduction_)
        np.testing.assert_array_equal(answers[name].scores, fitted.scores_)
    naive = PUThresholdClassifier(**given).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answers["naive"].is_positive, naive.scores_ > 0.5)


@pytest.mark.parametrize("method", ["upu", "nnpu"])
def test_networks_answer_by_the_sign_of_their_output(known, method, monkeypatch):
    pytest.importorskip("torch")
    from pucut import NNPUClassifier, UPUClassifier

    truth, data = known
    kind = {"upu": UPUClassifier, "nnpu": NNPUClassifier}[method]
    make = METHODS[method].make
    assert (
        make(data).get_params()
        == kind(prior=data.prior, random_state=data.seed, device="auto").get_params()
    )
    quick = {"max_epochs": 5, "hidden_layer_sizes": (20,)}
    small = replace(METHODS[method], make=lambda known: make(known).set_params(**quick))
    monkeypatch.setitem(METHODS, method, small)
    answer = answer_of(method, data, truth)
    own = kind(prior=data.prior, random_state=data.seed, **quick).fit(data.X, data.is_labelled)
    np.testing.assert_array_equal(answer.scores, own.scores_)
    np.testing.assert_array_equal(answer.is_positive, own.scores_ > 0)


UNSTOPPED = {"patience": None, "validation_share": 0.0}
PUBLIC = {
    "batch_size": 30_000,
    "learning_rate": 1e-3,
    "weight_decay": 0.005,
    "unlabelled_includes_labelled": False,
}


@pytest.mark.parametrize(
    ("variant", "expected", "is_normalised"),
    [
        ("unstopped", UNSTOPPED, True),
        ("public", UNSTOPPED | PUBLIC, True),
        ("plain", UNSTOPPED | PUBLIC, False),
    ],
)
@pytest.mark.parametrize("benchmark", ["upu", "nnpu"])
def test_variants_differ_from_their_benchmark_in_training_alone(
    known, benchmark, variant, expected, is_normalised
):
    pytest.importorskip("torch")
    from torch.nn import BatchNorm1d, Linear

    _, data = known
    key = f"{benchmark}_{variant}"
    assert key in with_role("variant")
    assert key not in COMPARED
    assert METHODS[key].variant_of == benchmark
    made, usual = METHODS[key].make(data), METHODS[benchmark].make(data)
    assert type(made) is type(usual)
    given, before = made.get_params(), usual.get_params()
    changed = {name: value for name, value in given.items() if value != before[name]}
    assert ("network" in changed) != is_normalised
    changed.pop("network", None)
    assert changed == expected
    assert given["max_epochs"] == 100
    layers = [*made._make_network(7).modules()]
    widths = [layer.in_features for layer in layers if isinstance(layer, Linear)]
    assert widths == [7, 300, 300, 300, 300, 300]
    assert any(isinstance(layer, BatchNorm1d) for layer in layers) == is_normalised
