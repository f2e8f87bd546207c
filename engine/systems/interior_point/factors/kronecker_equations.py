"""Linear systems with (B (x) C) + D at some cells of a grid, by conjugate gradients: D positive and diagonal.

    (B (x) C) vec(X) = vec(C X B')

The preconditioner is HH' + D. The first columns of H are the leading eigenvectors of B (x) C, products of those of B
and C. Towards the end of a central path D is tiny at few cells, those of free support vectors, and the rest of B (x) C
matters there: when solutions take many steps, H also gets what the eigenvectors leave of the columns of such cells.
"""

import numpy as np
import scipy

from engine.numerics.cholesky import cholesky
from engine.runtime.events import Array, Steps
from engine.runtime.threads import for_each, serial_blas
from engine.systems.interior_point.factors.low_rank import FLOPS, PANEL, LowRankFactor

LEADING = 2 * PANEL  # eigenvectors of the preconditioner
MOST_CELLS = 8 * PANEL  # whose columns it may have beside them
PATIENCE = 100  # steps for one D after which it gets twice as many
SMALL = 1e-2  # part of D that may be wrong of such a column: what makes their matrix definite
RIDGE = 1e-9  # of the largest rest, likewise
MOST_STEPS = 300  # of one solution
ROWS, TILE = 64, 512  # groups, and cells, that one thread works on
MANY = 8192  # cells that are looked at between two breaths


class CellSystem:
    """B, C with their eigenvalues and -vectors, the cells (as groups and places), and the D of the moment."""

    def __init__(
        self, of_B: tuple[Array, Array, Array], of_C: tuple[Array, Array, Array], cells: Array, threads: int
    ) -> None:
        (self.B, b, left), (self.C, c, right) = of_B, of_C
        self.cells, self.threads = cells, threads
        self.group, self.place = np.divmod(cells, len(c))
        self.steps_taken = self._before = self._known = 0
        # The product of two eigenvectors is one of B (x) C, and so with the eigenvalues.
        first, second = np.divmod(np.argsort(-np.outer(b, c).ravel(), kind="stable")[:LEADING], len(c))
        self._left, self._right = left[:, first], right[:, second] * np.sqrt(b[first] * c[second])

    def begin(self) -> Steps[None]:
        """Find the leading eigenvectors at the cells, and what they leave of the diagonal."""
        rank, n = self._left.shape[1], len(self.cells)
        self._leading = [np.empty((n, min(PANEL, rank - left)), np.float32) for left in range(0, rank, PANEL)]
        self._rest = np.diag(self.B)[self.group] * np.diag(self.C)[self.place]
        for top in range(0, n, MANY):
            rows = slice(top, top + MANY)
            H = self._left[self.group[rows]] * self._right[self.place[rows]]
            for number, panel in enumerate(self._leading):
                panel[rows] = H[:, PANEL * number : PANEL * (number + 1)]
            self._rest[rows] = np.maximum(self._rest[rows] - (H**2).sum(axis=1), 0.0)
            yield None

    @property
    def bytes(self) -> int:
        """Memory of the factors and of the columns that never change."""
        return sum(part.nbytes for part in (self.B, self.C, *self._leading))

    def times(self, v: Array) -> Steps[Array]:
        """B (x) C times values at the cells, there."""
        X = np.zeros((len(self.B), len(self.C)))
        X.ravel()[self.cells] = v
        product = np.empty_like(X)

        def work(top: int) -> None:
            product[top : top + ROWS] = self.B[top : top + ROWS] @ X @ self.C

        tops = range(0, len(X), ROWS)
        step = max(self.threads, int(FLOPS / (2 * ROWS * X.size)))
        for first in range(0, len(tops), step):
            with serial_blas():
                for_each(work, tops[first : first + step], self.threads)
            yield None
        return product.ravel()[self.cells]

    def prepare(self, D: Array) -> Steps[None]:
        """Take in a diagonal; make the preconditioner."""
        self._D = D
        if self.steps_taken - self._before > PATIENCE and len(self.B) * len(self.C) > LEADING:
            self._known = min(max(PANEL, 2 * self._known), MOST_CELLS, len(self.cells))
        self._before = self.steps_taken
        some = np.argsort(-self._rest / D, kind="stable")[: self._known]
        panels = [*self._leading, *((yield from self._columns_of(some)) if len(some) else [])]
        yield None
        self._near = LowRankFactor(len(self.cells), self.threads, False, panels)
        yield from self._near.prepare(D)

    def _columns_of(self, some: Array) -> Steps[list[Array]]:
        """Columns H with which HH' has what the leading eigenvectors leave of these cells' columns."""
        own = [panel[some].T.astype(np.float64) for panel in self._leading]

        def rest(rows: Array | slice) -> Array:
            out = (
                self.B[np.ix_(self.group[rows], self.group[some])] * self.C[np.ix_(self.place[rows], self.place[some])]
            )
            for panel, mine in zip(self._leading, own, strict=True):
                out -= panel[rows] @ mine
            return out

        corner = rest(some)
        corner[np.diag_indices_from(corner)] += SMALL * self._D[some] + RIDGE * float(self._rest.max())
        lower = yield from cholesky(corner, self.threads)
        inverse = scipy.linalg.solve_triangular(lower, np.eye(len(some)), lower=True, check_finite=False).T
        yield None
        starts = range(0, len(some), PANEL)
        panels = [np.empty((len(self.cells), min(PANEL, len(some) - left)), np.float32) for left in starts]

        def work(top: int) -> None:
            rows = slice(top, top + TILE)
            part = rest(rows) @ inverse
            for left, panel in zip(starts, panels, strict=True):
                panel[rows] = part[:, left : left + PANEL]

        tops = range(0, len(self.cells), TILE)
        for first in range(0, len(tops), self.threads):
            with serial_blas():
                for_each(work, tops[first : first + self.threads], self.threads)
            yield None
        return panels

    def solve(self, right: Array, weights: Array, target: float) -> Steps[Array]:
        """Conjugate gradients until the residual's weighted norm is down to `target`."""
        x, rest = np.zeros(len(right)), right.copy()
        direction, size = np.zeros(len(right)), np.inf
        for _ in range(MOST_STEPS):
            if float(weights @ rest**2) <= target**2:
                break
            [scaled] = yield from self._near.solve(rest[None])
            before, size = size, float(rest @ scaled)
            direction = scaled + size / before * direction
            image = (yield from self.times(direction)) + self._D * direction
            length = size / float(direction @ image)
            x, rest = x + length * direction, rest - length * image
            self.steps_taken += 1
        return x
