"""Two ways to write down the machine that an incomplete factorisation has led to.

alpha belongs to the problem of HH'. With the exact kernel, sum of y_i alpha_i K(x_i, x), it is a good machine if HH' is
near K. The machine that was optimised is another: w = H'(y alpha) in the space that the pivots span, which is
sum of c_j K(x_j, x) over the pivots, c = H_PP^-T w. However coarse HH' is, its errors are not amplified by C.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from engine.events import Array, Steps
from engine.icf import PANEL, IncompleteCholesky
from engine.problem import Problem

SAMPLE = 2000  # points that the two are compared on
FREE = 1000  # free support vectors that give the bias


class Expansion(NamedTuple):
    """Points of the problem, their signed coefficients, and the bias."""

    points: Array
    coefficients: Array
    intercept: float


def better(
    problem: Problem, factor: IncompleteCholesky, alpha: Array, intercept: float, nu: float, seed: int
) -> Steps[Expansion]:
    """The one of the two with the smaller hinge loss on a sample of the points; over alpha, if they are equal."""
    used = np.flatnonzero(alpha)
    of_alpha = Expansion(used, (problem.y * alpha)[used], intercept)
    of_pivots = yield from _of_pivots(problem, factor, alpha, nu, seed)
    sample = np.sort(np.random.default_rng([seed, 7]).permutation(len(problem))[:SAMPLE])
    losses = []
    for expansion in (of_alpha, of_pivots):
        values = yield from problem.kernel.product_steps(
            problem.points[sample], problem.points[expansion.points], expansion.coefficients, problem.threads
        )
        margins = problem.y[sample] * (values + expansion.intercept)
        losses.append(float(np.maximum(0.0, -problem.linear[sample] - margins).sum()))
    return of_alpha if losses[0] <= losses[1] else of_pivots


def _of_pivots(problem: Problem, factor: IncompleteCholesky, alpha: Array, nu: float, seed: int) -> Steps[Expansion]:
    y, pivots = problem.y, np.array(factor.pivots, int)
    [w] = yield from factor._transposed((y * alpha)[None])
    triangle = _rows(factor, pivots)
    c = solve_triangular(triangle, w, trans="T", lower=True, check_finite=False)
    free = problem.support(alpha).free
    if not problem.bias or not len(free):
        return Expansion(pivots, c, nu)
    if len(free) > FREE:
        free = np.sort(np.random.default_rng([seed, 6]).permutation(free)[:FREE])
    values = yield from problem.kernel.product_steps(problem.points[free], problem.points[pivots], c, problem.threads)
    return Expansion(pivots, c, float(np.mean(-problem.linear[free] * y[free] - values)))


def _rows(factor: IncompleteCholesky, which: Array) -> Array:
    """Rows of H."""
    parts = [panel[which, : min(PANEL, factor.rank - PANEL * k)] for k, panel in enumerate(factor.panels)]
    return np.hstack(parts).astype(np.float64)
