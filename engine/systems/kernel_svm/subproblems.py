"""Parts of a dual problem, solved in parallel through an executor: local threads, or for example a Dask cluster."""

from collections.abc import Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Stop
from engine.runtime.executor import PauseGate, WorkQueue
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.settings import DualSettings


@dataclass(frozen=True)
class Subproblem:
    """Which points, and the alpha to start from."""

    members: Array
    alpha: Array


@dataclass(frozen=True)
class Solved:
    """The solution of a subproblem, as a worker returns it."""

    alpha: Array
    gradient: Array
    objective: float
    violation: float
    iterations: int
    evaluations: int
    intercept: float = 0.0


class SubproblemQueue(WorkQueue[Solved]):
    """Solves subproblems of one problem in parallel."""

    def __init__(self, problem: Problem, settings: DualSettings, executor: Executor | None) -> None:
        shared = problem.without_source(), settings
        super().__init__(solve_subproblem, shared, problem.threads, problem.kernel.counter, executor)

    def solve(self, subproblems: Sequence[Subproblem]) -> "list[Future[Solved]]":
        """Hand out all subproblems; their work grows with the square of their points."""
        return self.submit(subproblems, [len(item.members) ** 2 for item in subproblems])


def solve_subproblem(
    shared: tuple[Problem, DualSettings], subproblem: Subproblem, threads: int, gate: PauseGate | None
) -> Solved:
    """Solve one subproblem: the work of one worker, on this computer or another."""
    problem, settings = shared
    members, alpha = subproblem.members, subproblem.alpha
    counter = Counter()
    part = problem.part(members, counter, threads)
    # The caches of all parts that are solved at a time keep to the limit of the whole problem.
    values = {name: getattr(settings, name) for name in DualSettings.names()}
    least = 3 * len(members) * np.dtype(part.kernel.store).itemsize / 2**20
    values["cache_mb"] = max(settings.cache_mb * len(members) / len(problem), least)
    steps = solve(part, DualSettings(**values), alpha if alpha.any() else None)
    stop = None
    try:
        next(steps)
        while True:
            if gate is not None and stop is None and (stop := gate.pass_through()) is not None:
                steps.throw(Stop(stop))
            else:
                next(steps)
    except StopIteration as end:
        found = end.value
    except Stop as passed:
        found = passed.result
    return Solved(
        found.alpha, found.gradient, found.objective, found.violation, found.iterations, counter.value, found.intercept
    )
