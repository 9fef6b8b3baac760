"""Training of networks: the risks of the papers, steps, batches."""

from dataclasses import replace

import numpy as np
import pytest

from pucut.utils.estimator_checks._tools import pu_table

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from pucut import NNPUClassifier, UPUClassifier  # noqa: E402
from pucut.methods.neural._training import (  # noqa: E402
    PUSample,
    TrainingOptions,
    fit_one,
    objective,
    pu_risk_parts,
    seeded,
)


@pytest.mark.parametrize(
    ("loss", "of_margin"),
    [
        ("sigmoid", lambda z: 1.0 / (1.0 + np.exp(z))),
        ("logistic", lambda z: np.log1p(np.exp(-z))),
    ],
)
def test_risk_is_that_of_the_papers(loss, of_margin):
    random = np.random.default_rng(0)
    positive, unlabelled = random.normal(size=(2, 5)), random.normal(size=(2, 9))
    prior = np.array([0.3, 0.6])
    found = pu_risk_parts(
        torch.tensor(np.hstack([positive, unlabelled])), 5, torch.tensor(prior), loss
    )
    np.testing.assert_allclose(found[0], prior * of_margin(positive).mean(axis=1))
    np.testing.assert_allclose(
        found[1],
        of_margin(-unlabelled).mean(axis=1) - prior * of_margin(-positive).mean(axis=1),
    )


def test_expected_risk_is_that_of_the_truth():
    """Unbiased: over many rows it equals the risk computed from the true classes."""
    random = np.random.default_rng(1)
    n_rows, prior = 400_000, 0.35
    is_positive = random.random(n_rows) < prior
    output = random.normal(size=n_rows) + np.where(is_positive, 1.0, -0.5)
    rows = np.concatenate([output[is_positive], output])
    parts = pu_risk_parts(
        torch.tensor(rows)[None], int(is_positive.sum()), torch.tensor([prior]), "sigmoid"
    )
    truth = np.mean(1.0 / (1.0 + np.exp(np.where(is_positive, output, -output))))
    assert float(sum(parts)) == pytest.approx(truth, abs=2e-3)


def test_step_goes_back_where_the_negatives_have_a_risk_below_beta():
    as_positive = torch.tensor([0.2, 0.2, 0.2], requires_grad=True)
    negative = torch.tensor([0.1, -0.05, -0.3], requires_grad=True)
    options = TrainingOptions(beta=0.1, gamma=0.5)
    value = objective(as_positive, negative, options)
    np.testing.assert_allclose(value.detach(), [0.3, 0.15, 0.15], rtol=1e-6)
    value.sum().backward()
    np.testing.assert_allclose(as_positive.grad, [1.0, 1.0, 0.0])
    np.testing.assert_allclose(negative.grad, [1.0, 1.0, -0.5])
    unbiased = objective(as_positive, negative, replace(options, risk="upu"))
    np.testing.assert_allclose(unbiased.detach(), [0.3, 0.15, -0.1], atol=1e-7)


def test_unbounded_risk_falls_below_zero_and_the_other_does_not():
    """What Kiryo et al. show: the risk of uPU falls far below 0, that of nnPU stays about there."""
    X, y, truth = pu_table(300)
    settings = {
        "prior": float(truth.mean()),
        "hidden_layer_sizes": (100, 100),
        "loss": "logistic",
        "learning_rate": 1e-2,
        "max_epochs": 60,
        "validation_share": 0.0,
        "random_state": 0,
        "device": "cpu",
    }
    X = np.hstack([X, np.random.default_rng(0).normal(size=(300, 30))])
    upu, nnpu = UPUClassifier(**settings).fit(X, y), NNPUClassifier(**settings).fit(X, y)
    assert upu.risk_curve_[-1] < -1.0
    assert nnpu.risk_curve_[-1] > -0.2
    assert upu.n_epochs_ == upu.best_epoch_ == 60
    assert np.isnan(upu.validation_curve_).all()


def test_every_batch_has_its_share_of_positives():
    """Seen by a network that writes down what it is given."""
    seen = []

    class Spy(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(1, 1)

        def forward(self, rows):
            if self.training:
                seen.append(rows[:, 0].numpy().copy())
            return self.linear(rows)

    numbers = np.arange(100, dtype=np.float32)[:, None]
    labelled = np.arange(100) < 20
    sample = PUSample(labelled, np.ones(100, dtype=bool), 0.4)
    fit_one(Spy(), numbers, sample, TrainingOptions(batch_size=25, max_epochs=3))
    assert [len(batch) for batch in seen] == [30] * 12
    for epoch in range(3):
        batches = seen[4 * epoch : 4 * epoch + 4]
        positives = np.concatenate([batch[:5] for batch in batches])
        assert sorted(positives) == list(range(20))
        assert sorted(np.concatenate([batch[5:] for batch in batches])) == list(range(100))
    assert not np.array_equal(seen[0], seen[4])


def test_statistics_of_normalisation_are_means_of_the_first_batches():
    X = np.random.default_rng(0).normal(5.0, 3.0, size=(40, 2)).astype(np.float32)
    mask = np.arange(40) < 10
    sample = PUSample(mask, np.ones(40, dtype=bool), 0.4)
    with seeded(0):
        network = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
    trained = fit_one(network, X, sample, TrainingOptions(max_epochs=3)).network[0]
    seen = np.concatenate([X[mask], X])  # every batch is all of P and all of U
    np.testing.assert_allclose(trained.running_mean, seen.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(trained.running_var, seen.var(axis=0, ddof=1), rtol=1e-5)
    assert trained.momentum == 0.1


def test_early_stopping_keeps_the_best_epoch():
    X, y, truth = pu_table(400)
    model = NNPUClassifier(
        hidden_layer_sizes=(32,),
        prior=float(truth.mean()),
        patience=3,
        max_epochs=200,
        validation_share=0.2,
        random_state=0,
    ).fit(X, y)
    curve = model.validation_curve_
    assert model.n_epochs_ == len(curve) == len(model.risk_curve_) < 200
    assert model.best_epoch_ == np.argmax(curve) + 1 == model.n_epochs_ - 3
