"""The merging problem of Budgeted SGD: replace two vectors of one label by one, with least weight degradation.

    z = h x_i + (1 - h) x_j,   m = a_i / (a_i + a_j),   kappa = K(x_i, x_j)
    s(h) = m kappa^((1-h)^2) + (1-m) kappa^(h^2),   a_z = (a_i + a_j) max s
    WD = a_i^2 + a_j^2 + 2 a_i a_j kappa - a_z^2      (the weight degradation)

h and WD / (a_i + a_j)^2 depend on m and kappa alone: golden section search finds them one by one, `merging_tables` has
them precomputed. The smaller of the two vectors is x_i, so m <= 1/2 and h <= 1/2. The other half mirrors it,
h(1-m) = 1-h(m), and is never needed; between the halves, at m = 1/2 and kappa < e^-2, h jumps.
"""

import numpy as np
from numba import njit

from engine.numerics.jit import FAST

STRATEGIES = ("lookup-wd", "lookup-h", "gss", "gss-precise", "removal", "projection")
MERGING = STRATEGIES[:4]
LOOKUP_WD, LOOKUP_H, GSS, GSS_PRECISE, REMOVAL, PROJECTION = range(6)

LOOSE, PRECISE = 0.01, 1e-10  # where golden section search stops: the length of its interval
GOLDEN = (5**0.5 - 1) / 2
TINY = 1e-300  # a kernel value that is 0 has no logarithm
NEVER = 1e300  # degradation of what cannot be merged; not inf, which fast-math excludes


@njit(nogil=True, cache=True)
def merged_length(m, log_kappa, h):  # type: ignore[no-untyped-def]
    """s(h)."""
    return m * np.exp(log_kappa * (1 - h) ** 2) + (1 - m) * np.exp(log_kappa * h**2)


@njit(nogil=True, cache=True)
def golden_section(m, kappa, precision):  # type: ignore[no-untyped-def]
    """The h in [0, 1/2] with the largest s(h), for m <= 1/2; at kappa = 1, where all are equal, their limit m.

    Half of the interval has one mode. The other half could only tie, at m = 1/2, and rounding would choose.
    """
    if kappa >= 1.0:
        return m
    log_kappa = np.log(max(kappa, TINY))
    low, high = 0.0, 0.5
    left, right = 0.5 - GOLDEN * 0.5, GOLDEN * 0.5
    at_left, at_right = merged_length(m, log_kappa, left), merged_length(m, log_kappa, right)
    while high - low > precision:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = merged_length(m, log_kappa, left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = merged_length(m, log_kappa, right)
    return (low + high) / 2


@njit(nogil=True, cache=True)
def merged_coefficient(a_i, a_j, kappa, h):  # type: ignore[no-untyped-def]
    """a_z, the best coefficient at z."""
    log_kappa = np.log(max(kappa, TINY))
    return a_i * np.exp(log_kappa * (1 - h) ** 2) + a_j * np.exp(log_kappa * h**2)


@njit(nogil=True, cache=True)
def degradation(a_i, a_j, kappa, h):  # type: ignore[no-untyped-def]
    """WD of a merge at h; what rounds below zero is zero."""
    a_z = merged_coefficient(a_i, a_j, kappa, h)
    return max(a_i * a_i + a_j * a_j + 2 * a_i * a_j * kappa - a_z * a_z, 0.0)


@njit(nogil=True, cache=True, inline="always")
def interpolated(table, m, kappa):  # type: ignore[no-untyped-def]
    """Bilinear lookup; m in [0, 1/2] and kappa in [0, 1] run over the rows and columns of the table."""
    last = table.shape[0] - 1
    u, v = m * (2 * last), kappa * last
    i, j = np.uint32(min(u, last - 1.0)), np.uint32(min(v, last - 1.0))
    u, v = u - i, v - j
    near = table[i, j] * (1 - v) + table[i, j + np.uint32(1)] * v
    far = table[i + np.uint32(1), j] * (1 - v) + table[i + np.uint32(1), j + np.uint32(1)] * v
    return near * (1 - u) + far * u


@njit(nogil=True, cache=True, fastmath=FAST)
def _look_up_wd(roots, coefficients, kappa, first, size, wd):  # type: ignore[no-untyped-def]
    a_i, sign = abs(coefficients[first]), np.sign(coefficients[first])
    for j in range(size):
        total = a_i + abs(coefficients[j])
        root = total * interpolated(roots, a_i / total, kappa[j])
        wd[j] = root * root if coefficients[j] * sign > 0 else NEVER


@njit(nogil=True, cache=True)
def _look_up_h(table, coefficients, kappa, first, size, wd):  # type: ignore[no-untyped-def]
    a_i, sign = abs(coefficients[first]), np.sign(coefficients[first])
    for j in range(size):
        a_j = coefficients[j] * sign
        wd[j] = NEVER
        if a_j > 0 and j != first:
            wd[j] = degradation(a_i, a_j, kappa[j], interpolated(table, a_i / (a_i + a_j), kappa[j]))


@njit(nogil=True, cache=True)
def _search(precision, coefficients, kappa, first, size, wd):  # type: ignore[no-untyped-def]
    a_i, sign = abs(coefficients[first]), np.sign(coefficients[first])
    for j in range(size):
        a_j = coefficients[j] * sign
        wd[j] = NEVER
        if a_j > 0 and j != first:
            wd[j] = degradation(a_i, a_j, kappa[j], golden_section(a_i / (a_i + a_j), kappa[j], precision))


@njit(nogil=True, cache=True)
def find_partner(strategy, tables, coefficients, kappa, first, size, wd):  # type: ignore[no-untyped-def]
    """Fill `wd` with the degradation of each candidate of the first vector's label; the best one, or -1.

    Of equal ones the first wins. `kappa` has the kernel values between the first vector and all others.
    """
    if strategy == LOOKUP_WD:
        _look_up_wd(tables.roots, coefficients, kappa, first, size, wd)
    elif strategy == LOOKUP_H:
        _look_up_h(tables.h, coefficients, kappa, first, size, wd)
    else:
        _search(LOOSE if strategy == GSS else PRECISE, coefficients, kappa, first, size, wd)
    wd[first] = NEVER
    best, least = -1, NEVER
    for j in range(size):
        if wd[j] < least:
            best, least = j, wd[j]
    return best


@njit(nogil=True, cache=True)
def find_h(strategy, tables, a_i, a_j, kappa):  # type: ignore[no-untyped-def]
    """Where to merge the chosen pair."""
    m = a_i / (a_i + a_j)
    if strategy in (LOOKUP_WD, LOOKUP_H):
        return interpolated(tables.h, m, kappa)
    return golden_section(m, kappa, LOOSE if strategy == GSS else PRECISE)
