"""The rows of a folder of results."""

import csv
import gzip
import io
from dataclasses import replace

from paper.row_files import write_rows
from paper.running.collect import collect
from paper.running.raw import run_file, save
from tests.helpers.paper_rows import FACTS, finished_run


def test_rows_of_a_folder_are_in_the_papers_order_and_the_same_bytes(tmp_path):
    runs = [
        finished_run(seed, dataset, method)
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
    for name, found in (("first", first), ("second", second)):
        write_rows(tmp_path / f"{name}.csv.gz", found.rows)
    packed = (tmp_path / "first.csv.gz").read_bytes()
    assert packed == (tmp_path / "second.csv.gz").read_bytes()
    table = list(csv.DictReader(io.StringIO(gzip.decompress(packed).decode())))
    assert [(row["dataset"], row["repetition"], row["method"]) for row in table] == [
        (dataset, seed, method)
        for dataset in ("vote", "german")
        for seed in "01"
        for method in ("naive", "two_hnc")
    ]
    assert table[0]["seconds"] == "0.3"  # without the digits of 0.1 + 0.2 that say nothing
    assert table[0]["machine"] == FACTS["machine"]
