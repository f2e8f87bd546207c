"""Diagnostics of DC-SVM's theory, level by level: D(pi), the bounds of Theorems 1 and 3, the certificate of Theorem 2.

The theorems hold without a bias only: two far cells of one class each have alpha = 0 and D(pi) near 0, and the whole
problem with a bias has another solution. With a bias no bound is computed and no point certified.

None of it is needed for the solution, and most of it takes as many kernel evaluations as a solution. The setting
`instruments` says how much: "auto" measures everything on few points and an estimate of D(pi) on many, "all"
everything, "none" nothing.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps
from engine.systems.dcsvm.events import LevelJudged, LevelMeasured
from engine.systems.dcsvm.partition import Partition

AFFORDABLE = 5000  # points, with "auto"
CERTIFIABLE = 1000  # points: Theorem 2 needs the smallest eigenvalue of the whole kernel matrix
WAIT = 0.02  # seconds between two breaths while the eigenvalue is computed


@dataclass(frozen=True)
class _Level:
    level: int
    labels: Array
    support: Array
    objective: float
    bound: float


class Theory:
    """The theory of one run: measures each level when it is solved, and compares all levels with the solution."""

    def __init__(self, problem: Problem, which: str) -> None:
        # Diagnostics are not counted as the solver's work.
        self._problem = replace(problem, kernel=replace(problem.kernel, counter=Counter()))
        self._some = which != "none"
        self._all = which == "all" or (which == "auto" and len(problem) <= AFFORDABLE)
        self._levels: list[_Level] = []
        self._eigenvalue: float | None = None
        self._C = float(problem.upper.max())

    def measure(self, level: int, partition: Partition, alpha: Array, block_gradient: Array) -> Steps[None]:
        """D(pi), f(alpha), Theorem 1's bound and Theorem 2's certificate of a level that was just solved."""
        problem = self._problem
        objective, between, eigenvalue, certified = np.nan, np.nan, np.nan, np.empty(0, bool)
        if self._some:
            rng = None if self._all else np.random.default_rng(level)
            between = yield from between_steps(problem.kernel, problem.points, partition.labels, problem.threads, rng)
        if self._all:
            gradient = yield from problem.gradient_steps(alpha)
            objective = problem.objective(alpha, gradient)
            if len(problem) <= CERTIFIABLE and not problem.bias:
                eigenvalue = yield from self._smallest_eigenvalue()
                certified = self._certified(alpha, block_gradient, between, eigenvalue)
        bound = np.nan if problem.bias else 0.5 * self._C * self._C * between
        self._levels.append(_Level(level, partition.labels, alpha > 0, objective, bound))
        if self._some:
            yield LevelMeasured(
                level=level, between=between, exact=self._all, objective=objective, bound=bound,
                smallest_eigenvalue=eigenvalue, certified=certified,
            )  # fmt: skip

    def judge(self, alpha: Array, objective: float) -> Steps[None]:
        """Compare all levels with the solution."""
        final = alpha > 0
        for past in self._levels:
            refined = np.nan
            if self._all and not self._problem.bias:
                either = np.flatnonzero(past.support | final)
                points, kernel = self._problem.points[either], self._problem.kernel
                between = yield from between_steps(kernel, points, past.labels[either], self._problem.threads)
                refined = 0.5 * self._C * self._C * between
            both = int(np.count_nonzero(past.support & final))
            yield LevelJudged(
                level=past.level, gap=past.objective - objective, bound=past.bound if self._all else np.nan,
                refined_bound=refined, precision=both / max(1, int(past.support.sum())),
                recall=both / max(1, int(final.sum())),
            )  # fmt: skip

    def _certified(self, alpha: Array, block_gradient: Array, between: float, eigenvalue: float) -> Array:
        """Theorem 2: alpha_i = 0, and the gradient within its cell so large that nothing outside can outweigh it."""
        if eigenvalue <= 0:
            return np.zeros(len(alpha), bool)
        largest = float(self._problem.diagonal.max())
        needed = self._C * (between + np.sqrt(len(alpha) * between / eigenvalue) * largest)
        return (alpha == 0) & (block_gradient > needed)

    def _smallest_eigenvalue(self) -> Steps[float]:
        if self._eigenvalue is None:
            problem = self._problem
            K = problem.kernel.block(problem.points, problem.points, threads=problem.threads).astype(np.float64)
            with ThreadPoolExecutor(1) as pool:
                future = pool.submit(np.linalg.eigvalsh, (K + K.T) / 2)
                while not future.done():
                    try:
                        future.exception(timeout=WAIT)
                    except TimeoutError:
                        yield None
                self._eigenvalue = float(future.result()[0])
        return self._eigenvalue


ROWS_OF_ESTIMATE = 256


def between_steps(
    kernel: Kernel, points: Points, labels: Array, threads: int, rng: np.random.Generator | None = None
) -> Steps[float]:
    """D(pi), the sum of |K(x_i, x_j)| over all i and j in different cells; with `rng` estimated from some rows."""
    n = len(points)
    estimated = rng is not None and n > ROWS_OF_ESTIMATE
    rows = np.sort(rng.permutation(n)[:ROWS_OF_ESTIMATE]) if rng is not None and estimated else np.arange(n)
    total = 0.0
    step = kernel.rows_per_slice(n)
    for top in range(0, len(rows), step):
        part = rows[top : top + step]
        values = kernel.block(points[part], points, threads=threads)
        total += _mass_between(values, labels[part], labels)
        yield None
    return total * n / len(rows)


@njit(nogil=True, cache=True)
def _mass_between(values, row_labels, labels):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if labels[j] != row_labels[i]:
                total += abs(values[i, j])
    return total
