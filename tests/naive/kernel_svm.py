"""The kernel SVM once more, line for line from its definition, in plain numpy; kernel matrices for all slow twins."""

import numpy as np


def kernel_matrix(A, B, name, gamma, degree=3, coef0=0.0):
    """K(A, B) from the definition, in float64."""
    A, B = np.asarray(A, float), np.asarray(B, float)
    if name == "linear":
        return A @ B.T
    if name == "poly":
        return (gamma * (A @ B.T) + coef0) ** degree
    difference = A[:, None, :] - B[None, :, :]
    if name == "laplacian":
        return np.exp(-gamma * np.abs(difference).sum(-1))
    return np.exp(-gamma * (difference**2).sum(-1))


def dual(K, y, upper, linear, bias, tol, max_steps=1_000_000, start=None):
    """The dual problem by two-variable steps on all points: no working sets, no cache, no shrinking."""
    Q = np.outer(y, y) * K
    alpha = np.zeros(len(y)) if start is None else start.copy()
    for _ in range(max_steps):
        G = Q @ alpha + linear
        pair = _worst_pair(G, alpha, y, upper) if bias else _worst_single(G, alpha, upper)
        if pair is None or pair[-1] <= tol:
            return alpha
        if bias:
            i, j, _ = pair  # y_i alpha_i grows, y_j alpha_j falls by as much
            slope = y[j] * G[j] - y[i] * G[i]
            bend = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
            room_i = upper[i] - alpha[i] if y[i] > 0 else alpha[i]
            room_j = alpha[j] if y[j] > 0 else upper[j] - alpha[j]
            step = min(slope / bend, room_i, room_j)
            alpha[i] = np.clip(alpha[i] + y[i] * step, 0, upper[i])
            alpha[j] = np.clip(alpha[j] - y[j] * step, 0, upper[j])
        else:
            i, _ = pair
            alpha[i] = np.clip(alpha[i] - G[i] / max(Q[i, i], 1e-12), 0, upper[i])
    raise AssertionError("the slow solver did not converge")


def _worst_pair(G, alpha, y, upper):
    may_grow = np.where(y > 0, alpha < upper, alpha > 0)
    may_fall = np.where(y > 0, alpha > 0, alpha < upper)
    if not may_grow.any() or not may_fall.any():
        return None
    signed = y * G
    i = np.flatnonzero(may_grow)[signed[may_grow].argmin()]
    j = np.flatnonzero(may_fall)[signed[may_fall].argmax()]
    return i, j, signed[j] - signed[i]


def _worst_single(G, alpha, upper):
    violation = np.maximum(np.where(alpha < upper, -G, 0), np.where(alpha > 0, G, 0))
    i = violation.argmax()
    return i, violation[i]
