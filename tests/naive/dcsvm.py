"""DC-SVM once more, line for line from its description, on a dense kernel matrix."""

import numpy as np

from tests.naive.kernel_svm import dual


def dcsvm(K, y, C, partitions, tol):
    """Algorithm 1 of the DC-SVM paper with the partitions given, bottom first; alpha after each level, and the last."""
    n = len(y)
    upper, linear = np.full(n, C), np.full(n, -1.0)
    alpha, levels = np.zeros(n), []
    for labels in partitions:
        for c in np.unique(labels):
            V = np.flatnonzero(labels == c)
            alpha[V] = dual(K[np.ix_(V, V)], y[V], upper[V], linear[V], False, tol, start=alpha[V])
        levels.append(alpha.copy())
    S = np.flatnonzero(alpha)
    alpha[S] = dual(K[np.ix_(S, S)], y[S], upper[S], linear[S], False, tol, start=alpha[S])
    return levels, dual(K, y, upper, linear, False, tol, start=alpha)


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


def early(K, y, alpha, labels, routed):
    """Equation 6: the model of the cell that a point was sent to."""
    return np.array([(K[t] * y * alpha)[labels == c].sum() for t, c in enumerate(routed)])
