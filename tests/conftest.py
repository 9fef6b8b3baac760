"""Settings shared by all tests."""

import os
import sys
from pathlib import Path

# On a busy machine the threads of OpenMP wait for each other longer than small tables take.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# `checks`, `graphs`, `oracles` and others are plain modules beside the tests; in importlib mode
# pytest would not find them by itself.
TESTS_FOLDER = str(Path(__file__).parent)
if TESTS_FOLDER not in sys.path:
    sys.path.insert(0, TESTS_FOLDER)

# Assertions in helpers shall show their values, as those in tests do.
pytest.register_assert_rewrite("checks", "pu_contract")

# Same examples in every run, nothing written to disk, no failure because a machine is busy.
settings.register_profile(
    "reproducible", derandomize=True, database=None, deadline=None, max_examples=150
)
settings.load_profile("reproducible")
