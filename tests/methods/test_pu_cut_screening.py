"""Spaces that some of the rows show to be clearly worse are not tried on all."""

import numpy as np
import pytest

from pucut import PUCutClassifier
from pucut.datasets import pu_split
from pucut.exceptions import RepeatedRowsWarning, SuspectColumnWarning
from pucut.judging.places import PointsHere
from pucut.methods.pu_cut import _rounds, _screening
from pucut.methods.pu_cut._mixing import UNJUDGED, recall_error
from pucut.methods.pu_cut._screening import screen_spaces
from pucut.methods.pu_cut._spaces import PossibleSpace
from pucut.methods.pu_cut._worlds import hidden_worlds


@pytest.fixture
def table(monkeypatch):
    """Two columns that know the class, and two hundred that do not."""
    monkeypatch.setattr(_screening, "ROWS_THAT_TELL", 2000)
    monkeypatch.setattr(_screening, "FEWEST_ROWS", 2000)
    random = np.random.default_rng(0)
    is_positive = random.random(2400) < 0.5
    X = random.normal(size=(2400, 202))
    X[:, :2] += 3.0 * is_positive[:, None]
    return X, is_positive, pu_split(is_positive, 0.6, random_state=0)


def test_a_space_that_is_clearly_worse_is_left_out(table):
    X, is_positive, is_labelled = table
    groups = np.arange(len(X))
    random = np.random.RandomState(0)
    worlds = hidden_worlds(is_labelled, int(is_positive.sum()), random, groups)
    assert worlds.n_hidden_worlds == 1
    informed = np.where(np.arange(202) < 2, 101.0, 0.0)
    nearly = np.where(np.arange(202) < 2, 100.9, 0.2 / 200)
    weights = {"informed": informed, "noise": 1.01 * (informed == 0.0), "nearly": nearly}

    def screened(n_rows, names):
        some = worlds.of_rows(groups[:n_rows])
        spaces = [PossibleSpace(name, 10, [weights[name]] * 2, None) for name in names]
        return screen_spaces(spaces, PointsHere(X[:n_rows]), some, random, {"method": "exact"})

    found = screened(2400, list(weights))
    assert found.is_tried == (True, False, True)
    (said,) = found.left_out
    assert (said.name, said.kind, said.weight) == ("neighbours, noise", "score", 0.0)
    assert 0.2 < said.hidden_recall < 0.6
    assert "clearly behind" in said.why
    # By itself it is the best, and with fewer rows everything is tried.
    assert screened(2400, ["noise"]).is_tried == (True,)
    assert screened(1900, list(weights)).is_tried == (True, True, True)
    # Spaces are compared as they are tried: turned.
    swapped = np.eye(202)[np.r_[100:202, 0:100]]
    turned = PossibleSpace("noise, turned", 10, [weights["noise"]] * 2, swapped)
    spaces = [turned, PossibleSpace("noise", 10, [weights["noise"]] * 2, None)]
    search = {"method": "exact"}
    assert screen_spaces(spaces, PointsHere(X), worlds, random, search).is_tried == (
        True,
        False,
    )


def test_of_several_worlds_the_first_tells(monkeypatch, table):
    """With what it knows: weights of the complete world have seen the rows that it hides."""
    monkeypatch.setattr(_screening, "LABELS_TO_TELL", 500)
    X, is_positive, _ = table
    is_labelled = pu_split(is_positive, 0.49, random_state=0)
    groups, random = np.arange(len(X)), np.random.RandomState(0)
    worlds = hidden_worlds(is_labelled, int(is_positive.sum()), random, groups)
    assert worlds.n_hidden_worlds == 3
    informed = np.where(np.arange(202) < 2, 101.0, 0.0)
    noise = 1.01 * (informed == 0.0)

    def screened(of_second):
        spaces = [
            PossibleSpace("informed", 10, [informed] * 4, None),
            PossibleSpace("second", 10, of_second, None),
        ]
        return screen_spaces(spaces, PointsHere(X), worlds, random, {"method": "exact"})

    assert screened([noise, informed, informed, informed]).is_tried == (True, False)
    assert screened([informed, noise, noise, noise]).is_tried == (True, True)
    (said,) = screened([noise] * 4).left_out
    alone = worlds.hiding_first()
    np.testing.assert_array_equal(alone.is_hidden, worlds.fold == 0)
    assert said.standard_error == pytest.approx(
        recall_error(said.hidden_recall, int(alone.is_hidden.sum()))
    )


def test_labels_that_cannot_be_hidden_tell_nothing(monkeypatch, table):
    """All labelled rows are copies of one."""
    X, _, is_labelled = table
    X = np.where(is_labelled[:, None], 5.0, X)
    monkeypatch.setattr(_rounds, "FEWEST_ROWS", 2000)
    model = PUCutClassifier(prior=0.5, n_estimators=5, random_state=0)
    # Of the copies, and of columns that give the label away.
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
