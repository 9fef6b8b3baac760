"""Threads: as many as are of use, and no more."""

import threading

from pucut._support.threads import in_threads


def test_no_more_threads_than_jobs_or_processors(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    before = threading.active_count()
    for n_jobs in (2, 50):
        counts = in_threads(lambda _: threading.active_count() - before, range(n_jobs), 100_000)
        assert max(counts) <= min(3, n_jobs)
    assert in_threads(str, [], 5) == []
