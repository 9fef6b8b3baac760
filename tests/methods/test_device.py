"""`device` of the cut classifiers; without a GPU PyTorch does its work on the processor."""

import copy
import io
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits

from pucut import HNCClassifier, PUCutClassifier, TwoHNCClassifier
from pucut.exceptions import DeviceNotFoundWarning
from pucut.kernels import ridge
from pucut.methods.pu_cut import classifier as pu_cut
from pucut.methods.two_hnc import classifier as two_hnc
from pucut.model_files import dump_model, load_model
from pucut.semi_supervised import hnc

torch = pytest.importorskip("torch")

PU = (PUCutClassifier, TwoHNCClassifier)
ALL = (*PU, HNCClassifier)


@pytest.fixture(scope="module")
def table():
    X, digit = load_digits(return_X_y=True)
    keep = np.random.RandomState(0).permutation(len(X))[:250]
    return X[keep], digit[keep]


@pytest.fixture
def gpu(monkeypatch):
    """Where there is none, PyTorch's processor device stands for "cuda"."""
    if not torch.cuda.is_available():
        for module in (pu_cut, two_hnc, hnc):
            monkeypatch.setattr(module, "card_of", {None: None, "cuda": "cpu"}.get)


def fitted(method, table, device, **options):
    X, digit = table
    draws = np.random.RandomState(1).random(len(digit))
    if method is HNCClassifier:
        return method(random_state=0, device=device, **options).fit(
            X, np.where(draws < 0.3, digit, -1)
        )
    is_odd = digit % 2 == 1
    model = method(prior=is_odd.mean(), random_state=0, n_estimators=10, device=device, **options)
    return model.fit(X, is_odd & (draws < 0.5))


class _WithoutTorch(pickle.Unpickler):
    def find_class(self, module, name):
        assert not module.startswith("torch"), module
        return super().find_class(module, name)


@pytest.mark.usefixtures("gpu")
def test_two_hnc_has_the_same_bits(table):
    """Its neighbours are exact both times."""
    here, there = (fitted(TwoHNCClassifier, table, device) for device in (None, "cuda"))
    np.testing.assert_array_equal(there.scores_, here.scores_)
    assert (there.graph_ != here.graph_).nnz == 0


@pytest.mark.parametrize("method", [PUCutClassifier, HNCClassifier])
@pytest.mark.usefixtures("gpu")
def test_regressions_with_the_same_landmarks_answer_alike(method, table, monkeypatch):
    """Those of NumPy are in single precision, and ranks may change places."""
    monkeypatch.setattr(ridge, "_FEWEST_LANDMARKS", 250)
    here, there = (fitted(method, table, device) for device in (None, "cuda"))
    np.testing.assert_allclose(there.scores_, here.scores_, atol=0.02)
    assert (there.transduction_ == here.transduction_).mean() > 0.99
    change = np.abs(there.predict_proba(table[0]) - here.predict_proba(table[0]))
    assert change.mean() < 0.005


@pytest.mark.parametrize("method", ALL)
@pytest.mark.usefixtures("gpu")
def test_models_answer_where_there_is_no_gpu(method, table):
    """No tensor is in a model; copies, clones and files are as good as the model itself."""
    X, _ = table
    model = fitted(method, table, "cuda")
    expected = model.predict_proba(X[:30])
    for other in (
        _WithoutTorch(io.BytesIO(pickle.dumps(model))).load(),
        copy.deepcopy(model),
        load_model(dump_model(model, {})).estimator,
        fitted(method, table, "cuda"),
    ):
        np.testing.assert_array_equal(other.predict_proba(X[:30]), expected)
        assert other.device == "cuda"
    assert clone(model).device == "cuda"
    one_by_one = np.vstack([model.predict_proba(row[None, :]) for row in X[:30]])
    np.testing.assert_array_equal(one_by_one, expected)


@pytest.mark.parametrize("method", ALL)
def test_without_a_gpu_the_answers_are_those_of_the_processors(method, table):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.warns(DeviceNotFoundWarning, match="device is 'cuda', but PyTorch finds no GPU"):
        asked = fitted(method, table, "cuda")
    for device in (None, "auto"):
        np.testing.assert_array_equal(fitted(method, table, device).scores_, asked.scores_)


@pytest.mark.parametrize("method", ALL)
def test_what_is_no_device_is_refused(method, table):
    with pytest.raises(ValueError, match=r"device must be None, .* found 'gpu'"):
        fitted(method, table, "gpu")
    with pytest.raises(ValueError, match="The 'device' parameter of"):
        fitted(method, table, 0)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.usefixtures("gpu")
def test_sparse_tables_stay_on_the_processors(method, table):
    sparse = (sp.csr_array(table[0]), table[1])
    here, there = (fitted(method, sparse, device) for device in (None, "cuda"))
    np.testing.assert_array_equal(there.scores_, here.scores_)


@pytest.mark.parametrize("neighbors", ["approximate", "torch"])
@pytest.mark.usefixtures("gpu")
def test_a_search_that_is_named_is_done(table, neighbors):
    model = fitted(TwoHNCClassifier, table, "cuda", neighbors=neighbors)
    assert model._rule.space.space.lists.method == neighbors
    assert fitted(TwoHNCClassifier, table, "cuda")._rule.space.space.lists.method == "torch"


@pytest.mark.parametrize("method", PU)
def test_estimates_know_of_the_gpu(method, monkeypatch):
    shape = (1_000_000, 50)
    here = method(prior=0.3, n_jobs=16).estimate(shape)
    assert method(prior=0.3, n_jobs=16, device="cpu").estimate(shape) == here
    for module in ("sized", "pu_cut.classifier"):
        monkeypatch.setattr(f"pucut.methods.{module}.usable_card", {"cuda": "cuda"}.get)
    there = method(prior=0.3, n_jobs=16, device="cuda").estimate(shape)
    for faster, slower in zip(there.stages, here.stages, strict=True):
        if slower.name in ("neighbours", "kernels", "rounds"):
            assert faster.seconds < slower.seconds
        else:
            assert faster == slower
    named = method(prior=0.3, n_jobs=16, device="cuda", neighbors="approximate").estimate(shape)
    assert named.stages[2] == here.stages[2]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("method", ALL)
def test_nothing_stays_on_the_gpu(method, table):
    fitted(method, table, "cuda")
    before = torch.cuda.memory_allocated()
    model = fitted(method, table, "cuda")
    model.predict(table[0])
    assert torch.cuda.memory_allocated() == before
    np.testing.assert_array_equal(fitted(method, table, "cuda").scores_, model.scores_)
