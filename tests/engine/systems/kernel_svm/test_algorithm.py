import numpy as np
import pytest
from sklearn.svm import SVC

from engine.numerics.kernels import KERNELS, SMALL, Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Finished, PhaseBegan, Stop
from engine.runtime.run import Run
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.settings import DualSettings
from tests.naive import kernel_svm
from tests.naive.oracles import dual_by_clarabel

FORMS = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])


def blobs(n, d=4, seed=0, flip=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < flip, -y, y)


def run(problem, alpha=None, **settings):
    """Solve and return (solution, events)."""
    going = Run(solve(problem, DualSettings(**settings), alpha), problem.kernel.counter)
    events = list(going)
    return going.result(), events


@FORMS
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_objective_of_a_dense_qp_solver(name, bias, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 400))
    X, y = blobs(n, seed=seed)
    upper, linear = rng.uniform(0.05, 5, n), -rng.uniform(0.5, 1.5, n)
    kernel = Kernel.fit(X, name, gamma=0.5, degree=3, coef0=1.0)
    problem = Problem.build(X, y, C=upper, kernel=kernel, bias=bias, linear=linear)
    solution, _ = run(problem, tol=1e-6, working_set=8 if name == "rbf" and seed == 0 else 64 * 4**seed)
    K = kernel_svm.kernel_matrix(X, X, name, 0.5, 3, 1.0)
    alpha, objective = dual_by_clarabel(K, y, upper, linear, bias)
    assert solution.stop_reason == "converged"
    assert solution.objective == pytest.approx(objective, rel=1e-6)
    assert solution.objective == pytest.approx(0.5 * solution.alpha @ (problem.gradient(solution.alpha) + linear))
    if name in ("rbf", "laplacian"):  # strictly convex: the optimum is unique, and so are its support vectors
        np.testing.assert_allclose(solution.alpha, alpha, atol=1e-3 * upper.max())
        support = problem.support(solution.alpha)
        clearly_free = (alpha > 2e-3 * upper.max()) & (alpha < upper - 2e-3 * upper.max())
        assert set(np.flatnonzero(clearly_free)) <= set(support.free)
        assert not alpha[solution.alpha == 0].any() or alpha[solution.alpha == 0].max() < 1e-3 * upper.max()
        assert (alpha[support.bound] > 0.99 * upper[support.bound] - 1e-3 * upper.max()).all()


@FORMS
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_the_slow_twin_finds_the_same(name, bias):
    X, y = blobs(120, seed=5)
    K = kernel_svm.kernel_matrix(X, X, name, 0.8)
    upper, linear = np.full(120, 2.0), np.full(120, -1.0)
    slow = kernel_svm.dual(K, y, upper, linear, bias, tol=1e-8)
    problem = Problem.build(X, y, C=2.0, kernel=Kernel.fit(X, name, 0.8), bias=bias)
    fast, _ = run(problem, tol=1e-8, working_set=16)
    np.testing.assert_allclose(fast.alpha, slow, atol=1e-5)
    assert np.array_equal(fast.alpha > 1e-9, slow > 1e-9)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_svc_at_its_own_tolerance(C):
    X, y = blobs(SMALL * 2, seed=1)
    svc = SVC(C=C, gamma=0.5, tol=1e-3).fit(X, y)
    problem = Problem.build(X, y, C=C, kernel=Kernel.fit(X, "rbf", 0.5), bias=True)
    solution, _ = run(problem, tol=1e-3)
    beta = np.zeros(len(y))
    beta[svc.support_] = svc.dual_coef_[0]
    K = kernel_svm.kernel_matrix(X, X, "rbf", 0.5)
    objective = 0.5 * beta @ K @ beta - np.abs(beta).sum()
    assert solution.objective == pytest.approx(objective, rel=1e-4)
    assert solution.intercept == pytest.approx(svc.intercept_[0], abs=5e-3)
    ours = np.flatnonzero(solution.alpha)
    assert len(np.setxor1d(ours, svc.support_)) <= 0.01 * len(ours)


@FORMS
def test_shrinking_cache_and_working_set_do_not_change_the_answer(bias):
    X, y = blobs(SMALL * 3, seed=2)
    kernel = Kernel.fit(X, "rbf", 1.0)
    problem = Problem.build(X, y, C=10.0, kernel=kernel, bias=bias)
    reference, events = run(problem, tol=1e-4)
    assert any(isinstance(event, ActiveSetChanged) for event in events)
    row = len(X) * 4 / 2**20
    for change in ({"cache_mb": 40 * row}, {"cache_mb": 2 * row, "tol": 1e-2}, {"working_set": 32, "tol": 1e-3}):
        other, events = run(problem, **{"tol": 1e-4, **change})
        assert other.stop_reason == "converged"
        assert other.objective == pytest.approx(reference.objective, rel=2 * change.get("tol", 1e-4) ** 1.5 + 1e-6)


@FORMS
def test_convergence_is_claimed_on_the_whole_problem(bias):
    X, y = blobs(SMALL * 3, seed=3)
    problem = Problem.build(X, y, C=50.0, kernel=Kernel.fit(X, "rbf", 2.0), bias=bias)
    solution, events = run(problem, tol=1e-3)
    assert events[-1].stop_reason == "converged"
    exact = Problem.build(
        X, y, C=50.0, kernel=Kernel.fit(X[:SMALL], "rbf", 2.0), bias=bias
    )  # few points: float64 throughout
    assert exact.kernel.store is np.float64
    assert exact.optimality(solution.alpha, exact.gradient(solution.alpha)).violation < 1.2e-3
    assert np.abs(problem.y @ solution.alpha) < 1e-6 * solution.alpha.sum() or not bias
    last = events[-1]
    assert 0 <= last.gap < 0.01 * abs(last.objective)


@FORMS
def test_warm_starts(bias):
    X, y = blobs(SMALL * 2, seed=4)
    problem = Problem.build(X, y, C=3.0, kernel=Kernel.fit(X, "rbf", 0.5), bias=bias)
    cold, _ = run(problem)
    warm, again = run(problem, alpha=cold.alpha)
    assert warm.iterations <= 1
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
    assert [event.name for event in again if isinstance(event, PhaseBegan)][:2] == ["gradient", "optimise"]
    half, _ = run(problem, alpha=cold.alpha / 2)
    assert half.objective == pytest.approx(cold.objective, rel=1e-5)
    with pytest.raises(ValueError, match="alpha must be between"):
        run(problem, alpha=cold.alpha + 100)


@FORMS
def test_one_seed_one_answer_whatever_the_threads(bias):
    X, y = blobs(SMALL * 2, seed=6)
    answers = []
    for n_jobs, seed in ((1, 0), (2, 0), (2, 1)):
        problem = Problem.build(X, y, C=3.0, kernel=Kernel.fit(X, "rbf", 0.5), bias=bias, n_jobs=n_jobs)
        answers.append(run(problem, seed=seed)[0])
    assert np.array_equal(answers[0].alpha, answers[1].alpha)
    assert not np.array_equal(answers[1].alpha, answers[2].alpha)
    assert answers[1].objective == pytest.approx(answers[2].objective, rel=1e-5)


@FORMS
def test_events_tell_the_truth(bias):
    X, y = blobs(400, seed=7)
    problem = Problem.build(X, y, C=2.0, kernel=Kernel.fit(X, "rbf", 0.5), bias=bias)
    _, events = run(problem, working_set=20)
    iterations = [event for event in events if isinstance(event, Iteration)]
    assert len(iterations) > 10
    assert [event.iteration for event in iterations] == list(range(1, len(iterations) + 1))
    for event in iterations[::5]:
        gradient = problem.gradient(event.alpha)
        assert event.objective == pytest.approx(problem.objective(event.alpha, gradient), rel=1e-6, abs=1e-9)
        np.testing.assert_allclose(event.gradient[event.active], gradient[event.active], atol=1e-4)
        support = problem.support(event.alpha)
        assert (event.n_free, event.n_bound) == (len(support.free), len(support.bound))
        assert event.n_active == event.active.sum()
        assert len(event.working_set) <= 20
    objectives = [event.objective for event in iterations]
    assert objectives == sorted(objectives, reverse=True)
    assert isinstance(events[-1], Finished)
    assert events[-1].iterations == len(iterations)
    assert events[-1].inner_steps == sum(event.inner_steps for event in iterations)


@FORMS
def test_stop_reasons(bias):
    X, y = blobs(SMALL * 2, seed=8)
    problem = Problem.build(X, y, C=3.0, kernel=Kernel.fit(X, "rbf", 0.5), bias=bias)
    solution, events = run(problem, max_iter=2)
    assert solution.stop_reason == "max_iter"
    assert solution.iterations == 2
    assert np.isfinite(events[-1].gap)
    solution, _ = run(problem, tol=1e-18)  # below what any arithmetic can show
    assert solution.stop_reason == "stalled"
    assert solution.violation < 1e-4


@FORMS
@pytest.mark.parametrize("C", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("gamma", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("n", [200, SMALL + 200])
def test_extreme_settings_reach_the_optimum(bias, C, gamma, n):
    X, y = blobs(n, seed=9)
    problem = Problem.build(X, y, C=C, kernel=Kernel.fit(X, "rbf", gamma, C=C), bias=bias)
    solution, _ = run(problem)
    assert solution.stop_reason in ("converged", "stalled")
    assert (solution.alpha >= 0).all()
    assert (solution.alpha <= C).all()
    exact = Problem.build(X, y, C=C, kernel=Kernel.fit(X[:SMALL], "rbf", gamma), bias=bias)
    now = exact.optimality(solution.alpha, exact.gradient(solution.alpha))
    if solution.stop_reason == "converged":
        assert now.violation < 2e-3
    else:  # the gradient is a sum of numbers so large that tol is below their rounding
        assert now.violation < 1e-6 * C


@FORMS
@pytest.mark.parametrize("name", KERNELS)
def test_degenerate_data(bias, name):
    ones, y = np.ones((50, 3)), np.tile([1.0, -1.0], 25)
    cases = {
        "all duplicates": (ones, y),
        "all zero": (ones * 0, y),
        "one class": (np.random.default_rng(0).normal(size=(50, 3)), np.ones(50)),
        "one point": (ones[:1], y[:1]),
        "two points": (np.array([[0.0, 1, 2], [1, 1, 2]]), y[:2]),
        "one feature": (np.linspace(0, 1, 50)[:, None], y),
    }
    for case, (X, labels) in cases.items():
        problem = Problem.build(X, labels, C=1.0, kernel=Kernel.fit(X, name), bias=bias)
        solution, _ = run(problem, max_iter=500)
        K = kernel_svm.kernel_matrix(X, X, name, problem.kernel.gamma)
        _, objective = dual_by_clarabel(K, labels, problem.upper, problem.linear, bias)
        assert solution.objective == pytest.approx(objective, abs=1e-3), case
        assert solution.stop_reason == "converged", case


@FORMS
@pytest.mark.parametrize("phase", ["Started", "PhaseBegan", "breath", "Iteration", "Finished"])
def test_a_stop_anywhere_keeps_what_there_is(bias, phase):
    X, y = blobs(SMALL * 2, seed=8)
    problem = Problem.build(X, y, C=3.0, kernel=Kernel.fit(X, "rbf", 0.5), bias=bias)
    best, _ = run(problem)
    for start in (None, best.alpha / 2):
        steps = solve(problem, DualSettings(), start)
        for item in steps:
            if (type(item).__name__ if item is not None else "breath") == phase:
                break
        try:
            item = steps.throw(Stop("cancelled"))
            assert item.stop_reason == "cancelled"
            with pytest.raises(StopIteration) as end:
                next(steps)
            solution = end.value.value
        except Stop as stop:
            assert phase == "Finished"
            solution = stop.result
        assert np.isfinite(solution.alpha).all()
        if start is not None:
            assert solution.alpha.any()
        if phase == "Finished":
            assert solution.stop_reason == "converged"


def test_kernel_values_that_overflow_are_refused():
    X, y = blobs(SMALL * 2)
    with pytest.raises(ValueError, match=r"kernel must be at most 1e\+30: scale X, or lower gamma; got 'values up to"):
        Problem.build(X * 1e10, y, kernel=Kernel.fit(X * 1e10, "poly", 1.0, 5))


@FORMS
@pytest.mark.parametrize("name", ["linear", "poly"])
def test_unscaled_features_with_unbounded_kernels(bias, name):
    X, y = blobs(SMALL + 100, d=3)
    X = X * [1e3, 1.0, 1e-3]
    C = 1e-6 if name == "linear" else 1e-12
    problem = Problem.build(X, y, C=C, kernel=Kernel.fit(X, name, 1.0, 2), bias=bias)
    solution, _ = run(problem)
    assert solution.stop_reason in ("converged", "stalled")
    K = kernel_svm.kernel_matrix(X, X, name, 1.0, 2)
    _, objective = dual_by_clarabel(K * C, y, np.ones(len(y)), -np.ones(len(y)), bias)  # the same problem, scaled
    assert solution.objective == pytest.approx(objective * C, rel=1e-3)


def test_a_cache_too_small_for_two_rows_is_refused():
    X, y = blobs(SMALL * 2)
    problem = Problem.build(X, y, kernel=Kernel.fit(X), bias=True)
    with pytest.raises(
        ValueError, match=r"cache_mb must be at least 0\.0156, two kernel rows of 2048 points; got 0\.001"
    ):
        run(problem, cache_mb=0.001)
