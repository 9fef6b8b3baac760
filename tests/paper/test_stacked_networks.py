"""Networks trained in a stack are those trained alone."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paper.running.stacked_networks import fit_many, fit_stacked  # noqa: E402
from pucut import NNPUClassifier, UPUClassifier  # noqa: E402
from pucut.methods.neural._networks import convolutions, perceptron  # noqa: E402
from pucut.methods.neural._training import PUSample, TrainingOptions, fit_one, seeded  # noqa: E402

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


def stack_of_problems(n_rows=90, n_features=4):
    samples, tables = [], []
    for seed, share in enumerate((0.3, 0.5, 0.7)):
        random = np.random.default_rng(seed)
        truth = random.random(n_rows) < share
        X = random.normal(size=(n_rows, n_features)) + 1.5 * truth[:, None]
        labelled = truth & (random.random(n_rows) < 0.6)
        hidden = np.zeros(n_rows, dtype=bool)
        hidden[np.flatnonzero(labelled)[:4]] = True
        samples.append(
            PUSample(
                labelled & ~hidden, np.ones(n_rows, dtype=bool), float(truth.mean()), hidden, seed
            )
        )
        tables.append(X.astype(np.float32))
    with seeded(7):
        networks = [perceptron(n_features, (16, 16)) for _ in samples]
    return networks, np.stack(tables), samples


@pytest.mark.parametrize("patience", [2, None])
@pytest.mark.parametrize("risk", ["upu", "nnpu"])
def test_many_networks_at_once_are_what_they_are_one_by_one(risk, patience):
    networks, X, samples = stack_of_problems()
    before = copy.deepcopy(networks[0].state_dict())
    options = TrainingOptions(
        risk=risk, batch_size=30, positives_per_batch=7, max_epochs=8, patience=patience
    )
    together = fit_many(networks, X, samples, options)
    for network, rows, sample, found in zip(networks, X, samples, together, strict=True):
        alone = fit_one(network, rows, sample, options)
        assert found.best_epoch == alone.best_epoch
        n_epochs = len(alone.risk)  # the others may have gone on
        np.testing.assert_allclose(found.risk[:n_epochs], alone.risk, atol=1e-5)
        np.testing.assert_allclose(found.validation[:n_epochs], alone.validation, atol=1e-6)
        with torch.no_grad():
            np.testing.assert_allclose(
                found.network(torch.tensor(rows)), alone.network(torch.tensor(rows)), atol=1e-4
            )
    epochs = {found.best_epoch for found in together}
    assert len(epochs) > 1, "the three problems should not be alike"
    for name, value in networks[0].state_dict().items():
        np.testing.assert_array_equal(value, before[name])


def test_many_convolutional_networks():
    random = np.random.default_rng(0)
    X = random.normal(size=(2, 12, 64)).astype(np.float32)
    mask = np.arange(12) < 4
    samples = [PUSample(mask, np.ones(12, dtype=bool), prior, None, 3) for prior in (0.4, 0.6)]
    with seeded(0):
        networks = [convolutions((1, 8, 8)) for _ in samples]
    # Where a gradient is nearly 0, rounding decides which way the first steps of Adam go.
    options = TrainingOptions(max_epochs=2, learning_rate=1e-5)
    together = fit_many(networks, X, samples, options)
    alone = fit_one(networks[1], X[1], samples[1], options)
    with torch.no_grad():
        np.testing.assert_allclose(
            together[1].network(torch.tensor(X[1])), alone.network(torch.tensor(X[1])), atol=1e-3
        )


def test_as_many_of_each_are_needed():
    networks, X, samples = stack_of_problems()
    with pytest.raises(ValueError, match="3, 3 and 2"):
        fit_many(networks, X, samples[:2], TrainingOptions())
