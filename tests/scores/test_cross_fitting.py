"""Out-of-fold scores."""

import warnings

import numpy as np
import scipy.sparse as sp

from pucut.scores.cross_fitting import cross_fit, default_classifier, mean_scores


def test_huge_values_of_both_signs_are_no_mistake():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(400, 1))
    X = sp.csr_array(1.7e308 * signs)
    y = np.arange(400) % 3 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = cross_fit(default_classifier(X), X, y, n_folds=2, random_state=0)
        assert np.isfinite(mean_scores(fitted.models, X)).all()
