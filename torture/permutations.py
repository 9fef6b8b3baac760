"""Other orders of the same table, for every classifier: the same predictions, to the bit."""

import warnings

import numpy as np
import pandas as pd

from pucut import HNCClassifier
from pucut.methods import METHODS
from torture.inputs import _estimator


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 6])
    names = [*METHODS, "HNC"]
    name = names[number % len(names)]
    n_rows = int(random.integers(30, 90))
    is_positive = random.random(n_rows) < 0.5
    X = random.normal(size=(n_rows, int(random.integers(1, 5)))) + 2.0 * is_positive[:, None]
    digits = int(random.choice([0, 1, 9]))
    X = np.round(X, digits)  # of few digits many rows are equal, and all is tied
    X[random.random(X.shape) < random.choice([0.0, 0.1])] = np.nan
    y = (is_positive & (random.random(n_rows) < 0.5)).astype(int)
    y[:2] = 0, 1
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    if random.random() < 0.3:
        table["words"] = pd.Categorical(random.choice(["a", "b", "c"], size=n_rows))
    order = random.permutation(n_rows)
    prior = "auto" if name != "HNC" and number // len(names) % 8 == 7 else 0.6
    models = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # only the predictions are compared
        for rows in (np.arange(n_rows), order):
            labels = np.where(y == 1, 1, np.where(np.arange(n_rows) % 3 == 0, 0, -1))
            labels = labels if name == "HNC" else y
            model = _estimator(name)
            if not isinstance(model, HNCClassifier):
                model.set_params(prior=max(prior, y.mean() + 0.05) if prior != "auto" else prior)
            models.append(model.fit(table.iloc[rows].reset_index(drop=True), labels[rows]))
        one, other = (model.predict_proba(table) for model in models)
    assert np.array_equal(one, other), f"{name}, {digits} digits: {np.abs(one - other).max()}"
