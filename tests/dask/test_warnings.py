"""Fits on Dask warn of copies and of columns that know the labels, as those of one machine do."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pucut import PUCutClassifier, TwoHNCClassifier
from pucut.dask import DaskPUCutClassifier, DaskTwoHNCClassifier
from pucut.dask.partitions import read_partitions
from pucut.dask.standardising import learn_all_columns
from pucut.data.labels import checked_pu_labels
from pucut.data.row_order import table_hashes
from pucut.data.suspects import suspect_columns
from pucut.data.tables import as_table
from pucut.exceptions import RepeatedRowsWarning, SuspectColumnWarning

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.slow

SETTINGS = {"prior": 0.4, "n_estimators": 2, "neighbors": "exact", "random_state": 0}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def table(n_rows=240):
    """A frame with categories that no partition holds alone, and labels."""
    random = np.random.default_rng(0)
    is_positive = random.random(n_rows) < 0.4
    is_labelled = is_positive & (random.random(n_rows) < 0.5)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows) + is_positive,
            "kind": np.where(np.arange(n_rows) < 100, "c", random.choice(["a", "b"], n_rows)),
            "mixed": np.where(np.arange(n_rows) < 100, random.choice(["x", "y"], n_rows), None),
            "count": random.integers(0, 30, n_rows),
        }
    )
    return frame, is_labelled


def with_suspects(frame, is_labelled):
    random = np.random.default_rng(1)
    number = np.argsort(np.argsort(~is_labelled, kind="stable"))
    return frame.assign(
        confirmed=np.where(is_labelled, random.choice(["Ann", "Bob"], len(frame)), None),
        number=number.astype(float),
    )


def warned(model, X, y):
    """The warnings of a fit: kinds and texts."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, y)
    ours = (RepeatedRowsWarning, SuspectColumnWarning)
    return [(each.category, str(each.message)) for each in found if each.category in ours]


@pytest.mark.parametrize(
    ("on_dask", "here"),
    [(DaskTwoHNCClassifier, TwoHNCClassifier), (DaskPUCutClassifier, PUCutClassifier)],
)
@pytest.mark.parametrize("prior", [0.4, "auto"])
def test_a_large_table_warns_as_on_one_machine(monkeypatch, on_dask, here, prior):
    """Tables beyond `MAX_ROWS` do not come to this process."""
    monkeypatch.setattr("pucut.dask.estimator.MAX_ROWS", 100)
    monkeypatch.setattr("pucut.priors.estimate.MAX_ROWS", 100)
    frame, y = table()
    frame = with_suspects(frame, y)
    # Copies far from their rows, in other partitions.
    frame, y = pd.concat([frame, frame], ignore_index=True), np.append(y, y)
    settings = SETTINGS | {"prior": prior}
    expected = warned(here(**settings), frame, y)
    assert {kind for kind, _ in expected} == {RepeatedRowsWarning, SuspectColumnWarning}
    monkeypatch.setattr("pucut.dask.partitions.Partitions.gathered", None)
    assert warned(on_dask(**settings), dd.from_pandas(frame, npartitions=7), y) == expected


def test_arrays_name_their_columns_by_number(monkeypatch):
    monkeypatch.setattr("pucut.dask.standardising._MOST_BYTES", 1)  # each column by itself
    X, y = np.random.default_rng(0).normal(size=(300, 4)), np.arange(300) % 5 == 0
    X[:, 2] = np.where(y, X[:, 2], np.nan)
    ((kind, text),) = warned(DaskTwoHNCClassifier(**SETTINGS), da.from_array(X, (80, 2)), y)
    assert kind is SuspectColumnWarning
    assert text.startswith("'2' is filled in 60 of 60 labelled rows and in 0 of 240 others.")


def test_honest_columns_are_silent():
    frame, y = table()
    assert warned(DaskTwoHNCClassifier(**SETTINGS), dd.from_pandas(frame, npartitions=3), y) == []


@pytest.mark.parametrize("most_bytes", [1, 1 << 27])
def test_hashes_and_suspects_are_those_of_the_whole_table(monkeypatch, most_bytes):
    """In whatever partitions it lies, and however many columns are read at a time."""
    monkeypatch.setattr("pucut.dask.standardising._MOST_BYTES", most_bytes)
    frame, y = table()
    frame = with_suspects(frame, y)
    labels, whole = checked_pu_labels(y), as_table(frame)
    learned = learn_all_columns(read_partitions(dd.from_pandas(frame, npartitions=5)), labels)
    np.testing.assert_array_equal(learned.hashes, table_hashes(whole))
    assert learned.suspects == suspect_columns(whole, labels)
    assert len(learned.suspects) == 2


def test_more_rows_than_the_estimate_of_the_prior_takes():
    random = np.random.default_rng(0)
    is_positive = random.random(20_500) < 0.4
    X = random.normal(size=(20_500, 3)) + is_positive[:, None]
    y = is_positive & (random.random(20_500) < 0.5)
    X[:, 2] = np.where(y, 1.0, 0.0)
    with pytest.warns(SuspectColumnWarning, match="'2' is 1 in"):
        DaskTwoHNCClassifier(**SETTINGS).fit(da.from_array(X, chunks=(6000, 3)), y)
