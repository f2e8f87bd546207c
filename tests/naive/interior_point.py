"""The interior-point method once more, line for line from its description, dense and with no trick for speed."""

import numpy as np


def icf(K, rank, error=0.0, eps=1e-13, order=None, chosen=None):
    """H, pivots and the residual trace after each: the largest remaining diagonal is next.

    Of equal ones the first in `order`; with pivots that were `chosen`, these.
    """
    n = len(K)
    v, H, pivots, traces = np.diag(K).astype(float).copy(), np.zeros((n, 0)), [], []
    trace, largest = v.sum(), v.max()
    while len(pivots) < rank and v.sum() > error * trace and v.max() > eps * largest:
        places = np.arange(n) if order is None else order
        i = chosen[len(pivots)] if chosen is not None else places[v[places].argmax()]
        h = np.where(v > 0, (K[:, i] - H @ H[i]) / np.sqrt(v[i]), 0.0)
        h[i] = np.sqrt(v[i])
        v = np.maximum(v - h**2, 0.0)
        v[i] = 0.0
        H = np.column_stack([H, h])
        pivots.append(i)
        traces.append(v.sum())
    return H, pivots, traces


def van_loan_pitsianis(K, n1, n2, settled=1e-12):
    """B and C that minimise |K - B (x) C|, by alternating least squares; slow where two pairs are nearly as good."""
    blocks = K.reshape(n1, n2, n1, n2).transpose(0, 2, 1, 3).reshape(n1 * n1, n2 * n2)
    C, last = blocks.mean(axis=0), np.inf
    while True:
        B = blocks @ C / (C @ C)
        C = B @ blocks / (B @ B)
        error = np.linalg.norm(blocks - np.outer(B, C))
        if error >= (1 - settled) * last:
            return B.reshape(n1, n1), C.reshape(n2, n2)
        last = error


def interior_point(K, y, upper, linear, bias, tol, start=0.1, multiplier=1.0, most=200):
    """Mehrotra's predictor-corrector on the whole KKT system; alpha, nu and mu after each iteration."""
    n = len(y)
    Q = np.outer(y, y) * K
    a, z, w, nu = start * upper, np.full(n, multiplier), np.full(n, multiplier), 0.0
    path = []
    for _ in range(most):
        c = upper - a
        residual = Q @ a + linear - z + w + nu * y
        gap = a @ z + c @ w
        mu = gap / (2 * n)
        objective = 0.5 * a @ Q @ a + linear @ a
        path.append((a, nu, mu))
        primal = abs(y @ a) / upper.sum() if bias else 0.0
        dual = np.abs(residual).max() / (np.abs(Q @ a).max() + np.abs(linear).max())
        if max(primal, dual, gap / abs(objective)) <= tol:
            return path
        M = Q + np.diag(z / a + w / c)

        def direction(aim_z, aim_w, a=a, c=c, z=z, w=w, M=M, residual=residual):
            r = -residual + aim_z / a - z - aim_w / c + w
            if bias:
                system = np.block([[M, y[:, None]], [y[None, :], np.zeros((1, 1))]])
                solved = np.linalg.solve(system, np.append(r, -y @ a))
                da, dnu = solved[:-1], solved[-1]
            else:
                da, dnu = np.linalg.solve(M, r), 0.0
            return da, aim_z / a - z - z / a * da, aim_w / c - w + w / c * da, dnu

        def longest(value, change):
            falling = change < 0
            return min(1 / 0.99, (-value[falling] / change[falling]).min(initial=np.inf))

        da, dz, dw, _ = direction(np.zeros(n), np.zeros(n))
        t = min(longest(a, da), longest(c, -da), longest(z, dz), longest(w, dw))
        sigma = (((a + t * da) @ (z + t * dz) + (c - t * da) @ (w + t * dw)) / (2 * n) / mu) ** 3
        da, dz, dw, dnu = direction(sigma * mu - da * dz, sigma * mu + da * dw)
        t = min(1.0, 0.99 * min(longest(a, da), longest(c, -da), longest(z, dz), longest(w, dw)))
        a, z, w, nu = a + t * da, z + t * dz, w + t * dw, nu + t * dnu
    raise AssertionError("the slow method did not converge")
