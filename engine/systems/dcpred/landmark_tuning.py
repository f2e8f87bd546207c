"""Landmark tuning: landmarks and weights are optimised together, by L-BFGS on the training loss.

    min over u, beta, b   sum_jl beta_j beta_l K(u_j, u_l) / 2 + b^2 / 2 + loss(sum_j beta_j K(x, u_j) + b)

They start where k-means put them. This goes beyond the DC-Pred++ paper: centres of k-means represent the points, these
the function that tells them apart, and far fewer do.
"""

from collections.abc import Callable

import numpy as np

from engine.runtime.events import Array, Steps
from engine.runtime.threads import serial_blas

MEMORY = 20  # steps that L-BFGS remembers
SUFFICIENT = 1e-4  # share of the decrease that a gradient promises

Loss = Callable[[Array], tuple[float, Array]]


def tuned(
    X: Array, landmarks: Array, beta: Array, intercepts: Array, gamma: float, loss: Loss, rounds: int
) -> Steps[Array]:
    """The landmarks after so many rounds; `loss` gives a value and its gradient for values at X, a column a task."""
    X = X.astype(np.float64)
    m, d = landmarks.shape
    ends = m * d, m * d + beta.size
    norms = np.einsum("ij,ij->i", X, X)

    def objective(x: Array) -> tuple[float, Array]:
        u, beta, b = x[: ends[0]].reshape(m, d), x[ends[0] : ends[1]].reshape(m, -1), x[ends[1] :]
        own = np.einsum("ij,ij->i", u, u)
        with serial_blas():
            C = np.exp(-gamma * np.maximum(norms[:, None] + own - 2.0 * X @ u.T, 0.0))
            W = np.exp(-gamma * np.maximum(own[:, None] + own - 2.0 * u @ u.T, 0.0))
            lost, slope = loss(C @ beta + b)
            smooth = W @ beta
            pull = C * (slope @ beta.T)  # of each point on each landmark, and below of landmarks on each other
            mutual = W * (beta @ beta.T)
            along = pull.T @ X + mutual @ u - (pull.sum(axis=0) + mutual.sum(axis=0))[:, None] * u
            gradient = [2.0 * gamma * along, smooth + C.T @ slope, slope.sum(axis=0) + b]
        value = 0.5 * float(np.vdot(beta, smooth) + b @ b) + lost
        return value, np.concatenate([part.ravel() for part in gradient])

    x = np.concatenate([landmarks.astype(np.float64).ravel(), beta.ravel(), intercepts])
    return (yield from _descended(objective, x, rounds))[: ends[0]].reshape(m, d)


def _descended(objective: Callable[[Array], tuple[float, Array]], x: Array, rounds: int) -> Steps[Array]:
    """L-BFGS with steps halved until they are good enough: one of our own, which breathes between two steps."""
    steps: list[tuple[Array, Array, float]] = []  # differences of x and of gradients, and their product
    value, gradient = objective(x)
    for _ in range(rounds):
        direction = _direction(gradient, steps)
        slope = float(gradient @ direction)
        if slope > -1e-12 * max(1.0, abs(value)):
            break
        size = 1.0 if steps else 1.0 / max(1.0, float(np.linalg.norm(gradient)))
        while size > 1e-8:
            new_value, new_gradient = objective(x + size * direction)
            yield None
            if new_value <= value + SUFFICIENT * size * slope:
                break
            size /= 2.0
        else:
            break
        moved, change = size * direction, new_gradient - gradient
        product = float(moved @ change)
        if product > 1e-12 * float(change @ change):
            steps = [*steps[1 - MEMORY :], (moved, change, product)]
        x, value, gradient = x + moved, new_value, new_gradient
    return x


def _direction(gradient: Array, steps: list[tuple[Array, Array, float]]) -> Array:
    """Minus the gradient times what the steps say of the inverse Hessian."""
    direction, shares = -gradient, []
    for moved, change, product in reversed(steps):
        shares.append(float(moved @ direction) / product)
        direction = direction - shares[-1] * change
    if steps:
        direction *= steps[-1][2] / float(steps[-1][1] @ steps[-1][1])
    for moved, change, product in steps:
        direction = direction + (shares.pop() - float(change @ direction) / product) * moved
    return direction
