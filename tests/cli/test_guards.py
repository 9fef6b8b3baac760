"""Where the table does not tell, the command says what was found and what to do."""

import json

import numpy as np
import pandas as pd
import pytest

from pucut.cli import main
from pucut.priors import estimate_prior
from tests.priors.test_guesses import GUESSES, blobs


def written(folder, X, is_labelled):
    table = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(X.shape[1])])
    file = folder / "table.csv"
    table.assign(known=is_labelled.astype(int)).to_csv(file, index=False)
    return file


@pytest.mark.parametrize("name", GUESSES)
@pytest.mark.parametrize("command", ["classify", "rank"])
def test_a_guessed_share_stops_the_command(name, command, tmp_path, capsys):
    """Former versions called 462, 592 and all of 800 rows positive here, with exit code 0."""
    file = written(tmp_path, *GUESSES[name][0])
    out = tmp_path / "out.csv"
    code = main([command, str(file), "--label-column", "known", "--out", str(out), "--quiet"])
    said = capsys.readouterr()
    assert code == 2
    assert not out.exists()
    assert said.err.startswith("pucut: the share of positives is not known. Perhaps ")
    assert "--prior 0.3" in said.err
    assert "--accept-upper-bound" in said.err


def test_an_accepted_guess_stands_in_the_file_and_in_json(tmp_path, capsys):
    file, out = written(tmp_path, *GUESSES["pure noise"][0]), tmp_path / "out.csv"
    options = ["--label-column", "known", "--method", "pu-extra-trees", "--out", str(out)]
    assert main(["classify", str(file), *options, "--accept-upper-bound", "--json"]) == 0
    said = capsys.readouterr()
    doubts = json.loads(said.out)["prior_estimate"]["doubts"]
    assert set(doubts) == {"no_signal", "wide_interval"}
    assert said.err.count("This is a guess, not an answer") == 1
    caution = pd.read_csv(out)["caution"]
    assert set(caution) == {"share of positives guessed (no_signal, wide_interval)"}
    # A share that is given is no guess.
    assert main(["classify", str(file), *options, "--prior", "0.3"]) == 0
    assert "caution" not in pd.read_csv(out)
    assert "a guess" not in capsys.readouterr().err


def test_a_share_that_can_be_estimated_stops_nothing(tmp_path, capsys):
    X, is_labelled = blobs(92, 3.0)
    file, out = written(tmp_path, X, is_labelled), tmp_path / "out.csv"
    options = ["--label-column", "known", "--method", "pu-extra-trees", "--out", str(out)]
    assert main(["classify", str(file), *options]) == 0
    assert "caution" not in pd.read_csv(out)
    assert "a guess" not in capsys.readouterr().err


def test_a_comparison_by_a_guess_is_stopped_too(tmp_path, capsys):
    file = written(tmp_path, *blobs(5, 3.0, n_rows=80))
    options = ["compare", str(file), "--label-column", "known", "--methods", "rocchio"]
    assert main(options) == 2
    assert "5 different labelled rows" in capsys.readouterr().err
    assert main([*options, "--accept-upper-bound"]) == 0


def test_the_command_about_the_share_answers_with_its_doubts(tmp_path, capsys):
    X, is_labelled = GUESSES["one label"][0]
    file = written(tmp_path, X, is_labelled)
    assert main(["prior", str(file), "--label-column", "known"]) == 0
    said = capsys.readouterr().out
    assert said.strip() == str(estimate_prior(X.round(4), is_labelled, random_state=0))
    assert "it rests on 1 labelled row, and 10 or more are needed" in said


def test_copies_are_said_on_the_command_line(tmp_path, capsys):
    X, is_labelled = blobs(40, 3.0, n_rows=200)
    file = written(tmp_path, np.vstack([X, X]), np.tile(is_labelled, 2))
    options = ["--label-column", "known", "--prior", "0.4", "--method", "pu-extra-trees", "--json"]
    assert main(["classify", str(file), *options]) == 0
    said = capsys.readouterr()
    assert said.err.count("400 of 400 rows are equal to another row, label included") == 1
    assert "If they are the same samples twice, delete them." in said.err
    summary = json.loads(said.out)
    assert summary["n_repeated_rows"] == 400
    assert summary["repeated_rows_are_copies"] is True


def test_columns_that_know_the_labels_are_named_and_can_be_left_out(tmp_path, capsys):
    """Former versions said "0 others positive" here, and nothing else."""
    X, is_labelled = blobs(92, 3.0)
    day = np.where(is_labelled, np.arange(800) % 28 + 1, 0)
    table = pd.DataFrame(X.round(4), columns=list("abcdef")).assign(
        confirmed_by=np.where(is_labelled, np.arange(800) % 3, np.nan),
        confirmed_on=[f"2024-03-{each:02d}" if each else "" for each in day],
        known=is_labelled.astype(int),
    )
    file, out = tmp_path / "table.csv", tmp_path / "out.csv"
    table.to_csv(file, index=False)
    options = ["--label-column", "known", "--method", "pu-extra-trees", "--out", str(out), "--json"]
    main(["classify", str(file), *options, "--accept-upper-bound"])
    said = capsys.readouterr()
    assert said.err.count("'confirmed_by' is filled in 92 of 92 labelled rows and in 0 of 708") == 1
    assert "With such a column hardly any other row is found." in said.err
    assert "--drop-suspects" in said.err
    summary = json.loads(said.out)
    assert set(summary["suspects"]) == {"confirmed_by", "confirmed_on"}
    assert not summary["suspects_are_dropped"]

    assert main(["classify", str(file), *options, "--drop-suspects"]) == 0
    said = capsys.readouterr()
    assert "They are left out (--drop-suspects)." in said.err
    summary = json.loads(said.out)
    assert summary["suspects_are_dropped"]
    assert set(summary["features"]) == set("abcdef")
    assert summary["n_predicted_positive"] > 150


def biased_table(folder):
    """Positives are labelled by a column that says nothing about the class."""
    random = np.random.RandomState(0)
    is_positive = np.arange(300) < 150
    X = random.normal(size=(300, 3))
    X[is_positive, :2] += 4.0
    is_labelled = is_positive & (X[:, 2] > 0.3)
    return written(folder, X, is_labelled)


def test_labels_are_checked_on_demand(tmp_path, capsys):
    file = biased_table(tmp_path)
    call = ["prior", str(file), "--label-column", "known", "--json"]
    assert main(call) == 0
    said = capsys.readouterr()
    assert "random draw" not in said.err
    assert json.loads(said.out)["labelling"] is None

    assert main([*call, "--check-labels"]) == 0
    said = capsys.readouterr()
    assert "warning: The labelled positives do not look like a random draw" in said.err
    assert "x2 (mean " in said.err
    assert "pucut prior --method clusters" in said.err
    found = json.loads(said.out)["labelling"]
    assert found["is_random_draw"] is False
    assert "x2" in found["columns"]
    assert found["is_prior_estimated"]

    page = tmp_path / "report.html"
    call = ["classify", *call[1:], "--method", "pu-extra-trees", "--prior", "0.5"]
    assert main([*call, "--check-labels", "--report", str(page)]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)["labelling"]
    assert (found["prior"], found["is_prior_estimated"]) == (0.5, False)
    assert found["columns"][0] == "x2"
    assert "do not look like a random draw of the positives found" in page.read_text("utf-8")


def test_labels_that_cannot_be_checked_are_said(tmp_path, capsys):
    X, is_labelled = blobs(3, 3.0)
    file = written(tmp_path, X, is_labelled)
    call = ["prior", str(file), "--label-column", "known", "--check-labels"]
    assert main(call) == 0
    said = capsys.readouterr().err
    assert "Whether labels were drawn at random cannot be told" in said
    assert "warning: Whether" not in said


def test_if_only_suspects_are_there_nothing_is_left(tmp_path, capsys):
    _, is_labelled = blobs(92, 3.0)
    file = tmp_path / "table.csv"
    by = np.where(is_labelled, 1.0 + np.arange(800) % 3, np.nan)
    pd.DataFrame({"by": by, "known": is_labelled.astype(int)}).to_csv(file, index=False)
    assert main(["classify", str(file), "--label-column", "known", "--drop-suspects"]) == 2
    assert "no column is left to learn from" in capsys.readouterr().err
