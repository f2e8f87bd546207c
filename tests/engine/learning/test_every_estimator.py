"""Numbers as large and as small as they come, for every classifier: an answer in numbers, or an error that names it."""

import numpy as np
import pytest

from engine import DCSVC, BudgetedSVC, ClusterSVC, DCPredClassifier, InteriorPointSVC, KernelSVC

ALL = [KernelSVC, DCSVC, ClusterSVC, BudgetedSVC, InteriorPointSVC, DCPredClassifier]


@pytest.fixture(scope="module")
def quarters():
    X = np.random.default_rng(0).normal(size=(60, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("scale", "settings"), [
    (1.0, {"C": 1e15}), (1.0, {"C": 1e-300}), (1.0, {"gamma": 1e-300}), (1.0, {"gamma": 1e20}),
    (1e-14, {"gamma": "scale"}), (1e14, {"gamma": "scale"}), (1e14, {"gamma": 1e-30}),
])  # fmt: skip
def test_an_answer_in_numbers(kind, quarters, scale, settings):
    X, y = quarters
    model = kind(**settings).fit(scale * X, y)
    assert np.isfinite(model.decision_function(scale * X)).all()
    assert set(model.predict(scale * X)) <= {-1, 1}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("scale", "settings", "message"), [
    (1e200, {"gamma": 4.0}, "X must be (so small that squared distances are numbers|from 1e-15 to 1e15)"),
    (1e120, {"gamma": 4.0}, "(gamma must be at most 8.3e-212 for data so far apart|X must be from 1e-15 to 1e15)"),
    (1.0, {"gamma": 1e300}, r"gamma must be at most 8.3e\+28 for data so far apart; got 1e\+300"),
    (1.0, {"C": 1e300}, r"C must be a finite number above 0 to 1e100; got 1e\+300"),
])  # fmt: skip
def test_what_is_beyond_numbers_is_named(kind, quarters, scale, settings, message):
    X, y = quarters
    with pytest.raises(ValueError, match=message):
        kind(**settings).fit(scale * X, y)
