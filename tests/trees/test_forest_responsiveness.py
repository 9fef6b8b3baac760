"""Growing trees answers Ctrl-C, with one thread and with several, and lets other threads run."""

import sys

import pytest

from tests.helpers.interruption import interruptions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="Windows cannot send SIGINT to a single process"
    ),
]

ALLOWED_DELAY = 0.5
N_THREADS = (1, 3)

# So many trees that nobody waits for them.
GROWING = f"""
import numpy as np
from pucut.trees.growing import grow_forest

random = np.random.default_rng(0)
X = random.normal(size=(int(sys.argv[1]), 30)).astype(np.float32)
is_labelled = random.random(len(X)) < 0.3

for n_threads in {N_THREADS}:
    interrupted(
        lambda: grow_forest(X, is_labelled, 0.5, n_trees=100_000, n_threads=n_threads), after=0.4
    )
"""


@pytest.mark.parametrize("n_rows", [300, 100_000])
def test_ctrl_c_is_answered_within_half_a_second(n_rows):
    found = interruptions(GROWING, [n_rows], len(N_THREADS))
    for n_threads, answer in zip(N_THREADS, found, strict=True):
        assert answer is not None
        assert answer.seconds <= ALLOWED_DELAY * n_threads
