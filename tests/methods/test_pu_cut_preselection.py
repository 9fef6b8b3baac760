"""Pre-selection: spaces that are clearly worse on some of the rows are not searched on all."""

import numpy as np
import pytest

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.exceptions import RepeatedRowsWarning, SuspectColumnWarning
from pucut.judging.folds import pu_folds
from pucut.judging.places import PointsHere
from pucut.judging.spaces import GradientMap, Space
from pucut.judging.weights import UNJUDGED, recall_error
from pucut.methods.pu_cut import _plan, _preselection
from pucut.methods.pu_cut._preselection import preselect


@pytest.fixture
def table(monkeypatch):
    """Two columns that know the class, and two hundred that do not."""
    monkeypatch.setattr(_preselection, "ROWS_SEARCHED", 2000)
    monkeypatch.setattr(_plan, "FEWEST_ROWS", 2000)
    random = np.random.default_rng(0)
    is_positive = random.random(2400) < 0.5
    X = random.normal(size=(2400, 202))
    X[:, :2] += 3.0 * is_positive[:, None]
    return X, is_positive, pu_split(is_positive, 0.6, random_state=0)


def kept(spaces, X, folds, random):
    found, left_out = preselect(spaces, PointsHere(X), folds, random, {"method": "exact"})
    return [space.name for space in found], left_out


def test_a_space_that_is_clearly_worse_is_left_out(table):
    X, is_positive, is_labelled = table
    random = np.random.RandomState(0)
    folds = pu_folds(is_labelled, int(is_positive.sum()), random, np.arange(len(X)))
    assert folds.n_folds == 1
    informed = np.where(np.arange(202) < 2, 101.0, 0.0)
    noise = 1.01 * (informed == 0.0)
    nearly = np.where(np.arange(202) < 2, 100.9, 0.2 / 200)
    weights = {"informed": informed, "noise": noise, "nearly": nearly}
    spaces = [Space(name, (each,) * 2, 10) for name, each in weights.items()]
    names, (candidate,) = kept(spaces, X, folds, random)
    assert names == ["informed", "nearly"]
    assert (candidate.name, candidate.kind) == ("neighbours, noise", "score")
    assert candidate.weight == 0.0
    assert 0.2 < candidate.hidden_recall < 0.6
    assert "clearly behind" in candidate.why
    # By itself it is the best.
    assert kept(spaces[1:2], X, folds, random)[0] == ["noise"]
    # Spaces are compared with their transforms.
    swapped = GradientMap(np.eye(202)[np.r_[100:202, 0:100]])
    mapped = Space("noise, swapped", (noise,) * 2, 10, swapped)
    assert kept([mapped, spaces[1]], X, folds, random)[0] == ["noise, swapped"]


def test_the_first_of_several_folds_decides(monkeypatch, table):
    """With its own weights: those of the final fit have seen the rows that it hides."""
    X, is_positive, _ = table
    is_labelled = pu_split(is_positive, 0.49, random_state=0)
    random = np.random.RandomState(0)
    folds = pu_folds(is_labelled, int(is_positive.sum()), random, np.arange(len(X)))
    assert folds.n_folds == 3
    informed = np.where(np.arange(202) < 2, 101.0, 0.0)
    noise = 1.01 * (informed == 0.0)

    def selected(*of_second):
        spaces = [Space("informed", (informed,) * 4, 10), Space("second", of_second, 10)]
        return kept(spaces, X, folds, random)

    assert selected(noise, informed, informed, informed)[0] == ["informed"]
    assert selected(informed, noise, noise, noise)[0] == ["informed", "second"]
    _, (candidate,) = selected(noise, noise, noise, noise)
    n_hidden = int((folds.fold == 0).sum())
    assert candidate.standard_error == pytest.approx(
        recall_error(candidate.hidden_recall, n_hidden)
    )


def test_small_tables_and_few_labels_have_no_preselection():
    model = PUCutClassifier(prior=0.5)
    sizes = [(20_000, 600), (19_999, 600), (20_000, 599)]
    assert [model._plan(n, 5, 8, labels).is_large for n, labels in sizes] == [True, False, False]


def test_labels_that_cannot_be_hidden_tell_nothing(monkeypatch, table):
    """All labelled rows are copies of one."""
    X, _, is_labelled = table
    X = np.where(is_labelled[:, None], 5.0, X)
    model = PUCutClassifier(prior=0.5, n_estimators=5, random_state=0)
    # One warning is of the copies, the other of columns that give the label away.
    with pytest.warns(RepeatedRowsWarning), pytest.warns(SuspectColumnWarning):
        model.fit(X, is_labelled)
    assert {each.why for each in model.selection_ if each.kind != "mixture"} == {UNJUDGED}


def test_what_is_left_out_is_said(table):
    X, is_positive, is_labelled = table
    model = PUCutClassifier(prior=is_positive.mean(), n_estimators=20, random_state=0)
    model.fit(X, is_labelled)
    assert [space.name for space in model.mixture_.spaces] == ["importance squared"]
    first, *others = model.selection_
    assert first.name == "neighbours, all features alike"
    assert not any("all features alike" in each.name for each in others)
    assert others[-1].kind == "mixture"
    accuracy = (model.transduction_ == is_positive)[~is_labelled].mean()
    assert accuracy > 0.88
    assert model.mixture_.weights_of == "importance squared"
    # Asked for by itself the space is there.
    model.set_params(feature_weights=None).fit(X, is_labelled)
    assert [space.name for space in model.mixture_.spaces] == ["all features alike"]
