import numpy as np
import pytest

from engine import KernelSVC, datasets
from engine.numerics.kernels import SMALL, Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import PhaseBegan
from engine.runtime.run import Run
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.low_rank import features, is_low_rank
from engine.systems.kernel_svm.settings import DualSettings
from tests.naive import kernel_svm
from tests.naive.oracles import dual_by_clarabel

FORMS = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])


def blobs(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0.3, 1.0, -1.0)


def run(problem, **settings):
    going = Run(solve(problem, DualSettings(**settings)), Counter())
    events = list(going)
    return going.result(), events


@pytest.mark.parametrize(("name", "degree", "coef0"), [("linear", 3, 0.0), ("poly", 3, 0.0), ("poly", 2, 1.5)])
def test_features_are_a_factor_of_the_kernel(name, degree, coef0):
    X, _ = blobs(40, 3)
    H = features(Kernel.fit(X, name, 0.4, degree, coef0), X)
    np.testing.assert_allclose(H @ H.T, kernel_svm.kernel_matrix(X, X, name, 0.4, degree, coef0), atol=1e-12)


@FORMS
@pytest.mark.parametrize(("name", "d"), [("linear", 2), ("linear", 10), ("poly", 2)])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_a_dense_qp_solver_finds_the_same(name, d, C, bias):
    X, y = blobs(300, d, seed=d)
    X[7:17] = X[7]  # duplicates, some with other labels
    upper = C * np.random.default_rng(1).uniform(0.5, 2, 300)
    problem = Problem.build(X, y, C=upper, kernel=Kernel.fit(X, name, 0.5, 2, 1.0, C=C), bias=bias)
    assert is_low_rank(problem, DualSettings())
    found, events = run(problem, tol=1e-6)
    assert found.stop_reason == "converged"
    assert "low rank" in [event.name for event in events if isinstance(event, PhaseBegan)]
    K = kernel_svm.kernel_matrix(X, X, name, 0.5, 2, 1.0)
    _, objective = dual_by_clarabel(K, y, upper, -np.ones(300), bias)
    assert found.objective == pytest.approx(objective, rel=1e-6)
    gradient = problem.gradient(found.alpha)
    assert problem.optimality(found.alpha, gradient).violation <= 1.1e-6 + 1e-12 * C * 300
    assert abs(y @ problem.check_alpha(found.alpha)) <= 1e-9 * upper.sum() or not bias


@FORMS
def test_where_decomposition_crawls(bias):
    """ClusterSVM's artificial data: C = 10000, two features. A few iterations, and the answer is as exact as others."""
    data = datasets.load("gaussians", size=6000)
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    problem = Problem.build(data.X, y, C=1e4, kernel=Kernel.fit(data.X, "linear", C=1e4), bias=bias)
    found, events = run(problem)
    assert found.stop_reason == "converged"
    assert found.iterations < 40
    assert 0 <= found.gap < 1e-4 * abs(found.objective)
    iterations = [event for event in events if isinstance(event, Iteration)]
    assert [event.iteration for event in iterations] == list(range(1, len(iterations) + 1))
    for event in iterations:
        alpha = problem.check_alpha(event.alpha)
        gradient = problem.gradient(alpha)
        assert event.objective == pytest.approx(problem.objective(alpha, gradient), rel=1e-9)
        assert event.violation == pytest.approx(problem.optimality(alpha, gradient).violation, rel=1e-4, abs=1e-6)


def test_one_answer_whatever_the_threads():
    X, y = blobs(SMALL * 20, 3)
    answers = [KernelSVC(C=50, kernel="linear", n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)]
    assert np.array_equal(answers[0].dual_coef_, answers[1].dual_coef_)
    assert np.array_equal(answers[0].intercept_, answers[1].intercept_)


def test_whoever_asks_for_small_working_sets_sees_them():
    X, y = blobs(300, 2)
    problem = Problem.build(X, y, kernel=Kernel.fit(X, "linear"))
    assert is_low_rank(problem, DualSettings())
    assert not is_low_rank(problem, DualSettings(working_set=16))
    assert not is_low_rank(Problem.build(X, y, kernel=Kernel.fit(X, "rbf")), DualSettings())
    found, _ = run(problem, max_iter=3)
    assert found.stop_reason == "max_iter"
    assert found.iterations == 3


@FORMS
def test_a_machine_that_is_known_is_a_start(bias):
    """From a machine of some of the points it takes fewer iterations to the same answer; from any, no other answer."""
    X, y = blobs(4000, 3)
    problem = Problem.build(X, y, C=100.0, kernel=Kernel.fit(X, "linear", C=100.0), bias=bias)
    cold, _ = run(problem, tol=1e-6)
    some = np.arange(0, 4000, 4)
    part, _ = run(problem.part(some))
    alpha = np.zeros(4000)
    alpha[some] = part.alpha
    iterations = {}
    for name, start in (("near", alpha), ("nowhere", np.zeros(4000))):
        warm = Run(solve(problem, DualSettings(tol=1e-6), start, problem.gradient(start)), Counter()).result()
        assert warm.stop_reason == "converged"
        assert warm.objective == pytest.approx(cold.objective, rel=1e-7)
        iterations[name] = warm.iterations
    assert iterations["near"] < cold.iterations
