"""`python -m paper` from end to end, and what it says to wrong arguments."""

import csv

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from paper.__main__ import main
from paper.datasets import RealDataset, real
from paper.running import batched, methods, protocol
from paper.running.rows import COLUMNS

DATASETS = ("vote", "german", "obesity")


def stand_in(name):
    """A table of scikit-learn's in place of a real one that is not here."""
    if name == "vote":
        X, y = load_breast_cancer(return_X_y=True)
        return RealDataset(name, X[:300], y[:300] == 1, ())
    X, y = load_digits(return_X_y=True)
    rows = slice(0, 500) if name == "german" else slice(500, 1000)
    return RealDataset(name, X[rows], y[rows] % 2 == 1, ())


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
    chosen = ["real", "--datasets", ",".join(DATASETS), "--repetitions", "0-1"]
    chosen += ["--methods", "naive,pu_et,two_hnc_paper", "--prior", "true"]
    chosen += ["--results", str(results)]
    assert main([*chosen, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "18 runs, 0 of them finished" in said
    assert "german, 0.6 labelled, pu_et, true prior, repetition 1" in said
    assert not results.exists()
    assert main(chosen) == 0
    said = capsys.readouterr()
    assert "18 runs finished, 0 were before, 0 are missing" in said.out
    table = [line.split() for line in said.out.splitlines()]
    assert ["seconds", "of", "fitting", "naive", "pu_et", "two_hnc_paper"] in table
    assert [line[0] for line in table[1:4]] == list(DATASETS)
    assert "18 of 18 fits" in said.err
    rows = rows_of(results, out)
    assert len(rows) == 18
    assert tuple(rows[0]) == COLUMNS
    assert [row["dataset"] for row in rows[::6]] == list(DATASETS)
    for row in rows:
        dataset = datasets[row["dataset"]]
        assert int(row["n_samples"]) == len(dataset.X)
        assert float(row["prior_used"]) == float(row["prior_true"]) == dataset.prior
        assert float(row["accuracy_prior"]) > 0.55
        assert float(row["seconds"]) > 0
    first = out.read_bytes()
    assert main(chosen) == 0
    assert "0 runs finished, 18 were before" in capsys.readouterr().out
    rows_of(results, out)
    assert out.read_bytes() == first


def test_few_labels(datasets, tmp_path, monkeypatch):
    monkeypatch.setitem(protocol.LABELLED_AT_SMALL_SHARE, "vote", 25)
    chosen = ["real", "--datasets", "vote,german", "--repetitions", "2", "--prior", "true"]
    chosen += ["--labelled-share", "0.1", "--methods", "pu_et", "--results", str(tmp_path / "r")]
    assert main(chosen) == 0
    (row,) = rows_of(tmp_path / "r", tmp_path / "rows.csv")
    assert (row["dataset"], row["n_labelled"], row["labelled_share"]) == ("vote", "25", "0.1")


def test_failed_runs_are_told_by_the_exit_code(tmp_path, monkeypatch, capsys):
    def fail(data):
        raise RuntimeError("out of order")

    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "1"]
    chosen += ["--per-configuration", "1", "--methods", "pu_et,two_hnc_paper", "--prior", "true"]
    chosen += ["--results", str(tmp_path)]
    broken = {**methods.METHODS, "pu_et": methods.PUMethod("broken", fail)}
    with monkeypatch.context() as patched:
        patched.setattr(methods, "METHODS", broken)
        assert main(chosen) == 1
    said = capsys.readouterr()
    assert "RuntimeError: out of order" in said.err
    assert "1 runs finished, 0 were before, 1 are missing" in said.out
    assert main(chosen) == 0


def test_networks_in_stacks_are_those_trained_alone(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    make = methods.neural_classifier

    def small(method, data):
        return make(method, data).set_params(hidden_layer_sizes=(20,), max_epochs=4, patience=None)

    monkeypatch.setattr(methods, "neural_classifier", small)
    monkeypatch.setattr(batched, "neural_classifier", small)
    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "3"]
    chosen += ["--per-configuration", "2", "--methods", "upu,nnpu", "--prior", "true"]
    chosen += ["--device", "cpu", "--results"]
    assert main([*chosen, str(tmp_path / "alone")]) == 0
    assert main([*chosen, str(tmp_path / "stacked"), "--batched"]) == 0
    alone = rows_of(tmp_path / "alone", tmp_path / "alone.csv")
    stacked = rows_of(tmp_path / "stacked", tmp_path / "stacked.csv")
    assert len(alone) == len(stacked) == 12
    for one, other in zip(alone, stacked, strict=True):
        same = ("dataset", "method", "repetition", "seed", "n_labelled", "prior_used", "device")
        assert [one[name] for name in same] == [other[name] for name in same]
        assert float(one["auc"]) == pytest.approx(float(other["auc"]), abs=0.01)
    assert len({row["seconds"] for row in stacked}) < 12  # shared by a stack


def test_a_stack_goes_on_with_what_is_left(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    make = methods.neural_classifier
    sizes = []

    def small(method, data):
        return make(method, data).set_params(hidden_layer_sizes=(5,), max_epochs=1)

    def counted(stack):
        sizes.append(len(stack))
        return trained(stack)

    trained = batched._trained
    monkeypatch.setattr(batched, "neural_classifier", small)
    monkeypatch.setattr(batched, "_trained", counted)
    chosen = ["synthetic", "--n-samples", "1000", "--configurations", "1", "--batched"]
    chosen += ["--methods", "nnpu", "--prior", "true", "--results", str(tmp_path)]
    assert main(chosen) == 0
    files = sorted(tmp_path.rglob("*.npz"))
    with np.load(files[2]) as before:
        scores = before["scores"]
    files[2].write_bytes(b"")
    assert main(chosen) == 0
    assert sizes == [4, 1]
    with np.load(files[2]) as after:
        np.testing.assert_allclose(after["scores"], scores, rtol=1e-4, atol=1e-6)


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
        (["synthetic", "--batched"], "--batched is for the methods upu, nnpu, found naive"),
        (["synthetic", "--batched", "--n-jobs", "2"], "--batched works in one process"),
        (["rows", "--results", "nowhere", "--out", "x.csv"], "'nowhere', which is not a folder"),
    ],
)
def test_wrong_arguments_are_told_with_what_is_allowed(
    arguments, said, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paper.commands.runs.ensure_real", lambda name: None)
    assert main([*arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_does_not_answer_is_said(capsys, tmp_path):
    pytest.importorskip("distributed")
    chosen = ["synthetic", "--dask", "nonsense://x", "--results", str(tmp_path / "r")]
    assert main(chosen) == 2
    assert "no Dask scheduler answers at 'nonsense://x'" in capsys.readouterr().err
