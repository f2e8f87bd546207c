"""Whoever says "converged" is right: violation and objective of the model, computed anew in float64 from the data."""

import numpy as np
import pytest

from engine import DCSVC, ClusterSVC, InteriorPointSVC, KernelSVC
from engine.optimisation.dual_problem import Problem

TOL = 1e-3
EXACT = [
    (KernelSVC, {}),
    (DCSVC, {"k": 4, "levels": 2}),
    (DCSVC, {"k": 4, "levels": 2, "bias": False}),
    (ClusterSVC, {"max_passes": None}),
    (InteriorPointSVC, {"scheme": "icf+decomposition", "rank": 60}),
]


def noisy(n=1150, flipped=0.3):
    random = np.random.default_rng(8)
    X = random.normal(size=(n, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    return X, np.where(random.random(n) < flipped, 1 - y, y)


def recomputed(model, X, y, C, bias):
    """Violation, objective and primal value of a fitted model, in float64."""
    kernel = model.model_.kernel.exact()
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    problem = Problem.of(kernel, kernel.points(X), signs, C=C, bias=bias)
    alpha = np.zeros(len(X))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    gradient = problem.gradient(alpha)
    objective = problem.objective(alpha, gradient)
    return (
        problem.optimality(alpha, gradient).violation,
        objective,
        problem.primal(alpha, gradient, model.intercept_[0]),
    )


@pytest.mark.parametrize("C", [1.0, 100.0, 1000.0])
@pytest.mark.parametrize(("estimator", "settings"), EXACT)
def test_converged_means_converged(estimator, settings, C):
    X, y = noisy()
    model = estimator(C=C, gamma=2.0, tol=TOL, **settings).fit(X, y)
    assert model.stop_reason_ == "converged"
    violation, objective, _ = recomputed(model, X, y, C, getattr(model, "bias", True))
    assert violation <= TOL
    assert model.objective_ == pytest.approx(objective, rel=TOL)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_gap_of_a_full_factorisation_is_that_of_the_exact_problem(C):
    X, y = noisy()
    model = InteriorPointSVC(C=C, gamma=2.0, scheme="cholesky").fit(X, y)
    assert model.stop_reason_ == "converged"
    _, objective, primal = recomputed(model, X, y, C, True)
    assert abs(model.gap_ - (primal + objective)) <= TOL * max(abs(primal), abs(objective))
