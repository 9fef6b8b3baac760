"""uPU and nnPU: the risks by hand, many networks as one, both classifiers and their checks."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from pucut import NNPUClassifier, UPUClassifier
from pucut.datasets import pu_split
from pucut.methods.neural._networks import convolutions, perceptron
from pucut.methods.neural._training import (
    PUSample,
    TrainingOptions,
    fit_many,
    fit_one,
    objective,
    pu_risk_parts,
    seeded,
)
from tests.helpers.pu_contract import (
    parametrize_with_pu_checks,
    pu_table,
    run_pu_check,
    run_scikit_learn_check,
)

# Small networks and few epochs: hundreds of them are fitted below.
SMALL = {"hidden_layer_sizes": (32, 32), "learning_rate": 1e-2, "max_epochs": 25, "device": "cpu"}


@pytest.fixture(scope="module")
def digits():
    X, digit = load_digits(return_X_y=True)
    is_positive = digit % 2 == 1
    return X, is_positive, pu_split(is_positive, 0.6, random_state=0)


@pytest.mark.slow
@parametrize_with_checks([UPUClassifier(**SMALL), NNPUClassifier(**SMALL)])
def test_scikit_learn_check(estimator, check):
    run_scikit_learn_check(estimator, check)


@parametrize_with_pu_checks([UPUClassifier(**SMALL), NNPUClassifier(**SMALL)])
def test_pu_check(estimator, check, tmp_path):
    run_pu_check(estimator, check, tmp_path)


@pytest.mark.parametrize(
    ("loss", "of_margin"),
    [
        ("sigmoid", lambda z: 1.0 / (1.0 + np.exp(z))),
        ("logistic", lambda z: np.log1p(np.exp(-z))),
    ],
)
def test_risk_is_that_of_the_papers(loss, of_margin):
    random = np.random.default_rng(0)
    positive, unlabelled = random.normal(size=(2, 5)), random.normal(size=(2, 9))
    prior = np.array([0.3, 0.6])
    found = pu_risk_parts(
        torch.tensor(np.hstack([positive, unlabelled])), 5, torch.tensor(prior), loss
    )
    np.testing.assert_allclose(found[0], prior * of_margin(positive).mean(axis=1))
    np.testing.assert_allclose(
        found[1],
        of_margin(-unlabelled).mean(axis=1) - prior * of_margin(-positive).mean(axis=1),
    )


def test_expected_risk_is_that_of_the_truth():
    """Unbiased: over many rows it is the risk that knows the classes."""
    random = np.random.default_rng(1)
    n_rows, prior = 400_000, 0.35
    is_positive = random.random(n_rows) < prior
    output = random.normal(size=n_rows) + np.where(is_positive, 1.0, -0.5)
    rows = np.concatenate([output[is_positive], output])
    parts = pu_risk_parts(
        torch.tensor(rows)[None], int(is_positive.sum()), torch.tensor([prior]), "sigmoid"
    )
    truth = np.mean(1.0 / (1.0 + np.exp(np.where(is_positive, output, -output))))
    assert float(sum(parts)) == pytest.approx(truth, abs=2e-3)


def test_step_goes_back_where_the_negatives_have_a_risk_below_beta():
    as_positive = torch.tensor([0.2, 0.2, 0.2], requires_grad=True)
    negative = torch.tensor([0.1, -0.05, -0.3], requires_grad=True)
    options = TrainingOptions(beta=0.1, gamma=0.5)
    value = objective(as_positive, negative, options)
    np.testing.assert_allclose(value.detach(), [0.3, 0.15, 0.15], rtol=1e-6)
    value.sum().backward()
    np.testing.assert_allclose(as_positive.grad, [1.0, 1.0, 0.0])
    np.testing.assert_allclose(negative.grad, [1.0, 1.0, -0.5])
    unbiased = objective(as_positive, negative, replace(options, risk="upu"))
    np.testing.assert_allclose(unbiased.detach(), [0.3, 0.15, -0.1], atol=1e-7)


def test_unbounded_risk_falls_below_zero_and_the_other_does_not():
    """What Kiryo et al. show: the risk of uPU falls far below 0, that of nnPU stays about there."""
    X, y, truth = pu_table(300)
    settings = {
        "prior": float(truth.mean()),
        "hidden_layer_sizes": (100, 100),
        "loss": "logistic",
        "learning_rate": 1e-2,
        "max_epochs": 60,
        "validation_share": 0.0,
        "random_state": 0,
        "device": "cpu",
    }
    X = np.hstack([X, np.random.default_rng(0).normal(size=(300, 30))])
    upu, nnpu = UPUClassifier(**settings).fit(X, y), NNPUClassifier(**settings).fit(X, y)
    assert upu.risk_curve_[-1] < -1.0
    assert nnpu.risk_curve_[-1] > -0.2
    assert upu.n_epochs_ == upu.best_epoch_ == 60
    assert np.isnan(upu.validation_curve_).all()


def stack_of_problems(n_rows=90, n_features=4):
    samples, tables = [], []
    for seed, share in enumerate((0.3, 0.5, 0.7)):
        random = np.random.default_rng(seed)
        truth = random.random(n_rows) < share
        X = random.normal(size=(n_rows, n_features)) + 1.5 * truth[:, None]
        labelled = truth & (random.random(n_rows) < 0.6)
        hidden = np.zeros(n_rows, dtype=bool)
        hidden[np.flatnonzero(labelled)[:4]] = True
        samples.append(
            PUSample(
                labelled & ~hidden, np.ones(n_rows, dtype=bool), float(truth.mean()), hidden, seed
            )
        )
        tables.append(X.astype(np.float32))
    with seeded(7):
        networks = [perceptron(n_features, (16, 16)) for _ in samples]
    return networks, np.stack(tables), samples


@pytest.mark.parametrize("patience", [2, None])
@pytest.mark.parametrize("risk", ["upu", "nnpu"])
def test_many_networks_at_once_are_what_they_are_one_by_one(risk, patience):
    networks, X, samples = stack_of_problems()
    before = copy.deepcopy(networks[0].state_dict())
    options = TrainingOptions(
        risk=risk, batch_size=30, positives_per_batch=7, max_epochs=8, patience=patience
    )
    together = fit_many(networks, X, samples, options)
    for network, rows, sample, found in zip(networks, X, samples, together, strict=True):
        alone = fit_one(network, rows, sample, options)
        assert found.best_epoch == alone.best_epoch
        n_epochs = len(alone.risk)  # the others may have gone on
        np.testing.assert_allclose(found.risk[:n_epochs], alone.risk, atol=1e-5)
        np.testing.assert_allclose(found.validation[:n_epochs], alone.validation, atol=1e-6)
        with torch.no_grad():
            np.testing.assert_allclose(
                found.network(torch.tensor(rows)), alone.network(torch.tensor(rows)), atol=1e-4
            )
    epochs = {found.best_epoch for found in together}
    assert len(epochs) > 1, "the three problems should not be alike"
    for name, value in networks[0].state_dict().items():
        np.testing.assert_array_equal(value, before[name])


def test_many_convolutional_networks():
    random = np.random.default_rng(0)
    X = random.normal(size=(2, 12, 64)).astype(np.float32)
    mask = np.arange(12) < 4
    samples = [PUSample(mask, np.ones(12, dtype=bool), prior, None, 3) for prior in (0.4, 0.6)]
    with seeded(0):
        networks = [convolutions((1, 8, 8)) for _ in samples]
    # Where a gradient is nearly 0, rounding decides which way the first steps of Adam go.
    options = TrainingOptions(max_epochs=2, learning_rate=1e-5)
    together = fit_many(networks, X, samples, options)
    alone = fit_one(networks[1], X[1], samples[1], options)
    with torch.no_grad():
        np.testing.assert_allclose(
            together[1].network(torch.tensor(X[1])), alone.network(torch.tensor(X[1])), atol=1e-3
        )


def test_as_many_of_each_are_needed():
    networks, X, samples = stack_of_problems()
    with pytest.raises(ValueError, match="3, 3 and 2"):
        fit_many(networks, X, samples[:2], TrainingOptions())


def test_every_batch_has_its_share_of_positives():
    """Seen by a network that writes down what it is given."""
    seen = []

    class Spy(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(1, 1)

        def forward(self, rows):
            if self.training:
                seen.append(rows[:, 0].numpy().copy())
            return self.linear(rows)

    numbers = np.arange(100, dtype=np.float32)[:, None]
    labelled = np.arange(100) < 20
    sample = PUSample(labelled, np.ones(100, dtype=bool), 0.4)
    fit_one(Spy(), numbers, sample, TrainingOptions(batch_size=25, max_epochs=3))
    assert [len(batch) for batch in seen] == [30] * 12
    for epoch in range(3):
        batches = seen[4 * epoch : 4 * epoch + 4]
        positives = np.concatenate([batch[:5] for batch in batches])
        assert sorted(positives) == list(range(20))
        assert sorted(np.concatenate([batch[5:] for batch in batches])) == list(range(100))
    assert not np.array_equal(seen[0], seen[4])


def test_statistics_of_normalisation_are_means_of_the_first_batches():
    X = np.random.default_rng(0).normal(5.0, 3.0, size=(40, 2)).astype(np.float32)
    mask = np.arange(40) < 10
    sample = PUSample(mask, np.ones(40, dtype=bool), 0.4)
    with seeded(0):
        network = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
    trained = fit_one(network, X, sample, TrainingOptions(max_epochs=3)).network[0]
    seen = np.concatenate([X[mask], X])  # every batch is all of P and all of U
    np.testing.assert_allclose(trained.running_mean, seen.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(trained.running_var, seen.var(axis=0, ddof=1), rtol=1e-5)
    assert trained.momentum == 0.1


def test_digits(digits):
    X, is_positive, is_labelled = digits
    accuracies = {}
    for method in (UPUClassifier, NNPUClassifier):
        model = method(
            prior=float(is_positive.mean()),
            hidden_layer_sizes=(100, 100),
            learning_rate=1e-3,
            max_epochs=20,
            random_state=0,
            device="cpu",
        ).fit(X, is_labelled)
        right = model.transduction_ == is_positive
        accuracies[method] = right[~is_labelled].mean()
    assert accuracies[UPUClassifier] > 0.9
    assert accuracies[NNPUClassifier] > 0.95


def test_the_networks_are_those_of_the_papers():
    layers = [module for module in perceptron(7).modules() if isinstance(module, nn.Linear)]
    assert [(layer.in_features, layer.out_features) for layer in layers] == [
        (7, 300),
        *[(300, 300)] * 4,
        (300, 1),
    ]
    network = convolutions((3, 32, 32))
    filters = [module for module in network.modules() if isinstance(module, nn.Conv2d)]
    assert [layer.out_channels for layer in filters] == [96] * 3 + [192] * 5 + [10]
    assert [layer.stride[0] for layer in filters] == [1, 1, 2, 1, 1, 2, 1, 1, 1]
    dense = [module for module in network.modules() if isinstance(module, nn.Linear)]
    assert [layer.in_features for layer in dense] == [640, 1000, 1000]
    assert network(torch.zeros(2, 3072)).shape == (2, 1)
    assert any(isinstance(module, nn.Softsign) for module in perceptron(7, (3,), "softsign"))


def test_images():
    random = np.random.default_rng(0)
    truth = np.arange(40) % 2 == 0
    X = random.integers(0, 100, size=(40, 8, 8))
    X[truth, 2:6, 2:6] += 100
    X = X.reshape(40, 64).astype(np.uint8)
    y = truth & (np.arange(40) < 24)
    model = NNPUClassifier(
        image_shape=(1, 8, 8), prior=0.5, max_epochs=6, random_state=0, device="cpu"
    ).fit(X, y)
    assert any(isinstance(module, nn.Conv2d) for module in model.network_.modules())
    assert (model.predict(X) == truth).mean() > 0.9
    for shape, problem in (
        ((1, 8, 9), "72 columns, X has 64"),
        ((8, 8), "channels, height, width"),
        ((16, 2, 2), "4 pixels"),
    ):
        with pytest.raises(ValueError, match=problem):
            clone(model).set_params(image_shape=shape).fit(X, y)
    with pytest.raises(ValueError, match="missing values"):
        clone(model).fit(np.where(X > 150, np.nan, X), y)
    with pytest.raises(ValueError, match="sparse"):
        clone(model).fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="needs image_shape"):
        NNPUClassifier("cnn", prior=0.5).fit(X, y)


def linear(n_features):
    return nn.Linear(n_features, 1)


def test_networks_of_the_user():
    X, y, truth = pu_table(300)
    settings = {"prior": float(truth.mean()), "random_state": 0, "learning_rate": 0.05}
    model = NNPUClassifier(linear, **settings).fit(X, y)
    assert isinstance(model.network_, nn.Linear)
    assert (model.transduction_ == truth).mean() > 0.9
    given = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Tanh(), nn.Linear(8, 1))
    before = copy.deepcopy(given.state_dict())
    first, second = (NNPUClassifier(given, **settings).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.scores_, second.scores_)
    for name, value in given.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    with pytest.raises(TypeError, match=r"torch\.nn\.Module"):
        NNPUClassifier(str, **settings).fit(X, y)
    with pytest.raises(ValueError, match=r"one number a row.*\(.*, 2\)"):
        NNPUClassifier(nn.Linear(4, 2), **settings).fit(X, y)


def test_random_state_of_torch_is_left_alone():
    X, y, _ = pu_table()
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    model = NNPUClassifier(**SMALL, prior=0.5, random_state=0).fit(X, y)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(6)
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.scores_, again.scores_)
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert not np.array_equal(model.scores_, other.scores_)


def test_early_stopping_keeps_the_best_epoch():
    X, y, truth = pu_table(400)
    model = NNPUClassifier(
        hidden_layer_sizes=(32,),
        prior=float(truth.mean()),
        patience=3,
        max_epochs=200,
        validation_share=0.2,
        random_state=0,
    ).fit(X, y)
    curve = model.validation_curve_
    assert model.n_epochs_ == len(curve) == len(model.risk_curve_) < 200
    assert model.best_epoch_ == np.argmax(curve) + 1 == model.n_epochs_ - 3


def test_unlabelled_rows_alone_have_a_smaller_prior():
    X, y, truth = pu_table(400)
    model = NNPUClassifier(
        **SMALL, unlabelled_includes_labelled=False, prior=float(truth.mean()), random_state=0
    ).fit(X, y)
    assert ((model.transduction_ == 1) == truth)[y == 0].mean() > 0.9


def test_half_is_the_sign_of_the_output():
    X, y, truth = pu_table(400)
    model = NNPUClassifier(
        **SMALL, threshold="half", prior=float(truth.mean()), random_state=0
    ).fit(X, y)
    assert model.threshold_ == 0.0
    np.testing.assert_array_equal(model.transduction_ == 1, (model.scores_ > 0) | (y == 1))
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)
    assert ((model.predict(X) == 1) == truth).mean() > 0.9
    # What counts is the sign, so the risk says which epoch is best.
    assert (model.validation_curve_ < 0).all()


def test_tables_of_every_kind():
    X, y, truth = pu_table(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.where(truth, "x", "y")
    frame.loc[::7, "a"] = np.nan
    model = NNPUClassifier(**SMALL, prior=float(truth.mean()), random_state=0).fit(frame, y)
    assert ((model.transduction_ == 1) == truth).mean() > 0.95
    frame.loc[0, "kind"] = "never seen"
    assert np.isfinite(model.predict_proba(frame)).all()


def test_rows_far_away():
    X, y, _ = pu_table()
    model = NNPUClassifier(**SMALL, prior=0.5, random_state=0).fit(X, y)
    for far in (X * 1e300, sp.csr_array(X * 1e300)):
        model.fit(X if isinstance(far, np.ndarray) else sp.csr_array(X), y)
        assert np.isfinite(model.decision_function(far)).all()
        assert np.isfinite(model.predict_proba(far)).all()


def test_device(monkeypatch):
    X, y, _ = pu_table()
    with pytest.raises(ValueError, match="device must be"):
        NNPUClassifier(device="abacus", prior=0.5).fit(X, y)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="no GPU here"):
        NNPUClassifier(device="cuda", prior=0.5).fit(X, y)
    # As if it had been fitted on a GPU, and then been sent to a machine without one.
    model = NNPUClassifier(**SMALL, prior=0.5, random_state=0).fit(X, y)
    moved = pickle.loads(pickle.dumps(model)).set_params(device="cuda")
    np.testing.assert_array_equal(moved.decision_function(X), model.decision_function(X))
    assert all(value.device.type == "cpu" for value in model.network_.state_dict().values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_on_a_gpu():
    X, y, truth = pu_table(400)
    settings = {**SMALL, "device": "cuda", "prior": float(truth.mean()), "random_state": 0}
    model = NNPUClassifier(**settings).fit(X, y)
    assert ((model.transduction_ == 1) == truth).mean() > 0.9
    np.testing.assert_array_equal(model.scores_, clone(model).fit(X, y).scores_)


def test_progress(capsys):
    X, y, _ = pu_table()
    NNPUClassifier(**{**SMALL, "max_epochs": 2}, prior=0.5, verbose=2).fit(X, y)
    printed = capsys.readouterr().out
    for word in ("points", "prior", "training", "answers", "epoch 1:", "epoch 2:"):
        assert word in printed


def test_callbacks_of_scikit_learn_are_told():
    callback = pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")
    told = []

    class Listener:
        def setup(self, estimator, context):
            told.append("setup")

        def teardown(self, estimator, context):
            told.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            told.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

    assert isinstance(Listener(), callback.FitCallback)
    X, y, _ = pu_table()
    NNPUClassifier(**SMALL, prior=0.5).set_callbacks(Listener()).fit(X, y)
    assert told == ["setup", "fit", "points", "prior", "training", "answers", "teardown"]


@pytest.mark.parametrize(
    "params",
    [
        {"network": "transformer"},
        {"loss": "hinge"},
        {"beta": -1.0},
        {"gamma": 2.0},
        {"activation": "tanh"},
        {"hidden_layer_sizes": (3, 0)},
        {"hidden_layer_sizes": (2.5,)},
        {"learning_rate": 0.0},
        {"batch_size": 0},
        {"max_epochs": 0},
        {"patience": 0},
        {"validation_share": 1.0},
        {"threshold": 0.5},
    ],
)
def test_bad_parameters_are_named(params):
    X, y, _ = pu_table()
    with pytest.raises(ValueError, match=next(iter(params))):
        NNPUClassifier(prior=0.5, **params).fit(X, y)


WITHOUT_TORCH = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec
PathFinder.find_spec = lambda name, path=None, target=None: (
    None if name.split(".")[0] == "torch" else find(name, path, target)
)

import pucut
from pucut import *

assert "NNPUClassifier" in dir(pucut) and "NNPUClassifier" not in pucut.__all__
TwoHNCClassifier()
for ask in ("from pucut import NNPUClassifier", "pucut.UPUClassifier()", "pucut.Nothing"):
    try:
        exec(ask)
    except (ImportError, AttributeError) as error:
        print(error)
"""


def test_without_torch_the_rest_works():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    for name, line in zip(("NNPUClassifier", "UPUClassifier"), told[:2], strict=True):
        assert line.startswith(f"{name} needs PyTorch")
        assert "pip install 'pucut[torch]'" in line
    assert told[2:] == ["module 'pucut' has no attribute 'Nothing'"]
