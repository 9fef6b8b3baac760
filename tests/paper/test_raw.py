"""Files of finished runs: what is read is what was kept, and damage is seen."""

import numpy as np
import pytest

from paper.running.raw import (
    BrokenFile,
    FoundPrior,
    is_finished,
    load_prior,
    load_run,
    prior_file,
    run_file,
    save,
)
from paper.schema import row_of
from tests.helpers.paper_rows import finished_run


def test_what_is_saved_is_what_is_loaded(tmp_path):
    made = finished_run()
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
    made = finished_run()
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
