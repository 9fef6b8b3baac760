"""The paper's synthetic datasets: the whole grid, named, seeded, with the shares asked for."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from paper.datasets import FAMILIES, SYNTHETIC, make_synthetic
from paper.datasets.seeds import seed_from_names


def test_the_grid_is_the_papers():
    assert len(SYNTHETIC) == 540
    assert len({tuple(vars(one).values()) for one in SYNTHETIC.values()}) == 540
    for field, values in {
        "n_samples": {1000, 5000, 10000},
        "n_features": {5, 10, 20},
        "positive_share": {0.3, 0.4, 0.5, 0.6, 0.7},
        "n_clusters": {2, 4},
        "class_sep": {0.5, 1.0, 2.0},
        "hypercube": {True, False},
    }.items():
        found = [getattr(one, field) for one in SYNTHETIC.values()]
        assert set(found) == values
        assert all(found.count(value) == 540 // len(values) for value in values)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_configuration_can_be_made(family):
    for one in SYNTHETIC.values():
        n_informative = FAMILIES[family].n_informative(one.n_features)
        assert 2 * one.n_clusters <= 2**n_informative  # scikit-learn's condition
        assert n_informative <= one.n_features


# Informative and redundant features of a table of 5, of 10 and of 20; the others are noise.
FEATURES = {
    "synthetic": {5: (5, 0), 10: (10, 0), 20: (20, 0)},
    "most_informative": {5: (3, 2), 10: (8, 2), 20: (18, 2)},
    "half_informative": {5: (3, 2), 10: (5, 2), 20: (10, 2)},
    "few_informative": {5: (3, 2), 10: (3, 2), 20: (3, 2)},
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_features", [5, 10, 20])
def test_families_differ_in_the_number_of_informative_features(family, n_features):
    name = f"n1000-f{n_features}-p40-c4-s1.0-polytope"
    found = make_synthetic(name, 2, family)
    n_informative, n_redundant = FEATURES[family][n_features]
    X, y = make_classification(
        1000,
        n_features,
        n_informative=n_informative,
        n_redundant=n_redundant,
        n_clusters_per_class=4,
        weights=[0.6, 0.4],
        hypercube=False,
        random_state=seed_from_names("synthetic", name, 2),
    )
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.is_positive, y == 1)
    # Redundant features are combinations of the informative ones.
    assert np.linalg.matrix_rank(X - X.mean(axis=0), tol=1e-5) == n_features - n_redundant


@pytest.mark.parametrize("name", list(SYNTHETIC)[:180:7])
def test_tables_are_as_their_names_say(name):
    one = SYNTHETIC[name]
    dataset = make_synthetic(name, 1)
    assert dataset.X.shape == (one.n_samples, one.n_features)
    # 1 % of the classes are drawn at random.
    assert abs(dataset.prior - one.positive_share) < 0.02
    assert dataset.is_positive.dtype == np.bool_


def test_datasets_differ_and_can_be_made_again():
    name = "n1000-f5-p30-c2-s0.5-hypercube"
    first = [make_synthetic(name, index).X for index in range(4)]
    assert len({X.tobytes() for X in first}) == 4
    for index, X in enumerate(first):
        np.testing.assert_array_equal(make_synthetic(name, index).X, X)
    other = make_synthetic("n1000-f5-p30-c2-s0.5-polytope", 0)
    assert not np.array_equal(other.X, first[0])


def test_classes_far_apart_are_easier():
    def spread(sep):
        """Distance of a row to the nearest of the other class, over that of its own."""
        dataset = make_synthetic(f"n1000-f5-p50-c2-s{sep}-hypercube", 0)
        X = dataset.X
        distance = np.linalg.norm(X[:, None] - X[None], axis=2)
        np.fill_diagonal(distance, np.inf)
        same = dataset.is_positive[:, None] == dataset.is_positive
        nearest = [np.where(mask, distance, np.inf).min(axis=1) for mask in (~same, same)]
        return np.median(nearest[0] / nearest[1])

    assert spread(2.0) > 1.5 * spread(0.5)


@pytest.mark.parametrize(
    ("name", "index", "family", "said"),
    [
        ("n7", 0, "synthetic", "name must be"),
        (next(iter(SYNTHETIC)), 4, "synthetic", "0 to 3"),
        (next(iter(SYNTHETIC)), 0, "real", "family must be one of synthetic, .*, found 'real'"),
    ],
)
def test_what_does_not_exist_is_refused(name, index, family, said):
    with pytest.raises(ValueError, match=said):
        make_synthetic(name, index, family)


def test_parameters_are_written_as_the_paper_does():
    assert SYNTHETIC["n5000-f20-p70-c4-s0.5-polytope"].parameters == {
        "n_samples": "5000",
        "n_features": "20",
        "positive_percent": "70",
        "n_clusters_per_class": "4",
        "class_sep": "0.5",
        "hypercube": "false",
    }
