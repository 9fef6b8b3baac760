"""Classifiers fitted in a stack are those fitted alone."""

import numpy as np
import pytest

pytest.importorskip("torch")

from pucut import NNPUClassifier, UPUClassifier
from pucut.methods.neural.stack import fit_stacked

SMALL = {"hidden_layer_sizes": (8,), "max_epochs": 5, "device": "cpu"}


def made(n_tables=3, n_rows=120):
    """Tables with equally many labelled rows, so that batches have one shape anyway."""
    random = np.random.default_rng(0)
    truth = np.arange(n_rows) % 2 == 0
    tables = [random.normal(size=(n_rows, 4)) + truth[:, None] for _ in range(n_tables)]
    labelled = np.flatnonzero(truth)[:40]
    return tables, [np.isin(np.arange(n_rows), random.permutation(labelled))] * n_tables


@pytest.mark.parametrize("kind", [UPUClassifier, NNPUClassifier])
@pytest.mark.parametrize("threshold", ["prior", "half"])
def test_a_stack_gives_what_each_fit_gives(kind, threshold):
    tables, labels = made()

    def classifiers():
        return [
            kind(prior=0.4 + 0.05 * number, random_state=number, threshold=threshold, **SMALL)
            for number in range(len(tables))
        ]

    stacked = classifiers()
    fit_stacked(stacked, tables, labels)
    for one, alone, X, y in zip(stacked, classifiers(), tables, labels, strict=True):
        alone.fit(X, y)
        np.testing.assert_allclose(one.scores_, alone.scores_, rtol=1e-3, atol=1e-4)
        assert one.best_epoch_ == alone.best_epoch_
        assert one.prior_ == alone.prior_
        np.testing.assert_array_equal(one.predict(X), one.scores_ > one.threshold_)
        np.testing.assert_array_equal(one.transduction_, alone.transduction_)


def test_what_cannot_be_stacked_is_refused():
    tables, labels = made(2)
    first = NNPUClassifier(prior=0.5, **SMALL)
    for other in (UPUClassifier(prior=0.5, **SMALL), NNPUClassifier(prior=0.5, **SMALL, beta=0.1)):
        with pytest.raises(ValueError, match=r"differ only in prior and random_state.*number 1"):
            fit_stacked([first, other], tables, labels)
    alike = [first, NNPUClassifier(prior=0.6, **SMALL)]
    with pytest.raises(ValueError, match=r"have one shape, found \[\(119, 4\), \(120, 4\)\]"):
        fit_stacked(alike, [tables[0], tables[1][1:]], labels)
