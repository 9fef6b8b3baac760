"""Scores and tables whose share of positives is known."""

import numpy as np
from hypothesis import strategies as st

# Few distinct values, so that ties within and between the samples are common.
score_lists = st.lists(st.integers(0, 8).map(float), min_size=1, max_size=25).map(np.array)


def uniform_mixture(share, n_labelled, n_unlabelled, seed):
    """Positives uniform on [0.5, 1], negatives on [0, 0.5]; the share is exact."""
    random = np.random.RandomState(seed)
    n_hidden = round(share * n_unlabelled)
    labelled = random.uniform(0.5, 1.0, n_labelled)
    hidden = random.uniform(0.5, 1.0, n_hidden)
    negative = random.uniform(0.0, 0.5, n_unlabelled - n_hidden)
    return labelled, np.concatenate([hidden, negative])
