"""Kronecker factorisation: K ~ B (x) C, with B as large as there are groups of points and C as a group is large.

Least squares: of the blocks that the groups cut K into, each is to be b_ij C. That is the best approximation of rank 1
of the blocks' table, a row for each block (Van Loan and Pitsianis), found by alternating between B and C. Many points
are judged by some: B from some places of every group, C from some groups.

What has to be chosen, and was: there are as many groups as a group has points, about; the points are put in order by
cluster, in equal ones, since blocks are alike only if groups are. What n1 n2 leaves over stays on the diagonal.
Both factors are kept symmetric and their eigenvalues positive. B (x) C + D is no Kronecker product; rather than
factorise it anew, as the paper does, it is solved by conjugate gradients, with (B (x) C) vec(X) = vec(C X B').
"""

import numpy as np

from engine.events import Array, Steps
from engine.problem import Problem
from engine.threads import for_each, serial_blas

SAMPLE = 3000  # points whose kernel matrix a factor is fitted to
ALTERNATIONS = 20
SETTLED = 1e-6  # relative change of B at which they end
FLOOR = 1e-6  # least eigenvalue of a factor, as a part of its largest
MOST_STEPS = 200  # of conjugate gradients
ACCURACY = 1e-4  # of a solution, relative to its right-hand side
ROWS = 64  # groups that one thread works on
BREATH = 1e8  # multiplications between two breaths


class Kronecker:
    """B, C, the order of the points, and those left over."""

    kind = "kronecker"
    single = False

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem, self.n = problem, len(problem)
        self.groups = max(1, int(np.sqrt(self.n)))
        self.places = self.n // self.groups
        self.order = self.rest = np.empty(0, int)
        self.B, self.C = np.empty((0, 0)), np.empty((0, 0))
        self.error = np.nan
        self.steps_taken = 0  # of conjugate gradients
        self._rng = np.random.default_rng([seed, 5])
        self._breath = max(1, int(BREATH / (2 * self.n * (self.groups + self.places))))

    @property
    def rank(self) -> int:
        """Of a matrix that is positive definite."""
        return self.n

    @property
    def bytes(self) -> int:
        """Of the two factors."""
        return self.B.nbytes + self.C.nbytes

    # ---- the factorisation ----

    def steps(self) -> Steps[None]:
        """Find B and C."""
        self.order = yield from _by_cluster(self.problem.points.X, self.groups, self.places)
        self.rest = np.setdiff1d(np.arange(self.n), self.order)
        grid = self.order.reshape(self.groups, self.places)
        some_places = self._some(self.places, SAMPLE // self.groups)
        table = yield from self._blocks(grid[:, some_places])
        c = table.mean(axis=0, dtype=np.float64)
        b = np.zeros(len(table))
        for _ in range(ALTERNATIONS):
            before = b
            b = (table @ c.astype(table.dtype)).astype(np.float64) / (c @ c)
            c = (b.astype(table.dtype) @ table).astype(np.float64) / (b @ b)
            yield None
            if np.linalg.norm(b - before) <= SETTLED * np.linalg.norm(b):
                break
        B = b.reshape(self.groups, self.groups)
        left = np.einsum("ij,ij->", table, table, dtype=np.float64)
        off = max(0.0, left - (b @ b) * (c @ c))
        self.error = float(np.sqrt(off / left)) if left else 0.0
        if len(some_places) < self.places:
            some_groups = self._some(self.groups, SAMPLE // self.places)
            table = yield from self._blocks(grid[some_groups].T)
            c = table @ B[np.ix_(some_groups, some_groups)].ravel().astype(table.dtype)
            c = c.astype(np.float64) / (B[np.ix_(some_groups, some_groups)] ** 2).sum()
        C = c.reshape(self.places, self.places)
        sign = 1.0 if np.trace(B) >= 0 else -1.0
        self.B = _positive(sign * B)
        yield None
        self.C = _positive(sign * C)
        self.diagonal = self._laid_out(np.outer(np.diagonal(self.B), np.diagonal(self.C))[None])[0]
        self.diagonal[self.rest] = self.problem.diagonal[self.rest]

    def _some(self, of: int, most: int) -> Array:
        count = max(2, min(of, most))
        return np.arange(of) if count >= of else np.sort(self._rng.permutation(of)[:count])

    def _blocks(self, grid: Array) -> Steps[Array]:
        """The table of blocks: K between groups i and j, as row (i, j), for the points of a grid (groups x places)."""
        kernel, points, threads = self.problem.kernel, self.problem.points, self.problem.threads
        groups, places = grid.shape
        everything = points[grid.ravel()]
        table = np.empty((groups, groups, places * places), kernel.store)
        for i in range(groups):
            block = np.empty((places, groups * places), kernel.store)
            for _ in kernel.block_steps(points[grid[i]], everything, block, np.arange(places), threads):
                yield None
            table[i] = block.reshape(places, groups, places).transpose(1, 0, 2).reshape(groups, -1)
            yield None
        return table.reshape(groups * groups, -1)

    # ---- as a factor ----

    def product(self, V: Array) -> Steps[Array]:
        """B (x) C times the rows of V; points left over have their diagonal."""
        yield None
        return self._times(V)

    def _times(self, V: Array) -> Array:
        X = V[:, self.order].reshape(len(V), self.groups, self.places)
        product = np.empty_like(X)

        def work(top: int) -> None:
            for one, right in zip(product, X, strict=True):
                one[top : top + ROWS] = self.B[top : top + ROWS] @ right @ self.C

        for_each(work, range(0, self.groups, ROWS), self.problem.threads)
        out = self._laid_out(product)
        out[:, self.rest] = V[:, self.rest] * self.problem.diagonal[self.rest]
        return out

    def _laid_out(self, X: Array) -> Array:
        out = np.zeros((len(X), self.n))
        out[:, self.order] = X.reshape(len(X), -1)
        return out

    def prepare(self, D: Array) -> Steps[None]:
        """Nothing is factorised."""
        self._D = D
        yield None

    def solve(self, V: Array) -> Steps[Array]:
        """Conjugate gradients for each row, with the diagonal as preconditioner."""
        out = np.empty_like(V)
        for place, right in enumerate(V):
            out[place] = yield from self._gradients(right)
        return out

    def _gradients(self, right: Array) -> Steps[Array]:
        inverse = 1.0 / (self.diagonal + self._D)
        x, rest = np.zeros(self.n), right.copy()
        scaled = inverse * rest
        direction, size = scaled, float(rest @ scaled)
        target = ACCURACY * float(np.linalg.norm(right))
        for step in range(MOST_STEPS):
            if float(np.linalg.norm(rest)) <= target:
                break
            image = self._times(direction[None])[0] + self._D * direction
            length = size / float(direction @ image)
            x, rest = x + length * direction, rest - length * image
            scaled = inverse * rest
            before, size = size, float(rest @ scaled)
            direction = scaled + size / before * direction
            self.steps_taken += 1
            if step % self._breath == self._breath - 1:
                yield None
        return x


def _by_cluster(X: Array, groups: int, places: int) -> Steps[Array]:
    """Points in order: halved again and again where they spread most, until there are groups; sorted in each."""
    order: list[Array] = []
    waiting = [(np.arange(groups * places), groups)]
    while waiting:
        members, parts = waiting.pop()
        part = X[members]
        members = members[np.argsort(part[:, part.var(axis=0).argmax()], kind="stable")]
        yield None
        if parts == 1:
            order.append(members)
        else:
            half = parts // 2
            waiting += [(members[half * places :], parts - half), (members[: half * places], half)]
    return np.concatenate(order)


def _positive(A: Array) -> Array:
    """The symmetric part of A with its eigenvalues raised to a part of the largest."""
    with serial_blas():
        values, vectors = np.linalg.eigh((A + A.T) / 2)
        values = np.maximum(values, FLOOR * max(float(values[-1]), np.finfo(float).tiny))
        A = (vectors * values) @ vectors.T
    return (A + A.T) / 2
