import numpy as np
import pytest

from engine import SOLVERS, datasets
from engine.numerics.kernels import KERNELS, SMALL, Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Stop, drain
from engine.runtime.run import Run
from engine.systems.clustersvm.algorithm import solve
from engine.systems.clustersvm.clusters import Clusters
from engine.systems.clustersvm.events import (
    ClusterFinished,
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    PassFinished,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.clustersvm.pddp import pddp, principal_direction
from engine.systems.clustersvm.reduced_problem import Reduction, reduced_problem
from engine.systems.clustersvm.settings import ClusterSVMSettings
from engine.systems.kernel_svm.algorithm import solve as solve_dual
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.settings import DualSettings
from tests.naive import clustersvm, kernel_svm
from tests.naive.oracles import dual_by_clarabel


def moons(n, seed=0, noise=0.25):
    data = datasets.load("moons", size=n, noise=noise, seed=seed)
    return data.X, np.where(data.y == data.y.max(), 1.0, -1.0)


def run(X, y, kernel=None, C=10.0, n_jobs=1, **settings):
    """Solve and return (solution, events, problem)."""
    table = ClusterSVMSettings(C=C, **settings)
    problem = Problem.build(X, y, C=C, kernel=kernel or Kernel.fit(X, "rbf", 2.0, C=C), n_jobs=n_jobs)
    going = Run(solve(problem, table, Clusters(X, (y > 0).astype(int), table)), Counter())
    events = list(going)
    return going.result(), events, problem


def only(events, kind):
    return [event for event in events if isinstance(event, kind)]


# ---- PDDP -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d", "count"), [(400, 2, 20), (300, 40, 17), (30, 5, 30), (1, 3, 1)])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_pddp_splits_as_singular_vectors_do(n, d, count, offset):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * np.geomspace(3, 0.3, d) + offset
    X[n // 2 :, 0] += 4
    tree = drain(pddp(X, count))
    assert np.array_equal(tree.labels, clustersvm.pddp(X, count))
    assert len(tree.splits) == count - 1
    labels = np.zeros(n, int)
    for split in tree.splits:  # the splits alone tell the whole story
        assert np.array_equal(np.sort(split.members), np.flatnonzero(labels == split.cluster))
        labels[split.members[split.beyond]] = split.other
        assert np.array_equal((X[split.members] - split.mean) @ split.direction > 0, split.beyond)
        assert split.scatter > split.scatter_here + split.scatter_beyond
    assert np.array_equal(labels, tree.labels)


def test_the_principal_direction_of_many_features():
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(500, 200)) * np.r_[5.0, 4.0, np.ones(198)]).astype(np.float32)
    mean = X.mean(axis=0, dtype=np.float64)
    direction = drain(principal_direction(X, mean, 3))
    singular = np.linalg.svd(X - mean)[2][0]
    assert abs(direction @ singular) > 1 - 1e-3
    assert direction[np.abs(direction).argmax()] > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pddp_stops_at_duplicates(dtype):
    X = np.repeat(np.array([[0.1, 0.7], [3.3, 1.1], [1e3, 1.0]]), 20, axis=0).astype(dtype)
    tree = drain(pddp(X, 12))
    assert len(np.unique(tree.labels)) == 3
    assert drain(pddp(np.full((50, 3), 0.1, dtype), 7)).labels.max() == 0


# ---- Proposition 2.1 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KERNELS)
def test_a_mean_is_a_cluster_with_equal_multipliers(name):
    """Against a dense QP in which the multipliers of each group are one variable (Proposition 2.1)."""
    X, y = moons(120, seed=3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    kernel = Kernel.fit(X, name, 0.7, 2, 0.5)
    problem = Problem.build(X, y, C=1.5, kernel=kernel)
    groups, points = [np.arange(5, 25), np.arange(70, 77), np.arange(90, 100)], np.r_[0:5, 30:70, 80:90, 100:120]
    reduced = drain(reduced_problem(problem, points, groups))
    solution = Run(solve_dual(reduced, DualSettings(tol=1e-7)), Counter()).result()
    average = np.zeros((len(points) + 3, len(X)))
    average[np.arange(len(points)), points] = 1
    for row, group in enumerate(groups, len(points)):
        average[row, group] = 1 / len(group)
    K = average @ kernel_svm.kernel_matrix(X, X, name, 0.7, 2, 0.5) @ average.T
    sizes = np.r_[np.ones(len(points)), [len(group) for group in groups]]
    signs = np.r_[y[points], [y[group[0]] for group in groups]]
    _, objective = dual_by_clarabel(K, signs, 1.5 * sizes, -np.ones(len(sizes)), True)
    assert solution.objective == pytest.approx(objective, rel=1e-6)
    # Spread over the members it is a feasible point of the whole problem, with the same objective.
    reduction = Reduction.of(len(X), points, groups)
    alpha = problem.check_alpha(reduction.up(solution.alpha))
    assert problem.objective(alpha, problem.gradient(alpha)) == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(reduction.down(alpha), solution.alpha, rtol=1e-12)


# ---- Algorithm 1 ----------------------------------------------------------------------------------------------------


def test_the_slow_twin_reduces_to_the_same_sets():
    X, y = moons(200, seed=1)
    _, events, problem = run(X, y, tol=1e-6, max_passes=2)
    K = kernel_svm.kernel_matrix(X, X, "rbf", 2.0)
    clusters = []
    for sign in (-1, 1):
        members = np.flatnonzero(y == sign)
        labels = clustersvm.pddp(X[members], round(len(members) ** 0.5))
        clusters += [members[labels == c] for c in range(labels.max() + 1)]
    slow = clustersvm.clustersvm(K, X, y, 10.0, clusters, 2, 1e-6)
    assert len(slow) == len(only(events, ReducedTrained)) == 3
    for (reduced, alpha), made, trained in zip(
        slow, only(events, ReducedSetMade), only(events, ReducedTrained), strict=True
    ):
        assert np.array_equal(np.sort(made.points), reduced)
        np.testing.assert_allclose(trained.alpha, alpha, atol=2e-3)
    assert len(problem) == 200


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("clustering", ["pddp", "kmeans"])
@pytest.mark.parametrize(("name", "C"), [("rbf", 10.0), ("rbf", 0.1), ("linear", 1e4), ("poly", 1.0)])
def test_the_fixed_point_is_the_exact_answer(name, C, clustering, collapse):
    X, y = moons(500, seed=2)
    kernel = Kernel.fit(X, name, 2.0, 2, 1.0, C=C)
    found, events, problem = run(
        X, y, kernel, C, max_passes=None, clustering=clustering, collapse_bound=collapse, n_clusters=9
    )
    assert found.exact
    assert found.stop_reason == "converged"
    exact = Run(solve_dual(problem, DualSettings()), Counter()).result()
    assert found.objective == pytest.approx(exact.objective, rel=1e-4)
    optimality = problem.optimality(found.alpha, problem.gradient(found.alpha))
    assert optimality.violation <= 1.01e-3
    assert (found.alpha >= 0).all()
    assert (found.alpha <= C).all()
    assert abs(y @ found.alpha) <= 1e-9 * C * len(y)
    [checked] = only(events, ExactnessChecked)
    assert checked.exact
    assert checked.n_violators == 0


def test_condition_2_makes_the_reduced_set_smaller():
    data = datasets.load("gaussians", size=1500, seed=0)
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    kernel = Kernel.fit(data.X, "linear", C=1e4)
    plain, _, problem = run(data.X, y, kernel, 1e4, max_passes=None)
    collapsed, events, _ = run(data.X, y, kernel, 1e4, max_passes=None, collapse_bound=True)
    assert collapsed.size < 0.6 * plain.size < 0.6 * len(problem)
    assert collapsed.objective == pytest.approx(plain.objective, rel=1e-6)
    last = only(events, RepresentativesChosen)[-1]
    below = np.append(last.means, False)[last.labels]
    assert np.count_nonzero(below & (collapsed.alpha == problem.upper)) > 300
    assert any(event.means.any() for event in only(events, RepresentativesChosen))


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize(("d", "noise"), [(1, 0.5), (2, 0.0), (2, 2.0), (4, 1.0)])
def test_means_from_the_start_lead_to_the_exact_answer(d, noise, C):
    """A linear kernel of few features: with Condition 2 the initial SVM is one of means with the bounds of all."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(900, d))
    X[20:60] = X[20]
    y = np.where(X.sum(axis=1) + noise * rng.normal(size=900) > 0.3, 1.0, -1.0)
    kernel = Kernel.fit(X, "linear", C=C)
    found, events, problem = run(X, y, kernel, C, max_passes=None, collapse_bound=True)
    chosen = only(events, RepresentativesChosen)
    assert chosen[0].means.all()
    assert found.exact
    assert found.stop_reason == "converged"
    exact = drain(solve_dual(problem, DualSettings()))
    assert found.objective == pytest.approx(exact.objective, rel=1e-4)
    assert found.size < len(problem)


def test_events_tell_the_whole_story():
    X, y = moons(400, seed=4)
    found, events, problem = run(X, y, max_passes=None, collapse_bound=True)
    [made] = only(events, ClustersMade)
    assert len(only(events, ClusterSplit)) == len(made.sizes) - 2
    assert np.array_equal(np.bincount(made.labels), made.sizes)
    for cluster, number in enumerate(made.classes):
        members = made.labels == cluster
        assert ((y[members] > 0) == number).all()
        np.testing.assert_allclose(made.centres[cluster], X[members].mean(axis=0))
    labels = made.labels
    for chosen, reduced, trained in zip(
        only(events, RepresentativesChosen), only(events, ReducedSetMade), only(events, ReducedTrained), strict=True
    ):
        assert np.array_equal(chosen.labels, labels)
        assert reduced.size == reduced.n_single + reduced.n_centres + reduced.n_means
        assert reduced.n_single == np.count_nonzero(labels < 0)
        for cluster, centre in enumerate(chosen.representatives):
            members = np.flatnonzero(labels == cluster)
            assert len(members) == chosen.sizes[cluster]
            if chosen.means[cluster] or not len(members):
                assert centre == -1
            else:
                assert centre == clustersvm.pseudo_centre(X, members)
        gradient = problem.gradient(trained.alpha)
        assert problem.objective(trained.alpha, gradient) == pytest.approx(trained.objective, rel=1e-6)
        later = [event for event in only(events, ClustersRevised) if event.passes == trained.passes]
        if later:
            margins = 1 + gradient + y * trained.intercept
            np.testing.assert_allclose(later[0].margins, margins, atol=1e-3)
            assert len(later[0].outcomes) == len(chosen.sizes)
            labels = later[0].after
    assert [event.passes for event in only(events, PassFinished)] == list(range(1, found.passes + 1))
    for event in only(events, PassFinished):
        assert event.size > event.before
        assert event.objective <= event.objective_before
    iterations = only(events, Iteration)
    assert [event.iteration for event in iterations] == list(range(1, len(iterations) + 1))
    last = events[-1]
    assert isinstance(last, ClusterFinished)
    assert (last.exact, last.size, last.passes) == (True, found.size, found.passes)
    assert np.array_equal(last.alpha, found.alpha)


@pytest.mark.parametrize("collapse", [False, True])
def test_one_seed_one_recording_whatever_the_threads(collapse):
    X, y = moons(SMALL + 300, seed=5)
    recordings = []
    for n_jobs in (1, 2):
        _, events, _ = run(X, y, n_jobs=n_jobs, clustering="kmeans", collapse_bound=collapse)
        recordings.append(events)
    for one, other in zip(*recordings, strict=True):
        assert type(one) is type(other)
        for name, value in vars(one).items():
            if name != "stamp":
                assert np.array_equal(value, getattr(other, name), equal_nan=isinstance(value, float)), name


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_degenerate_data(kernel):
    ones, y = np.ones((50, 3)), np.tile([1.0, -1.0], 25)
    few = np.r_[-1.0, np.ones(49)]
    rng = np.random.default_rng(0)
    cases = {
        "all duplicates": (ones, y),
        "all zero": (ones * 0, y),
        "two points": (ones[:2] * [[0.0], [1.0]], y[:2]),
        "one of a class": (rng.normal(size=(50, 3)), few),
        "constant feature": (np.column_stack([np.ones(50), rng.normal(size=50)]), y),
    }
    for case, (X, labels) in cases.items():
        for collapse in (False, True):
            fitted = Kernel.fit(X, kernel)
            found, _, problem = run(X, labels, fitted, 1.0, max_passes=None, collapse_bound=collapse)
            K = kernel_svm.kernel_matrix(X, X, kernel, fitted.gamma)
            _, objective = dual_by_clarabel(K, labels, problem.upper, problem.linear, True)
            assert found.objective == pytest.approx(objective, abs=1e-3), case
            assert found.exact, case


@pytest.mark.parametrize("C", [1e-8, 1e8])
@pytest.mark.parametrize("gamma", [1e-8, 1e8])
def test_extreme_settings(C, gamma):
    X, y = moons(300, seed=6)
    found, _, problem = run(X, y, Kernel.fit(X, "rbf", gamma, C=C), C, max_passes=None)
    exact = Run(solve_dual(problem, DualSettings()), Counter()).result()
    assert found.stop_reason == exact.stop_reason
    assert found.objective == pytest.approx(exact.objective, rel=1e-4)


@pytest.mark.parametrize("phase", ["Started", "ClusterSplit", "ReducedSetMade", "Iteration", "ClustersRevised", "last"])
def test_a_stop_anywhere_keeps_what_there_is(phase):
    X, y = moons(300, seed=7)
    table = ClusterSVMSettings(C=10.0)
    problem = Problem.build(X, y, C=10.0, kernel=Kernel.fit(X, "rbf", 2.0))
    steps = solve(problem, table, Clusters(X, (y > 0).astype(int), table))
    for item in steps:
        if type(item).__name__ == ("ClusterFinished" if phase == "last" else phase):
            break
    try:
        item = steps.throw(Stop("cancelled"))
        while item is None:
            item = next(steps)
        assert item.stop_reason == "cancelled"
        assert not item.exact
        result = drain(steps)
    except Stop as stop:
        assert phase == "last"
        result = stop.result
    assert len(result.alpha) == 300
    assert result.alpha.any() == (phase in ("Iteration", "ClustersRevised", "last"))


def test_a_recording_is_kept_whole(tmp_path):
    data = datasets.load("gaussians", size=300)
    solver = SOLVERS["clustersvm"]
    going = solver.recorded_run(data.X, data.y, solver.settings.checked({"C": 10, "collapse_bound": True}))
    trained = going.result()
    going.recorded.save(tmp_path / "run.svmrun")
    again = type(going.recorded).load(tmp_path / "run.svmrun")
    assert len(again) == len(going.recorded)
    assert len(only(list(again[:]), ClustersMade)) == 3  # each task tells them
    assert len(only(list(again[:]), ClusterSplit)) == 27  # and makes them once
    assert len(trained.solutions) == 3
    assert "reduced set" in solver.summary(again[-1:][0])
