"""Settings shared by all tests."""

import os
import signal

# On a busy machine the threads of OpenMP wait for each other longer than small tables take.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# What a shell starts in the background ignores Ctrl-C, and so do its children: some tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Assertions in helpers should show their values, as those in tests do.
pytest.register_assert_rewrite("tests.helpers", "pucut.utils.estimator_checks")

# Same examples in every run, nothing written to disk, no failure because a machine is busy.
settings.register_profile(
    "reproducible", derandomize=True, database=None, deadline=None, max_examples=150
)
settings.load_profile("reproducible")
