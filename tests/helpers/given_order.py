"""2-HNC as on a cluster, where rows stay where they are and ties go by their numbers."""

import numpy as np
import pytest

from pucut import TwoHNCClassifier


class InGivenOrder(TwoHNCClassifier):
    def fit(self, X, y):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("pucut.methods.two_hnc.classifier.row_order", in_their_order)
            return super().fit(X, y)


def in_their_order(X, labels, n_threads):
    return np.arange(len(labels))
