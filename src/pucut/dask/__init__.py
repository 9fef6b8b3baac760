"""The classifiers on Dask collections: rows stay on the workers.

`DaskPUCutClassifier` is `PUCutClassifier` for Dask arrays and DataFrames, and
`DaskTwoHNCClassifier` is `TwoHNCClassifier`: the same bits if neighbours are exact. `predict`,
`predict_proba` and `decision_function` apply any fitted PU classifier to the rows of a collection,
lazily.

Nothing else in pucut imports this package, and it needs the extra `dask`.
"""

from pucut.dask.classifiers import DaskPUCutClassifier, DaskTwoHNCClassifier
from pucut.dask.estimator import decision_function, predict, predict_proba

__all__ = [
    "DaskPUCutClassifier",
    "DaskTwoHNCClassifier",
    "decision_function",
    "predict",
    "predict_proba",
]
