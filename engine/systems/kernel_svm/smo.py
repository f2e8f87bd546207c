"""SMO: two-variable steps on a working set, the innermost loop of the dual solver.

The variables are signed, beta_i = y_i alpha_i in [low_i, high_i], so that the kernel matrix K appears without labels:

    min 1/2 beta'K beta + linear'beta,   gradient g = K beta + linear   (and sum(beta) constant, with a bias)

`minimise_box` and `minimise_balanced` take at most `steps` steps on the dense block K of the working set, change `beta`
and `g` in place, and return (steps taken, decrease of the objective, violation left). Calling again goes on.

Loops that choose a variable are written for the vectoriser: no branches, and the index of the best travels in the low
bits of its value (`_packed`), because a maximum over integers is vectorised and an argmax is not.
"""

import numpy as np
from numba import njit

from engine.numerics.jit import FAST

f64, i64 = np.float64, np.int64

LARGEST_SET = 4096
TAU = 1e-12  # least curvature: duplicates have none

_INDEX = LARGEST_SET - 1
_NONE = np.iinfo(np.int64).min
_SIGN = np.iinfo(np.int64).max


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def _packed(value, index):  # type: ignore[no-untyped-def]
    """An integer that orders like `value` to 40 bits and carries `index` in the other 12."""
    bits = f64(value).view(i64)
    return ((bits ^ ((bits >> i64(63)) & i64(_SIGN))) & ~i64(_INDEX)) | i64(index)


@njit(nogil=True, cache=True, fastmath=FAST)
def violation_box(g, down, up):  # type: ignore[no-untyped-def]
    """Largest projected gradient: how far from optimal without bias. `down` <= 0 <= `up` is the room to move."""
    worst = 0.0
    for k in range(g.size):
        worst = max(worst, max(-g[k] if up[k] > 0.0 else 0.0, g[k] if down[k] < 0.0 else 0.0))
    return worst


@njit(nogil=True, cache=True, fastmath=FAST)
def _move_and_pick(g, row, step, partner, partner_step, down, up, inverse, curvature):  # type: ignore[no-untyped-def]
    """Update g after a step of two variables and find the one whose own best step lowers the objective most."""
    best = i64(_NONE)
    for k in range(g.size):
        slope = g[k] + (row[k] * step + partner[k] * partner_step)
        g[k] = slope
        own = min(max(-slope * inverse[k], down[k]), up[k])
        best = max(best, _packed(-own * (slope + 0.5 * curvature[k] * own), k))
    return best & _INDEX


@njit(nogil=True, cache=True, fastmath=FAST)
def _pick_partner(g, row, step, down, up, curvature, follow):  # type: ignore[no-untyped-def]
    """The variable that lowers the objective most once i has moved by `step`.

    An i that is still free follows its partner, which shows as a smaller curvature: `follow` is 1 / K_ii then, else 0.
    """
    best = i64(_NONE)
    for k in range(g.size):
        bend = max(curvature[k] - row[k] * row[k] * follow, TAU)
        slope = g[k] + row[k] * step
        own = min(max(-slope / bend, down[k]), up[k])
        best = max(best, _packed(-own * (slope + 0.5 * bend * own), k))
    return best & _INDEX


@njit(nogil=True, cache=True, inline="always")
def _decrease(gi, gj, kii, kjj, kij, di, dj):  # type: ignore[no-untyped-def]
    return -(gi * di + gj * dj + 0.5 * (kii * di * di + kjj * dj * dj) + kij * di * dj)


@njit(nogil=True, cache=True)
def _pair_in_box(gi, gj, kii, kjj, kij, down_i, up_i, down_j, up_j):  # type: ignore[no-untyped-def]
    """Exact minimiser (di, dj) of the two-variable quadratic in its box."""
    determinant = kii * kjj - kij * kij
    if determinant > TAU * kii * kjj:
        di = (gj * kij - gi * kjj) / determinant
        dj = (gi * kij - gj * kii) / determinant
        if down_i <= di <= up_i and down_j <= dj <= up_j:
            return di, dj
    # Not inside, so on an edge: one variable at its end, the other at its best.
    best, best_i, best_j = 0.0, 0.0, 0.0
    for side in range(4):
        if side < 2:
            di = down_i if side == 0 else up_i
            dj = min(max(-(gj + kij * di) / max(kjj, TAU), down_j), up_j)
        else:
            dj = down_j if side == 2 else up_j
            di = min(max(-(gi + kij * dj) / max(kii, TAU), down_i), up_i)
        decrease = _decrease(gi, gj, kii, kjj, kij, di, dj)
        if decrease > best:
            best, best_i, best_j = decrease, di, dj
    return best_i, best_j


@njit(nogil=True, cache=True, inline="always")
def _shift(beta, low, high, down, up, k, step):  # type: ignore[no-untyped-def]
    """beta[k] += step; a step that uses up the room ends exactly on the bound. Returns the change of beta[k]."""
    before = beta[k]
    if step == up[k]:
        beta[k] = high[k]
    elif step == down[k]:
        beta[k] = low[k]
    else:
        beta[k] = min(max(beta[k] + step, low[k]), high[k])
    down[k] = low[k] - beta[k]
    up[k] = high[k] - beta[k]
    return beta[k] - before


@njit(nogil=True, cache=True)
def minimise_box(K, curvature, beta, g, low, high, tolerance, steps):  # type: ignore[no-untyped-def]
    """Without bias: i has the largest decrease of its own, j adds most to it, the pair is solved exactly in its box."""
    down, up = low - beta, high - beta
    inverse = 1.0 / np.maximum(curvature, TAU)
    # No single step can gain more than this once the violation is below the tolerance.
    enough = 0.5 * tolerance * tolerance * inverse.max()
    total = 0.0
    taken = 0
    i = _move_and_pick(g, K[0], 0.0, K[0], 0.0, down, up, inverse, curvature)
    while taken < steps:
        own = min(max(-g[i] * inverse[i], down[i]), up[i])
        gain = -own * (g[i] + 0.5 * curvature[i] * own)
        if gain <= enough and violation_box(g, down, up) <= tolerance:
            break
        follow = inverse[i] if down[i] < own < up[i] else 0.0
        row = K[i]
        down_i, up_i = down[i], up[i]
        down[i] = up[i] = 0.0  # i is no partner of its own
        j = _pick_partner(g, row, own, down, up, curvature, follow)
        down[i], up[i] = down_i, up_i
        if j != i:
            di, dj = _pair_in_box(g[i], g[j], curvature[i], curvature[j], f64(row[j]), down[i], up[i], down[j], up[j])
            step = _shift(beta, low, high, down, up, i, di)
            partner_step = _shift(beta, low, high, down, up, j, dj)
        else:
            step = _shift(beta, low, high, down, up, i, own)
            partner_step = 0.0
        decrease = _decrease(g[i], g[j], curvature[i], curvature[j], f64(row[j]), step, partner_step)
        if decrease <= 0.0:
            break
        total += decrease
        taken += 1
        i = _move_and_pick(g, row, step, K[j], partner_step, down, up, inverse, curvature)
    return taken, total, violation_box(g, down, up)


@njit(nogil=True, cache=True, fastmath=FAST)
def _move_and_pick_rising(g, row, step, partner, partner_step, up):  # type: ignore[no-untyped-def]
    """Update g after a step of two variables and find the variable with the least gradient that may still grow."""
    best = i64(_NONE)
    for k in range(g.size):
        slope = g[k] + (row[k] * step + partner[k] * partner_step)
        g[k] = slope
        best = max(best, _packed(-slope, k) if up[k] > 0.0 else i64(_NONE))
    return best


@njit(nogil=True, cache=True, fastmath=FAST)
def _pick_falling(g, least, row, curvature, own_curvature, down):  # type: ignore[no-untyped-def]
    """The partner that may fall with the largest decrease, and the largest difference of gradients."""
    best = i64(_NONE)
    widest = i64(_NONE)
    for k in range(g.size):
        difference = max(g[k] - least if down[k] < 0.0 else 0.0, 0.0)
        bend = max(own_curvature + curvature[k] - 2.0 * row[k], TAU)
        best = max(best, _packed(difference * difference / bend, k))
        widest = max(widest, _packed(difference, k))
    return best & _INDEX, widest & _INDEX


@njit(nogil=True, cache=True)
def minimise_balanced(K, curvature, beta, g, low, high, tolerance, steps):  # type: ignore[no-untyped-def]
    """With bias: i may grow and has the least gradient, j may fall and gives the largest decrease; sum(beta) stays."""
    down, up = low - beta, high - beta
    total = 0.0
    taken = 0
    violation = 0.0
    rising = _move_and_pick_rising(g, K[0], 0.0, K[0], 0.0, up)
    while rising != _NONE:
        i = rising & _INDEX
        row = K[i]
        j, worst = _pick_falling(g, g[i], row, curvature, curvature[i], down)
        violation = max(g[worst] - g[i], 0.0) if down[worst] < 0.0 else 0.0
        if violation <= tolerance or taken == steps or down[j] == 0.0:
            break
        bend = max(curvature[i] + curvature[j] - 2.0 * f64(row[j]), TAU)
        slope = g[j] - g[i]
        step = min(slope / bend, min(up[i], -down[j]))
        grown = _shift(beta, low, high, down, up, i, step)
        fallen = _shift(beta, low, high, down, up, j, -step)
        decrease = _decrease(g[i], g[j], curvature[i], curvature[j], f64(row[j]), grown, fallen)
        if decrease <= 0.0:
            break
        total += decrease
        taken += 1
        rising = _move_and_pick_rising(g, row, grown, K[j], fallen, up)
    return taken, total, violation


@njit(nogil=True, cache=True, fastmath=FAST)
def add_rows(out, rows, slots, steps, left, right):  # type: ignore[no-untyped-def]
    """out[left:right] += sum of steps[k] * rows[slots[k], left:right], four rows at a time."""
    total = out[left:right]
    whole = slots.size - slots.size % 4
    for k in range(0, whole, 4):
        r0, r1 = rows[slots[k], left:right], rows[slots[k + 1], left:right]
        r2, r3 = rows[slots[k + 2], left:right], rows[slots[k + 3], left:right]
        s0, s1, s2, s3 = steps[k], steps[k + 1], steps[k + 2], steps[k + 3]
        for j in range(total.size):
            total[j] += (s0 * r0[j] + s1 * r1[j]) + (s2 * r2[j] + s3 * r3[j])
    for k in range(whole, slots.size):
        row = rows[slots[k], left:right]
        for j in range(total.size):
            total[j] += steps[k] * row[j]
