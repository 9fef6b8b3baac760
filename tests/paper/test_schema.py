"""The columns of rows: metrics against scikit-learn's, facts as they are recorded."""

import platform
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from paper.methods import RULES, PUData
from paper.protocol import Run, Split, load_split
from paper.row_files import read_rows, write_rows
from paper.running.raw import BrokenFile, rank_of
from paper.schema import COLUMNS, FACTS, METRICS, Circumstances, record_facts, row_of
from tests.helpers.paper_rows import finished_run

HEADER = (
    "suite,dataset,n_samples,n_features,labelled_share,n_labelled,repetition,method,prior_kind,"
    "prior_true,prior_used,seed,accuracy_own,balanced_accuracy_own,accuracy_prior,"
    "balanced_accuracy_prior,auc,seconds,peak_mb,n_jobs,device,python,numpy,scipy,scikit_learn,"
    "torch,pucut,machine,finished"
)


def test_columns_are_what_readers_of_the_file_rely_on():
    assert ",".join(COLUMNS) == HEADER


@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_those_of_scikit_learn(seed):
    made = finished_run(seed)
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
    made = finished_run()
    fine = np.where(made.is_positive, 1.0 - 1e-12, 1.0 - 1e-11)
    exact = replace(made, scores=fine.astype(np.float32), ranks=rank_of(fine))
    assert len(np.unique(exact.scores)) == 1
    assert row_of(exact).auc == row_of(exact).accuracy_prior == 1.0


def test_every_metric_has_a_column_for_each_rule():
    row = row_of(finished_run())
    found = {(metric, rule): row.score(metric, rule) for metric in METRICS for rule in RULES}
    assert found == {
        ("accuracy", "own"): row.accuracy_own,
        ("accuracy", "prior"): row.accuracy_prior,
        ("balanced_accuracy", "own"): row.balanced_accuracy_own,
        ("balanced_accuracy", "prior"): row.balanced_accuracy_prior,
    }
    assert len(set(found.values())) == 4


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_rows_are_read_as_they_were_written(tmp_path, name):
    rows = [row_of(finished_run(seed)) for seed in range(3)]
    rows.append(replace(rows[0], repetition=3, seconds=None, peak_mb=None, auc=None, torch=""))
    write_rows(tmp_path / name, rows)
    found = read_rows(tmp_path)
    assert len(found) == len(rows)
    for one, other in zip(found, rows, strict=True):
        for column in COLUMNS:
            read, made = getattr(one, column), getattr(other, column)
            if isinstance(made, float):
                assert read == pytest.approx(made, rel=1e-3 if made > 1 else 5e-8)
            else:
                assert read == made
    # Rounded numbers stay as they are.
    write_rows(tmp_path / name, found)
    assert read_rows(tmp_path) == found


def test_scores_that_differ_are_written_differently(tmp_path):
    """The closest balanced accuracies on 8 200 unlabelled rows, about half of them positive."""
    n_positive, n_negative = 4099, 4101
    more = pow(n_negative, -1, n_positive)
    fewer = (more * n_negative - 1) // n_positive
    row = row_of(finished_run())
    one, other = (
        replace(row, repetition=place, balanced_accuracy_own=(of_both / 2))
        for place, of_both in enumerate(
            [4000 / n_negative, more / n_positive + (4000 - fewer) / n_negative]
        )
    )
    assert 0 < other.balanced_accuracy_own - one.balanced_accuracy_own < 3e-8
    write_rows(tmp_path / "rows.csv", [one, other])
    found = {line.balanced_accuracy_own for line in read_rows(tmp_path)}
    assert len(found) == 2


def test_facts_are_those_of_the_run():
    run = Run(Split("synthetic", "n1000-f5-p40-c2-s1.0-hypercube", 0.6, 2), "pu_et", "estimated")
    data = load_split(run.split)
    known = PUData("made", data.X, data.is_labelled, 0.37, seed=5, n_threads=3)
    facts = record_facts(Circumstances(run, data, known, seconds=1.5))
    assert tuple(facts) == FACTS
    expected = {
        "n_features": 5,
        "prior_true": data.is_positive.mean(),
        "prior_used": 0.37,
        "seed": 5,
        "seconds": 1.5,
        "n_jobs": 3,
        "device": "cpu",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    assert {name: facts[name] for name in expected} == expected
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", facts["finished"])


def test_a_file_older_than_a_column_has_an_empty_cell_if_it_may_be_empty():
    made = finished_run()

    def without(name):
        return replace(made, facts={key: made.facts[key] for key in made.facts if key != name})

    assert row_of(without("seconds")) == replace(row_of(made), seconds=None)
    assert row_of(without("torch")) == replace(row_of(made), torch="")
    with pytest.raises(BrokenFile, match=r"vote, .* pu_et, .* does not say prior_used"):
        row_of(without("prior_used"))
