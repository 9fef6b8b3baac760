"""Regressions by PyTorch, on a GPU or else its processor device, beside those of NumPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from pucut.kernels import gaussian, ridge
from pucut.kernels.gaussian import GaussianKernel, rounded_kernel_sums
from pucut.kernels.gradients import directions_of_change

torch = pytest.importorskip("torch")
torch_ridge = pytest.importorskip("pucut.kernels.torch_ridge")

RNG = np.random.default_rng(0)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def table():
    """200 rows and three targets."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    is_positive = np.sin(2.0 * X[:, 0]) + 0.3 * random.normal(size=200) > 0.2
    return X, np.array([is_positive & (random.random(200) < share) for share in (0.5, 0.7, 1.0)])


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 30 rows, and products of 16 columns."""
    monkeypatch.setattr(torch_ridge, "_MOST_ROWS_OF_A_BLOCK", 30)
    monkeypatch.setattr(torch_ridge, "_COLUMNS_OF_A_PRODUCT", 16)


@pytest.mark.usefixtures("small_blocks")
def test_all_products_are_there():
    """A root might be made from either half."""
    X, targets = table()
    columns = torch.from_numpy(X[:, [0, 1, 2, 3] * 10]).to(DEVICE)
    among = torch.eye(40, dtype=torch.float64, device=DEVICE)
    found = torch_ridge.TorchSolution(lambda rows: columns[rows], among, targets, None, 4)
    wanted = 200 * np.cov(columns.cpu().numpy().T, bias=True)
    np.testing.assert_allclose(found._products.cpu().numpy(), wanted, atol=1e-9)


def same(found, wanted, atol):
    assert found.penalty == wanted.penalty
    np.testing.assert_allclose(found.left_out, wanted.left_out, rtol=0.0, atol=atol)


@pytest.mark.parametrize("n_landmarks", [200, 40])
@pytest.mark.parametrize("gamma", [0.05, 0.5])
@pytest.mark.usefixtures("small_blocks")
def test_it_is_the_regression_of_numpy(n_landmarks, gamma):
    """In double precision both, so that they differ by the rounding to six digits alone."""
    X, targets = table()
    landmarks = X[:n_landmarks]
    wanted = gaussian.kernel_solution(X, targets, landmarks, gamma)
    found = torch_ridge.kernel_solution(X, targets, landmarks, gamma, DEVICE)
    same(found, wanted, 2e-6)
    new = RNG.normal(size=(50, X.shape[1]))
    kernel = np.exp(-gamma * cdist(new, landmarks, "sqeuclidean"))
    np.testing.assert_allclose(
        kernel @ found.weights + found.intercept,
        kernel @ wanted.weights + wanted.intercept,
        atol=1e-6,
    )


@pytest.mark.usefixtures("small_blocks")
def test_copies_are_left_out_together():
    X, targets = table()
    X, targets = np.vstack([X, X[:9], X[:4]]), np.hstack([targets, targets[:, :9], targets[:, :4]])
    groups = np.concatenate([np.arange(200), np.arange(9), np.arange(4)])
    wanted = gaussian.kernel_solution(X, targets, X[:50], 0.3, groups)
    found = torch_ridge.kernel_solution(X, targets, X[:50], 0.3, DEVICE, groups)
    same(found, wanted, 2e-6)
    alone = torch_ridge.kernel_solution(X, targets, X[:50], 0.3, DEVICE)
    assert (alone.left_out[:, :4] != found.left_out[:, :4]).all()


@pytest.mark.usefixtures("small_blocks")
def test_some_rows_choose_the_penalty():
    """The oracle chooses for each target by the errors of those rows alone."""
    X, targets = table()
    X, targets = X.astype(np.float32), targets.copy()
    validation = np.sort(RNG.choice(200, 25, replace=False))
    # The validation rows alone have labels at random, which want the largest penalty.
    targets[:, validation] = RNG.random((3, 25)) < 0.5
    one_by_one = [
        gaussian.LeastSquares(
            X,
            lambda rows: np.exp(-0.5 * cdist(rows, X[:40], "sqeuclidean")),
            np.exp(-0.5 * cdist(X[:40], X[:40], "sqeuclidean")) + 1e-4 * np.eye(40),
            targets,
            (penalty,),
            None,
        ).left_out
        for penalty in gaussian.PENALTIES
    ]
    errors = [np.square(each - targets)[:, validation].mean(axis=1) for each in one_by_one]
    found = torch_ridge.kernel_solution(X, targets, X[:40], 0.5, DEVICE, validation=validation)
    for target, best in enumerate(np.argmin(errors, axis=0)):
        np.testing.assert_allclose(found.left_out[target], one_by_one[best][target], atol=1e-5)
    by_all = torch_ridge.kernel_solution(X, targets, X[:40], 0.5, DEVICE)
    assert found.penalty > by_all.penalty


def test_fits_agree_where_both_have_all_rows_as_landmarks():
    """Kernels of NumPy are in single precision."""
    X, targets = table()
    for fit in (
        lambda device: ridge.fit_kernel_ridge(X, targets, np.random.RandomState(0), device=device),
        lambda device: ridge.fit_linear_ridge(X, targets, device=device),
    ):
        wanted, found = fit(None), fit(DEVICE)
        assert (found.width, found.penalty) == (wanted.width, wanted.penalty)
        np.testing.assert_allclose(found.left_out, wanted.left_out, atol=1e-2)
        new = RNG.normal(size=(50, X.shape[1]))
        scores = found.machine.scores(new)
        np.testing.assert_allclose(scores, wanted.machine.scores(new), atol=1e-2)
        one_by_one = [found.machine.scores(row[None, :])[0] for row in new]
        np.testing.assert_array_equal(one_by_one, scores)


def test_directions_are_those_of_numpy():
    X, targets = table()
    wanted, found = (
        directions_of_change(X, targets[-1], np.random.RandomState(0), device=device)
        for device in (None, DEVICE)
    )
    np.testing.assert_allclose(found, wanted, atol=5e-3)


def test_the_given_points_are_not_written_to():
    X, targets = table()
    X = X.astype(np.float32)
    before = X.copy()
    X.flags.writeable = False
    ridge.fit_kernel_ridge(X, targets, np.random.RandomState(0), device=DEVICE)
    ridge.fit_linear_ridge(X, targets, device=DEVICE)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("n_rows", "free_memory", "wanted"),
    [
        (100, np.inf, 282_842),  # all rows
        (20_000, np.inf, 20_000),
        (70_000, np.inf, 10_690),
        (1_000_000, np.inf, 2_828),
        (10_000_000, np.inf, 1_000),
        (100_000_000, np.inf, 1_000),
        (70_000, 8 << 30, 10_362),  # five matrices in half of 8 GiB
        (70_000, 1 << 20, 1_000),
    ],
)
def test_landmarks_are_as_many_as_work_and_memory_allow(n_rows, free_memory, wanted):
    assert ridge.default_landmarks_on_gpu(n_rows, free_memory) == wanted
    assert wanted >= ridge.default_landmarks(n_rows)


def test_sums_are_the_same_on_the_device_and_off_it(monkeypatch):
    """What decides between them is the work, and whether the device is there."""
    X, landmarks, weights = (RNG.normal(size=size) for size in ((70, 3), (40, 3), (40, 2)))
    wanted = np.exp(-0.7 * cdist(X, landmarks, "sqeuclidean")) @ weights
    kernel = GaussianKernel(landmarks, 0.7, by_products=True)
    on_processors = rounded_kernel_sums(X, kernel, weights, "cuda")
    np.testing.assert_array_equal(on_processors, np.round(wanted, 6))
    asked = []

    def sums(points, landmarks, weights, gamma, device):
        asked.append(device)
        return by_torch(points, landmarks, weights, gamma, DEVICE)

    by_torch = torch_ridge.kernel_sums
    monkeypatch.setattr(torch_ridge, "kernel_sums", sums)
    monkeypatch.setattr("pucut.kernels.gaussian.usable_card", lambda device: device)
    monkeypatch.setattr("pucut.kernels.gaussian.LEAST_WORK", 0.0)
    np.testing.assert_array_equal(rounded_kernel_sums(X, kernel, weights, "cuda"), on_processors)
    assert asked == ["cuda"]
