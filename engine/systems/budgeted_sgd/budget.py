"""The budget of one model: at most B support vectors, the SGD steps that add to them, and budget maintenance.

The model after step t is w = v / (lambda t): the step size 1 / (lambda t) and the decay 1 - 1/t leave v alone but for
the violators, each added with coefficient +1 or -1. So nothing is rescaled, and t = 1, whose decay is 0, is no case of
its own. Vectors are columns, so that the loops over them are vectorised, in the kernel's own coordinates (`Points` in
`engine.numerics`): K(x, z) = exp(-|x - z|^2 / 2). Distances are sums of squared differences: they need no norms, and
copies of a point have kernel value 1. This is the one place besides `engine.numerics` that computes kernel values.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numba import njit, types
from numba.extending import overload

from engine.numerics.jit import FAST
from engine.numerics.kernel_loops import exp32
from engine.numerics.points import check_width
from engine.runtime.events import Array
from engine.runtime.threads import serial_blas
from engine.systems.budgeted_sgd.merging import PROJECTION, REMOVAL, find_h, find_partner, merged_coefficient
from engine.systems.budgeted_sgd.merging_tables import NO_TABLES

STEP, SIZE, VIOLATIONS, MAINTAINED, REMOVED, EVALUATIONS = range(6)
RIDGE = 1e-8  # copies of a vector make their kernel matrix singular


class Budget(NamedTuple):
    """The vectors (d x (B + 1)), their coefficients in v, where each came from (-1: merged), counts, and scratch."""

    vectors: Array
    coefficients: Array
    sources: Array
    counts: Array  # step, size, violations, times maintained, of which removed for want of a partner, evaluations
    row: Array  # kernel values between a point and all vectors
    wd: Array  # degradation by candidate
    point: Array

    @classmethod
    def empty(cls, budget: int, d: int, dtype: Any) -> "Budget":
        """A budget with nothing in it."""
        room = budget + 1
        return cls(
            vectors=np.zeros((d, room), dtype), coefficients=np.zeros(room), sources=np.full(room, -1),
            counts=np.zeros(6, np.int64), row=np.zeros(room, dtype), wd=np.zeros(room), point=np.zeros(d, dtype),
        )  # fmt: skip

    def check(self, d: int) -> None:
        """A ValueError unless all arrays are for points of this width: compiled loops would read beside them."""
        check_width(len(self.vectors), d, "a support vector")
        room = len(self.coefficients)
        shapes = {"vectors": (d, room), "sources": (room,), "row": (room,), "wd": (room,), "point": (d,)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} of a budget should be {shape}, but are {getattr(self, name).shape}")


class Choice(NamedTuple):
    """A merge to be done: the vector with the smallest coefficient, its partner (-1: none) and h."""

    first: int
    partner: int
    h: float


class Projected(NamedTuple):
    """The result of a projection: what each remaining vector gained, and the weight degradation."""

    shares: Array
    degradation: float


# ---- kernel values --------------------------------------------------------------------------------------------------


def _exponential(x: float) -> float:
    """e**x for x <= 0 in the precision of x."""
    return float(np.exp(x))


@overload(_exponential, inline="always")
def _exponential_of(x):  # type: ignore[no-untyped-def]
    if x == types.float32:
        return lambda x: exp32(x)
    return lambda x: np.exp(x)


@njit(nogil=True, cache=True, fastmath=FAST)
def kernel_row(vectors, x, size, row):  # type: ignore[no-untyped-def]
    """K(x, z) for the first `size` vectors. Four features a pass spare the memory."""
    features = vectors.shape[0]
    row = row[:size]
    row[:] = 0
    whole = features - features % 4
    for k in range(0, whole, 4):
        x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        z0, z1, z2, z3 = vectors[k], vectors[k + 1], vectors[k + 2], vectors[k + 3]
        for j in range(size):
            d0, d1, d2, d3 = x0 - z0[j], x1 - z1[j], x2 - z2[j], x3 - z3[j]
            row[j] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    for k in range(whole, features):
        x0, z0 = x[k], vectors[k]
        for j in range(size):
            d0 = x0 - z0[j]
            row[j] += d0 * d0
    half = row.dtype.type(-0.5)
    for j in range(size):
        row[j] = _exponential(half * row[j])


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _weighted_sum(row, coefficients, size):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(size):
        total += row[j] * coefficients[j]
    return total


@njit(nogil=True, cache=True)
def _gram(vectors, gram):  # type: ignore[no-untyped-def]
    """The kernel values between all vectors."""
    size = gram.shape[0]
    for i in range(size):
        kernel_row(vectors, vectors[:, i].copy(), size, gram[i])


# ---- maintenance ----------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def choose(budget, strategy, tables, at_hand):  # type: ignore[no-untyped-def]
    """Lines 2 to 12 of Algorithm 1: the smallest vector, and the partner it loses least with.

    `at_hand`: `row` still has the kernel values of the newest vector.
    """
    size, coefficients = budget.counts[SIZE], budget.coefficients
    first = 0
    for j in range(1, size):
        if abs(coefficients[j]) < abs(coefficients[first]):
            first = j
    if strategy in (REMOVAL, PROJECTION):
        return Choice(first, -1, 0.0)
    if not (at_hand and first == size - 1):
        budget.point[:] = budget.vectors[:, first]
        kernel_row(budget.vectors, budget.point, size, budget.row)
        budget.counts[EVALUATIONS] += size - 1
    budget.row[first] = 1
    partner = find_partner(strategy, tables, coefficients, budget.row, first, size, budget.wd)
    if partner < 0:
        return Choice(first, -1, 0.0)
    a_i, a_j = abs(coefficients[first]), abs(coefficients[partner])
    return Choice(first, partner, find_h(strategy, tables, a_i, a_j, budget.row[partner]))


@njit(nogil=True, cache=True)
def merge(budget, choice):  # type: ignore[no-untyped-def]
    """Lines 13 to 15: z takes the partner's place, the newest vector that of the smallest, which goes."""
    vectors, coefficients, counts = budget.vectors, budget.coefficients, budget.counts
    i, j, h = choice.first, choice.partner, choice.h
    counts[MAINTAINED] += 1
    if j >= 0:
        for k in range(vectors.shape[0]):
            vectors[k, j] = h * vectors[k, i] + (1 - h) * vectors[k, j]
        coefficients[j] = merged_coefficient(coefficients[i], coefficients[j], budget.row[j], h)
        budget.sources[j] = -1
    else:
        counts[REMOVED] += 1
    last = counts[SIZE] - 1
    if i != last:
        vectors[:, i] = vectors[:, last]
        coefficients[i] = coefficients[last]
        budget.sources[i] = budget.sources[last]
    counts[SIZE] = last


# ---- steps ----------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST)
def advance(budget, X, y, order, begin, end, decay, strategy, tables, look_at):  # type: ignore[no-untyped-def]
    """Make the steps `begin` to `end` of `order`; how far it came.

    It stops early, over budget, where the maintenance number `look_at` is due, and at every one that is a projection.
    `decay` is lambda.
    """
    coefficients, counts = budget.coefficients, budget.counts
    most = coefficients.size - 1
    for position in range(begin, end):
        i = order[position]
        size = counts[SIZE]
        kernel_row(budget.vectors, X[i], size, budget.row)
        value = _weighted_sum(budget.row, coefficients, size)
        counts[STEP] += 1
        counts[EVALUATIONS] += size
        # The margin of w before the step is y v(x) / (lambda (t - 1)), and 0 at t = 1.
        before = counts[STEP] - 1
        if before > 0 and y[i] * value >= decay * before:
            continue
        counts[VIOLATIONS] += 1
        budget.vectors[:, size] = X[i]
        coefficients[size] = y[i]
        budget.sources[size] = i
        counts[SIZE] += 1
        if counts[SIZE] > most:
            if strategy == PROJECTION or counts[MAINTAINED] == look_at:
                return position + 1
            merge(budget, choose(budget, strategy, tables, True))
    return end


def project(budget: Budget) -> Projected:
    """Drop the smallest vector and share it among the others, of both labels, as well as they can carry it."""
    choice = choose(budget, PROJECTION, NO_TABLES, False)
    first, dropped, size = choice.first, float(budget.coefficients[choice.first]), int(budget.counts[SIZE]) - 1
    gram = np.empty((size + 1, size + 1))
    _gram(budget.vectors.astype(np.float64), gram)
    budget.counts[EVALUATIONS] += (size + 1) * size // 2
    merge(budget, choice)
    others = np.arange(size)
    others[first : first + 1] = size  # where the newest vector went
    kept, carried = gram[np.ix_(others, others)], gram[others, first]
    with serial_blas():  # the same result however many threads
        shares = scipy.linalg.cho_solve(scipy.linalg.cho_factor(kept + RIDGE * np.eye(size)), dropped * carried)
    budget.coefficients[:size] += shares
    lost = dropped**2 - 2 * dropped * shares @ carried + shares @ kept @ shares
    return Projected(shares, max(float(lost), 0.0))
