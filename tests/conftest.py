"""Settings shared by all tests."""

import os

# On a busy machine the threads of OpenMP wait for each other longer than small tables take.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import pytest
from hypothesis import settings

# Assertions in helpers should show their values, as those in tests do.
pytest.register_assert_rewrite("tests.helpers")

# Same examples in every run, nothing written to disk, no failure because a machine is busy.
settings.register_profile(
    "reproducible", derandomize=True, database=None, deadline=None, max_examples=150
)
settings.load_profile("reproducible")

# All of their tests are slow: a browser, shells, processes that are killed, runs of the paper.
SLOW_FILES = (
    "cli/test_shell.py",
    "paper/test_command.py",
    "paper/test_download.py",
    "paper/test_page.py",
    "paper/test_runner.py",
    "paper/test_shared_fits.py",
    "report/test_browser.py",
    "report/test_browser_cuts.py",
    "test_comparison.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    slow = {Path(__file__).parent / name for name in SLOW_FILES}
    for item in items:
        if item.path in slow:
            item.add_marker("slow")
