"""uPU and nnPU as classifiers: the contract, digits, images, devices, what is refused."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from pucut.data.labels import checked_pu_labels
from pucut.datasets import pu_split
from pucut.utils.estimator_checks import parametrize_with_pu_checks
from pucut.utils.estimator_checks._tools import pu_table
from tests.helpers.checks import told_to_callbacks
from tests.helpers.scikit_learn_checks import run_scikit_learn_check

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from pucut import NNPUClassifier, UPUClassifier  # noqa: E402
from pucut.methods.neural._networks import convolutions, perceptron  # noqa: E402

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


@parametrize_with_pu_checks([NNPUClassifier(**SMALL)])
def test_pu_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_pu_checks([UPUClassifier(**SMALL)])
def test_pu_check_of_the_unbounded_risk(estimator, check):
    check(estimator)


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
    with pytest.raises(ValueError, match=r"one number per row.*\(.*, 2\)"):
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


def test_unlabelled_rows_alone_have_a_smaller_prior():
    X, y, truth = pu_table(400)
    model = NNPUClassifier(
        **SMALL, unlabelled_includes_labelled=False, prior=float(truth.mean()), random_state=0
    ).fit(X, y)
    assert ((model.transduction_ == 1) == truth)[y == 0].mean() > 0.9


def test_copies_of_a_row_are_hidden_together():
    points = np.random.default_rng(0).normal(size=(60, 3))
    twice = np.vstack([points, points])
    labels = checked_pu_labels(np.tile(np.arange(60) < 20, 2))
    model = NNPUClassifier(**SMALL, prior=0.5, validation_share=0.25, random_state=0)
    model.prior_ = 0.5
    _, sample = model._prepare(twice, labels)
    first, second = np.split(sample.is_hidden, 2)
    np.testing.assert_array_equal(first, second)
    assert first.sum() == 5
    assert not (sample.is_positive & sample.is_hidden).any()


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
    for of_kind in (np.asarray, sp.csr_array):
        model = NNPUClassifier(**SMALL, prior=0.5, random_state=0).fit(of_kind(X), y)
        far = of_kind(X * 1e30)
        assert np.isfinite(model.decision_function(far)).all()
        assert np.isfinite(model.predict_proba(far)).all()
        with pytest.raises(ValueError, match=r"column 0 of X holds .* standard deviations"):
            model.decision_function(of_kind(X * 1e300))


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
    X, y, _ = pu_table()
    told = told_to_callbacks(NNPUClassifier(**SMALL, prior=0.5), X, y)
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


@pytest.mark.slow
def test_without_torch_the_rest_works():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    for name, line in zip(("NNPUClassifier", "UPUClassifier"), told[:2], strict=True):
        assert line.startswith(f"{name} needs PyTorch")
        assert "pip install 'pucut[torch]'" in line
    assert told[2:] == ["module 'pucut' has no attribute 'Nothing'"]
