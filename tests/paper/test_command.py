"""`python -m paper` from end to end, and what it says to wrong arguments."""

import csv
import re
import sys
from dataclasses import replace

import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from paper import FOLDER, protocol
from paper.__main__ import main
from paper.datasets import REAL, RealDataset, real
from paper.methods import COMPARED, METHODS
from paper.schema import COLUMNS
from tests.helpers.paper_rows import real_rows, write_rows

pytestmark = pytest.mark.slow

DATASETS = ("vote", "german")


def stand_in(name):
    """A table of scikit-learn's in place of a real one that is not here."""
    if name == "vote":
        X, y = load_breast_cancer(return_X_y=True)
        return RealDataset(name, X[:300], y[:300] == 1, ())
    X, y = load_digits(return_X_y=True)
    return RealDataset(name, X[:500], y[:500] % 2 == 1, ())


@pytest.fixture
def datasets(monkeypatch):
    protocol._real_table.cache_clear()
    try:
        real.data_folder()
    except FileNotFoundError:
        monkeypatch.setattr(protocol, "load_real", stand_in)
        monkeypatch.setattr("paper.commands.runs.ensure_real", lambda name: None)
    yield {name: protocol.load_real(name) for name in DATASETS}
    protocol._real_table.cache_clear()


def rows_of(results, out):
    assert main(["rows", "--results", str(results), "--out", str(out)]) == 0
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def test_real_datasets_from_end_to_end(datasets, tmp_path, capsys):
    results, out = tmp_path / "results", tmp_path / "rows.csv"
    chosen = ["real", "--datasets", "vote,german", "--repetitions", "0-1"]
    chosen += ["--methods", "pu_et,two_hnc", "--prior", "true"]
    chosen += ["--results", str(results)]
    assert main([*chosen, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "8 runs, 0 of them finished" in said
    assert "german, 0.6 labelled, pu_et, true prior, repetition 1" in said
    assert not results.exists()
    assert main(chosen) == 0
    said = capsys.readouterr()
    assert "8 runs finished, 0 were before, 0 are missing" in said.out
    table = [line.split() for line in said.out.splitlines()]
    assert ["seconds", "of", "fitting", "pu_et", "two_hnc"] in table
    assert [line[0] for line in table[1:3]] == list(DATASETS)
    assert "8 of 8 fits" in said.err
    rows = rows_of(results, out)
    assert len(rows) == 8
    assert tuple(rows[0]) == COLUMNS
    assert [row["dataset"] for row in rows[::4]] == list(DATASETS)
    for row in rows:
        dataset = datasets[row["dataset"]]
        assert int(row["n_samples"]) == len(dataset.X)
        assert row["prior_used"] == row["prior_true"]
        assert float(row["prior_true"]) == pytest.approx(dataset.prior, rel=5e-8)
        assert float(row["accuracy_prior"]) > 0.55
        assert float(row["seconds"]) > 0
    first = out.read_bytes()
    assert main(chosen) == 0
    assert "0 runs finished, 8 were before" in capsys.readouterr().out
    rows_of(results, out)
    assert out.read_bytes() == first


def test_few_labels(datasets, tmp_path, monkeypatch):
    monkeypatch.setitem(REAL, "vote", replace(REAL["vote"], n_labelled_small=25))
    chosen = ["real", "--datasets", "vote,german", "--repetitions", "2", "--prior", "true"]
    chosen += ["--labelled-share", "0.1", "--methods", "pu_et", "--results", str(tmp_path / "r")]
    assert main(chosen) == 0
    (row,) = rows_of(tmp_path / "r", tmp_path / "rows.csv")
    assert (row["dataset"], row["n_labelled"], row["labelled_share"]) == ("vote", "25", "0.1")


def test_failed_runs_are_told_by_the_exit_code(tmp_path, monkeypatch, capsys):
    def fail(data):
        raise RuntimeError("out of order")

    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "1"]
    chosen += ["--per-configuration", "1", "--methods", "pu_et,two_hnc", "--prior", "true"]
    chosen += ["--results", str(tmp_path)]
    with monkeypatch.context() as patched:
        patched.setitem(METHODS, "pu_et", replace(METHODS["pu_et"], fit=fail))
        assert main(chosen) == 1
    said = capsys.readouterr()
    assert "python -m paper: failed: synthetic n1000" in said.err
    assert "RuntimeError: out of order" in said.err
    assert "1 runs finished, 0 were before, 1 are missing" in said.out
    assert main(chosen) == 0


def test_families_are_chosen_and_variants_only_when_asked_for(tmp_path, capsys):
    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "1", "--dry-run"]
    chosen += ["--per-configuration", "1", "--prior", "true", "--results", str(tmp_path)]
    assert main(chosen) == 0
    lines = capsys.readouterr().out.splitlines()[:-1]
    assert all(line.startswith("synthetic n1000-") for line in lines)
    assert [line.split(", ")[2] for line in lines] == list(COMPARED)
    assert main([*chosen, "--family", "half_informative", "--methods", "nnpu_public"]) == 0
    (line,) = capsys.readouterr().out.splitlines()[:-1]
    assert line.startswith("half_informative n1000-")
    assert ", nnpu_public, " in line
    with pytest.raises(SystemExit):
        main([*chosen, "--family", "none"])
    assert "'few_informative'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["real", "--datasets", "vote,iris"], "--datasets must be names out of vote, german"),
        (["real", "--methods", "svm"], "--methods must be names out of naive, upu"),
        (["real", "--prior", "false"], "--prior must be names out of true, estimated"),
        (["real", "--labelled-share", "0.5"], "--labelled-share must be names out of 0.6, 0.1"),
        (["real", "--labelled-share", "0.1", "--datasets", "german"], "nothing to run: a labelled"),
        (["real", "--repetitions", "0-7"], "--repetitions must be numbers from 0 to 4"),
        (["real", "--repetitions", "x"], "--repetitions must be numbers from 0 to 4"),
        (["real", "--n-jobs", "0", "--datasets", "vote"], "--n-jobs must be a whole number from 1"),
        (["synthetic", "--n-samples", "7"], "--n-samples must be names out of 1000, 5000, 10000"),
        (["synthetic", "--configurations", "0"], "--configurations must be a whole number from 1"),
        (["synthetic", "--batched"], "--batched is for the methods upu, nnpu, upu_unstopped"),
        (["synthetic", "--batched", "--n-jobs", "2"], "--batched works in one process"),
        (
            ["rows", "--results", "nowhere", "--out", "x.csv"],
            "--results is 'nowhere', which is not a folder",
        ),
    ],
)
def test_wrong_arguments_are_told_with_what_is_allowed(
    arguments, said, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paper.commands.runs.ensure_real", lambda name: None)
    assert main([*arguments]) == 2
    assert f"python -m paper: {said}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_does_not_answer_is_said(capsys, tmp_path):
    pytest.importorskip("distributed")
    chosen = ["synthetic", "--dask", "nonsense://x", "--results", str(tmp_path / "r")]
    assert main(chosen) == 2
    assert "no Dask scheduler answers at 'nonsense://x'" in capsys.readouterr().err


# --- tables ---------------------------------------------------------------------------------------

ROWS = real_rows(n_repetitions=3, datasets=("vote",))
PUBLISHED = FOLDER / "published"


def test_tables_are_made_of_the_folders_of_the_package_unless_others_are_given(
    tmp_path, monkeypatch, capsys
):
    write_rows(tmp_path / "rows" / "real.csv", ROWS[:21])
    monkeypatch.chdir(tmp_path)
    given = []

    def write_all(*folders):
        given.append(folders)
        return [folders[-1] / "index.html"]

    with monkeypatch.context() as patched:
        patched.setattr("paper.showing.page.write_all", write_all)
        assert main(["tables"]) == 0
    assert given == [(FOLDER / "rows", PUBLISHED, FOLDER / "tables")]
    capsys.readouterr()
    assert main(["tables", "--rows", "rows", "--out", "here"]) == 0
    assert (tmp_path / "here" / "index.html").is_file()
    assert "here" in capsys.readouterr().out


def test_wrong_files_of_tables_are_named(tmp_path, capsys):
    for option in ("--rows", "--published"):
        assert main(["tables", option, str(tmp_path / "nowhere")]) == 2
        said = capsys.readouterr().err
        assert re.match(rf"python -m paper: {option} is '.*nowhere', which is not a folder", said)
    write_rows(tmp_path / "real.csv", [ROWS[0], ROWS[0]])
    assert main(["tables", "--rows", str(tmp_path)]) == 2
    assert re.search(r"real\.csv, line 3: .* is already in .*line 2", capsys.readouterr().err)


def test_tables_say_what_figures_need(tmp_path, monkeypatch, capsys):
    for name in ("figures", "contents", "page"):
        monkeypatch.delitem(sys.modules, f"paper.showing.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["tables", "--rows", str(tmp_path)]) == 2
    assert "matplotlib: install pucut[paper]" in capsys.readouterr().err


def test_help_names_steps_and_options(capsys):
    for step in ([], ["real"], ["synthetic"], ["rows"], ["tables"]):
        with pytest.raises(SystemExit) as end:
            main([*step, "--help"])
        assert end.value.code == 0
        said = capsys.readouterr().out
        assert said.startswith(f"usage: {' '.join(['python -m paper', *step])} ")
        for word in ("--debug",) if step else ("real", "synthetic", "rows", "tables", "Exit codes"):
            assert word in said


def test_an_unexpected_error_is_one_line_unless_debugged(monkeypatch, capsys, tmp_path):
    def fail(*given):
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("paper.commands.rows.collect", fail)
    arguments = ["rows", "--results", str(tmp_path), "--out", str(tmp_path / "rows.csv")]
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert said.startswith("python -m paper: failed: ZeroDivisionError: by chance")
    assert said.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        main([*arguments, "--debug"])
