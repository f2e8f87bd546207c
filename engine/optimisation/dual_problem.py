"""The dual problem of an SVM and its measures: objective, gradient, duality gap, KKT violation, support vectors.

    min f(alpha) = 1/2 alpha'Q alpha + linear'alpha,   0 <= alpha_i <= upper_i   (with a bias: y'alpha = 0)
    Q_ij = y_i y_j K(x_i, x_j),   gradient G = Q alpha + linear,   linear = -1 for the usual SVM

Every number that a solver reports about its solution comes from here.
"""

from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points, check_points
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import Array, Steps, drain
from engine.runtime.threads import thread_count

SLICE = 16384  # points brought into another precision between two breaths
LARGEST_VALUE = 1e30  # of a kernel: float32 ends soon after, and squares must fit into float64


@dataclass(frozen=True)
class Problem:
    """A validated dual problem; make one with `Problem.build`."""

    kernel: Kernel
    points: Points
    y: Array
    upper: Array
    linear: Array
    bias: bool
    threads: int = 1
    source: "Source | None" = None  # the data as they were given; where there are none, the points will do
    diagonal: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        with np.errstate(over="ignore"):
            diagonal = self.kernel.diagonal(self.points)
        largest = float(np.abs(diagonal).max(initial=0.0))
        if not largest <= LARGEST_VALUE:
            raise invalid(
                "kernel", f"values up to {largest:.3g}", f"at most {LARGEST_VALUE:g}: scale X, or lower gamma"
            )
        object.__setattr__(self, "diagonal", diagonal)

    @classmethod
    def build(
        cls,
        X: Array,
        y: Array,
        *,
        C: float | Array = 1.0,
        kernel: Kernel | None = None,
        bias: bool = True,
        linear: float | Array = -1.0,
        n_jobs: int | None = None,
    ) -> "Problem":
        """Check data (finite, two-dimensional), labels (+1 and -1) and bounds, and bring them into shape."""
        X = check_points(X)
        y = np.asarray(y, float)
        if y.shape != (len(X),) or not np.isin(y, (-1.0, 1.0)).all():
            raise invalid("y", y, f"{len(X)} labels, each +1 or -1")
        kernel = kernel or Kernel.fit(X)
        return cls.of(
            kernel, kernel.points(X), y, C=C, bias=bias, linear=linear, threads=thread_count(n_jobs), source=Source(X)
        )

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        points: Points,
        y: Array,
        *,
        C: float | Array,
        bias: bool,
        linear: float | Array = -1.0,
        threads: int = 1,
        source: "Source | None" = None,
    ) -> "Problem":
        """Build from points that the kernel has already taken in."""
        n = len(points)
        upper, term = _for_each_point("C", C, n), _for_each_point("linear", linear, n)
        if (upper < 0).any():
            raise invalid("C", C, "not negative")
        return cls(kernel, points, np.asarray(y, float), upper, term, bias, threads, source)

    def __len__(self) -> int:
        return len(self.points)

    def part(self, members: Array, counter: Counter | None = None, threads: int | None = None) -> "Problem":
        """The problem of these points alone."""
        kernel = self.kernel if counter is None else replace(self.kernel, counter=counter)
        y, upper, linear = self.y[members], self.upper[members], self.linear[members]
        source = None if self.source is None else self.source.part(members)
        return Problem(kernel, self.points[members], y, upper, linear, self.bias, threads or self.threads, source)

    def exact(self, rows: Array, store: Any = np.float64) -> tuple[Kernel, Points]:
        """The kernel in float64 (its values as they are to be stored), and some of the points as it takes them in."""
        kernel = self.kernel.exact(store)
        assert kernel is not None
        X = self.kernel.raw(self.points.X[rows].astype(float)) if self.source is None else self.source.rows(rows)
        return kernel, kernel.points(X)

    def in_float64(self) -> Steps["Problem"]:
        """The same problem with all kernel values in float64, breathing between slices."""
        n, d = self.points.X.shape
        X, norms = np.empty((n, d)), np.empty(n)
        for top in range(0, n, SLICE):
            here = slice(top, min(top + SLICE, n))
            kernel, part = self.exact(np.arange(here.start, here.stop))
            X[here], norms[here] = part.X, part.norms
            yield None
        return Problem(kernel, Points(X, norms), self.y, self.upper, self.linear, self.bias, self.threads, self.source)

    def without_source(self) -> "Problem":
        """The same problem without the data behind its points, to be sent elsewhere."""
        lean = copy(self)  # `replace` would measure the diagonal again
        object.__setattr__(lean, "source", None)
        return lean

    # ---- what is measured ----

    def check_alpha(self, alpha: Array) -> Array:
        """A start must be feasible: within the bounds, and balanced if there is a bias."""
        alpha = np.array(alpha, float)
        if alpha.shape != (len(self),) or not np.isfinite(alpha).all():
            raise invalid("alpha", alpha, f"{len(self)} finite numbers")
        if (alpha < -1e-9 * self.upper).any() or (alpha > (1 + 1e-9) * self.upper).any():
            raise invalid("alpha", alpha, "between 0 and the upper bounds")
        alpha = np.clip(alpha, 0.0, self.upper)
        if self.bias and abs(self.y @ alpha) > 1e-6 * alpha.sum():
            raise invalid("alpha", float(self.y @ alpha), "balanced: y'alpha = 0 for a problem with a bias")
        return alpha

    def gradient_steps(self, alpha: Array) -> Steps[Array]:
        """G = Q alpha + linear, breathing between slices."""
        support = np.flatnonzero(alpha)
        weights = self.y[support] * alpha[support]
        decision = yield from self.kernel.product_steps(self.points, self.points[support], weights, self.threads)
        return self.y * decision + self.linear

    def gradient(self, alpha: Array) -> Array:
        """G = Q alpha + linear."""
        return drain(self.gradient_steps(alpha))

    def objective(self, alpha: Array, gradient: Array) -> float:
        """f(alpha)."""
        return float(0.5 * alpha @ (gradient + self.linear))

    def optimality(self, alpha: Array, gradient: Array) -> "Optimality":
        """The KKT violation of alpha, and the intercept that belongs to it: see `optimality`."""
        low, high = self.signed_bounds()
        return optimality(self.y * alpha, self.y * gradient, low, high, self.bias)

    def signed_bounds(self) -> tuple[Array, Array]:
        """The lower and upper bounds of the signed variables y alpha."""
        end = self.y * self.upper
        return np.minimum(0, end), np.maximum(0, end)

    def primal(self, alpha: Array, gradient: Array, intercept: float) -> float:
        """The primal value at w = sum alpha_i y_i phi(x_i): 1/2 |w|^2 plus upper-weighted hinge losses."""
        slack = np.maximum(0.0, -(gradient + self.y * intercept))
        return float(0.5 * alpha @ (gradient - self.linear) + self.upper @ slack)

    def gap(self, alpha: Array, gradient: Array, intercept: float) -> float:
        """Primal value minus dual value (-f): never negative, 0 at the optimum, a bound on what is left to gain."""
        return self.primal(alpha, gradient, intercept) + self.objective(alpha, gradient)

    def support(self, alpha: Array) -> "Support":
        """Indices of the support vectors: free ones and those at their upper bound."""
        bound = (alpha > 0) & (alpha >= self.upper)
        return Support(np.flatnonzero((alpha > 0) & ~bound), np.flatnonzero(bound))


@dataclass(frozen=True)
class Source:
    """The rows of a matrix that the points of a problem were made of, without a copy of them."""

    X: Array
    members: Array | None = None  # all, if there are none

    def rows(self, which: Array) -> Array:
        """Some of them, in float64."""
        return np.asarray(self.X[which if self.members is None else self.members[which]], np.float64)

    def part(self, which: Array) -> "Source":
        """The source of some of the points."""
        return Source(self.X, which if self.members is None else self.members[which])


def _for_each_point(name: str, value: float | Array, n: int) -> Array:
    array = np.asarray(value, float)
    if array.shape not in ((), (n,)) or not np.isfinite(array).all():
        raise invalid(name, value, f"finite, one number or {n}, one for each point")
    return np.broadcast_to(array, (n,)).copy()


class Support(NamedTuple):
    """Support vectors by kind."""

    free: Array
    bound: Array


class Optimality(NamedTuple):
    """The KKT violation of an iterate, and the intercept that belongs to it."""

    violation: float  # without bias the largest projected gradient, with bias the largest difference of a pair
    centre: float  # what signed gradients are compared with: 0 without bias
    intercept: float


def optimality(beta: Array, g: Array, low: Array, high: Array, bias: bool) -> Optimality:
    """The KKT conditions in signed variables: beta = y alpha in [low, high], g = y G."""
    least, most, total, free = _extremes(beta, g, low, high)
    if not bias:
        return Optimality(max(0.0, -least, most), 0.0, 0.0)
    if np.isinf(least) or np.isinf(most):
        # No variable can grow, or none can fall: any bias beyond the other side's last gradient is optimal.
        edge = least if np.isfinite(least) else most if np.isfinite(most) else 0.0
        return Optimality(0.0, edge, -edge)
    centre = (least + most) / 2
    return Optimality(max(0.0, most - least), centre, -total / free if free else -centre)


@njit(nogil=True, cache=True)
def _extremes(beta, g, low, high):  # type: ignore[no-untyped-def]
    """The least gradient of those that may grow, the largest of those that may fall, the sum and number of the free."""
    least, most, total, free = np.inf, -np.inf, 0.0, 0
    for i in range(beta.size):
        may_grow, may_fall = beta[i] < high[i], beta[i] > low[i]
        if may_grow:
            least = min(least, g[i])
        if may_fall:
            most = max(most, g[i])
        if may_grow and may_fall:
            total += g[i]
            free += 1
    return least, most, total, free
