"""One made problem at any size: tables in files, so that 10^7 rows need not be held in memory."""

import os

import numpy as np

N_FEATURES, N_INFORMATIVE, N_CLUSTERS = 20, 10, 8
BLOCK_ROWS = 100_000
LABELLED_SHARE, NOISE = 0.6, 0.01


def made_block(number, n_rows):
    """Rows of a block, their classes and labels: the same for every size of the table.

    Normal clusters at the corners of a cube, four of each class, squeezed each in its own way; two
    features are sums of others and eight are noise, as in scikit-learn's make_classification.
    """
    shape = np.random.default_rng(12345)
    corners = shape.permutation(1 << N_INFORMATIVE)[:N_CLUSTERS]
    centers = (corners[:, None] >> np.arange(N_INFORMATIVE) & 1) * 2.0 - 1.0
    squeezes = shape.uniform(-1, 1, size=(N_CLUSTERS, N_INFORMATIVE, N_INFORMATIVE))
    sums = shape.uniform(-1, 1, size=(N_INFORMATIVE, 2))
    random = np.random.default_rng([7, number])
    cluster = random.integers(N_CLUSTERS, size=n_rows)
    plain = random.normal(size=(n_rows, N_INFORMATIVE))
    informative = np.einsum("ni,nij->nj", plain, squeezes[cluster]) + centers[cluster]
    noise = random.normal(size=(n_rows, N_FEATURES - N_INFORMATIVE - 2))
    is_positive = (cluster % 2 == 1) ^ (random.random(n_rows) < NOISE)
    is_labelled = is_positive & (random.random(n_rows) < LABELLED_SHARE)
    rows = np.concatenate([informative, informative @ sums, noise], axis=1)
    return rows.astype(np.float32), is_positive, is_labelled


def make_files(folder, n_rows):
    """X as a file of its own, written by blocks; classes and labels beside it."""
    if os.path.exists(f"{folder}/y{n_rows}.npz"):
        return
    X = np.lib.format.open_memmap(
        f"{folder}/X{n_rows}.npy", mode="w+", dtype=np.float32, shape=(n_rows, N_FEATURES)
    )
    classes = []
    for number, start in enumerate(range(0, n_rows, BLOCK_ROWS)):
        stop = min(start + BLOCK_ROWS, n_rows)
        X[start:stop], *made = made_block(number, stop - start)
        classes.append(made)
    X.flush()
    is_positive, is_labelled = (np.concatenate(part) for part in zip(*classes, strict=True))
    np.savez(f"{folder}/y{n_rows}.npz", is_positive=is_positive, is_labelled=is_labelled)


def read_files(folder, n_rows):
    """X mapped from its file, and which rows are positive and which labelled."""
    classes = np.load(f"{folder}/y{n_rows}.npz")
    X = np.load(f"{folder}/X{n_rows}.npy", mmap_mode="r")
    return X, classes["is_positive"], classes["is_labelled"]
