"""Factorisations of the kernel matrix: each against the slow twin, and as parts of a run."""

from itertools import pairwise

import numpy as np
import pytest

from engine import datasets
from engine.numerics.kernels import SMALL, Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import drain
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from tests.engine.systems.interior_point.problems import board, factored, gridded, run_of
from tests.naive import interior_point
from tests.naive.kernel_svm import kernel_matrix


def test_greedy_pivots_as_the_slow_twin_has_them():
    problem, X = board(300)
    K = kernel_matrix(X, X, "rbf", 2.0)
    factor = factored(problem, 120)
    H, pivots, traces = interior_point.icf(K, 120, order=factor._order)
    assert factor.pivots == pivots
    np.testing.assert_allclose(factor.columns(), H, atol=1e-9)
    np.testing.assert_allclose(factor.traces, traces, rtol=1e-9)
    assert all(later <= earlier for earlier, later in pairwise(factor.values))


def test_random_pivots_are_drawn_by_what_is_left():
    problem, X = board(300)
    K = kernel_matrix(X, X, "rbf", 2.0)
    factor = factored(problem, 80, pivots="random")
    H, pivots, traces = interior_point.icf(K, 80, chosen=factor.pivots)
    assert len(set(factor.pivots)) == len(pivots) == 80
    np.testing.assert_allclose(factor.columns(), H, atol=1e-7)
    np.testing.assert_allclose(factor.traces, traces, rtol=1e-7)
    assert factored(problem, 80, pivots="random").pivots == factor.pivots
    assert factored(problem, 80, pivots="random", seed=1).pivots != factor.pivots
    # The second pivot of many factors, against the distribution that it should have.
    problem, X = board(6, gamma=0.3)
    K = kernel_matrix(X, X, "rbf", 0.3)
    seconds = [factored(problem, 2, pivots="random", seed=seed).pivots for seed in range(3000)]
    after_0 = [second for first, second in seconds if first == 0]
    left = 1 - K[0] ** 2
    found = np.bincount(after_0, minlength=6) / len(after_0)
    np.testing.assert_allclose(found, left / left.sum(), atol=0.08)


def test_ties_of_greedy_pivots_do_not_go_by_the_order_of_the_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), np.repeat([-1.0, 1.0], 100)
    narrow = Problem.build(X, y, kernel=Kernel.fit(X, "rbf", 1e4))
    share = np.mean(y[factored(narrow, 40).pivots] > 0)
    assert 0.25 < share < 0.75


@pytest.mark.parametrize("n", [400, SMALL + 200])  # in float64 and in float32
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_the_running_residual_is_the_trace_of_what_is_left(n, kernel):
    problem, X = board(n, kernel=kernel)
    K = kernel_matrix(X, X, kernel, 2.0)
    factor = factored(problem, 60)
    H = factor.columns().astype(float)
    left = np.trace(K - H @ H.T)
    assert left == pytest.approx(factor.traces[-1], abs=1e-5 * np.trace(K))
    assert factor.error == pytest.approx(left / np.trace(K), abs=1e-5)
    np.testing.assert_allclose(np.diag(K - H @ H.T), factor.residual, atol=1e-4 * np.diag(K).max())


def test_a_factor_goes_on_from_its_columns():
    problem, _ = board(SMALL + 500)
    once = factored(problem, 150)
    twice = factored(problem, 40)
    first = twice.columns().copy()
    drain(twice.extend(150, 0.0))
    assert twice.pivots == once.pivots
    assert np.array_equal(twice.columns(), once.columns())
    assert np.array_equal(twice.columns()[:, :40], first)


def test_a_residual_trace_ends_it():
    problem, _ = board(500)
    factor = IncompleteCholesky(problem)
    drain(factor.extend(500, 0.01))
    assert factor.error <= 0.01 < factor.traces[-2] / factor.total


def test_rank_deficient_matrices_end_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    assert factored(Problem.build(X, y, kernel=Kernel.fit(X, "linear"))).rank == 3
    twice = np.vstack([X[:50]] * 4)
    assert factored(Problem.build(twice, y, kernel=Kernel.fit(twice, "rbf", 0.5))).rank == 50


@pytest.mark.parametrize("n", [300, SMALL + 500])
def test_the_parts_of_a_factor(n):
    problem, _ = board(n)
    rng = np.random.default_rng(0)
    V, D = rng.normal(size=(3, n)), rng.random(n) + 0.1
    factor = factored(problem, 140, single=False)
    H = factor.columns().astype(float)
    np.testing.assert_allclose(drain(factor.product(V)), V @ H @ H.T, rtol=1e-6, atol=1e-8)
    drain(factor.prepare(D))
    dense = np.linalg.solve(H @ H.T + np.diag(D), V.T).T
    np.testing.assert_allclose(drain(factor.solve(V)), dense, rtol=1e-6, atol=1e-8)
    if factor.problem.kernel.store is np.float32:
        factor.single = True
        drain(factor.prepare(D))
        np.testing.assert_allclose(drain(factor.solve(V)), dense, rtol=1e-2, atol=1e-3)


def test_one_thread_and_two_give_the_same_bits():
    answers = []
    for threads in (1, 2):
        problem, _ = board(10_000, threads=threads, gamma=5.0)
        factor = factored(problem, 60)
        drain(factor.prepare(np.linspace(0.1, 1, 10_000)))
        answers.append((factor.columns(), factor._lower, drain(factor.solve(np.ones((2, 10_000))))))
    for one, two in zip(*answers, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize("n", [2, 103, 240])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_kronecker_as_the_slow_twin_has_it(kernel, n):
    problem, X = board(n, kernel=kernel)
    factor, grid = gridded(problem)
    assert np.array_equal(np.sort(factor.order), np.arange(n))
    assert (np.diff(factor.cells[factor.order]) >= 0).all()
    # Every point is at the nearest centre, in either half.
    for half, centres, nearest in (
        (0, factor.grid.first, factor.grid.group),
        (1, factor.grid.second, factor.grid.place),
    ):
        assert np.array_equal(np.abs(problem.points.X[:, [half]] - centres.T).argmin(axis=1), nearest)
    of_grid = kernel_matrix(grid, grid, kernel, 2.0)
    B, C = interior_point.van_loan_pitsianis(of_grid, factor.groups, factor.places)
    product = np.kron(factor.B, factor.C)
    np.testing.assert_allclose(product, np.kron(B, C), atol=1e-3 * np.abs(product).max())
    for part in (factor.B, factor.C):
        assert np.array_equal(part, part.T)
        assert np.linalg.eigvalsh(part).min() > 0
    if kernel == "rbf":
        np.testing.assert_allclose(product, of_grid, atol=1e-3)
    whole, K = product[np.ix_(factor.cells, factor.cells)], kernel_matrix(X, X, kernel, 2.0)
    assert factor.error == pytest.approx(np.linalg.norm(K - whole) / np.linalg.norm(K), rel=1e-3, abs=1e-6)
    V, D = np.random.default_rng(0).normal(size=(2, n)), np.linspace(0.2, 2, n)
    np.testing.assert_allclose(drain(factor.product(V)), V @ whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())
    drain(factor.prepare(D))
    np.testing.assert_allclose(drain(factor.solve(V)), np.linalg.solve(whole + np.diag(D), V.T).T, atol=2e-3)


def test_of_two_pairs_of_factors_the_better_one_is_found():
    """Halves that are nearly alike make a second pair nearly as good, which alternation alone does not tell apart."""
    problem, _ = board(240, kernel="poly")
    factor, grid = gridded(problem)
    sides = factor.groups, factor.places
    of_grid = kernel_matrix(grid, grid, "poly", 2.0)
    table = of_grid.reshape(sides * 2).transpose(0, 2, 1, 3).reshape(sides[0] ** 2, -1)
    sizes = np.linalg.svd(table, compute_uv=False)
    assert sizes[1] > 0.98 * sizes[0]
    error = np.linalg.norm(of_grid - np.kron(factor.B, factor.C))
    assert error == pytest.approx(np.linalg.norm(sizes[1:]), rel=1e-6)


def test_kronecker_systems_at_the_end_of_the_path(monkeypatch):
    monkeypatch.setattr("engine.systems.interior_point.factors.kronecker_equations.PATIENCE", 0)
    n = SMALL + 500
    problem, _ = board(n, gamma=50.0)
    factor, _ = gridded(problem)
    rng = np.random.default_rng(0)
    V, D = rng.normal(size=(2, n)), 10 ** rng.uniform(-5, 2, n)  # free support vectors beside others
    taken = []
    for _ in range(4):
        before = factor._system.steps_taken
        drain(factor.prepare(D))
        U = drain(factor.solve(V))
        taken.append(factor._system.steps_taken - before)
    assert taken[-1] < taken[0] / 4
    rest = V - drain(factor.product(U)) - D * U
    assert (np.linalg.norm(rest, axis=1) <= 2e-4 * np.linalg.norm(V, axis=1)).all()


def test_a_sampled_kronecker_factor_is_near_the_whole_one(monkeypatch):
    problem, _ = board(900, gamma=0.2)
    whole, _ = gridded(problem)
    monkeypatch.setattr("engine.systems.interior_point.factors.kronecker.SAMPLE", 450)
    some, _ = gridded(problem)
    np.testing.assert_allclose(np.kron(some.B, some.C), np.kron(whole.B, whole.C), atol=1e-3)


def test_features_that_belong_together_stay_on_one_side_of_the_grid():
    rng = np.random.default_rng(0)
    category = np.eye(8)[rng.integers(8, size=600)]
    X = np.hstack([category, rng.normal(size=(600, 2))])
    factor, _ = gridded(Problem.build(X, np.where(X[:, 8] > 0, 1.0, -1.0), kernel=Kernel.fit(X, "rbf", 0.5)))
    assert factor.grid.first.shape[1] >= 8


def test_the_machine_of_a_grid_is_the_one_that_was_optimised():
    data = datasets.load("checkerboard", size=3000)
    new = datasets.load("checkerboard", size=2000, seed=1)
    trained = run_of(data.X, data.y, C=100, gamma=5.0, scheme="kronecker").result()
    hits = trained.model.predict(trained.model.task_values(new.X, 1)) == new.y
    assert trained.stop_reason == "approximate"
    assert hits.mean() > 0.93
