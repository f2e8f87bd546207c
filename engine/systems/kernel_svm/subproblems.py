"""Subproblems through an executor: threads of this process by default, or whatever `concurrent.futures` machinery is
handed over, a Dask cluster for one.

Results come in the order of the subproblems, each with its own count of kernel evaluations, so that a run is the same
however many work on it. Own threads hold still while the solver that waits for them is suspended: a paused run pauses.
"""

from dataclasses import dataclass

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Stop
from engine.runtime.executor import Gate
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.settings import DualSettings


@dataclass(frozen=True)
class Subproblem:
    """The problem of some points, from a start."""

    members: Array
    alpha: Array


@dataclass(frozen=True)
class Solved:
    """What comes back of a subproblem."""

    alpha: Array
    gradient: Array
    objective: float
    violation: float
    iterations: int
    evaluations: int


def solve_subproblem(
    shared: tuple[Problem, DualSettings], members: Array, alpha: Array, threads: int, gate: Gate | None
) -> Solved:
    """What a worker does."""
    problem, settings = shared
    counter = Counter()
    part = problem.part(members, counter, threads)
    # Together the parts that may be in work at a time keep to the limit of the whole.
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
    return Solved(found.alpha, found.gradient, found.objective, found.violation, found.iterations, counter.value)
