"""TODO: what this is."""

import numpy as np
import pytest
import scipy
from sklearn.datasets import make_classification

from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.dcpred.events import TreeGrown


def drained(steps):
    return Run(steps, Counter()).result()


def recorded(solver, X, y, **settings):
    run = solver.recorded_run(X, y, solver.settings.checked(settings))
    events = list(run)
    return run.result(), events


@pytest.fixture(scope="module")
def clouds():
    X, y = make_classification(
        1500, 4, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=2, random_state=0
    )
    return X, y


def events_leaf(events, leaf):
    [grown] = [event for event in events if isinstance(event, TreeGrown)]
    return grown.labels == leaf


@pytest.fixture(scope="module")
def one_hot():
    """Three numbers, and one of forty kinds."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.uniform(size=(3000, 3)), np.eye(40)[rng.integers(0, 40, 3000)]]).astype(np.float32)
    return X, (np.sin(9 * X[:, 0]) > X[:, 1]) ^ (X[:, 3:23].any(axis=1))


def projection_error(columns, G):
    Q = scipy.linalg.orth(columns)
    return np.linalg.norm(G - Q @ (Q.T @ G @ Q) @ Q.T) / np.linalg.norm(G)
