"""The reading of columns from Python, as a transformer."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import pucut
from pucut import PUExtraTreesClassifier
from pucut.tables import ColumnEncoder, TableError, read_file, read_labels
from pucut.tables.columns import learn_columns
from tests.helpers.cli_tables import gene_table, write_csv

N_ROWS = 24


def table():
    return pd.DataFrame(
        {
            "sample": [f"s{row}" for row in range(N_ROWS)],
            "mass": [f"{row},5 kDa" for row in range(N_ROWS - 1)] + ["n.d."],
            "level": ["<0.5", *map(str, range(1, N_ROWS))],
            "site": np.resize(["a", "b", None], N_ROWS),
            "day": pd.date_range("2019-01-01", periods=N_ROWS, freq="90D").strftime("%d.%m.%Y"),
            "same": "x",
            "count": np.arange(N_ROWS),
            "label": np.resize(["yes", ""], N_ROWS),
        },
        index=range(100, 100 + N_ROWS),
    )


def test_columns_become_numbers_and_categories():
    frame = table()
    encoder = ColumnEncoder(drop=["label"])
    X = encoder.fit_transform(frame)
    assert X.index.equals(frame.index)
    np.testing.assert_array_equal(X["mass"], [*np.arange(0.5, N_ROWS - 1), np.nan])
    np.testing.assert_array_equal(X["level (limit)"], [-1] + [0] * (N_ROWS - 1))
    assert (
        X["site"].astype(object).where(X["site"].notna(), None).tolist()
        == frame["site"].astype(object).where(frame["site"].notna(), None).tolist()
    )
    np.testing.assert_array_equal(X["day (month)"][:3], [1, 4, 6])
    np.testing.assert_array_equal(X["count"], frame["count"])
    assert encoder.get_feature_names_out().tolist() == list(X.columns)
    assert encoder.ids_ == ("sample",)
    assert encoder.account_["mass"] == {
        "kind": "number",
        "numerals": "comma",
        "unit": "kDa",
        "n_missing": 1,
    }
    assert encoder.notes_ == (
        "'sample': taken as identifier, not as feature",
        "'same': not used, constant",
        "'mass': 1 cells are not numbers in kDa and count as missing: 'n.d.', first in row 24",
    )


def test_other_tables_are_read_as_that_of_fit():
    frame = table()
    encoder = ColumnEncoder(drop=["label"]).fit(frame)
    pd.testing.assert_frame_equal(encoder.transform(frame), encoder.fit_transform(frame))
    new = encoder.transform(frame.iloc[[3, 1], ::-1])
    expected = encoder.transform(frame).iloc[[3, 1]]
    pd.testing.assert_frame_equal(new, expected)
    assert encoder.transform(frame.assign(site="other"))["site"].isna().all()
    with pytest.raises(TableError, match="X lacks 'mass', 'site', which the model needs; it has"):
        encoder.transform(frame.drop(columns=["mass", "site"]))
    with pytest.raises(TableError, match="column 'mass' must hold numbers in kDa, found 'heavy'"):
        encoder.transform(frame.assign(mass="heavy"))


def test_the_user_says_what_columns_are():
    frame = table().drop(columns="label").assign(seen="01/02/2020")
    frame.loc[100, "seen"] = "03/04/2021"
    with pytest.raises(TableError, match="the day or the month may come first"):
        ColumnEncoder().fit(frame)
    kinds = {"count": "category", "seen": "date=mdy"}
    encoder = ColumnEncoder(kinds=kinds, ids=["site"], decimal=",")
    X = encoder.fit_transform(frame)
    assert encoder.ids_ == ("site", "sample")
    assert X["count"].cat.categories.tolist() == sorted(map(str, range(N_ROWS)))
    assert X["seen"].iloc[0] == pd.Timestamp("2021-03-04").toordinal() - 719163
    with pytest.raises(TableError, match=r"'cuont' is not a column of X: did you mean 'count'\?"):
        ColumnEncoder(kinds={"cuont": "category"}).fit(frame)


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="must be a pandas DataFrame or an InputTable, found list"):
        ColumnEncoder().fit([[1, 2]])
    with pytest.raises(TableError, match="must have different names"):
        ColumnEncoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_file_is_classified_as_by_the_command(tmp_path):
    path = write_csv(tmp_path / "genes.csv")
    file = read_file(path)
    expected = learn_columns(file, ignored=["known"]).X
    encoder = ColumnEncoder(drop=["known"])
    pd.testing.assert_frame_equal(encoder.fit_transform(file), expected)
    labels = read_labels(file, "known")
    assert labels.positives == ("yes",)
    model = make_pipeline(clone(encoder), PUExtraTreesClassifier(prior=0.4, random_state=0))
    frame = gene_table()[0]
    model.fit(frame.astype({"size": str, "depth": str}), labels.known.is_labelled)
    direct = PUExtraTreesClassifier(prior=0.4, random_state=0).fit(expected, labels.known)
    np.testing.assert_array_equal(model[-1].scores_, direct.scores_)
    assert pucut.tables.ColumnEncoder is ColumnEncoder
