"""Tables that several tests of methods share."""

import pytest
from sklearn.datasets import load_digits

from pucut.datasets import pu_split


@pytest.fixture(scope="session")
def digits():
    """X, whether a digit is odd, and which of the odd ones are labelled."""
    X, digit = load_digits(return_X_y=True)
    is_positive = digit % 2 == 1
    return X, is_positive, pu_split(is_positive, 0.6, random_state=0)
