"""The exact factorisation: all of K, by Cholesky, for few points."""

import numpy as np
import scipy

from engine.numerics.cholesky import PANEL, cholesky, lower_to_upper
from engine.optimisation.dual_problem import Problem
from engine.runtime.errors import invalid
from engine.runtime.events import Array, Steps
from engine.runtime.threads import for_each, serial_blas

MOST_POINTS = 5000  # of full Cholesky: K and its factor take 400 MB


class FullCholesky:
    """K itself; K + D is factorised afresh for each D."""

    kind = "cholesky"
    single = False

    def __init__(self, problem: Problem) -> None:
        if len(problem) > MOST_POINTS:
            raise invalid(
                "scheme", "cholesky", f'for at most {MOST_POINTS} points; "icf" takes more (there are {len(problem)})'
            )
        self._problem = problem
        self.K = np.empty((0, 0))

    @property
    def rank(self) -> int:
        """The number of points: nothing of K is left out."""
        return len(self._problem)

    @property
    def bytes(self) -> int:
        """K and its factor."""
        return 2 * 8 * len(self._problem) ** 2

    def steps(self) -> Steps[None]:
        """Compute K."""
        kernel, points, n = self._problem.kernel, self._problem.points, len(self._problem)
        K = np.empty((n, n), kernel.store)
        yield from kernel.block_steps(points, points, K, np.arange(n), self._problem.threads)
        self.K, self._matrix = np.empty((n, n)), np.empty((n, n))
        for top in range(0, n, PANEL):
            rows = slice(top, top + PANEL)
            self.K[rows] = K[rows]
            # A GEMM may round the two sides of the diagonal differently: the lower half counts.
            self.K[:top, rows] = self.K[rows, :top].T
            lower_to_upper(self.K[rows, rows])
            yield None
        np.fill_diagonal(self.K, self._problem.diagonal)

    def product(self, V: Array) -> Steps[Array]:
        """K times the rows of V."""
        out = np.empty_like(V)

        def work(top: int) -> None:
            out[:, top : top + PANEL] = V @ self.K[top : top + PANEL].T

        with serial_blas():
            for_each(work, range(0, len(self.K), PANEL), self._problem.threads)
        yield None
        return out

    def prepare(self, D: Array) -> Steps[None]:
        """Factorise K + D."""
        n = len(self.K)
        for top in range(0, n, PANEL):
            self._matrix[top : top + PANEL] = self.K[top : top + PANEL]
            if top % (4 * PANEL) == 0:
                yield None
        self._matrix[np.diag_indices(n)] += D
        self._lower = yield from cholesky(self._matrix, self._problem.threads)

    def solve(self, V: Array) -> Steps[Array]:
        """Solve (K + D) x = v for each row v of V, by two triangular systems."""
        with serial_blas():
            half = scipy.linalg.solve_triangular(self._lower, V.T, lower=True, check_finite=False)
        yield None
        with serial_blas():
            whole = scipy.linalg.solve_triangular(self._lower, half, lower=True, trans="T", check_finite=False)
        yield None
        return np.ascontiguousarray(whole.T)
