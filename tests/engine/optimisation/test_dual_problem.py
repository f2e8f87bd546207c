import numpy as np
import pytest

from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem
from tests.naive.kernel_svm import kernel_matrix
from tests.naive.oracles import dual_by_clarabel


def small_problem(bias, seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    upper, linear = rng.uniform(0.1, 3, n), -rng.uniform(0.5, 1.5, n)
    problem = Problem.build(X, y, C=upper, kernel=Kernel.fit(X, "rbf", 0.7), bias=bias, linear=linear)
    return problem, kernel_matrix(X, X, "rbf", 0.7)


@pytest.mark.parametrize("bias", [True, False])
def test_objective_gradient_gap_and_violation(bias):
    problem, K = small_problem(bias)
    y, upper, linear = problem.y, problem.upper, problem.linear
    Q = np.outer(y, y) * K
    optimum, value = dual_by_clarabel(K, y, upper, linear, bias)
    somewhere = optimum * 0.5  # feasible, with and without bias
    for alpha in (somewhere, optimum):
        gradient = problem.gradient(alpha)
        np.testing.assert_allclose(gradient, Q @ alpha + linear, atol=1e-10)
        assert problem.objective(alpha, gradient) == pytest.approx(0.5 * alpha @ Q @ alpha + linear @ alpha)
        intercept = problem.optimality(alpha, gradient).intercept
        gap = problem.gap(alpha, gradient, intercept)
        assert gap >= problem.objective(alpha, gradient) - value - 1e-9
    assert problem.optimality(optimum, problem.gradient(optimum)).violation < 1e-4
    assert problem.gap(optimum, problem.gradient(optimum), intercept) < 1e-4
    assert problem.optimality(somewhere, problem.gradient(somewhere)).violation > 1e-2


def test_primal_value_is_norm_plus_hinge_losses():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = np.sign(X[:, 0])
    problem = Problem.build(X, y, C=2.0, kernel=Kernel.fit(X, "linear"), bias=True)
    alpha = rng.uniform(0, 2, 40)
    w = (alpha * y) @ X
    losses = np.maximum(0, 1 - y * (X @ w + 0.3))
    assert problem.primal(alpha, problem.gradient(alpha), 0.3) == pytest.approx(0.5 * w @ w + 2.0 * losses.sum())


def test_support_vectors_by_kind():
    problem, _ = small_problem(False, n=5)
    alpha = problem.upper * [0, 0.5, 1, 1, 0]
    support = problem.support(alpha)
    assert support.free.tolist() == [1]
    assert support.bound.tolist() == [2, 3]


@pytest.mark.parametrize(("change", "message"), [
    ({"X": np.array([[1.0, np.nan]])}, r"X\[0, 1\] must be a finite number; got nan"),
    ({"X": np.array([[1.0, np.inf]])}, r"X\[0, 1\] must be a finite number; got inf"),
    ({"X": np.array([1.0, 2.0])}, "X must be a matrix"),
    ({"X": np.empty((0, 2))}, "X must be a matrix"),
    ({"X": np.array([["a", "b"]])}, "X must be of real numbers"),
    ({"y": np.array([2.0])}, r"y must be 1 labels, each \+1 or -1"),
    ({"y": np.array([1.0, 1.0])}, "y must be 1 labels"),
    ({"C": -1.0}, "C must be not negative"),
    ({"C": np.nan}, "C must be finite"),
    ({"linear": np.inf}, "linear must be finite"),
    ({"n_jobs": 0}, "n_jobs must be"),
])  # fmt: skip
def test_bad_problems_are_refused(change, message):
    arguments = {"X": np.array([[1.0, 2.0]]), "y": np.array([1.0]), **change}
    with pytest.raises(ValueError, match=message):
        Problem.build(arguments.pop("X"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize(("alpha", "message"), [
    (np.full(60, -1.0), "alpha must be between 0 and the upper bounds"),
    (np.full(60, 99.0), "alpha must be between"),
    (np.full(60, np.nan), "alpha must be 60 finite numbers"),
    (np.zeros(3), "alpha must be 60 finite numbers"),
    (np.eye(60)[0] * 0.05, "balanced"),
])  # fmt: skip
def test_infeasible_starts_are_refused(alpha, message):
    problem, _ = small_problem(True)
    with pytest.raises(ValueError, match=message):
        problem.check_alpha(alpha)
