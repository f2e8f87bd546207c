"""Compressed models: files, damaged ones, and what a leaf looks at."""

import numpy as np
import pytest

from engine.systems.dcpred.compressed_model import CompressedModel, linear_values
from tests.engine.systems.dcpred.problems import recorded
from tests.engine.systems.dcpred.test_algorithm import DCPRED
from tests.naive.dcpred import Naive


def test_a_linear_model_coded_the_same_way():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(5000, 7)), rng.normal(size=7)
    np.testing.assert_allclose(linear_values(X, w, 0.5, 2), X @ w + 0.5, atol=1e-4)


def test_damaged_machines_are_refused(clouds):
    X, y = clouds
    table = recorded(DCPRED, X[:300], y[:300], n_leaves=5, branching=4)[0].model.fast.table()
    assert CompressedModel.of(table)
    assert (table["children"][table["children"][:, 0] >= 0] == -1).any()  # a child that is not there
    for name, change in [
        ("children", lambda a: a * 0), ("pairs", lambda a: a + 1000), ("landmarks", lambda a: a[:-1]),
        ("weights", lambda a: a * np.nan), ("first", lambda a: a[::-1]), ("normals", lambda a: a[:, :, :-1]),
        ("seen", lambda a: a.astype(np.int64) * 2), ("seen", lambda a: a & False), ("normals", lambda a: a + 1),
        ("normals", lambda a: a.astype(np.int8)), ("children", lambda a: np.where(a == -1, 0, a)),
        ("children", lambda a: np.where(a == -1, 1, a)), ("children", lambda a: np.where(a == 2, -1, a)),
        ("offsets", lambda a: a * 0), ("first_distance", lambda a: a - 1),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=r"should be|do not fit|no tree"):
            CompressedModel.of({**table, name: change(table[name])})


def test_as_they_are_or_moved_rows_get_the_same_values():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(500, 16)) + 3).astype(np.float32)
    for branching in (2, 5):
        trained, _ = recorded(DCPRED, X, X[:, 0] > 3, n_leaves=6, gamma=0.05, C=5.0, branching=branching)
        fast = trained.model.fast
        np.testing.assert_allclose(fast.values(X), fast.values(X.astype(np.float64)), atol=2e-3)


@pytest.mark.parametrize(("branching", "dtype"), [(16, np.float32), (16, np.float64), (2, np.float32)])
def test_a_leaf_looks_at_what_differs_in_it(one_hot, branching, dtype):
    X, y = one_hot[0].astype(dtype), one_hot[1]
    trained, events = recorded(
        DCPRED, X[:2500], y[:2500], n_leaves=60, gamma=2.0, C=5.0, branching=branching, landmark_ratio=0.5
    )
    fast, twin = trained.model.fast, Naive(events, 2.0, X[:2500])
    assert fast.seen.sum(axis=1).min() < 16
    values = fast.values(X[2500:])
    np.testing.assert_allclose(values[:200], [twin.values(x) for x in X[2500:2700]], atol=2e-3, rtol=1e-3)
    traced = [fast.trace(x).values for x in X[2500:2520]]
    np.testing.assert_allclose(values[:20], traced, atol=1e-3)
