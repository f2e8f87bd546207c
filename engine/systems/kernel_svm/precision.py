"""Whether the gradient of a run can be trusted: its error by rounding, measured on a sample of exact values.

A kernel value in float32 errs by some 1e-7, a gradient by the sum of such errors, each times its alpha. With a large C
that is more than tol, and a run that trusted its gradient would claim convergence where there is none. So the dual
solver looks at a sample now and then: the points nearest to the margin, where errors decide, and some at random.
"""

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps

SAMPLE = 128
LARGEST, TYPICAL = 1.5, 5.0  # the error of any point, in the largest of the sample and in its root mean square
TRUSTED = 0.25  # an error below this part of tol is made up for by a smaller tolerance
CORRECTABLE = 4.0  # one below so many times tol by exact distances at the end; a larger one needs float64 throughout


def gradient_error(
    problem: Problem, beta: Array, g: Array, centre: float, at: Array, random: np.random.Generator
) -> Steps[float]:
    """About the largest error of the signed gradients `g` of the points `at`, for the signed variables `beta`."""
    whole = len(at) <= SAMPLE
    if not whole:
        near = np.argpartition(np.abs(g[at] - centre), SAMPLE // 2)
        others = random.choice(near[SAMPLE // 2 :], SAMPLE // 2, replace=False)
        at = at[np.sort(np.concatenate([near[: SAMPLE // 2], others]))]
    support = np.flatnonzero(beta)
    kernel, rows = problem.exact(at)
    _, columns = problem.exact(support)
    values = yield from kernel.product_steps(rows, columns, beta[support], problem.threads)
    error = np.abs(values + problem.y[at] * problem.linear[at] - g[at])
    largest = float(error.max(initial=0.0))
    if whole:
        return largest
    return max(LARGEST * largest, TYPICAL * float(np.sqrt(np.mean(error**2))))


def accurate_gradient(problem: Problem, beta: Array, at: Array) -> Steps[Array]:
    """The signed gradients of some points, from distances in float64.

    The largest part of the rounding is in the distances; the kernel values themselves may stay in float32.
    """
    support = np.flatnonzero(beta)
    kernel, rows = problem.exact(at, store=np.float32)
    if np.isin(support, at, assume_unique=True).all():  # then the matrix is symmetric, and half of it will do
        values = yield from kernel.symmetric_product_steps(rows, beta[at], problem.threads)
    else:
        _, columns = problem.exact(support, store=np.float32)
        values = yield from kernel.product_steps(rows, columns, beta[support], problem.threads)
    return values + problem.y[at] * problem.linear[at]


def certified_gradient(problem: Problem, alpha: Array, gradient: Array, tol: float, seed: int) -> Steps[Array]:
    """A gradient that can be judged by: this one, corrected near the margin, or computed anew in float64."""
    if problem.kernel.exact() is None or problem.kernel.store is np.float64:
        return gradient
    beta, g, everyone = problem.y * alpha, problem.y * gradient, np.arange(len(problem))
    random = np.random.default_rng(seed)
    now = problem.optimality(alpha, gradient)
    error = yield from gradient_error(problem, beta, g, now.centre, everyone, random)
    if error <= TRUSTED * tol and now.violation + 2 * error <= tol:
        return gradient
    if error > CORRECTABLE * tol:
        exact = yield from problem.in_float64()
        return (yield from exact.gradient_steps(alpha))
    near = np.flatnonzero((beta != 0) | (np.abs(g - now.centre) < now.violation + 3 * error))
    g[near] = yield from accurate_gradient(problem, beta, near)
    return problem.y * g
