"""An iterate of the factorised problem evaluated on the exact one: objective, duality gap, bias.

During the run these are diagnostics; at the end the bias is part of the solution.
"""

from dataclasses import replace

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps

KEPT = 2000  # points up to which the kernel matrix is kept and every iteration measured
FREE = 1000  # free support vectors that give the bias
AFFORDABLE = {"none": 5e8, "auto": 1e10, "all": np.inf}  # kernel values for the gradient at the end


class ExactProblem:
    """Evaluates iterates with the exact kernel; `instruments` says how much may be computed."""

    def __init__(self, problem: Problem, instruments: str, seed: int) -> None:
        self.problem, self.instruments, self._seed = problem, instruments, seed
        # Diagnostics are not counted as the solver's work.
        self._watched = replace(problem, kernel=replace(problem.kernel, counter=Counter()))
        self._matrix: Array | None = None

    @property
    def silent(self) -> bool:
        """Whether nothing is measured during the run."""
        return self.instruments == "none"

    @property
    def watching(self) -> bool:
        """Whether every iteration is evaluated."""
        return not self.silent and (len(self.problem) <= KEPT or self.instruments == "all")

    def block(self, which: Array) -> Array:
        """The kernel matrix between some points."""
        points = self.problem.points[which]
        return self._watched.kernel.block(points, points, threads=self.problem.threads).astype(np.float64)

    def during_the_run(self, alpha: Array, intercept: float) -> Steps[tuple[float, float]]:
        """Exact objective and duality gap at an iterate; NaN if `watching` is False."""
        problem = self._watched
        if not self.watching:
            return np.nan, np.nan
        if len(problem) > KEPT:
            gradient = yield from problem.gradient_steps(alpha)
        else:
            if self._matrix is None:
                self._matrix = self.block(np.arange(len(problem)))
            gradient = problem.y * (self._matrix @ (problem.y * alpha)) + problem.linear
        return problem.objective(alpha, gradient), problem.gap(alpha, gradient, intercept)

    def at_the_end(self, alpha: Array, intercept: float) -> Steps[tuple[Array | None, float]]:
        """The exact gradient, None if it takes too many kernel evaluations, and the bias from free support vectors.

        They should all have a margin of 1; the bias is the one with which they do on average. Without any free support
        vector it is the middle of what the others allow, or that of the factorised problem.
        """
        problem = self.problem
        used = np.flatnonzero(alpha)
        if len(used) * len(problem) <= AFFORDABLE[self.instruments]:
            gradient = yield from problem.gradient_steps(alpha)
            return gradient, problem.optimality(alpha, gradient).intercept
        free = problem.support(alpha).free
        if not problem.bias or not len(free):
            return None, intercept
        if len(free) > FREE:
            free = np.sort(np.random.default_rng([self._seed, 6]).permutation(free)[:FREE])
        decision = yield from problem.kernel.product_steps(
            problem.points[free], problem.points[used], (problem.y * alpha)[used], problem.threads
        )
        return None, float(np.mean(-problem.linear[free] * problem.y[free] - decision))
