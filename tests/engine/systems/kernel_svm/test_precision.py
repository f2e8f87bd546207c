"""What is claimed of a solution is true of the exact kernel, in float64, however large C is."""

import numpy as np
import pytest

from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem, Source
from engine.runtime.counter import Counter
from engine.runtime.events import PhaseBegan
from engine.runtime.run import Run
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.row_cache import RowCache
from engine.systems.kernel_svm.settings import DualSettings

N = 1100  # so many that kernel values are in float32 to begin with
KERNELS = {
    "rbf": {"gamma": 2.0}, "laplacian": {"gamma": 1.0}, "poly": {"gamma": 0.5, "degree": 8, "coef0": 1.0},
    "linear": {},
}  # fmt: skip


def noisy(seed, d=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    return X, np.where(random.random(N) < 0.3, -y, y)


def solved(X, y, name, C, bias, tol=1e-3, **settings):
    """The solution, the same problem in float64, and the phases of the run."""
    kernel = Kernel.fit(X, name, **KERNELS[name], counter=Counter(), C=C, tol=tol)
    problem = Problem.of(kernel, kernel.points(X), y, C=C, bias=bias, source=Source(X))
    run = Run(solve(problem, DualSettings(tol=tol, **settings)), kernel.counter)
    phases = [event.name for event in run if isinstance(event, PhaseBegan)]
    exact = kernel.exact()
    return run.result(), Problem.of(exact, exact.points(X), y, C=C, bias=bias), phases


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [1.0, 100.0, 1e3, 1e4])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_converged_is_true_in_float64(name, C, bias):
    X, y = noisy(0)
    solution, exact, _ = solved(X, y, name, C, bias)
    assert solution.stop_reason == "converged"
    check(solution, exact)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("name", ["poly", "linear"])
def test_it_is_so_for_kernels_of_inner_products(name, C):
    X, y = noisy(1, d=5)
    solution, exact, _ = solved(X, y, name, C, True, max_iter=300)
    if solution.stop_reason == "converged":
        check(solution, exact)
    told = exact.optimality(solution.alpha, exact.gradient(solution.alpha)).violation
    assert told <= 1.5 * solution.violation + 1e-3


def check(solution, exact, tol=1e-3):
    gradient = exact.gradient(solution.alpha)
    assert exact.optimality(solution.alpha, gradient).violation <= tol
    objective, primal = (
        exact.objective(solution.alpha, gradient),
        exact.primal(solution.alpha, gradient, solution.intercept),
    )
    assert solution.objective == pytest.approx(objective, rel=tol)
    assert abs(solution.gap - (primal + objective)) <= tol * max(abs(primal), abs(objective))


def test_rounding_is_corrected_only_where_it_matters():
    X, y = noisy(2)
    phases = {C: solved(X, y, "rbf", C, True)[2] for C in (1.0, 1e3, 1e4)}
    assert phases[1.0] == ["optimise"] or "double precision" not in phases[1.0]
    assert "double precision" in phases[1e4]


def test_a_run_that_is_cut_off_tells_the_true_violation():
    X, y = noisy(3)
    solution, exact, _ = solved(X, y, "rbf", 1e4, True, max_iter=40, working_set=64)
    assert solution.stop_reason == "max_iter"
    true = exact.optimality(solution.alpha, exact.gradient(solution.alpha)).violation
    assert solution.violation == pytest.approx(true, rel=0.3)


def test_exact_values_come_from_the_data_as_they_were_given():
    """Points in float32 are rounded already: what is exact for them is not so for the data."""
    random = np.random.default_rng(4)
    X = random.normal(size=(N, 3)) * 30
    kernel = Kernel.fit(X, "rbf", 0.5)
    problem = Problem.of(kernel, kernel.points(X), np.ones(N), C=1.0, bias=False, source=Source(X))
    members = random.permutation(N)[:50]
    exact, points = problem.part(members).exact(np.arange(10))
    here = X[members[:10]]
    expected = np.exp(-0.5 * ((here[:, None] - here) ** 2).sum(axis=2))
    np.testing.assert_allclose(exact.block(points, points), expected, rtol=1e-9)


def test_a_symmetric_product_is_the_product():
    random = np.random.default_rng(5)
    X = random.normal(size=(900, 4))
    kernel = Kernel.fit(X, "rbf", 0.2)
    points, weights = kernel.points(X), random.normal(size=900)
    steps = kernel.symmetric_product_steps(points, weights, 2)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        found = end.value
    np.testing.assert_allclose(found, kernel.product(points, points, weights), rtol=1e-9, atol=1e-9)


def test_rows_that_stay_active_stay_in_the_cache():
    random = np.random.default_rng(6)
    X = random.normal(size=(200, 3))
    problem = Problem.build(X, np.ones(200), bias=False)
    cache = RowCache(problem, 1.0)
    wanted = random.permutation(200)[:60]
    list(cache.fetch(wanted))
    active = np.sort(random.permutation(200)[:120])
    list(cache.narrow(active))
    computed, there = cache.computed, np.intersect1d(wanted, active)
    list(cache.fetch(there))
    assert cache.computed == computed
    expected = problem.kernel.block(problem.points[there], problem.points[active])
    np.testing.assert_allclose(cache.rows[cache.slots(there)], expected, rtol=1e-12)
    fresh = np.setdiff1d(active, wanted)[:20]
    list(cache.fetch(fresh))
    assert cache.computed == computed + 20
    np.testing.assert_allclose(cache.rows[cache.slots(there)], expected, rtol=1e-12)
