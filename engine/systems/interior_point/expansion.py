"""The kernel expansion of the model: over the support vectors, or over points that fit the factorised problem.

alpha solves the problem of the factorisation. With the exact kernel, sum of y_i alpha_i K(x_i, x), it is a good model
if the factorisation is near K. The function that was optimised is another one, whose errors are not amplified by C:

    HH': w = H'(y alpha) in the space that the pivots span: sum of c_j K(x_j, x) over the pivots, c = H_PP^-T w
    Kronecker: sum of y_i alpha_i K(g_i, x), where g_i is the grid point of x_i; as a sum over some of the points that
    has nearly the same values, by least squares on a sample
"""

from typing import NamedTuple

import numpy as np
import scipy

from engine.numerics.cholesky import cholesky
from engine.optimisation.central_path import CentralPath
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from engine.systems.interior_point.factors.kronecker import Kronecker

SAMPLE = 2000  # points that the two are compared on
LANDMARKS, FITTED = 1000, 4000  # points that replace those of a grid, and that they are fitted on
SMOOTH, RIDGE = 1e-2, 1e-8  # weight of the norm in that fit; what makes its matrix definite, as a part of its diagonal
SLICE = 500  # of the fitted points, between two breaths


class Expansion(NamedTuple):
    """Decision function f(x) = sum of c_i K(x_i, x) + b: indices of the x_i, coefficients c, intercept b."""

    points: Array
    coefficients: Array
    intercept: float


def best_expansion(
    problem: Problem,
    factor: IncompleteCholesky | Kronecker,
    path: CentralPath,
    alpha: Array,
    intercept: float,
    seed: int,
) -> Steps[Expansion]:
    """The expansion with the lower hinge loss on a sample of the points; a tie goes to the support vectors."""
    used = np.flatnonzero(alpha)
    of_alpha = Expansion(used, (problem.y * alpha)[used], intercept)
    if isinstance(factor, Kronecker):
        optimised = yield from _of_grid(problem, factor, path, seed)
    else:
        optimised = yield from _of_pivots(problem, factor, path)
    sample = np.sort(np.random.default_rng([seed, 7]).permutation(len(problem))[:SAMPLE])
    losses = []
    for expansion in (of_alpha, optimised):
        values = yield from problem.kernel.product_steps(
            problem.points[sample], problem.points[expansion.points], expansion.coefficients, problem.threads
        )
        margins = problem.y[sample] * (values + expansion.intercept)
        losses.append(float(np.maximum(0.0, -problem.linear[sample] - margins).sum()))
    return of_alpha if losses[0] <= losses[1] else optimised


def _of_pivots(problem: Problem, factor: IncompleteCholesky, path: CentralPath) -> Steps[Expansion]:
    """Over pivots, from the iterate inside its bounds: moving each alpha to a bound would change w too much."""
    pivots = np.array(factor.pivots, int)
    [w] = yield from factor._transposed((problem.y * path.alpha)[None])
    triangle = factor.columns(pivots).astype(np.float64)
    c = scipy.linalg.solve_triangular(triangle, w, trans="T", lower=True, check_finite=False)
    return Expansion(pivots, c, path.nu)


def _of_grid(problem: Problem, factor: Kronecker, path: CentralPath, seed: int) -> Steps[Expansion]:
    kernel, threads = problem.kernel, problem.threads
    order = np.random.default_rng([seed, 8]).permutation(len(problem))
    some, landmarks = problem.points[order[:FITTED]], order[:LANDMARKS]
    # Decision values of some points, with each point of the grid once.
    cells, owner = np.unique(factor.cells, return_inverse=True)
    grid = factor.points_of(*np.divmod(cells, factor.places))
    values = yield from kernel.product_steps(some, grid, np.bincount(owner, problem.y * path.alpha), threads)
    # The sum over landmarks whose values are nearest to these.
    A = np.empty((len(some), len(landmarks)), kernel.store)
    yield from kernel.block_steps(some, problem.points[landmarks], A, np.arange(len(some)), threads)
    G, right = np.zeros((len(landmarks), len(landmarks))), np.zeros(len(landmarks))
    for top in range(0, len(A), SLICE):
        part = A[top : top + SLICE].astype(np.float64)
        G += part.T @ part
        right += part.T @ values[top : top + SLICE]
        yield None
    typical = float(np.trace(G)) / len(G)
    G += SMOOTH * A[: len(landmarks)]
    G[np.diag_indices_from(G)] += RIDGE * typical
    lower = yield from cholesky(G, threads)
    return Expansion(landmarks, scipy.linalg.cho_solve((lower, True), right), path.nu)
