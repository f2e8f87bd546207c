import threading
import time

import numpy as np
import pytest

from engine import SOLVERS, datasets
from engine.numerics.kernels import KERNELS, SMALL
from engine.runtime.counter import Counter
from engine.runtime.events import Finished, PhaseBegan, Stop
from engine.runtime.recording import Recording
from engine.runtime.run import Run
from engine.systems.dcsvm.algorithm import solve
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.kernel_svm.algorithm import solve as solve_dual
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.settings import DualSettings
from tests.engine.systems.dcsvm.problems import blobs, problem_of
from tests.naive import dcsvm, kernel_svm

DCSVM = SOLVERS["dcsvm"]


def run(problem, executor=None, **settings):
    """Solve and return (solution, events)."""
    going = Run(solve(problem, DCSVMSettings(**settings), executor), problem.kernel.counter)
    events = list(going)
    return going.result(), events


def workers():
    """Threads that work on subproblems."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("work-queue")]


def of_kind(events, kind):
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["kernel-kmeans", "random"])
def test_the_slow_twin_finds_the_same_on_every_level(kind, bias):
    X, y = blobs(100, seed=5)
    K = kernel_svm.kernel_matrix(X, X, "rbf", 0.8)
    fast, events = run(problem_of(X, y, gamma=0.8, bias=bias), levels=2, tol=1e-8, partition=kind)
    partitions = [event.labels for event in of_kind(events, Partitioned)]
    levels, alpha = dcsvm.dcsvm(K, y, 2.0, partitions, tol=1e-8, bias=bias)
    for event, slow in zip(of_kind(events, LevelFinished), levels, strict=True):
        np.testing.assert_allclose(event.alpha, slow, atol=1e-5)
    np.testing.assert_allclose(fast.alpha, alpha, atol=1e-5)
    for event, labels in zip(of_kind(events, LevelMeasured), partitions, strict=True):
        assert event.between == pytest.approx(dcsvm.between(K, labels))
        if not bias:
            assert event.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-9)
    if bias:
        assert fast.intercept == pytest.approx(dcsvm.intercept(K, y, alpha, 2.0), abs=1e-5)
        for event, labels in zip(of_kind(events, LevelFinished), partitions, strict=True):
            for cell in np.unique(labels):
                V = np.flatnonzero(labels == cell)
                assert abs(y[V] @ event.alpha[V]) < 1e-9
                own = dcsvm.intercept(K[np.ix_(V, V)], y[V], event.alpha[V], 2.0)
                assert event.intercepts[cell] == pytest.approx(own, abs=1e-5)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [400, SMALL * 2])
def test_objective_of_the_dual_solver(name, n, bias):
    X, y = blobs(n, seed=1)
    for tol, rel in ((1e-3, 1e-5), (1e-6, 1e-7)):
        problem = problem_of(X, y, name=name, tol=tol, bias=bias)
        reference = Run(solve_dual(problem, DualSettings(tol=tol)), Counter()).result()
        for settings in ({}, {"levels": 3}, {"levels": 1, "refine": False, "adaptive": False}):
            solution, _ = run(problem, tol=tol, **settings)
            assert solution.stop_reason == "converged"
            assert solution.violation <= tol
            assert solution.objective == pytest.approx(reference.objective, rel=rel)
            assert solution.gap < 0.05 * abs(solution.objective)


@pytest.mark.parametrize("kind", ["kernel-kmeans", "kmeans", "random"])
@pytest.mark.parametrize("seed", range(6))
def test_theorems_1_2_and_3_hold_on_every_level(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(int(rng.integers(50, 600)), seed=seed)
    name, C, gamma = KERNELS[seed % 4], 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-1, 2)
    if name in ("poly", "linear"):
        C, gamma = C / 100, 0.1  # their values are large as it is
    k = int(rng.integers(2, 6))
    solution, events = run(
        problem_of(X, y, C, name, gamma), C=C, k=k, levels=3, tol=1e-6, partition=kind, max_iter=2000
    )
    judged = of_kind(events, LevelJudged)
    assert [event.level for event in judged] == [3, 2, 1]
    slack = 1e-6 * abs(solution.objective)
    for event, measured in zip(judged, of_kind(events, LevelMeasured), strict=True):
        assert -slack <= event.gap <= event.refined_bound + slack
        assert event.refined_bound <= event.bound * (1 + 1e-9)
        assert measured.bound == event.bound
        assert not (solution.alpha[measured.certified] > 0).any()
    final = solution.alpha > 0
    for event, finished in zip(judged, of_kind(events, LevelFinished), strict=True):
        support = finished.alpha > 0
        assert event.recall == pytest.approx((support & final).sum() / final.sum())
        assert event.precision == pytest.approx((support & final).sum() / support.sum())


def test_theorem_2_certifies_points_of_cells_that_hardly_meet():
    rng = np.random.default_rng(0)
    # Four far groups, each with points whose own class surrounds them.
    centres = 100.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    X = np.concatenate([centre + rng.uniform(-3, 3, size=(40, 2)) for centre in centres])
    y = np.where(X[:, 0] % 100 < 50, 1.0, -1.0)
    _, events = run(problem_of(X, y, C=0.9, gamma=0.5), C=0.9, levels=1, partition="kmeans")
    [measured] = of_kind(events, LevelMeasured)
    assert measured.between < 1e-6
    assert measured.certified.sum() > 0


def test_instruments_are_affordable():
    X, y = blobs(SMALL * 6)
    problem = problem_of(X, y)
    answers = {which: run(problem, instruments=which, levels=1) for which in ("auto", "all", "none")}
    auto, everything, nothing = (of_kind(events, LevelMeasured) for _, events in answers.values())
    assert np.isnan(auto[0].objective)
    assert not auto[0].exact
    assert auto[0].between == pytest.approx(everything[0].between, rel=0.2)
    assert np.isfinite(everything[0].objective)
    assert not nothing
    assert np.array_equal(answers["none"][0].alpha, answers["all"][0].alpha)


def test_events_tell_the_truth():
    X, y = blobs(900, seed=7)
    problem = problem_of(X, y)
    solution, events = run(problem, levels=2, working_set=64)
    assert [event.name for event in of_kind(events, PhaseBegan)][:2] == ["level 2 · 16", "level 1 · 4"]
    assert {"refine", "gradient", "whole"} <= {event.name for event in of_kind(events, PhaseBegan)}
    for level in (2, 1):
        [partitioned] = [event for event in of_kind(events, Partitioned) if event.level == level]
        [finished] = [event for event in of_kind(events, LevelFinished) if event.level == level]
        solved = [event for event in of_kind(events, SubproblemSolved) if event.level == level]
        assert [event.cluster for event in solved] == list(np.flatnonzero(partitioned.sizes))
        assert [event.size for event in solved] == [size for size in partitioned.sizes if size]
        for event in solved:
            members = np.flatnonzero(partitioned.labels == event.cluster)
            np.testing.assert_allclose(event.alpha, finished.alpha[members], rtol=1e-6)
            assert event.n_support == np.count_nonzero(event.alpha)
        assert finished.block_objective == pytest.approx(sum(event.objective for event in solved))
        assert finished.n_free + finished.n_bound == np.count_nonzero(finished.alpha)
        [measured] = [event for event in of_kind(events, LevelMeasured) if event.level == level]
        gradient = problem.gradient(finished.alpha)
        assert measured.objective == pytest.approx(problem.objective(finished.alpha, gradient), rel=1e-6)
    for event in of_kind(events, Iteration):
        assert event.alpha.shape == event.gradient.shape == event.active.shape == (900,)
        gradient = problem.gradient(event.alpha)
        np.testing.assert_allclose(event.gradient[event.active], gradient[event.active], atol=1e-4)
        assert event.objective == pytest.approx(problem.objective(event.alpha, gradient), rel=1e-6)
    numbers = [event.iteration for event in of_kind(events, Iteration)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert isinstance(events[-1], Finished)
    assert len(of_kind(events, Finished)) == 1
    assert events[-1].iterations == len(numbers)
    assert events[-1].objective == solution.objective
    evaluations = [event.stamp.evaluations for event in events]
    assert evaluations == sorted(evaluations)


def test_stopping_at_a_level():
    X, y = blobs(1200, seed=8)
    problem = problem_of(X, y)
    solution, events = run(problem, stop_level=2)
    assert solution.stop_reason == "early"
    assert [event.level for event in of_kind(events, LevelFinished)] == [2]
    assert solution.partition is not None
    assert np.array_equal(solution.partition.labels, of_kind(events, Partitioned)[0].labels)
    solution, events = run(problem, stop_level=2, levels=4)
    assert [event.level for event in of_kind(events, LevelFinished)] == [4, 3, 2]
    assert run(problem)[0].partition is None


def test_with_a_bias_the_theorems_would_be_false_and_nothing_is_claimed():
    """Two far clusters of one class each: both cells have alpha = 0 and D(pi) is 0, yet the gap is all of |f*|."""
    X = np.concatenate([np.random.default_rng(0).normal(size=(30, 2)) + 100 * side for side in (-1, 1)])
    y = np.repeat([-1.0, 1.0], 30)
    solution, events = run(problem_of(X, y, bias=True), levels=1, k=2, partition="kmeans")
    [measured], [judged] = of_kind(events, LevelMeasured), of_kind(events, LevelJudged)
    [finished] = of_kind(events, LevelFinished)
    assert not finished.alpha.any()
    assert sorted(finished.intercepts) == [-1.0, 1.0]
    assert measured.between < 1e-9
    assert judged.gap == pytest.approx(-solution.objective)
    assert solution.objective < -1
    assert np.isnan([measured.bound, measured.smallest_eigenvalue, judged.bound, judged.refined_bound]).all()
    assert not len(measured.certified)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("case", ["duplicates", "constant", "one class", "one point", "fewer than k", "two points"])
@pytest.mark.parametrize("settings", [{}, {"levels": 4}, {"stop_level": 2}], ids=str)
def test_nasty_data(case, settings, bias):
    rng = np.random.default_rng(0)
    X, y = {
        "duplicates": (np.repeat(rng.normal(size=(4, 2)), 50, axis=0), np.tile([1.0, -1, -1, -1], 50)),
        "constant": (np.ones((60, 3)), np.tile([1.0, -1.0], 30)),
        "one class": (rng.normal(size=(60, 3)), np.ones(60)),
        "one point": (np.ones((1, 2)), np.ones(1)),
        "fewer than k": (rng.normal(size=(3, 2)), np.array([1.0, -1, 1])),
        "two points": (np.array([[0.0, 1], [1, 1]]), np.array([1.0, -1])),
    }[case]
    problem = problem_of(X, y, bias=bias)
    solution, _ = run(problem, max_iter=500, **settings)
    if "stop_level" not in settings:
        best = Run(solve_dual(problem, DualSettings(max_iter=500)), Counter()).result()
        assert solution.objective == pytest.approx(best.objective, abs=1e-3)
        assert solution.stop_reason == "converged"
    assert np.isfinite(solution.alpha).all()


@pytest.mark.parametrize("C", [1e-8, 1e8])
@pytest.mark.parametrize("gamma", [1e-8, 1e8])
def test_extreme_settings(C, gamma):
    X, y = blobs(SMALL + 200, seed=9)
    problem = problem_of(X, y, C, gamma=gamma)
    solution, _ = run(problem, C=C, levels=2, instruments="none")
    assert solution.stop_reason in ("converged", "stalled")
    best = Run(solve_dual(problem, DualSettings()), Counter()).result()
    assert solution.objective == pytest.approx(best.objective, rel=1e-4)


def test_a_cache_too_small_for_the_whole_problem_is_refused_at_once():
    X, y = blobs(SMALL * 2)
    with pytest.raises(ValueError, match="cache_mb must be at least"):
        run(problem_of(X, y), cache_mb=0.01)
    assert run(problem_of(X, y), cache_mb=0.01, stop_level=2)[0].stop_reason == "early"
    roomy, tight = (run(problem_of(X, y), cache_mb=mb)[0] for mb in (100, 0.02))
    assert tight.objective == pytest.approx(roomy.objective, rel=1e-5)


def test_one_answer_whatever_the_threads():
    X, y = blobs(SMALL * 3, seed=6)
    answers = [run(problem_of(X, y, n_jobs=jobs), levels=2) for jobs in (1, 2, 3)]
    for solution, events in answers[1:]:
        assert np.array_equal(solution.alpha, answers[0][0].alpha)
        assert [type(event) for event in events] == [type(event) for event in answers[0][1]]
        stamps = [event.stamp.evaluations for event in events]
        assert stamps == [event.stamp.evaluations for event in answers[0][1]]
    other, _ = run(problem_of(X, y), levels=2, seed=1)
    assert not np.array_equal(other.alpha, answers[0][0].alpha)


def test_a_recording_is_the_same_every_time_and_survives_its_file(tmp_path):
    X, y = blobs(800, seed=3)
    runs = [DCSVM.recorded_run(X, y, DCSVMSettings(levels=2, gamma=0.5)) for _ in range(2)]
    models = [going.result().model for going in runs]
    assert np.array_equal(models[0].coefficients, models[1].coefficients)
    first, second = (going.recording for going in runs)
    first.save(tmp_path / "run.svmrun")
    loaded = Recording.load(tmp_path / "run.svmrun")
    for one, other, third in zip(first, second, loaded, strict=True):
        assert type(one) is type(other) is type(third)
        for name, value in vars(one).items():
            if name != "stamp":
                assert np.array_equal(value, getattr(other, name), equal_nan=isinstance(value, float))
                assert np.array_equal(value, getattr(third, name), equal_nan=isinstance(value, float))
        assert one.stamp.evaluations == other.stamp.evaluations == third.stamp.evaluations


@pytest.mark.parametrize("kind", [Partitioned, SubproblemSolved, LevelFinished, LevelJudged, Iteration, Finished])
def test_a_stop_anywhere_keeps_what_there_is(kind):
    X, y = blobs(SMALL * 2, seed=8)
    steps = solve(problem_of(X, y), DCSVMSettings(levels=2))
    for item in steps:
        if isinstance(item, kind):
            break
    try:
        while not isinstance(steps.throw(Stop("cancelled")), Finished):
            pass
        with pytest.raises(StopIteration) as end:
            next(steps)
        solution = end.value.value
        assert solution.stop_reason == ("converged" if kind is LevelJudged else "cancelled")
    except Stop as stop:
        assert kind is Finished
        solution = stop.result
    assert np.isfinite(solution.alpha).all()
    assert solution.alpha.any() or kind is Partitioned
    assert not workers()


def test_a_run_that_nobody_finishes_leaves_no_threads_behind():
    X, y = blobs(SMALL * 2, seed=8)
    steps = solve(problem_of(X, y), DCSVMSettings(levels=2))
    for item in steps:
        if isinstance(item, SubproblemSolved):
            break
    steps.close()
    assert not workers()


def test_pause_and_cancel_are_answered_by_all_who_work(published):
    published("ijcnn1")
    data = datasets.load("ijcnn1", size=20_000)
    going = DCSVM.recorded_run(data.X, data.y, DCSVMSettings(C=32.0, gamma=2.0, stop_level=1)).start()
    while not any(isinstance(event, Partitioned) for event in going.recording):
        time.sleep(0.005)
    going.pause()
    while going.state != "paused":
        time.sleep(0.001)
    time.sleep(1.0)  # those who work on subproblems come to their breath
    used = going.evaluations
    time.sleep(0.3)
    assert going.evaluations == used
    going.cancel()
    assert going.join(20)
    assert going.result().stop_reason == "cancelled"


def test_ijcnn1(published):
    published("ijcnn1")
    data = datasets.load("ijcnn1", size=10_000)
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    problem = problem_of(data.X, y, 32.0, gamma=2.0)
    reference = Run(solve_dual(problem, DualSettings()), Counter()).result()
    solution, events = run(problem, C=32.0, levels=3)
    assert solution.objective == pytest.approx(reference.objective, rel=1e-5)
    recalls = [event.recall for event in of_kind(events, LevelJudged)]
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.95
