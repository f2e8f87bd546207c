"""The numba loops that fill a tile of a kernel block: exponentials, powers, L1 distances, weighted sums."""

import numpy as np
from numba import njit

from engine.numerics.jit import FAST

f32, i32 = np.float32, np.int32


@njit(nogil=True, cache=True, inline="always")
def exp32(x):  # type: ignore[no-untyped-def]
    """e**x for x <= 0 by range reduction and a polynomial; written so that LLVM vectorises the loop around it."""
    t = max(f32(x) * f32(1.4426950408889634), f32(-126.0))
    k = i32(t - f32(0.5))
    r = t - f32(k)
    p = f32(1.5403530393381608e-4)
    p = p * r + f32(1.3333558146428443e-3)
    p = p * r + f32(9.618129107628477e-3)
    p = p * r + f32(5.550410866482158e-2)
    p = p * r + f32(2.402265069591007e-1)
    p = p * r + f32(6.931471805599453e-1)
    p = p * r + f32(1.0)
    return p * i32((k + i32(127)) << i32(23)).view(f32)


@njit(nogil=True, cache=True, fastmath=FAST)
def exponential32(inner, row_norms, column_norms, out, slots, left):  # type: ignore[no-untyped-def]
    """out[slots] = exp(inner - norms), in float32."""
    for i in range(inner.shape[0]):
        norm = row_norms[i]
        values = inner[i]
        target = out[slots[i], left : left + values.size]
        for j in range(values.size):
            # |x|^2 + |z|^2 - 2xz can round below zero
            target[j] = exp32(min(values[j] - norm - column_norms[j], values.dtype.type(0)))


@njit(nogil=True, cache=True, fastmath=FAST)
def exponential64(inner, row_norms, column_norms, out, slots, left):  # type: ignore[no-untyped-def]
    """out[slots] = exp(inner - norms), in float64."""
    for i in range(inner.shape[0]):
        target = out[slots[i], left : left + inner.shape[1]]
        for j in range(target.size):
            target[j] = np.exp(min(inner[i, j] - row_norms[i] - column_norms[j], 0.0))


@njit(nogil=True, cache=True, fastmath=FAST)
def poly(inner, gamma, coef0, degree, out, slots, left):  # type: ignore[no-untyped-def]
    """out[slots] = (gamma inner + coef0)^degree."""
    base = np.empty(inner.shape[1], inner.dtype)
    for i in range(inner.shape[0]):
        values = inner[i]
        target = out[slots[i], left : left + base.size]
        for j in range(base.size):
            base[j] = gamma * values[j] + coef0
            target[j] = base[j]
        for _ in range(degree - 1):
            for j in range(base.size):
                target[j] *= base[j]


@njit(nogil=True, cache=True, fastmath=FAST)
def minus_l1(rows, columns):  # type: ignore[no-untyped-def]
    """Minus the L1 distances; a row of `columns` is a feature. Two features a pass halve the traffic."""
    out = np.zeros((rows.shape[0], columns.shape[1]), rows.dtype)
    features = columns.shape[0]
    for i in range(rows.shape[0]):
        target = out[i]
        for k in range(0, features - 1, 2):
            x0, x1 = rows[i, k], rows[i, k + 1]
            c0, c1 = columns[k], columns[k + 1]
            for j in range(target.size):
                target[j] -= abs(x0 - c0[j]) + abs(x1 - c1[j])
        if features % 2:
            x0, c0 = rows[i, features - 1], columns[features - 1]
            for j in range(target.size):
                target[j] -= abs(x0 - c0[j])
    return out


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def accumulate(values, weights, left, result, top):  # type: ignore[no-untyped-def]
    """result[top:] += values @ weights[:, left:].T with float64 sums."""
    size = min(values.shape[1], weights.shape[1] - left)
    for i in range(values.shape[0]):
        row = values[i]
        for c in range(weights.shape[0]):
            weight = weights[c, left : left + size]
            total = 0.0
            for j in range(size):
                total += row[j] * weight[j]
            result[top + i, c] += total


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def accumulate_both(values, weights, result, top):  # type: ignore[no-untyped-def]
    """For the rows from `top` on of a symmetric matrix, right of its diagonal: what they add to its product."""
    for i in range(values.shape[0]):
        row, weight = values[i, i + 1 :], weights[top + i]
        others, below = weights[top + i + 1 :], result[top + i + 1 :]
        total = 0.0
        for j in range(row.size):
            total += row[j] * others[j]
            below[j] += row[j] * weight
        result[top + i] += total + values[i, i] * weight
