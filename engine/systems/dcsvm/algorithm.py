"""DC-SVM: multilevel divide and conquer for the dual problem (Hsieh, Si and Dhillon, ICML 2014).

    for each level, from many clusters to few: divide the data, solve every cluster's problem from the alpha of the
    level below; refine on the support vectors found; solve the whole problem from there

The paper's problem has no bias. With one every cell balances its own y'alpha = 0, so that all of them together are a
feasible start for the whole; a cell of one class has alpha = 0. The theorems are about the problem without.

With `stop_level` it stops at a level, and `early_prediction` predicts with the models of its clusters (here and in
other names of this folder a cell is a cluster of a level).
"""

from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.optimisation.solution import Solution
from engine.runtime.events import Array, Event, PhaseBegan, Started, Steps, Stop, finish, passed_on
from engine.systems.dcsvm.events import LevelFinished, Partitioned, SubproblemSolved
from engine.systems.dcsvm.partition import Partition, divide
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.dcsvm.theory import Theory
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.row_cache import check_limit
from engine.systems.kernel_svm.subproblems import Solved, Subproblem, SubproblemQueue

CELL = 4096  # points of a cell, about, if the solver chooses the level
MOST_CELLS = 4096


@dataclass(frozen=True, eq=False)
class DCSVMSolution(Solution):
    """The solution, and the last level's partition if the solver stopped there."""

    partition: Partition | None = None
    intercepts: Array = field(default_factory=lambda: np.empty(0))  # of its cells, with a bias


def solve(problem: Problem, settings: DCSVMSettings, executor: Executor | None = None) -> Steps[DCSVMSolution]:
    """Algorithm 1 of the paper."""
    state = _State(problem, settings)
    if settings.stop_level == 0:
        check_limit(settings.cache_mb, len(problem), problem.kernel.store)
    try:
        yield Started(
            solver="dcsvm", n=len(problem), d=problem.points.X.shape[1], kernel=problem.kernel.name,
            gamma=problem.kernel.gamma, bias=problem.bias, tol=settings.tol,
        )  # fmt: skip
        with SubproblemQueue(problem, settings, executor) as queue:
            # for l = l_max, ..., 1
            for level in levels(len(problem), settings):
                yield PhaseBegan(name=f"level {level} · {state.cells(level)}", size=len(problem))
                # Sample m points, from the support vectors once there are some; kernel k-means; a cell for each point
                yield from state.divide(level)
                # Solve every cell's problem with the level below's alpha as the initial point
                yield from state.solve_cells(level, queue)
                yield from state.measure(level)
        if settings.stop_level:
            state.stop_reason = "early"
        else:
            # Refine solution: solve SVM on the support vectors of level 1
            yield from state.refine()
            # Solve SVM on the whole data from there
            yield from state.conquer()
            yield from state.theory.judge(state.alpha, state.objective)
    except Stop as stop:
        state.stop_reason = state.stop_reason or stop.reason
    solution = state.solution()
    return (yield from finish(solution, solution.event()))


def levels(n: int, settings: DCSVMSettings) -> list[int]:
    """Which levels, bottom first: as set, or the one that saves most time.

    The dual solver is so fast from a good start that solving every level takes longer than it saves.
    """
    last = max(1, settings.stop_level)
    if settings.levels != "auto":
        return list(range(max(int(settings.levels), last), last - 1, -1))
    return [settings.stop_level or max(1, round(np.log(n / CELL) / np.log(settings.k)))]


class _State:
    """The state of DC-SVM."""

    def __init__(self, problem: Problem, settings: DCSVMSettings) -> None:
        self.problem, self.settings, self.n = problem, settings, len(problem)
        self.alpha = np.zeros(self.n)
        self.block_gradient = np.zeros(self.n)  # with the kernel between cells taken as zero
        self.gradient: Array | None = None  # of the whole problem, once it is known
        self.objective = self.violation = np.nan  # after a level: with the kernel between cells taken as zero
        self.iterations = self.inner_steps = 0
        self.stop_reason = ""  # none yet
        self.partition: Partition | None = None
        self.intercepts = np.empty(0)  # of the cells, with a bias
        self.intercept = 0.0  # of the whole
        self.rng = np.random.default_rng(settings.seed)
        self.theory = Theory(problem, settings.instruments)

    # ---- divide ----

    def cells(self, level: int) -> int:
        """How many a level is divided into: k^l, as far as there are points."""
        return min(self.settings.k**level, self.n, MOST_CELLS)

    def divide(self, level: int) -> Steps[None]:
        problem, settings = self.problem, self.settings
        support = np.flatnonzero(self.alpha)
        # As good as kernel k-means on all data tried, and new points find their cell at a tenth of the cost.
        kind = "kmeans" if settings.partition == "auto" else settings.partition
        self.partition = partition = yield from divide(
            problem.kernel, problem.points, self.cells(level), kind, settings.sample_size, self.rng,
            among=support if settings.adaptive and len(support) else None, threads=problem.threads,
        )  # fmt: skip
        yield Partitioned(
            level=level, kind=kind, labels=partition.labels.copy(), sizes=partition.sizes,
            sample_size=settings.sample_size, **partition.router.table(),
        )  # fmt: skip

    def solve_cells(self, level: int, queue: SubproblemQueue) -> Steps[None]:
        assert self.partition is not None
        cells = [(cluster, members) for cluster, members in enumerate(self.partition.members()) if len(members)]
        if self.problem.bias:
            self.intercepts = np.zeros(len(self.partition))
            for _, members in cells:
                self.alpha[members] = balanced(self.alpha[members], self.problem.y[members])
        before = self.alpha.copy()
        iterations, objective, violation = 0, 0.0, 0.0
        futures = queue.solve([Subproblem(members, before[members]) for _, members in cells])
        try:
            for (cluster, members), future in zip(cells, futures, strict=True):
                solved = yield from queue.wait_for(future)
                self._take(members, solved)
                iterations += solved.iterations
                objective += solved.objective
                violation = max(violation, solved.violation)
                if self.problem.bias:
                    self.intercepts[cluster] = solved.intercept
                event = SubproblemSolved(
                    level=level, cluster=cluster, size=len(members), iterations=solved.iterations,
                    objective=solved.objective, n_support_before=int(np.count_nonzero(before[members])),
                    n_support=int(np.count_nonzero(solved.alpha)), alpha=solved.alpha.astype(np.float32),
                    intercept=solved.intercept,
                )  # fmt: skip
                yield from queue.suspended(event)
        except Stop as stop:
            for (_, members), left in zip(cells, queue.stop(futures, stop.reason), strict=True):
                if left is not None:
                    self._take(members, left)
            self.objective = self.violation = np.nan
            raise
        self.objective, self.violation = objective, violation
        support = self.problem.support(self.alpha)
        yield LevelFinished(
            level=level, n_clusters=len(self.partition), iterations=iterations, block_objective=objective,
            n_free=len(support.free), n_bound=len(support.bound), alpha=self.alpha.copy(),
            intercepts=self.intercepts.copy(),
        )  # fmt: skip

    def _take(self, members: Array, solved: Solved) -> None:
        self.alpha[members] = solved.alpha
        self.block_gradient[members] = solved.gradient

    def measure(self, level: int) -> Steps[None]:
        assert self.partition is not None
        yield from self.theory.measure(level, self.partition, self.alpha.copy(), self.block_gradient)

    # ---- conquer ----

    def refine(self) -> Steps[None]:
        """Solve on the support vectors; their gradients are known after that, and those of the others soon."""
        problem, support = self.problem, np.flatnonzero(self.alpha)
        if not self.settings.refine or not 0 < len(support) < self.n:
            return
        yield PhaseBegan(name="refine", size=len(support))
        steps = kernel_svm.solve(problem.part(support), self.settings, self.alpha[support])
        solution = yield from self._watched(steps, support)
        yield PhaseBegan(name="gradient", size=int(np.count_nonzero(self.alpha)))
        rest = np.flatnonzero(~np.isin(np.arange(self.n), support))
        used = np.flatnonzero(self.alpha)
        decision = yield from problem.kernel.product_steps(
            problem.points[rest], problem.points[used], (problem.y * self.alpha)[used], problem.threads
        )
        self.gradient = np.empty(self.n)
        self.gradient[support] = solution.gradient
        self.gradient[rest] = problem.y[rest] * decision + problem.linear[rest]

    def conquer(self) -> Steps[None]:
        start = self.alpha if self.alpha.any() else None
        if self.gradient is None and start is not None:
            yield PhaseBegan(name="gradient", size=int(np.count_nonzero(start)))
            self.gradient = yield from self.problem.gradient_steps(start)
        yield PhaseBegan(name="whole", size=self.n)
        steps = kernel_svm.solve(self.problem, self.settings, start, self.gradient)
        solution = yield from self._watched(steps, np.arange(self.n))
        self.gradient, self.stop_reason = solution.gradient, solution.stop_reason

    def _watched(self, steps: Steps[Solution], members: Array) -> Steps[Solution]:
        """Follow the dual solver on some of the points; its events are passed on as events about all points."""
        try:
            solution = yield from passed_on(steps, lambda event: self._as_of_all(event, members))
        except Stop as stop:
            self._keep(stop.result, members)
            raise
        self._keep(solution, members)
        if solution.stop_reason in ("cancelled", "time"):
            raise Stop(solution.stop_reason)
        return solution

    def _keep(self, solution: Solution, members: Array) -> None:
        self.alpha[members] = solution.alpha
        whole = len(members) == self.n
        self.objective, self.violation = (solution.objective, solution.violation) if whole else (np.nan, np.nan)
        self.intercept = solution.intercept
        self.iterations += solution.iterations
        self.inner_steps += solution.inner_steps

    def _as_of_all(self, event: Any, members: Array) -> Event | None:
        if isinstance(event, Iteration):
            full: dict[str, Any] = {"working_set": members[event.working_set]}
            for name in ("alpha", "gradient", "active"):
                part = getattr(event, name)
                full[name] = np.zeros(self.n, part.dtype)
                full[name][members] = part
            return replace(event, iteration=self.iterations + event.iteration, **full)
        passes = isinstance(event, ActiveSetChanged) or (isinstance(event, PhaseBegan) and event.name == "look at all")
        return event if passes else None

    # ---- the solution ----

    def solution(self) -> DCSVMSolution:
        problem, support = self.problem, self.problem.support(self.alpha)
        known = self.gradient is not None and self.stop_reason not in ("early", "cancelled", "time")
        gradient = self.gradient if self.gradient is not None else np.full(self.n, np.nan)
        return DCSVMSolution(
            alpha=self.alpha,
            gradient=gradient,
            intercept=self.intercept,
            objective=self.objective,
            violation=self.violation,
            stop_reason=self.stop_reason,
            iterations=self.iterations,
            inner_steps=self.inner_steps,
            n_free=len(support.free),
            n_bound=len(support.bound),
            gap=problem.gap(self.alpha, gradient, self.intercept) if known else np.nan,
            partition=self.partition if self.settings.stop_level else None,
            intercepts=self.intercepts,
        )


def balanced(alpha: Array, y: Array) -> Array:
    """Alpha with y'alpha = 0: the class with the larger sum gives up its smallest ones, which matter least."""
    surplus = float(y @ alpha)
    heavy = np.flatnonzero((y * surplus > 0) & (alpha > 0))
    if not len(heavy):
        return alpha
    heavy = heavy[np.argsort(alpha[heavy], kind="stable")]
    before = np.concatenate([[0.0], np.cumsum(alpha[heavy])[:-1]])
    result = alpha.copy()
    result[heavy] -= np.clip(abs(surplus) - before, 0.0, alpha[heavy])
    # Where next to nothing is left, that is rounding.
    return result if abs(y @ result) <= 1e-9 * result.sum() else np.zeros(len(alpha))
