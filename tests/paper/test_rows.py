"""From raw results to rows: metrics against scikit-learn's, files against what was put in."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from paper.running.protocol import Run, Split
from paper.running.raw import (
    BrokenFile,
    Facts,
    Finished,
    FoundPrior,
    is_finished,
    load_prior,
    load_run,
    prior_file,
    rank_of,
    run_file,
    save,
)
from paper.running.rows import COLUMNS, as_csv, collect, row_of

HEADER = (
    "suite,dataset,n_samples,n_features,labelled_share,n_labelled,repetition,method,prior_kind,"
    "prior_true,prior_used,seed,accuracy_own,balanced_accuracy_own,accuracy_prior,"
    "balanced_accuracy_prior,auc,seconds,peak_mb,n_jobs,device,python,numpy,scipy,scikit_learn,"
    "torch,pucut,machine,finished"
)
FACTS = Facts(
    n_features=3,
    prior_true=0.5,
    prior_used=0.5,
    seed=4,
    seconds=0.1 + 0.2,
    peak_mb=100.0,
    n_jobs=1,
    device="cpu",
    python="3.12",
    numpy="2",
    scipy="1",
    scikit_learn="1",
    torch="",
    pucut="0",
    machine="a, 2 cores, 3 GiB",
    finished="2026-01-01T00:00:00+00:00",
)


def made_run(seed=0, dataset="vote", method="pu_et", n_rows=200):
    random = np.random.default_rng(seed)
    truth = random.random(n_rows) < 0.5
    labelled = truth & (random.random(n_rows) < 0.6)
    scores = random.normal(size=n_rows) + truth
    return Finished(
        Run(Split("real", dataset, 0.6, seed), method, "true"),
        scores.astype(np.float32),
        rank_of(scores),
        scores > 0.3,
        truth,
        labelled,
        replace(FACTS, prior_true=float(truth.mean()), prior_used=float(truth.mean())),
    )


def test_columns_are_what_readers_of_the_file_rely_on():
    assert ",".join(COLUMNS) == HEADER


@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_those_of_scikit_learn(seed):
    made = made_run(seed)
    row = row_of(made)
    U = ~made.is_labelled
    truth, own = made.is_positive[U], made.is_own_positive[U]
    assert row.accuracy_own == pytest.approx(accuracy_score(truth, own))
    assert row.balanced_accuracy_own == pytest.approx(balanced_accuracy_score(truth, own))
    assert row.auc == pytest.approx(roc_auc_score(truth, made.scores[U]))
    # With the true prior as many rows are said to be positive as there are.
    best = np.zeros(U.sum(), dtype=bool)
    best[np.argsort(-made.scores[U])[: truth.sum()]] = True
    assert row.accuracy_prior == pytest.approx(accuracy_score(truth, best))
    assert row.balanced_accuracy_prior == pytest.approx(balanced_accuracy_score(truth, best))
    assert (row.n_samples, row.n_labelled) == (200, made.is_labelled.sum())


def test_scores_that_single_precision_cannot_tell_apart_keep_their_order():
    made = made_run()
    fine = np.where(made.is_positive, 1.0 - 1e-12, 1.0 - 1e-11)
    exact = replace(made, scores=fine.astype(np.float32), ranks=rank_of(fine))
    assert len(np.unique(exact.scores)) == 1
    assert row_of(exact).auc == row_of(exact).accuracy_prior == 1.0


def test_what_is_saved_is_what_is_loaded(tmp_path):
    made = made_run()
    save(tmp_path, made)
    found = load_run(run_file(tmp_path, made.run))
    assert (found.run, found.facts) == (made.run, made.facts)
    assert row_of(found) == row_of(made)
    for name in ("scores", "ranks", "is_own_positive", "is_positive", "is_labelled"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name))
    prior = FoundPrior(made.run.split, 0.1 + 0.2, 3.5)
    save(tmp_path, prior)
    assert load_prior(prior_file(tmp_path, made.run.split)) == prior


def test_files_that_are_not_whole_are_recognised(tmp_path):
    made = made_run()
    save(tmp_path, made)
    path = run_file(tmp_path, made.run)
    whole = path.read_bytes()
    assert is_finished(path)
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert not is_finished(path)
        with pytest.raises(BrokenFile, match="pu_et-true-0"):
            load_run(path)
    flipped = bytearray(whole)
    flipped[len(whole) // 3] ^= 1
    path.write_bytes(bytes(flipped))
    assert not is_finished(path)
    assert not is_finished(tmp_path / "missing.npz")


def test_rows_of_a_folder_are_in_the_papers_order_and_the_same_bytes(tmp_path):
    runs = [
        made_run(seed, dataset, method)
        for method in ("two_hnc", "naive")
        for dataset in ("german", "vote")
        for seed in (1, 0)
    ]
    for place, order in (("a", runs), ("b", runs[::-1])):
        for made in order:
            save(tmp_path / place, made)
    save(tmp_path / "b", replace(runs[0], run=replace(runs[0].run, prior_kind="estimated")))
    broken = run_file(tmp_path / "b", replace(runs[0].run, prior_kind="estimated"))
    broken.write_bytes(broken.read_bytes()[:-5])
    first, second = collect(tmp_path / "a"), collect(tmp_path / "b")
    assert first.broken == ()
    assert len(second.broken) == 1
    assert as_csv(first.rows) == as_csv(second.rows)
    table = list(csv.DictReader(io.StringIO(as_csv(first.rows))))
    assert [(row["dataset"], row["repetition"], row["method"]) for row in table] == [
        (dataset, seed, method)
        for dataset in ("vote", "german")
        for seed in "01"
        for method in ("naive", "two_hnc")
    ]
    assert float(table[0]["seconds"]) == 0.1 + 0.2  # every digit
    assert table[0]["machine"] == FACTS.machine
