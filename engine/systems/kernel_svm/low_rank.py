"""A start for the dual solver where the kernel has few features: an interior-point method on the exact K = HH'.

Two-variable steps are slow if thousands of points span a few dimensions and C is large. But K = HH' holds exactly with
H of few columns: X itself, or the monomials of a polynomial kernel. So an interior-point iteration takes time linear in
the number of points, and about twenty of them show which points are at which bound. The few points in between follow
from a small linear system. The result is a start for decomposition, which checks it and finishes the work.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import scipy
from numba import njit

from engine.numerics.cholesky import NotPositive
from engine.numerics.jit import FAST
from engine.numerics.kernels import LOW_RANK, Kernel, rank_of
from engine.numerics.tall_products import add_times, add_transposed
from engine.optimisation.central_path import CentralPath
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps
from engine.runtime.threads import for_each, serial_blas
from engine.systems.kernel_svm.settings import DualSettings

POINTS = 5  # for each feature, at least
WORKING_SET = 1024  # least; a smaller setting asks for plain decomposition
ROWS = 8192  # of a tile that one thread works on, or fewer if there are many features
PRODUCTS = 1e7  # in a tile, at most
BATCH = 16  # tiles between two breaths
NEAR = 1e-2  # relative gap from which the linear system is tried
END = 1e-13  # relative gap at which there is no use in going on
FREE = 4, 16  # points between their bounds, for each feature and besides, with which a corner is worth trying


def is_low_rank(problem: Problem, settings: DualSettings) -> bool:
    """Whether the kernel has so few features that this is the better way."""
    kernel, n, d = problem.kernel, len(problem), problem.points.X.shape[1]
    rank = rank_of(kernel.name, d, kernel.degree, kernel.coef0)
    return (
        type(kernel) is Kernel
        and kernel.work is np.float64
        and rank <= min(LOW_RANK, n / POINTS)
        and settings.working_set >= WORKING_SET
        and bool((problem.upper > 0).all())
    )


def features(kernel: Kernel, X: Array) -> Array:
    """H: the points, or the monomials that a polynomial kernel is made of, so that K = HH'."""
    if kernel.name == "linear":
        return X
    base = np.sqrt(kernel.gamma) * X
    if kernel.coef0:
        base = np.column_stack([base, np.full(len(X), np.sqrt(kernel.coef0))])
    columns = []
    for choice in combinations_with_replacement(range(base.shape[1]), kernel.degree):
        powers = np.bincount(choice)
        times = factorial(kernel.degree) // prod(factorial(int(power)) for power in powers)
        columns.append(np.sqrt(times) * np.prod(base[:, choice], axis=1))
    return np.column_stack(columns)


class LowRankPath:
    """Follows the central path of K = HH'. After each step `alpha` is feasible, and `gradient` is that at `alpha`."""

    def __init__(self, problem: Problem, tol: float, slack: Array | None = None) -> None:
        """`slack` is y d(x) - 1 for each point, of a known model that is likely near the solution."""
        self.problem, self.tol = problem, tol
        self.H = features(problem.kernel, problem.points.X)
        self.path = CentralPath(problem, _Features(self.H, problem.threads))
        if slack is None:
            self.path.set_start()
        else:
            self.path.start_from_slack(slack)
        self.alpha, self.gradient = np.zeros(len(problem)), problem.linear.copy()
        self.arrived = False  # or it cannot go on

    def advance(self) -> Steps[None]:
        """One step; at the solution, or where floating-point arithmetic allows no more, it has `arrived`."""
        path = self.path
        if not path.begun:
            yield from path.begin()
        yield from path.advance()
        now = path.measures()
        alpha = path.on_bounds()
        corner = self._corner(alpha) if now.relative_gap <= NEAR else None
        y = self.problem.y
        [Ka] = yield from path.factor.product((y * (alpha if corner is None else corner))[None])
        gradient = y * Ka + self.problem.linear
        if corner is not None:
            self.arrived = self.problem.optimality(corner, gradient).violation <= self.tol
            alpha = corner
        self.alpha, self.gradient = alpha, gradient
        self.arrived = self.arrived or bool(path.failure) or now.within(END)

    def _corner(self, alpha: Array) -> Array | None:
        """Solve for the points between their bounds with all others where they are; None if that leaves the bounds."""
        problem, (free, _) = self.problem, self.problem.support(alpha)
        if len(free) > FREE[0] * self.H.shape[1] + FREE[1]:
            return None
        rest = alpha.copy()
        rest[free] = 0.0
        y, size = problem.y, len(free)
        F = y[free, None] * self.H[free]
        with serial_blas():
            pull = F @ ((y * rest) @ self.H) + problem.linear[free]
        system = np.zeros((size + 1, size + 1))
        system[:size, :size] = F @ F.T
        system[size, :size] = system[:size, size] = y[free]
        right = np.append(-pull, -float(y @ rest))
        if not problem.bias:
            system, right = system[:size, :size], right[:size]
        start = np.append(alpha[free], -self.path.nu)[: len(right)]
        step = np.linalg.lstsq(system, right - system @ start, rcond=None)[0]
        corner = alpha.copy()
        corner[free] += step[:size]
        inside = (corner[free] >= 0).all() and (corner[free] <= problem.upper[free]).all()
        balanced = not problem.bias or abs(float(y @ corner)) <= 1e-12 * float(corner.sum())
        return corner if inside and balanced else None


class _Features:
    """K = HH' as a `Factor` for the interior-point method."""

    kind = "features"
    single = False

    def __init__(self, H: Array, threads: int) -> None:
        self.H, self._threads = np.ascontiguousarray(H), threads
        self._rows = min(ROWS, max(1, int(PRODUCTS / H.shape[1] ** 2)))

    @property
    def rank(self) -> int:
        """The number of columns of H."""
        return self.H.shape[1]

    @property
    def bytes(self) -> int:
        """Memory of H, in bytes."""
        return self.H.nbytes

    def product(self, V: Array) -> Steps[Array]:
        """H H' times the rows of V."""
        return (yield from self._times((yield from self._transposed(V))))

    def prepare(self, D: Array) -> Steps[None]:
        """Form I + H'D^-1 H and factorise it."""
        self._inverse = 1.0 / D
        E = yield from self._summed(
            (self.rank, self.rank), lambda out, top, bottom: _add_gram(self.H, self._inverse, out, top, bottom)
        )
        self._lower, trouble = scipy.linalg.lapack.dpotrf(np.eye(self.rank) + E, lower=True)
        if trouble:
            raise NotPositive(f"pivot {trouble} of {self.rank}")
        yield None

    def solve(self, V: Array) -> Steps[Array]:
        """D^-1 V - D^-1 H E^-1 H' D^-1 V."""
        V = V * self._inverse
        inner = yield from self._transposed(V)
        back = yield from self._times(scipy.linalg.lapack.dpotrs(self._lower, inner.T, lower=True)[0].T)
        return V - self._inverse * back

    def _transposed(self, V: Array) -> Steps[Array]:
        """H' times the rows of V."""
        return self._summed((len(V), self.rank), lambda out, top, bottom: add_transposed(self.H, V, out, top, bottom))

    def _times(self, W: Array) -> Steps[Array]:
        """H times the rows of W."""
        W, out = np.ascontiguousarray(W), np.zeros((len(W), len(self.H)))
        yield from self._tiles(lambda _, top, bottom: add_times(self.H, W, out, top, bottom))
        return out

    def _summed(self, shape: tuple[int, int], work: Callable[[Array, int, int], None]) -> Steps[Array]:
        """What `work` makes of the tiles, added up in their order."""
        parts = np.zeros((-(-len(self.H) // self._rows), *shape))
        yield from self._tiles(lambda number, top, bottom: work(parts[number], top, bottom))
        return parts.sum(axis=0)

    def _tiles(self, work: Callable[[int, int, int], None]) -> Steps[None]:
        n, rows = len(self.H), self._rows
        for first in range(0, n, BATCH * rows):
            tops = range(first, min(first + BATCH * rows, n), rows)
            for_each(lambda top: work(top // rows, top, min(top + rows, n)), tops, self._threads)
            if tops[-1] + rows < n:
                yield None


@njit(nogil=True, cache=True, fastmath=FAST)
def _add_gram(H, weights, out, top, bottom):  # type: ignore[no-untyped-def]
    """The lower half of out += H' diag(weights) H, over these rows."""
    for i in range(top, bottom):
        row = H[i]
        for a in range(row.size):
            factor, target = weights[i] * row[a], out[a]
            for b in range(a + 1):
                target[b] += factor * row[b]
