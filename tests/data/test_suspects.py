"""Columns that know the labels are named; honest ones are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine

from pucut import PUThresholdClassifier
from pucut.data.labels import checked_pu_labels
from pucut.data.suspects import in_words, suspect_columns
from pucut.data.tables import as_table
from pucut.datasets import pu_split
from pucut.exceptions import SuspectColumnWarning


def table(n_rows=400, n_labelled=60, seed=0):
    """An honest table: a column that tells the classes apart, a category, gaps, and noise."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_rows) < 0.4
    is_labelled = np.zeros(n_rows, dtype=bool)
    is_labelled[random.choice(np.flatnonzero(is_positive), n_labelled, replace=False)] = True
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows) + 6.0 * is_positive,
            "kind": np.where(is_positive, "round", random.choice(["flat", "long"], n_rows)),
            "gaps": np.where(random.random(n_rows) < 0.5, np.nan, random.normal(size=n_rows)),
            "count": random.integers(0, 5, n_rows),
        }
    )
    return frame, is_labelled


def named(frame, is_labelled):
    return suspect_columns(as_table(frame), checked_pu_labels(is_labelled))


def filled(frame, is_labelled, random):
    return np.where(is_labelled, random.choice(["Ann", "Bob", "Cy"], len(frame)), None)


def partly_filled(frame, is_labelled, random):
    return np.where(is_labelled & (random.random(len(frame)) < 0.5), 1.5, np.nan)


def emptied(frame, is_labelled, random):
    return np.where(is_labelled, np.nan, random.normal(size=len(frame)))


def status(frame, is_labelled, random):
    return np.where(is_labelled, "treated", random.choice(["open", "closed"], len(frame)))


def running_number(frame, is_labelled, random):
    """Labelled rows were entered first."""
    return np.argsort(np.argsort(~is_labelled, kind="stable")) + 1


def day(frame, is_labelled, random):
    """Labelled in March, others seen in the years before."""
    days = np.where(is_labelled, random.integers(0, 31, len(frame)), -random.integers(1, 900, 400))
    return pd.Timestamp("2024-03-01") + pd.to_timedelta(days, unit="D")


@pytest.mark.parametrize(
    ("make", "kind", "n_labelled"),
    [
        (filled, "filled", 60),
        (partly_filled, "filled", None),
        (emptied, "empty", 60),
        (status, "value", 60),
        (running_number, "range", None),
        (day, "range", None),
    ],
)
def test_a_column_made_by_the_labelling_is_named(make, kind, n_labelled):
    frame, is_labelled = table()
    assert named(frame, is_labelled) == ()
    frame["made"] = make(frame, is_labelled, np.random.default_rng(1))
    (suspect,) = named(frame, is_labelled)
    assert (suspect.column, suspect.n_others) == ("made", 0)
    assert suspect.kind == kind or (make is day and suspect.kind == "value")
    assert n_labelled is None or suspect.n_labelled == n_labelled
    assert (suspect.of_labelled, suspect.of_others) == (60, 340)
    assert "'made' is " in str(suspect)
    assert in_words([suspect]).endswith("hardly any other row is found.")


def test_a_few_others_do_not_hide_it_and_many_clear_it():
    frame, is_labelled = table()
    others = np.flatnonzero(~is_labelled)
    for n_others, n_found in ((3, 1), (60, 0)):
        has = is_labelled.copy()
        has[others[:n_others]] = True
        frame["seen by"] = np.where(has, 1.0, np.nan)
        assert len(named(frame, is_labelled)) == n_found


def test_known_negatives_were_labelled_too():
    frame, is_labelled = table()
    y = np.where(is_labelled, "yes", None)
    y[np.flatnonzero(~is_labelled)[:80]] = "no"
    frame["confirmed by"] = np.where(y == None, None, "Ann")  # noqa: E711 - element by element
    labels = checked_pu_labels(y, pos_label="yes", neg_label="no")
    (suspect,) = suspect_columns(as_table(frame), labels)
    assert (suspect.n_labelled, suspect.n_others, suspect.of_others) == (60, 0, 260)


def test_sparse_tables_and_arrays():
    frame, is_labelled = table()
    X = np.column_stack([frame["size"], np.where(is_labelled, 2.0, 0.0)])
    assert [suspect.column for suspect in named(X, is_labelled)] == ["1"]
    assert [suspect.column for suspect in named(sp.csr_array(X), is_labelled)] == ["1"]
    labels = checked_pu_labels(is_labelled)
    assert suspect_columns(as_table(X), labels, ["a", "b"])[0].column == "b"
    few = np.zeros(400, dtype=bool)
    few[:4] = True
    assert named(np.where(few, 1.0, np.nan)[:, None], few) == ()


@pytest.mark.parametrize("share", [0.05, 0.1, 0.6, 0.9])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_no_column_of_a_real_table_is_named(load, share):
    X, y = load(return_X_y=True, as_frame=True)
    for seed in range(5):
        n_labelled = max(5, int(share * (y == 1).sum()))
        is_labelled = pu_split((y == 1).to_numpy(), n_labelled=n_labelled, random_state=seed)
        assert named(X, is_labelled) == ()


def test_a_fit_warns_and_honest_columns_are_silent():
    frame, is_labelled = table()
    X = frame[["size", "gaps", "count"]]
    model = PUThresholdClassifier(prior=0.4, n_folds=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, is_labelled)
    found = np.mean(model.transduction_[~is_labelled])
    leaking = X.assign(confirmed=np.where(is_labelled, 1.0, np.nan))
    with pytest.warns(SuspectColumnWarning, match="'confirmed' is filled in 60 of 60 labelled"):
        model.fit(leaking, is_labelled)
    assert found > 0.2
