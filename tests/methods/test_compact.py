"""compact(): the same answers to the bit, from a model that keeps nothing else."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from pucut import PUCutClassifier, PUExtraTreesClassifier, TwoHNCClassifier
from pucut.methods import METHODS
from pucut.model_files import dump_model, load_model

ANSWERS = ("predict", "predict_proba", "decision_function")
# Where random_state alone does not make them small.
SMALL = {
    "pucut": {"n_estimators": 10},
    "2-HNC": {"n_estimators": 10},
    "PU extra trees": {"n_estimators": 10},
    "isolation forest": {"estimator__n_estimators": 10},
    "bagging SVM": {"n_estimators": 5},
    "PU bagging": {"n_estimators": 5},
    "uPU": {"max_epochs": 2},
    "nnPU": {"max_epochs": 2},
}


def table(n_rows=150, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(n_rows, 4)
    y = ((X[:, 0] + X[:, 1] > 0) & (random.rand(n_rows) < 0.5)).astype(int)
    return X, y


def small(name):
    return METHODS[name]().set_params(prior=0.5, random_state=0, **SMALL.get(name, {}))


def fitted_names(model):
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


def check_same_answers(model, compact, *tables):
    for X in tables:
        for answer in ANSWERS:
            np.testing.assert_array_equal(getattr(compact, answer)(X), getattr(model, answer)(X))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_answers_as_before(name):
    (X, y), (new, _) = table(), table(60, seed=1)
    model = small(name).fit(X, y)
    before = copy.deepcopy(vars(model))
    compact = model.compact()
    check_same_answers(model, compact, X, new, new[:1])
    assert compact.score(X, y) == model.score(X, y)
    # The model itself still has everything.
    assert set(vars(model)) == set(before)
    np.testing.assert_array_equal(model.scores_, before["scores_"])
    again = pickle.loads(pickle.dumps(compact))
    check_same_answers(model, again, new)
    check_same_answers(model, again.compact(), new)
    assert len(pickle.dumps(compact)) < len(pickle.dumps(model))
    assert clone(compact).get_params().keys() == model.get_params().keys()
    for gone in fitted_names(model) - fitted_names(compact):
        for one in (compact, again, again.compact()):
            assert not hasattr(one, gone)
            with pytest.raises(AttributeError, match=rf"{gone} was left out .* by compact\(\)"):
                getattr(one, gone)
    with pytest.raises(AttributeError, match="has no attribute 'never_there_'"):
        _ = compact.never_there_
    of_each_row = [
        each
        for each, value in vars(compact).items()
        if each.endswith("_") and np.shape(value)[:1] == (len(X),)
    ]
    assert not of_each_row
    # It can be fitted again, and then has everything again.
    np.testing.assert_array_equal(compact.fit(X, y).scores_, model.scores_)


def test_what_was_tried_is_not_kept():
    X, y = table()
    model = PUCutClassifier(prior=0.5, n_estimators=10, random_state=0).fit(X, y)
    # Not even by the whole model: the scores of the training rows have been compared.
    assert all(len(part.scores) == 0 for part in model.mixture_.chosen.mixed.parts)
    kept = model.compact()._mixture
    assert kept.forest is None
    assert all(len(space.lists.indices) == 0 for space in kept.spaces)
    assert all(cut.space in kept.spaces for cut in kept.cuts)
    assert len(kept.chosen.scores) == len(kept.chosen.left_out) == len(kept.chosen.candidates) == 0


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "points"),
        ({"inductive": "nearest"}, "points"),
        ({"similarity": "forest", "n_estimators": 10}, "points"),
        ({"similarity": "forest", "inductive": "nearest", "n_estimators": 10}, "points"),
        ({"similarity": "precomputed"}, "similarities"),
        ({"neighbors": "precomputed", "n_neighbors": 4}, "distances"),
    ],
    ids=str,
)
def test_two_hnc_wherever_its_rows_lie(options, kind):
    X, y = table(80)
    new = X[:20] + 0.05
    if kind != "points":
        near = [((rows[:, None] - X) ** 2).sum(axis=2) for rows in (X, new)]
        if kind == "similarities":
            X, new = (np.exp(-squared) for squared in near)
            np.fill_diagonal(X, 0.0)
        else:
            X, new = (sp.csr_array(np.sqrt(squared)) for squared in near)
    model = TwoHNCClassifier(prior=0.5, random_state=0, **options).fit(X, y)
    compact = model.compact()
    check_same_answers(model, compact, new, new[:1])
    saved = load_model(dump_model(compact, {})).estimator
    check_same_answers(model, saved, new)
    # One row at a time, whatever was made ready at the first.
    alone = np.vstack([saved.predict_proba(new[[row]]) for row in range(20)])
    np.testing.assert_array_equal(alone, model.predict_proba(new))


def test_a_model_file_is_smaller_and_says_what_is_gone():
    X, y = table(300)
    model = PUCutClassifier(prior=0.5, n_estimators=5, random_state=0).fit(X, y)
    whole, compact = (dump_model(each, {}) for each in (model, model.compact()))
    assert len(compact) < 0.7 * len(whole)
    saved = load_model(compact).estimator
    check_same_answers(model, saved, X)
    with pytest.raises(AttributeError, match=r"scores_ was left out .* by compact\(\)"):
        _ = saved.scores_


def test_a_method_that_says_nothing_keeps_all_but_what_it_says_of_rows():
    class Own(PUExtraTreesClassifier):
        _answers_rest_on = None

    X, y = table()
    model = Own(prior=0.5, n_estimators=10, random_state=0).fit(X, y)
    compact = model.compact()
    check_same_answers(model, compact, X)
    assert set(vars(model)) - set(vars(compact)) == {"scores_", "transduction_"}
