"""ClusterSVM: adaptive clustering for the dual problem with bias (Boley and Cao, SDM 2004).

    divide each class into clusters; train an SVM on their pseudo-centres;
    in each pass: members on or inside the margin leave their cluster, a new representative replaces the rest, train
    again; until no cluster has such members, or the limit of passes is reached

At that fixed point the solution is exact (Proposition 2.2). With `collapse_bound` members far inside the margin do not
become individual points: their mean replaces them (Proposition 2.1, Condition 2). In the end all original points are
checked, and the result says whether it is exact.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.optimisation.dual_problem import Optimality, Problem
from engine.optimisation.solution import Solution
from engine.runtime.events import Array, Event, PhaseBegan, Started, Steps, Stop, finish, passed_on
from engine.runtime.threads import serial_blas
from engine.systems.clustersvm.clusters import Clusters
from engine.systems.clustersvm.events import (
    ClusterFinished,
    ClustersRevised,
    ExactnessChecked,
    PassFinished,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.clustersvm.reduced_problem import Reduction, reduced_problem
from engine.systems.clustersvm.settings import ClusterSVMSettings
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.precision import certified_gradient

BAND = 1.0  # so far within the margin, on the wrong side, a point is believed to be at the bound of the next SVM too
NEAR = 0.25  # and so far on either side, if the last SVM was one of means of all points
MANY = 5  # points, at least, of a mean whose kernel values have to be averaged: fewer do not save time
FEW = 5  # clusters for each feature, at least, with which nearly all support vectors are at the bound


@dataclass(frozen=True, eq=False)
class ClusterSVMSolution(Solution):
    """The solution of the whole problem, or of a reduced one, and which of the two."""

    exact: bool = False
    passes: int = 0
    n: int = 0
    size: int = 0
    n_clusters: int = 0

    def event(self) -> ClusterFinished:
        """The closing event of the run."""
        return ClusterFinished(**{name: value for name, value in vars(self).items() if name != "gradient"})


def solve(problem: Problem, settings: ClusterSVMSettings, clusters: Clusters) -> Steps[ClusterSVMSolution]:
    """Algorithm 1 of the paper, in which NP = 0 is the initial SVM."""
    state = _State(problem, settings, clusters)
    try:
        yield Started(
            solver="clustersvm", n=len(problem), d=problem.points.X.shape[1], kernel=problem.kernel.name,
            gamma=problem.kernel.gamma, bias=problem.bias, tol=settings.tol,
        )  # fmt: skip
        # 1-2: divide each class into clusters
        yield from state.divide()
        # 3, 7: the reduced set is their pseudo-centres; train an SVM on it
        yield from state.represent()
        yield from state.train("initial SVM")
        while state.passes != settings.max_passes:
            # 10-20: a cluster with a member within the margin is split; the rest of it has a new representative
            if not (yield from state.revise()):
                break
            state.passes += 1
            yield from state.represent()
            yield from state.train(f"pass {state.passes}")
            yield state.finished_pass()
        yield from state.check()
        if settings.max_passes is None and not state.exact:
            # What rounding has hidden from the passes, or a stalled one has left, is found by looking at all points.
            yield from state.finish_exactly()
    except Stop as stop:
        state.stop_reason = stop.reason
    solution = state.solution()
    return (yield from finish(solution, solution.event()))


class _State:
    """The state of ClusterSVM. `labels` has the cluster of each point, -1 if the point is used individually."""

    def __init__(self, problem: Problem, settings: ClusterSVMSettings, clusters: Clusters) -> None:
        self.problem, self.settings, self.clusters, self.n = problem, settings, clusters, len(problem)
        self.labels = np.zeros(self.n, int)
        self.has_mean = np.zeros(0, bool)  # for each cluster
        self.of_means = False  # whether all of them are, in the initial SVM
        self.centres = np.zeros(0, int)
        self.points = np.zeros(0, int)  # of the reduced set: single ones and pseudo-centres
        self.groups: list[Array] = []  # the clusters whose mean is in it
        self.reduction = Reduction.of(self.n, self.points, [])
        self.alpha = np.zeros(self.n)
        self.gradient: Array | None = None  # of all points, where it is known
        self.reduced_solution: Solution | None = None  # of the latest reduced problem
        self.optimality: Optimality | None = None  # of the whole problem, and these too, once it was looked at
        self.objective = self.gap = np.nan
        self.passes = self.iterations = self.inner_steps = 0
        self.sizes: list[tuple[int, float]] = []  # of the reduced sets, with the objective reached
        self.stop_reason = ""

    # ---- clusters and representatives ----

    def divide(self) -> Steps[None]:
        yield from self.clusters.steps(self.problem.kernel.counter)
        self.labels = self.clusters.labels.copy()
        # With few features only as many points, and one more, can be between their bounds. So with Condition 2 means
        # can represent all clusters from the start: the initial SVM then knows how many points are at which bound.
        kernel, features = self.problem.kernel, self.problem.points.X.shape[1]
        few = kernel.name == "linear" and features * FEW <= len(self.clusters)
        self.of_means = self.settings.collapse_bound and few
        self.has_mean = np.full(len(self.clusters), self.of_means)
        self.centres = self.clusters.centres

    def represent(self) -> Steps[None]:
        """Choose representatives: with the individual points they are the reduced set."""
        sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self.has_mean))
        centres = np.where(self.has_mean, -1, self.centres)
        yield RepresentativesChosen(
            passes=self.passes, labels=self.labels.copy(), representatives=centres, means=self.has_mean.copy(),
            sizes=sizes,
        )  # fmt: skip
        single = np.flatnonzero(self.labels < 0)
        self.points = np.concatenate([single, centres[centres >= 0]])
        below = np.flatnonzero(self._below_mean())
        below = below[np.argsort(self.labels[below], kind="stable")]
        self.groups = np.split(below, np.cumsum(sizes[self.has_mean & (sizes > 0)])[:-1]) if len(below) else []
        self.reduction = Reduction.of(self.n, self.points, self.groups)
        yield ReducedSetMade(
            passes=self.passes, n=self.n, size=self.size, n_single=len(single), n_means=len(self.groups),
            n_centres=len(self.points) - len(single), points=self.points,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """The number of points in the reduced set."""
        return len(self.points) + len(self.groups)

    # ---- training ----

    def train(self, name: str) -> Steps[None]:
        """Train on the reduced set, with a warm start from the last SVM."""
        yield PhaseBegan(name=name, size=self.size)
        reduced = yield from reduced_problem(self.problem, self.points, self.groups)
        start, gradient = None, None
        if self.gradient is not None:
            start = self.reduction.down(self.alpha)
            if np.allclose(self.reduction.up(start), self.alpha, rtol=1e-12):  # else a new mean made some of them equal
                gradient = self.reduction.down(self.gradient) / self.reduction.sizes
        try:
            steps = kernel_svm.solve(reduced, self.settings, start, gradient)
            solution = yield from passed_on(steps, self._as_of_all)
        except Stop as stop:
            self._keep(stop.result, reduced.upper)
            raise
        self._keep(solution, reduced.upper)
        if solution.stop_reason in ("cancelled", "time"):
            raise Stop(solution.stop_reason)
        yield ReducedTrained(
            passes=self.passes, size=self.size, iterations=solution.iterations, objective=solution.objective,
            violation=solution.violation, intercept=solution.intercept, n_free=solution.n_free,
            n_bound=solution.n_bound, alpha=self.alpha.copy(),
        )  # fmt: skip

    def _keep(self, solution: Solution, upper: Array) -> None:
        self.reduced_solution, self.optimality, self.gradient = solution, None, None
        owner = self.reduction.owner
        bound = (owner >= 0) & (solution.alpha >= upper)[owner]  # exactly there, whatever a division makes of it
        self.alpha = np.where(bound, self.problem.upper, self.reduction.up(solution.alpha))
        self.iterations += solution.iterations
        self.inner_steps += solution.inner_steps
        self.sizes.append((self.size, solution.objective))

    def _as_of_all(self, event: Any) -> Event | None:
        """An iteration on the reduced set as one of all points."""
        if isinstance(event, Iteration):
            reduction, working_set = self.reduction, event.working_set
            if len(working_set):
                working = np.zeros(self.size, bool)
                working[working_set] = True
                working_set = np.flatnonzero(reduction.spread(working))
            return replace(
                event, iteration=self.iterations + event.iteration, alpha=reduction.up(event.alpha),
                gradient=reduction.spread(event.gradient), active=reduction.spread(event.active),
                working_set=working_set,
            )  # fmt: skip
        return event if isinstance(event, ActiveSetChanged) else None

    def finished_pass(self) -> PassFinished:
        (before, objective_before), (size, objective) = self.sizes[-2:]
        return PassFinished(
            passes=self.passes, size=size, before=before, n=self.n, objective=objective,
            objective_before=objective_before,
        )  # fmt: skip

    # ---- all points ----

    def look(self) -> Steps[Array]:
        """The margin y d(x) of each point, and with it the gradient of the whole problem."""
        problem, solution = self.problem, self.reduced_solution
        assert solution is not None
        if self.gradient is None:
            yield PhaseBegan(name="margins", size=self.n)
            used = np.flatnonzero(self.alpha)
            rest = np.ones(self.n, bool)
            # A linear model is a single point: all values take less time than picking out the others.
            rest[self.points] = problem.kernel.name == "linear"
            others = slice(None) if rest.all() else rest
            gradient = np.empty(self.n)
            gradient[self.points] = solution.gradient[: len(self.points)]
            decision = yield from problem.kernel.product_steps(
                problem.points[others], problem.points[used], (problem.y * self.alpha)[used], problem.threads
            )
            gradient[others] = problem.y[others] * decision + problem.linear[others]
            self.gradient = gradient
        return 1.0 + self.gradient + problem.y * solution.intercept

    def revise(self) -> Steps[bool]:
        """Remove the points from their clusters that a representative cannot replace; False if there was none."""
        margins = yield from self.look()
        before, count = self.labels, len(self.has_mean)
        leaving = self._misrepresented(margins)
        if self.of_means and leaving.any():
            leaving |= self._below_mean() & (np.abs(margins - 1) <= NEAR)
        after = np.where(leaving, -1, before)
        deep = margins < 1 - (NEAR if self.of_means else BAND)
        # A point that leaves a mean in a later pass is used individually from then on, so that the passes end.
        kept_apart = self._below_mean() if self.passes else self._firm()
        bound = leaving & deep & ~kept_apart & self.settings.collapse_bound
        # Those of a cluster that are believed to be at the bound are a cluster of their own.
        _, place, sizes = np.unique(before[bound], return_inverse=True, return_counts=True)
        worth = sizes >= (2 if self.problem.kernel.name == "linear" else MANY)
        fresh = np.where(worth, count + np.cumsum(worth) - 1, -1)
        after[bound] = fresh[place]
        more = np.count_nonzero(worth)
        self.labels, self.has_mean = after, np.append(self.has_mean, np.ones(more, bool))
        changed = np.unique(before[leaving])
        self.centres = self.clusters.pseudo_centres(after, np.append(self.centres, np.full(more, -1)), changed)
        yield ClustersRevised(
            passes=self.passes, margins=margins.astype(np.float32), before=before, after=after.copy(),
            outcomes=_outcomes(before, after, leaving, count), n_released=int(np.count_nonzero(leaving & (after < 0))),
            n_collapsed=int(np.count_nonzero(leaving & (after >= 0))),
        )  # fmt: skip
        return bool(leaving.any())

    def _below_mean(self) -> Array:
        """Which points are represented by the mean of their cluster."""
        return np.append(self.has_mean, False)[self.labels]

    def _firm(self) -> Array:
        """Which points are represented by a mean whose multiplier is at its bound."""
        return self._below_mean() & (self.alpha >= self.problem.upper)

    def _misrepresented(self, margins: Array) -> Array:
        """Points whose representative no longer fits: on or inside the margin; for a mean at its bound, outside it."""
        below, firm = self._below_mean(), self._firm()
        within = (self.labels >= 0) & ~firm & ((margins <= 1 + self.settings.tol) | (~below & (self.alpha > 0)))
        beyond = firm & (margins > 1.0)
        # A mean between its bounds represents no member exactly: if none of them is within the margin, all leave.
        stuck = below & ~firm & (self.alpha > 0) & ~np.isin(self.labels, self.labels[within])
        return within | beyond | stuck

    def check(self) -> Steps[None]:
        """Check all original points: the solution is exact only if none violates the KKT conditions."""
        margins = yield from self.look()
        solution, gradient = self.reduced_solution, self.gradient
        assert solution is not None
        assert gradient is not None
        gradient = yield from certified_gradient(
            self.problem, self.alpha, gradient, self.settings.tol, self.settings.seed
        )
        self.gradient, margins = gradient, 1.0 + gradient + self.problem.y * solution.intercept
        self.optimality = self.problem.optimality(self.alpha, gradient)
        with serial_blas():
            self.objective = self.problem.objective(self.alpha, gradient)
            self.gap = self.problem.gap(self.alpha, gradient, solution.intercept)
        self.stop_reason = solution.stop_reason
        if self.stop_reason == "converged" and not self.exact:
            self.stop_reason = "passes" if self.passes == self.settings.max_passes else "stalled"
        yield ExactnessChecked(
            exact=self.exact, violation=self.optimality.violation, objective=self.objective, gap=self.gap,
            n_violators=int(np.count_nonzero(self._misrepresented(margins))), margins=margins.astype(np.float32),
            alpha=self.alpha.copy(), intercept=solution.intercept,
        )  # fmt: skip

    def finish_exactly(self) -> Steps[None]:
        """Solve the problem of all points from here."""
        yield PhaseBegan(name="all points", size=self.n)
        self.points, self.groups = np.arange(self.n), []
        self.reduction = Reduction.of(self.n, self.points, [])
        steps = kernel_svm.solve(self.problem, self.settings, self.alpha, self.gradient)
        try:
            solution = yield from passed_on(steps, self._as_of_all)
        except Stop as stop:
            self._keep(stop.result, self.problem.upper)
            raise
        self._keep(solution, self.problem.upper)
        if solution.stop_reason in ("cancelled", "time"):
            raise Stop(solution.stop_reason)
        self.gradient = solution.gradient
        yield from self.check()

    @property
    def exact(self) -> bool:
        """Whether no original point violates its conditions by more than tol."""
        return self.optimality is not None and self.optimality.violation <= self.settings.tol

    # ---- the solution ----

    def solution(self) -> ClusterSVMSolution:
        support = self.problem.support(self.alpha)
        return ClusterSVMSolution(
            alpha=self.alpha,
            gradient=self.gradient if self.gradient is not None else np.full(self.n, np.nan),
            intercept=0.0 if self.reduced_solution is None else self.reduced_solution.intercept,
            objective=self.objective,
            violation=self.optimality.violation if self.optimality is not None else np.nan,
            stop_reason=self.stop_reason,
            iterations=self.iterations,
            inner_steps=self.inner_steps,
            n_free=len(support.free),
            n_bound=len(support.bound),
            gap=self.gap,
            exact=self.exact,
            passes=self.passes,
            n=self.n,
            size=self.size,
            n_clusters=len(self.clusters),
        )


def _outcomes(before: Array, after: Array, leaving: Array, count: int) -> list[str]:
    """What became of each cluster, in a word: see `ClustersRevised`."""
    members = before >= 0
    size = np.bincount(before[members], minlength=count)
    left = np.bincount(before[members & leaving], minlength=count)
    collapsed = np.bincount(before[members & leaving & (after >= 0)], minlength=count)
    kinds = [size == 0, left == 0, (left == size) & (collapsed == size), (left == size) & (collapsed == 0)]
    return [str(word) for word in np.select(kinds, ["gone", "replaced", "collapsed", "kept"], "split")]
