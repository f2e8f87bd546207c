"""DC-SVM once more, line for line from its description, on a dense kernel matrix."""

import numpy as np

from tests.naive.kernel_svm import dual


def dcsvm(K, y, C, partitions, tol, bias=False):
    """Algorithm 1 of the DC-SVM paper with the partitions given, bottom first; alpha after each level, and the last.

    With a bias, which the paper does not have, a cell starts from a point where its own y'alpha is 0.
    """
    n = len(y)
    upper, linear = np.full(n, C), np.full(n, -1.0)
    alpha, levels = np.zeros(n), []
    for labels in partitions:
        for c in np.unique(labels):
            V = np.flatnonzero(labels == c)
            if bias:
                alpha[V] = balance(alpha[V], y[V])
            alpha[V] = dual(K[np.ix_(V, V)], y[V], upper[V], linear[V], bias, tol, start=alpha[V])
        levels.append(alpha.copy())
    S = np.flatnonzero(alpha)
    alpha[S] = dual(K[np.ix_(S, S)], y[S], upper[S], linear[S], bias, tol, start=alpha[S])
    return levels, dual(K, y, upper, linear, bias, tol, start=alpha)


def balance(alpha, y):
    """y'alpha = 0, the smallest alphas of the heavier class given up first."""
    alpha = alpha.copy()
    heavier = 1.0 if y @ alpha > 0 else -1.0
    for i in np.argsort(alpha, kind="stable"):
        if y[i] == heavier:
            alpha[i] -= min(alpha[i], max(0.0, heavier * (y @ alpha)))
    return alpha


def intercept(K, y, alpha, C):
    """Of a solution with a bias: what free support vectors say on average, else the middle of what the others allow."""
    G = K @ (y * alpha) - y  # y times the gradient
    free = (alpha > 0) & (alpha < C)
    if free.any():
        return -G[free].mean()
    may_grow = np.where(y > 0, alpha < C, alpha > 0)
    ends = ([G[may_grow].min()] if may_grow.any() else []) + ([G[~may_grow].max()] if not may_grow.all() else [])
    return -np.mean(ends)


def between(K, labels):
    """D(pi)."""
    return sum(abs(K[i, j]) for i in range(len(K)) for j in range(len(K)) if labels[i] != labels[j])


def nearest_centre(K, K_anchors, diagonal, owner):
    """The cluster whose mean of anchors in kernel space is nearest; K is points x anchors."""
    distances = []
    for c in range(owner.max() + 1):
        V = owner == c
        distances.append(diagonal - 2 * K[:, V].mean(axis=1) + K_anchors[np.ix_(V, V)].mean())
    return np.argmin(distances, axis=0), np.sort(distances, axis=0)


def early(K, y, alpha, labels, routed, intercepts=None):
    """Equation 6: the model of the cell that a point was sent to; with a bias it has an intercept of its own."""
    added = np.zeros(labels.max() + 1) if intercepts is None else intercepts
    return np.array([(K[t] * y * alpha)[labels == c].sum() + added[c] for t, c in enumerate(routed)])
