"""Data sets that the tests of several estimators share."""

import pytest
from sklearn.datasets import load_digits, make_classification

from engine.numerics.kernels import SMALL


@pytest.fixture(scope="session")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="session")
def two_classes():
    return make_classification(SMALL * 2, 10, n_informative=5, flip_y=0.1, random_state=0)
