"""Data sets for the tests of DC-Pred++."""

import numpy as np
import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="module")
def clouds():
    X, y = make_classification(
        1500, 4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=2, random_state=0
    )
    return X, y


@pytest.fixture(scope="module")
def one_hot():
    """Three numbers, and one of forty kinds."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.uniform(size=(3000, 3)), np.eye(40)[rng.integers(0, 40, 3000)]]).astype(np.float32)
    return X, (np.sin(9 * X[:, 0]) > X[:, 1]) ^ (X[:, 3:23].any(axis=1))
