import numpy as np
import pytest

from engine import Recording, datasets
from engine.numerics.kernels import SMALL
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Finished, Started, drain
from engine.runtime.run import Run
from engine.systems.interior_point.algorithm import solve
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from engine.systems.interior_point.factors.full_cholesky import MOST_POINTS, FullCholesky
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from engine.systems.interior_point.settings import SCHEMES, InteriorPointSettings
from engine.systems.kernel_svm.events import Iteration
from tests.engine.systems.interior_point.problems import board, factored, run_of
from tests.naive.kernel_svm import kernel_matrix
from tests.naive.oracles import dual_by_clarabel

# ---- the central path ----


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [0.01, 100.0])
@pytest.mark.parametrize("scheme", ["cholesky", "icf", "icf+icf"])
def test_the_optimum_of_a_dense_solver(scheme, C, bias):
    problem, X = board(300, C=C, bias=bias, noise=0.05)
    K = kernel_matrix(X, X, "rbf", 2.0)
    _, objective = dual_by_clarabel(K, problem.y, problem.upper, problem.linear, bias)
    settings = InteriorPointSettings(C=C, scheme=scheme, rank=300, tol=1e-8, bias=bias)
    found = Run(solve(problem, settings), problem.kernel.counter).result()
    assert found.stop_reason == "converged"
    assert found.objective == pytest.approx(objective, rel=1e-7)
    assert found.approximate_objective == pytest.approx(objective, rel=1e-7)
    assert abs(problem.y @ found.alpha) <= (1e-9 * found.alpha.sum() if bias else np.inf)
    assert found.intercept != 0 or not bias


def test_a_coarse_factor_that_leads_astray_is_left_out():
    data = datasets.load("checkerboard", size=300)
    [*events] = run_of(data.X, data.y, C=10, gamma=2.0, rank=20, scheme="icf+icf", pivots="greedy")
    assert not any(isinstance(event, SchemeSwitched) for event in events)
    assert len([event for event in events if isinstance(event, Factorised)]) == 2
    assert events[-1].stop_reason == "approximate"
    [*events] = run_of(data.X, data.y, C=10, gamma=2.0, rank=200, scheme="icf+icf")
    assert any(isinstance(event, SchemeSwitched) for event in events)


def test_a_coarse_start_saves_fine_iterations():
    data = datasets.load("checkerboard", size=4000)
    common = {"C": 100, "gamma": 2.0, "rank": 300, "instruments": "none"}
    *_, alone = (event for event in run_of(data.X, data.y, scheme="icf", **common) if hasattr(event, "of_phase"))
    [*events] = run_of(data.X, data.y, **common)
    [switch] = [event for event in events if isinstance(event, SchemeSwitched)]
    *_, last = (event for event in events if hasattr(event, "of_phase"))
    assert (switch.pushed, switch.mu) == (0, pytest.approx(switch.mu_before))
    assert last.of_phase <= alone.of_phase - 2
    assert events[-1].approximate_objective == pytest.approx(alone.objective, rel=2e-3)


def test_an_iterate_that_leads_astray_is_left_behind():
    data = datasets.load("checkerboard", size=1000)
    [*events] = run_of(data.X, data.y, C=100, gamma=5.0, rank=200, coarse_rank=20, coarse_iter=15)
    [switch] = [event for event in events if isinstance(event, SchemeSwitched)]
    assert (switch.pushed, switch.mu) == (1000, pytest.approx(50))
    assert events[-1].stop_reason == "approximate"


def test_decomposition_from_the_iterate_is_exact():
    problem, X = board(400, noise=0.05)
    _, objective = dual_by_clarabel(kernel_matrix(X, X, "rbf", 2.0), problem.y, problem.upper, problem.linear, True)
    settings = InteriorPointSettings(C=10.0, scheme="icf+decomposition", rank=40, tol=1e-5)
    found = Run(solve(problem, settings), problem.kernel.counter).result()
    assert found.objective == pytest.approx(objective, rel=1e-6)
    assert found.gap < 1e-3 * abs(objective)


def test_the_approximate_problem_is_solved_and_the_exact_one_measured():
    problem, X = board(400, noise=0.05)
    settings = InteriorPointSettings(C=10.0, scheme="icf", rank=40, pivots="greedy", tol=1e-8)
    found = Run(solve(problem, settings), problem.kernel.counter).result()
    H = factored(problem, 40).columns()
    _, objective = dual_by_clarabel(H @ H.T, problem.y, problem.upper, problem.linear, True)
    assert found.approximate_objective == pytest.approx(objective, rel=1e-6)
    assert found.approximate_gap < 1e-6 * abs(objective)
    Q = np.outer(problem.y, problem.y) * kernel_matrix(X, X, "rbf", 2.0)
    assert found.objective == pytest.approx(0.5 * found.alpha @ Q @ found.alpha - found.alpha.sum(), rel=1e-6)
    assert found.gap > 100 * found.approximate_gap
    free = problem.support(found.alpha).free
    # The machine that was optimised, as a sum over the pivots with the exact kernel: HH' on all points, the same bias.
    K, signed = kernel_matrix(X, X, "rbf", 2.0), problem.y * found.alpha
    decision = K[:, found.vectors] @ found.coefficients
    assert len(found.vectors) == 40
    np.testing.assert_allclose(decision, H @ (H.T @ signed), atol=1e-4)
    assert found.intercept == pytest.approx(np.mean(problem.y[free] - decision[free]), abs=1e-4)


def test_the_machine_over_pivots_is_as_good_as_the_gap_says():
    problem, X = board(400, C=1000.0, noise=0.05)
    found = Run(solve(problem, InteriorPointSettings(C=1000.0, scheme="icf", rank=40)), problem.kernel.counter).result()
    assert len(found.vectors) == 40
    c, K = found.coefficients, kernel_matrix(X, X[found.vectors], "rbf", 2.0)
    losses = np.maximum(0, 1 - problem.y * (K @ c + found.intercept))
    primal = 0.5 * c @ K[found.vectors] @ c + 1000.0 * losses.sum()
    assert 0 <= primal + found.approximate_objective <= 5e-3 * primal


def test_a_fine_factor_needs_no_other_sum_than_that_over_alpha():
    problem, X = board(400, noise=0.05)
    settings = InteriorPointSettings(C=10.0, scheme="icf", rank=400, tol=1e-8)
    found = Run(solve(problem, settings), problem.kernel.counter).result()
    decision = kernel_matrix(X, X, "rbf", 2.0) @ (problem.y * found.alpha)
    free = problem.support(found.alpha).free
    assert found.intercept == pytest.approx(np.mean(problem.y[free] - decision[free]), abs=1e-5)
    ours = kernel_matrix(X, X[found.vectors], "rbf", 2.0) @ found.coefficients
    np.testing.assert_allclose(ours, decision, atol=1e-4)


@pytest.mark.parametrize("C", [1e-6, 1e6])
@pytest.mark.parametrize("kind", ["duplicates", "linear", "board"])
def test_hard_problems_converge_or_say_why(kind, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    if kind == "duplicates":
        X = np.vstack([X[:60]] * 4)
    elif kind == "board":
        X = datasets.load("checkerboard", size=240, noise=0.1).X
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0, 1, -1)
    kernel = "linear" if kind == "linear" else "rbf"
    for scheme in ("cholesky", "icf", "icf+icf"):
        [*_, last] = run_of(X, y, C=C, kernel=kernel, scheme=scheme, rank=200)
        assert isinstance(last, InteriorFinished)
        assert last.stop_reason in ("converged", "approximate") or last.reason
        assert np.isfinite(last.alpha).all()


def test_a_narrow_kernel_leaves_no_numbers_that_are_too_small_to_compute_with():
    factor = IncompleteCholesky(board(SMALL + 200, gamma=300.0)[0])
    list(factor.extend(100, 0.0))
    entries = np.abs(factor.columns())
    assert entries[entries > 0].min() > 1e-16
    assert (entries == 0).any()


# ---- runs ----


@pytest.mark.parametrize("scheme", SCHEMES)
def test_events_of_a_scheme(scheme):
    data = datasets.load("checkerboard", size=300)
    run = run_of(data.X, data.y, C=10, gamma=2.0, scheme=scheme, rank=100, coarse_rank=50)
    events = list(run)
    assert run.error is None
    assert isinstance(events[0], Started)
    assert isinstance(events[-1], InteriorFinished)
    assert isinstance(events[-1], Finished)
    exact = scheme == "cholesky" or "decomposition" in scheme
    assert events[-1].stop_reason == ("converged" if exact else "approximate")
    factors = [event for event in events if isinstance(event, Factorised)]
    assert [event.kind for event in factors] == scheme.replace("+decomposition", "").split("+")
    iterations = [event for event in events if isinstance(event, InteriorIteration)]
    assert iterations[0].of_phase == 0
    assert iterations[-1].relative_gap <= 1e-3 or "decomposition" in scheme
    assert all(0 < event.least_product <= event.largest_product for event in iterations)
    assert all(event.products.sum() == pytest.approx(event.gap, rel=1e-4) for event in iterations)
    assert all(np.isfinite([event.exact_objective, event.exact_gap]).all() for event in iterations)
    switches = [event for event in events if isinstance(event, SchemeSwitched)]
    assert len(switches) == scheme.count("+")
    if scheme == "icf+icf":
        assert switches[0].columns == factors[0].rank == 50
        assert np.array_equal(factors[1].pivots[:50], factors[0].pivots)
        assert switches[0].mu > 0
        assert (switches[0].alpha >= 0.1 * 10 - 1e-12).all()
    cold = [event for event in events if isinstance(event, ColdStart)]
    assert len(cold) == scheme.endswith("+icf")
    if cold:
        alone = run_of(data.X, data.y, C=10, gamma=2.0, scheme="icf", rank=100)
        expected = [event.gap for event in alone if isinstance(event, InteriorIteration)]
        np.testing.assert_allclose(cold[0].gaps, expected, rtol=1e-3)
        assert cold[0].warm == iterations[-1].of_phase
    if "icf" in scheme:
        chosen = [event for event in events if isinstance(event, PivotsChosen)]
        assert np.array_equal(np.concatenate([event.pivots for event in chosen]), factors[-1].pivots)
        last = chosen[-1]
        assert last.residual.sum() == pytest.approx(last.traces[-1], rel=1e-4)
        assert np.trace(factors[-1].difference) == pytest.approx(last.traces[-1], rel=1e-4)
        assert last.total == pytest.approx(300)
    if scheme == "kronecker":
        order, K = factors[0].order, kernel_matrix(data.X, data.X, "rbf", 2.0)
        cells = factors[0].cells
        product = np.kron(factors[0].left, factors[0].right)[np.ix_(cells, cells)]
        np.testing.assert_allclose(factors[0].difference, K[np.ix_(order, order)] - product, atol=1e-5)
    if "decomposition" in scheme:
        assert any(isinstance(event, Iteration) for event in events)


def test_the_error_of_many_points_is_shown_between_some():
    data = datasets.load("checkerboard", size=1000)
    events = list(run_of(data.X, data.y, scheme="kronecker+icf", gamma=1.0, rank=60))
    product, columns = (event for event in events if isinstance(event, Factorised))
    assert product.difference.shape == columns.difference.shape == (400, 400)
    K = kernel_matrix(data.X, data.X, "rbf", 1.0)
    whole = product.error * np.linalg.norm(K) / 1000
    assert np.linalg.norm(product.difference) / 400 == pytest.approx(whole, rel=0.1)
    residual = next(event.residual for event in reversed(events) if isinstance(event, PivotsChosen))
    some = np.linspace(0, 999, 400).astype(int)
    np.testing.assert_allclose(np.diag(columns.difference), residual[some], atol=1e-5)


@pytest.mark.parametrize("scheme", ["icf+icf", "kronecker+icf", "icf+decomposition"])
def test_a_seed_gives_the_same_recording(scheme, tmp_path):
    data = datasets.load("checkerboard", size=SMALL + 300)
    runs = [list(run_of(data.X, data.y, C=10, gamma=2.0, scheme=scheme, rank=60, seed=3)) for _ in range(2)]
    for one, two in zip(*runs, strict=True):
        assert type(one) is type(two)
        for name, value in vars(one).items():
            if name != "stamp":
                assert np.array_equal(value, getattr(two, name), equal_nan=isinstance(value, float)), name
        assert one.stamp.evaluations == two.stamp.evaluations


def test_a_recording_loads_as_it_was(tmp_path):
    data = datasets.load("checkerboard", size=200)
    run = run_of(data.X, data.y, rank=30)
    events = list(run)
    run.recorded.save(tmp_path / "run.svmrun")
    loaded = Recording.load(tmp_path / "run.svmrun")
    assert [type(event) for event in loaded] == [type(event) for event in events]
    assert np.array_equal(loaded[-1].alpha, events[-1].alpha)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_cancelled_anywhere_it_returns_what_it_has(scheme):
    data = datasets.load("checkerboard", size=300)
    total = len(list(run_of(data.X, data.y, scheme=scheme, rank=60)))
    for when in {0, 1, 3, total // 3, total // 2, 2 * total // 3, total - 3, total - 1}:
        run = run_of(data.X, data.y, scheme=scheme, rank=60)
        for number, _ in enumerate(run):
            if number == when:
                run.cancel()
        trained = run.result()
        assert (trained.stop_reason == "cancelled") == (when < total - 1)
        assert np.isfinite(trained.model.coefficients).all()


@pytest.mark.parametrize("scheme", ["cholesky", "icf", "kronecker"])
def test_it_breathes_often(scheme):
    n, least = {"cholesky": (1500, 30), "icf": (30_000, 300), "kronecker": (10_000, 500)}[scheme]
    problem, _ = board(n, C=100.0, gamma=5.0)
    settings = InteriorPointSettings(C=100.0, scheme=scheme, rank=150, max_iter=2, instruments="none")
    assert sum(1 for _ in solve(problem, settings)) >= least


def test_limits_are_told():
    with pytest.raises(ValueError, match=f"scheme must be for at most {MOST_POINTS} points"):
        FullCholesky(board(MOST_POINTS + 1)[0])
    problem, _ = board(50)
    with pytest.raises(ValueError, match="C must be above 0 for each point"):
        drain(solve(Problem.build(np.eye(2), np.array([1, -1]), C=0.0), InteriorPointSettings()))
    settings = InteriorPointSettings(max_iter=1, scheme="icf")
    found = Run(solve(problem, settings), problem.kernel.counter).result()
    assert found.stop_reason == "max_iter"
