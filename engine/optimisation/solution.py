"""`Solution`: what a solver of the dual problem returns."""

from dataclasses import dataclass, fields

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Finished


@dataclass(frozen=True, eq=False)
class Solution:
    """What the dual solver returns."""

    alpha: Array
    gradient: Array
    intercept: float
    objective: float
    violation: float
    stop_reason: str
    iterations: int
    inner_steps: int
    n_free: int
    n_bound: int
    gap: float

    @classmethod
    def measured(
        cls, problem: Problem, alpha: Array, gradient: Array, *, stop_reason: str, iterations: int, inner_steps: int
    ) -> "Solution":
        """A solution with all that can be measured from alpha and its gradient."""
        now, support = problem.optimality(alpha, gradient), problem.support(alpha)
        return cls(
            alpha=alpha,
            gradient=gradient,
            intercept=now.intercept,
            objective=problem.objective(alpha, gradient),
            violation=now.violation,
            stop_reason=stop_reason,
            iterations=iterations,
            inner_steps=inner_steps,
            n_free=len(support.free),
            n_bound=len(support.bound),
            gap=problem.gap(alpha, gradient, now.intercept),
        )

    def expansion(self, signs: Array) -> tuple[Array, Array]:
        """The points that the decision function is a sum over, and their signed coefficients."""
        used = np.flatnonzero(self.alpha)
        return used, (signs * self.alpha)[used]

    def event(self) -> Finished:
        """The closing event of the run."""
        return Finished(**{item.name: getattr(self, item.name) for item in fields(Solution) if item.name != "gradient"})
