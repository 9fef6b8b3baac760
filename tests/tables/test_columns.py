"""What cells mean as spreadsheets have them: units, percentages, limits, dates, chromosomes."""

import json
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from pucut.tables import TableError
from pucut.tables.columns import learn_columns
from pucut.tables.kinds import CategoryFeature, NumberFeature
from pucut.tables.reading import read_file
from tests.helpers.cli_tables import CLASSIFY, failure, gene_table, notes, write_csv

NAN = np.nan


def column(tmp_path, cells, decimal=None, told=None, name="x"):
    """What becomes of one column of a file: its values and its feature."""
    frame = pd.DataFrame({name: cells, "known": np.resize([1, 0], len(cells))})
    frame.to_csv(tmp_path / "t.csv", index=False, sep="\t")
    table = read_file(str(tmp_path / "t.csv"), sep="tab")
    kinds = {} if told is None else {name: told}
    found = learn_columns(table, ignored=["known"], decimal=decimal, kinds=kinds)
    return found.X, found.features[0], found.lost


@pytest.mark.parametrize(
    ("cells", "values", "numerals", "unit"),
    [
        (["63.7%", "12 %", "-3%"], [63.7, 12, -3], "point", "%"),
        (["63,7 %", "12 %"], [63.7, 12], "comma", "%"),
        (["€5.20", "€1,005.50", "-€3"], [5.2, 1005.5, -3], "thousands", "€"),
        (["5,20 €", "1.005,50 €"], [5.2, 1005.5], "dots", "€"),
        (["USD 5", "USD 7.5"], [5, 7.5], "point", "USD"),
        (["12.1 kDa", "8kDa", ""], [12.1, 8, NAN], "point", "kDa"),
        (["20 °C", "−4.5 °C"], [20, -4.5], "point", "°C"),
        (["5 mg/m2", "7 mg/m2"], [5, 7], "point", "mg/m2"),
        (["3 days", "1 day"], [3, 1], "point", "day"),
        (["1.2e3", "5E-1", "+.5"], [1200, 0.5, 0.5], "point", ""),
        (["1 234,5", "2,5", "1 000 000"], [1234.5, 2.5, 1e6], "spaces, comma", ""),
        (["1\u202f234.5", "12"], [1234.5, 12], "spaces", ""),
        (["1.234.567", "1.234,5"], [1234567, 1234.5], "dots", ""),
        (["1'234.5", "999"], [1234.5, 999], "apostrophes", ""),
    ],
)
def test_numbers_as_they_are_written(tmp_path, cells, values, numerals, unit):
    X, feature, said = column(tmp_path, cells)
    np.testing.assert_array_equal(X["x"], values)
    assert feature == NumberFeature("x", numerals, unit)
    assert said == ()


@pytest.mark.parametrize(
    "cells",
    [
        ["10A", "10B", "12C", "10A", "10B", "12C"],  # seats
        ["1st", "2nd", "3rd", "1st", "2nd", "3rd"],
        ["12q34", "12p1", "1q2", "12q34", "12p1", "1q2"],
        ["10-20", "20-30", "30-40", "10-20", "20-30", "30-40"],
        ["1.2.3", "1.2.4", "1.3.0", "1.2.3", "1.2.4", "1.3.0"],
    ],
)
def test_codes_are_not_numbers(tmp_path, cells):
    X, feature, _ = column(tmp_path, cells)
    assert feature == CategoryFeature("x", tuple(sorted(set(cells))))
    assert X["x"].tolist() == cells


def test_limits_are_their_value_and_a_column(tmp_path):
    X, feature, _ = column(tmp_path, ["<0.5", "0.7", "> 9", "≤1", "", "3"])
    assert feature.has_limits
    np.testing.assert_array_equal(X["x"], [0.5, 0.7, 9, 1, NAN, 3])
    np.testing.assert_array_equal(X["x (limit)"], [-1, 0, 1, -1, 0, 0])
    assert list(X.columns) == ["x", "x (limit)"]


def test_a_further_column_takes_no_name_that_is_taken(tmp_path):
    path = write_csv(
        tmp_path / "t.csv",
        pd.DataFrame({"x": ["<1", "2", "3"], "x (limit)": [5, 6, 7], "known": [1, 0, 0]}),
    )
    X = learn_columns(read_file(path), ignored=["known"]).X
    np.testing.assert_array_equal(X["x (limit)"], [5, 6, 7])
    np.testing.assert_array_equal(X["x (limit)'"], [-1, 0, 0])


def test_different_units_are_asked_about(tmp_path):
    for cells, units in (
        (["12 kDa", "900 Da", "13 kDa"], "'kDa', 'Da'"),
        (["5", "7%", "8"], "no unit, '%'"),
    ):
        with pytest.raises(TableError) as caught:
            column(tmp_path, cells)
        assert f"column 'x' holds numbers with different units ({units})" in str(caught.value)
        assert "--category-column 'x' or --drop 'x'" in str(caught.value)
    X, _, said = column(tmp_path, ["12 kDa", "900 Da", "13 kDa"], told="number")
    np.testing.assert_array_equal(X["x"], [12, NAN, 13])
    assert "1 cells are not numbers in kDa and count as missing: '900 Da'" in said[0]


def test_points_between_thousands_are_asked_about_in_tables_with_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;known\n1,5;1.234;1\n2,5;2.500;0\n3,5;17;0\n")
    table = read_file(str(path))
    with pytest.raises(TableError, match=r"column 'b': '1\.234' may be a decimal point or"):
        learn_columns(table, ignored=["known"])
    for decimal, b in ((",", [1234, 2500, 17]), (".", [1.234, 2.5, 17])):
        X = learn_columns(table, ignored=["known"], decimal=decimal).X
        np.testing.assert_array_equal(X["b"], b)
    path.write_text("a;b;known\n1,5;1.2345;1\n2,5;2.500;0\n3,5;17;0\n")
    plan = learn_columns(read_file(str(path)), ignored=["known"])
    assert [feature.numerals for feature in plan.features] == ["comma", "point"]


DAY = datetime(1970, 1, 1)


@pytest.mark.parametrize(
    ("cells", "order", "dates"),
    [
        (["22.11.2021", "1.2.2020"], "dmy", ["2021-11-22", "2020-02-01"]),
        (["03.04.2021", "01.02.2020"], "dmy", ["2021-04-03", "2020-02-01"]),  # points: day first
        (["11/22/2021", "01/02/2020"], "mdy", ["2021-11-22", "2020-01-02"]),
        (["22/11/2021", "01/02/2020"], "dmy", ["2021-11-22", "2020-02-01"]),
        (["2021/11/22", "2020/1/2"], "ymd", ["2021-11-22", "2020-01-02"]),
        (["22 Nov 2021", "Jan 2, 2020"], "name", ["2021-11-22", "2020-01-02"]),
        (["22-nov-2021", "3. March 2020"], "name", ["2021-11-22", "2020-03-03"]),
        (["2021-11-22T08:00", "2021-11-22"], "ymd", ["2021-11-22T08:00", "2021-11-22"]),
        (
            ["2021-11-22T08:00+02:00", "2021-11-22 08:00:30.5Z"],
            "ymd",
            ["2021-11-22T06:00", "2021-11-22T08:00:30.5"],
        ),
        (["11/22/2021 1:30 PM", "1/2/2020 12:00 AM"], "mdy", ["2021-11-22T13:30", "2020-01-02"]),
        (["2021-11-22t08:00z", "2021-11-22"], "ymd", ["2021-11-22T08:00", "2021-11-22"]),
        (["1066-10-14", "9999-12-31"], "ymd", ["1066-10-14", "9999-12-31"]),
    ],
)
def test_dates_in_several_orders(tmp_path, cells, order, dates):
    X, feature, said = column(tmp_path, [*cells, ""])
    assert (feature.kind, feature.order, said) == ("date", order, ())
    days = [(datetime.fromisoformat(date) - DAY).total_seconds() / 86400 for date in dates]
    np.testing.assert_allclose(X["x"], [*days, NAN], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["01/02/2020", "03/04/2020"], "the day or the month may come first"),
        (["22/11/2020", "11/22/2020"], "some have the day first and some the month"),
        (["22.11.20", "23.11.20"], "their years have two digits"),
    ],
)
def test_unclear_dates_are_asked_about(tmp_path, cells, why):
    with pytest.raises(TableError) as caught:
        column(tmp_path, cells)
    assert why in str(caught.value)
    assert "--date-column 'x=dmy'" in str(caught.value)
    X, feature, said = column(tmp_path, cells, told="date=dmy")
    assert feature.order == "dmy"
    assert not np.isnan(X["x"][0])
    assert len(said) == int(np.isnan(X["x"][1]))


def test_parts_of_dates_that_can_matter(tmp_path):
    years = pd.date_range("2018-01-01", "2021-01-01", periods=40).floor("D")
    X, feature, _ = column(tmp_path, [*years.strftime("%d.%m.%Y"), ""])
    assert feature.parts == ("month", "weekday")
    np.testing.assert_array_equal(X["x (month)"], [*years.month, NAN])
    np.testing.assert_array_equal(X["x (weekday)"], [*(years.day_of_week + 1), NAN])
    hours = pd.date_range("2021-11-22", periods=30, freq="7h")
    X, feature, _ = column(tmp_path, hours.strftime("%Y-%m-%dT%H:%M"))
    assert feature.parts == ("hour",)
    np.testing.assert_allclose(X["x (hour)"], hours.hour)
    typed = pd.DataFrame({"x": hours, "known": np.resize([1, 0], 30)})
    typed.to_parquet(tmp_path / "t.parquet")
    same = learn_columns(read_file(str(tmp_path / "t.parquet")), ignored=["known"]).X
    np.testing.assert_allclose(same, X)


def test_chromosomes_are_categories(tmp_path):
    cells = [str(row % 22 + 1) for row in range(96)] + ["X", "X", "Y", "MT"]
    assert column(tmp_path, cells)[1].kind == "category"
    assert len(column(tmp_path, cells)[1].categories) == 25
    numbers_alone = cells[:96]
    assert column(tmp_path, numbers_alone, name="Chromosome")[1].kind == "category"
    assert column(tmp_path, numbers_alone)[1].kind == "number"


def test_what_the_user_says_of_columns(tmp_path, capsys):
    frame, _ = gene_table()
    n_rows = len(frame)
    frame["plate"] = np.resize(np.arange(1, 9), n_rows)
    frame["dose"] = np.resize(["5", "high", "7", "n.d."], n_rows)
    frame["seen"] = np.resize(["01/02/2020", "03/04/2021", "05/06/2022"], n_rows)
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", *CLASSIFY]
    assert "--date-column 'seen=dmy'" in failure(capsys, *call)
    told = ["--category-column", "plate", "--number-column", "dose", "--date-column", "seen=mdy"]
    model, new = tmp_path / "m.skops", write_csv(tmp_path / "new.csv", frame.iloc[:40])
    out, err = notes(capsys, *call, *told, "--drop", "depth", "--json", "--save-model", model)
    found = json.loads(out)["features"]
    assert list(found) == ["size", "<script>", "plate", "dose", "seen"]
    assert found["plate"]["categories"] == [str(number) for number in range(1, 9)]
    assert found["dose"] == {"kind": "number", "is_told": True, "n_missing": n_rows // 2}
    assert (found["seen"]["order"], found["seen"]["parts"]) == ("mdy", ["month", "weekday"])
    for line in (
        "5 columns used:",
        "  plate: category, 8 values (1, 2, 3, 4, ...)",
        "  dose: number, 120 gaps",
        "  seen: date with the month first, also its month and weekday",
    ):
        assert line in err.splitlines()
    assert "'dose': 120 cells are not numbers and count as missing: 'high', 'n.d.'" in err
    # A model file has the same plan, and new tables are read by it.
    out, _ = notes(capsys, "apply", model, new, "--json")
    for name, plan in json.loads(out)["features"].items():
        n_missing = {"dose": 20, "plate": 0, "seen": 0}.get(name, plan["n_missing"])
        assert plan == {**found[name], "n_missing": n_missing}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--number-column", "<script>"], "column '<script>' holds no numbers, but"),
        (["--date-column", "depth"], "column 'depth' holds no dates, but"),
        (["--number-column", "no"], "--number-column 'no' is not a column of"),
        (["--number-column", "size", "--drop", "size"], "'size' is named by two options"),
        (["--number-column", "size", "--category-column", "size"], "'size' is named by two option"),
        (["--category-column", "known"], "'known' is named by two options"),
    ],
)
def test_what_cannot_be_said_of_columns(tmp_path, capsys, options, message):
    path = write_csv(tmp_path / "genes.csv")
    call = ["classify", path, "--label-column", "known", *CLASSIFY]
    assert message in failure(capsys, *call, *options)


def test_too_many_categories_are_refused(tmp_path, capsys):
    frame = pd.DataFrame({"x": range(300), "known": np.resize([1, 0], 300)})
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", *CLASSIFY, "--category-column", "x"]
    assert "has 300 categories, allowed are 255" in failure(capsys, *call)


def test_a_model_is_applied_to_a_table_with_another_decimal_sign(tmp_path, capsys):
    frame = gene_table()[0].assign(mass=np.linspace(1000, 2000, 240).round(1))
    model, path = tmp_path / "m.skops", write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", *CLASSIFY]
    notes(capsys, *call, "--save-model", model)
    expected, _ = notes(capsys, "apply", model, path)
    written = [f"{mass:,.1f}".translate(str.maketrans(",.", ".,")) for mass in frame["mass"]]
    assert written[0] == "1.000,0"
    other = write_csv(tmp_path / "o.csv", frame.assign(mass=written), sep=";", decimal=",")
    assert "must hold numbers" in failure(capsys, "apply", model, other)
    assert notes(capsys, "apply", model, other, "--decimal", ",")[0] == expected


def test_limits_a_model_does_not_know_are_said(tmp_path, capsys):
    frame, _ = gene_table()
    model, path = tmp_path / "m.skops", write_csv(tmp_path / "t.csv", frame)
    notes(capsys, "classify", path, "--label-column", "known", *CLASSIFY, "--save-model", model)
    depth = ["<7", *frame["depth"][1:].astype(str)]
    _, err = notes(capsys, "apply", model, write_csv(tmp_path / "n.csv", frame.assign(depth=depth)))
    assert "'depth': 1 cells are limits such as <0.5, of which the model knows none" in err


def test_lines_about_columns(tmp_path):
    n_rows = 40
    frame = pd.DataFrame(
        {
            "mass": [f"{row + 0.5} kDa" for row in range(n_rows)],
            "level": ["<0.5", *map(str, range(n_rows - 3)), None, None],
            "site": np.resize(["a", "b", "c", "d", "e", None], n_rows),
            "tested": np.resize(["x", None], n_rows),
            "day": pd.date_range("2021-01-01", periods=n_rows, freq="7D").strftime("%d/%m/%Y"),
            "known": np.resize([1, 0], n_rows),
        }
    )
    table = read_file(write_csv(tmp_path / "t.csv", frame))
    assert learn_columns(table, ignored=["known"]).lines() == [
        "5 columns used:",
        "  mass: number in kDa",
        "  level: number, limits such as <0.5 by their value and a further column, 2 gaps",
        "  site: category, 5 values (a, b, c, d, ...), 6 gaps",
        "  tested: x in 20 rows or empty, used as 1 and 0",
        "  day: date with the day first",
    ]


def test_few_lines_about_many_columns(tmp_path):
    frame = pd.DataFrame({f"x{place}": [1, 2, 3, 4] for place in range(40)})
    frame = frame.assign(c=["a", "a", "b", "b"], known=[1, 1, 0, 0])
    table = read_file(write_csv(tmp_path / "t.csv", frame))
    lines = learn_columns(table, ignored=["known"]).lines()
    assert len(lines) == 31
    assert lines[-1] == "  and 11 numbers, 1 category more; --json lists them all"
