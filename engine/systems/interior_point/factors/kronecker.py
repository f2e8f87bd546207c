"""Kronecker factorisation: K ~ P (B (x) C) P', with B as large as there are groups of points, C as there are places.

A kernel matrix is a Kronecker product if the points are those of a product grid and the kernel is Gaussian. So each
point is moved to such a grid (`product_grid`), with about twice as many points as there are: P says which each has. Of
the blocks that the groups cut the grid's matrix into, each is to be b_ij C. That is the best approximation of rank 1 of
the blocks' table, a row for each block (Van Loan and Pitsianis), by least squares, alternating between B and C. There a
Gaussian kernel has no error; what is wrong is how far points were moved. Large grids are judged by some of their
points: B from some places of every group, C from some groups. One product approximates K, and no point is left over.

Both factors are kept symmetric and their eigenvalues positive. P (B (x) C) P' + D is no Kronecker product; rather than
factorise it anew, as the paper does, it is solved by conjugate gradients (`kronecker_equations`). Points that share a
cell are one there, with the harmonic sum of their D:

    (P K P' + D)^-1 v = D^-1 (v - P K s),     (K + W^-1) s = W^-1 P'D^-1 v,     W = P'D^-1 P
"""

import numpy as np

from engine.numerics.points import Points
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps
from engine.runtime.threads import run_in_thread, serial_blas
from engine.systems.interior_point.factors.kronecker_equations import CellSystem
from engine.systems.interior_point.factors.product_grid import lay_grid

SIDE = 1.5  # times the root of n: groups, and places
SAMPLE = 3000  # points whose kernel matrix a factor is fitted to
JUDGED = 1500  # points that the error is measured on
CANDIDATES = 8  # pairs of factors that alternate together: one alone is slow to leave the second best behind
ALTERNATIONS = 50
SETTLED = 1e-7  # relative change of B at which they end
NOTHING = 1e-13  # square of a length that is rounding, as a part of the largest
FLOOR = 1e-6  # least eigenvalue of a factor, as a part of its largest
ACCURACY = 1e-4  # of a solution, relative to its right-hand side,
CLOSE = 1e-3  # and on average, in margins: at the start right-hand sides are huge, and multipliers are not


class Kronecker:
    """B, C, the grid, and the points in the order of its cells."""

    kind = "kronecker"
    single = False

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem, self.n = problem, len(problem)
        self.order = np.empty(0, int)
        self.B, self.C = np.empty((0, 0)), np.empty((0, 0))
        self.error = np.nan
        self._rng = np.random.default_rng([seed, 5])

    @property
    def rank(self) -> int:
        """At most, whatever cells are shared."""
        return self.n

    @property
    def bytes(self) -> int:
        """Memory of the two factors and the preconditioner."""
        return self._system.bytes

    # ---- the factorisation ----

    def steps(self) -> Steps[None]:
        """Lay the grid; find B and C."""
        side = max(1, int(SIDE * np.sqrt(self.n)))
        self.grid = yield from lay_grid(self.problem.points.X, side, self._rng, self.problem.kernel.counter)
        self.groups, self.places = len(self.grid.first), len(self.grid.second)
        self.cells = self.grid.cells
        self.order = np.argsort(self.cells, kind="stable")
        some_places = self._some(self.places, SAMPLE // self.groups)
        table = yield from self._blocks(np.arange(self.groups), some_places)
        b, c = yield from self._alternate(table)
        B = b.reshape(self.groups, self.groups)
        if len(some_places) < self.places:
            some_groups = self._some(self.groups, SAMPLE // self.places)
            table = yield from self._blocks(some_groups, np.arange(self.places), by_place=True)
            c = table @ B[np.ix_(some_groups, some_groups)].ravel().astype(table.dtype)
            c = c.astype(np.float64) / (B[np.ix_(some_groups, some_groups)] ** 2).sum()
        C = c.reshape(self.places, self.places)
        sign = 1.0 if np.trace(B) >= 0 else -1.0
        of_B = yield from run_in_thread(lambda: _positive(sign * B))
        of_C = yield from run_in_thread(lambda: _positive(sign * C))
        self.B, self.C = of_B[0], of_C[0]
        used, self._owner = np.unique(self.cells, return_inverse=True)
        self._shared = np.bincount(self._owner).astype(float)
        self._system = CellSystem(of_B, of_C, used, self.problem.threads)
        yield from self._system.begin()
        self.error = self._error()
        yield None

    def _alternate(self, table: Array) -> Steps[tuple[Array, Array]]:
        """The b and c with which b c' is nearest to the table: of several pairs, the one with most of it."""
        width = min(CANDIDATES, *table.shape)
        c = self._rng.normal(size=(table.shape[1], width))
        c[:, 0] = table.mean(axis=0, dtype=np.float64)
        b = np.zeros(len(table))
        yield None
        for _ in range(ALTERNATIONS):
            before = b
            left = _orthonormal((table @ _orthonormal(c).astype(table.dtype)).astype(np.float64))
            yield None
            c = (table.T @ left.astype(table.dtype)).astype(np.float64)
            yield None
            b = left @ np.linalg.eigh(c.T @ c)[1][:, -1]
            b *= np.sign(b.sum()) or 1.0
            if np.linalg.norm(b - before) <= SETTLED:
                break
        return b, (b.astype(table.dtype) @ table).astype(np.float64)

    def between(self, which: Array) -> Array:
        """The approximate kernel matrix between some points."""
        group, place = self.grid.group[which], self.grid.place[which]
        return self.B[np.ix_(group, group)] * self.C[np.ix_(place, place)]

    def _error(self) -> float:
        """|K - B (x) C| / |K| on the matrix of some points."""
        some = self._some(self.n, JUDGED)
        points = self.problem.points[some]
        K = self.problem.kernel.block(points, points, threads=self.problem.threads).astype(np.float64)
        size = float(np.linalg.norm(K))
        return float(np.linalg.norm(K - self.between(some))) / size if size else 0.0

    def _some(self, of: int, most: int) -> Array:
        count = max(2, min(of, most))
        return np.arange(of) if count >= of else np.sort(self._rng.permutation(of)[:count])

    def points_of(self, groups: Array, places: Array) -> Points:
        """Points of the grid, for the kernel."""
        kernel = self.problem.kernel
        return kernel.points(kernel.raw(self.grid.points(groups, places)))

    def _blocks(self, groups: Array, places: Array, by_place: bool = False) -> Steps[Array]:
        """The table of blocks: K between groups i and j of the grid, as row (i, j); or between places."""
        kernel, threads = self.problem.kernel, self.problem.threads
        outer, inner = (places, groups) if by_place else (groups, places)
        first, second = np.repeat(outer, len(inner)), np.tile(inner, len(outer))
        everything = self.points_of(second, first) if by_place else self.points_of(first, second)
        count, size = len(outer), len(inner)
        table = np.empty((count, count, size * size), kernel.store)
        for i in range(count):
            block = np.empty((size, count * size), kernel.store)
            rows = everything[i * size : (i + 1) * size]
            for _ in kernel.block_steps(rows, everything, block, np.arange(size), threads):
                yield None
            table[i] = block.reshape(size, count, size).transpose(1, 0, 2).reshape(count, -1)
            yield None
        return table.reshape(count * count, -1)

    # ---- as a factor ----

    def product(self, V: Array) -> Steps[Array]:
        """P (B (x) C) P' times the rows of V."""
        out = np.empty_like(V)
        for place, v in enumerate(V):
            out[place] = (yield from self._system.times(np.bincount(self._owner, v)))[self._owner]
        return out

    def prepare(self, D: Array) -> Steps[None]:
        """Bring D to the cells."""
        self._inverse = 1.0 / D
        self._D = 1.0 / np.bincount(self._owner, self._inverse)
        yield from self._system.prepare(self._D)

    def solve(self, V: Array) -> Steps[Array]:
        """One row after the other."""
        out = np.empty_like(V)
        for place, v in enumerate(V):
            right = self._D * np.bincount(self._owner, self._inverse * v)
            target = min(ACCURACY * float(np.linalg.norm(v)), CLOSE * np.sqrt(self.n))
            s = yield from self._system.solve(right, self._shared, target)
            K_s = right - self._D * s
            out[place] = self._inverse * (v - K_s[self._owner])
        return out


def _orthonormal(A: Array) -> Array:
    """Columns that span what the few columns of A do."""
    sizes, vectors = np.linalg.eigh(A.T @ A)
    return A @ (vectors[:, sizes > NOTHING * sizes[-1]] / np.sqrt(sizes[sizes > NOTHING * sizes[-1]]))


def _positive(A: Array) -> tuple[Array, Array, Array]:
    """The symmetric part of A with its eigenvalues raised to a part of the largest; these, and its eigenvectors."""
    with serial_blas():
        values, vectors = np.linalg.eigh((A + A.T) / 2)
        values = np.maximum(values, FLOOR * max(float(values[-1]), np.finfo(float).tiny))
        A = (vectors * values) @ vectors.T
    return (A + A.T) / 2, values, vectors
