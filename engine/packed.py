"""How a fast machine predicts: rows sorted by leaf, four at a time against sixteen landmarks at a time.

The machine is packed once. Landmarks of a leaf lie side by side in panels, from a centre of their own, so that

    K(x, u) = exp(2 gamma x.u - gamma |u|^2 - gamma |x|^2)

loses nothing; where landmarks are so far apart that it would, differences are squared instead. Products of two kernel
values c_j c_(j + shift) are vectors multiplied with vectors: a machine has few different shifts.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.events import Array
from engine.jit import FAST
from engine.kernels import exp32
from engine.lanes import (
    LANES,
    exponential,
    load,
    panels_of,
    products,
    spread,
    spread_from,
    store,
    times,
    times_plus,
    total,
)
from engine.tree import Routing, in_vectors, sorted_by_cell

FAR = 1000.0  # gamma |u|^2, beyond which float32 would blur


class Packed(NamedTuple):
    """Leaves one after the other; `first` is the first panel of each, and so on."""

    routing: Routing
    origin: Array
    gamma: np.float32
    most: int  # numbers for a row in any leaf
    first: Array
    panels: Array
    squares: Array  # -gamma |u|^2
    centres: Array  # of the leaves, from the origin
    far: Array
    pseudo: Array  # how many are found by the triangle inequality, in each leaf
    distances: Array  # from them to the landmarks
    first_distance: Array
    shifts: Array
    first_shift: Array
    weights: Array  # (tasks, landmarks and pseudo-landmarks in whole vectors, then those of each shift) of each leaf
    first_weight: Array
    intercepts: Array


def pack(model: Any) -> Packed:
    """An `engine.fast.FastModel` in this form."""
    d, gamma, tasks = len(model.tree.origin), float(model.gamma), model.intercepts.shape[1]
    counts, more = np.diff(model.first), np.diff(model.first_pseudo)
    whole = -(-counts // LANES)
    centres, far, panels, squares, shifts, weights = [], [], [], [], [], []
    triangle = np.diff(model.first_distance) > 0
    for leaf, count in enumerate(counts):
        places = model.landmarks[model.first[leaf] : model.first[leaf + 1], :d].astype(np.float64)
        own, size = slice(model.first_pseudo[leaf], model.first_pseudo[leaf + 1]), whole[leaf] * LANES
        centre = places.mean(axis=0) if count else np.zeros(d)
        centre = centre.astype(np.float32)
        apart = (places - centre).astype(np.float32)
        norms = np.zeros(size)
        norms[:count] = gamma * np.square(apart, dtype=np.float64).sum(axis=1)
        centres.append(centre)
        far.append(norms.max(initial=0.0) > FAR)
        panels.append(panels_of(apart).ravel())
        squares.append(-norms)
        w = np.zeros((tasks, size))
        w[:, :count] = model.weights[model.first[leaf] : model.first[leaf + 1]].T
        if triangle[leaf]:
            rest = np.zeros((tasks, -(-more[leaf] // LANES) * LANES))
            rest[:, : more[leaf]] = model.pseudo_weights[own].T
            found = np.empty(0, np.int64)
        else:
            found, rest = _by_shift(model.pairs[own].astype(np.int64), model.pseudo_weights[own], size)
        shifts.append(found)
        weights.append(np.hstack([w, rest]).ravel())
    pseudo = np.where(triangle, more, 0)
    extra = -(-pseudo // LANES) * LANES
    return Packed(
        model.tree.packed(), model.tree.origin, np.float32(gamma),
        int((2 * whole * LANES + extra).max(initial=0)) + LANES,
        _starts(whole), _flat(panels), _flat(squares), in_vectors(np.array(centres)), np.array(far), pseudo,
        model.distances, model.first_distance, np.concatenate(shifts), _starts([len(s) for s in shifts]),
        _flat(weights), _starts([len(w) for w in weights]), model.intercepts,
    )  # fmt: skip


def _by_shift(pairs: Array, weights: Array, size: int) -> tuple[Array, Array]:
    """The different shifts, up to half of all landmarks, and a row of weights for each."""
    tasks = weights.shape[1]
    if not len(pairs):
        return np.empty(0, np.int64), np.zeros((tasks, 0))
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    around = high - low > size // 2  # the other way is shorter
    start, shift = np.where(around, high, low), np.where(around, low + size - high, high - low)
    found, which = np.unique(shift, return_inverse=True)
    rows = np.zeros((tasks, len(found), size))
    np.add.at(rows, (slice(None), which, start), weights.T)
    return found, rows.reshape(tasks, -1)


def _starts(sizes: Any) -> Array:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _flat(parts: list[Array]) -> Array:
    return np.concatenate(parts).astype(np.float32)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST)
def predict(packed, X, values):  # type: ignore[no-untyped-def]
    """Values of some rows, a column for each task."""
    routing, width, n = packed.routing, packed.routing.width, X.shape[0]
    origin = packed.origin.astype(X.dtype)
    Z = np.zeros(n * width, np.float32)
    for i in range(n):
        for k in range(X.shape[1]):
            Z[i * width + k] = X[i, k] - origin[k]
    order, begin, end = sorted_by_cell(routing, Z)
    z, c, rows = np.empty(4 * width, np.float32), np.zeros(4 * packed.most, np.float32), np.empty(4, np.int64)
    for node in range(begin.size):
        if routing.children[node, 0] >= 0:
            continue
        leaf = ~routing.children[node, 0]
        for i in range(begin[node], end[node], 4):
            for j in range(4):
                rows[j] = order[min(i + j, end[node] - 1)]
            _kernel_values(packed, leaf, Z, rows, z, c)
            _pseudo_landmarks(packed, leaf, c)
            _weighted(packed, leaf, c, rows, values)


@njit(nogil=True, cache=True, fastmath=FAST)
def _kernel_values(packed, leaf, Z, rows, z, c):  # type: ignore[no-untyped-def]
    """Of four rows at all landmarks of a leaf: `packed.most` numbers in c are for each row."""
    width, d, most = packed.routing.width, packed.routing.d, packed.most
    minus, gamma, centre = spread(np.float32(-1.0)), packed.gamma, packed.centres.ravel()
    for j in range(4):
        for k in range(0, width, LANES):
            away = times_plus(load(centre, leaf * width + k), minus, load(Z, rows[j] * width + k))
            store(z, j * width + k, away)
    first, last = packed.first[leaf], packed.first[leaf + 1]
    if packed.far[leaf]:
        for j in range(4):
            for panel in range(first, last):
                at = j * most + (panel - first) * LANES
                store(c, at, exponential(_minus_square(z, j * width, d, packed.panels, panel * d * LANES, gamma)))
        return
    twice = spread(np.float32(2.0) * gamma)
    one, two = _norm(z, 0, width, gamma), _norm(z, width, width, gamma)
    three, four = _norm(z, 2 * width, width, gamma), _norm(z, 3 * width, width, gamma)
    zero = spread(np.float32(0.0))
    for panel in range(first, last):
        at, squares = (panel - first) * LANES, load(packed.squares, panel * LANES)
        p, q, r, s = products(z, 0, width, 2 * width, 3 * width, d, packed.panels, panel * d * LANES, zero)
        store(c, at, exponential(times_plus(p, twice, times_plus(one, minus, squares))))
        store(c, most + at, exponential(times_plus(q, twice, times_plus(two, minus, squares))))
        store(c, 2 * most + at, exponential(times_plus(r, twice, times_plus(three, minus, squares))))
        store(c, 3 * most + at, exponential(times_plus(s, twice, times_plus(four, minus, squares))))


@njit(nogil=True, cache=True, fastmath=FAST)
def _norm(z, at, width, gamma):  # type: ignore[no-untyped-def]
    """gamma |x|^2, in all places."""
    square = spread(np.float32(0.0))
    for k in range(0, width, LANES):
        square = times_plus(load(z, at + k), load(z, at + k), square)
    return spread(gamma * total(square))


@njit(nogil=True, cache=True, fastmath=FAST)
def _minus_square(z, at, d, panels, panel, gamma):  # type: ignore[no-untyped-def]
    """-gamma |x - u|^2 by differences."""
    minus, square = spread(np.float32(-1.0)), spread(np.float32(0.0))
    for k in range(d):
        away = times_plus(load(panels, panel + k * LANES), minus, spread_from(z, at + k))
        square = times_plus(away, away, square)
    return times(square, spread(-gamma))


@njit(nogil=True, cache=True, fastmath=FAST)
def _pseudo_landmarks(packed, leaf, c):  # type: ignore[no-untyped-def]
    """Add to c what they need: its beginning once more at its end, or the kernel at distances that are possible."""
    size = (packed.first[leaf + 1] - packed.first[leaf]) * LANES
    for j in range(4):
        at = j * packed.most
        if packed.first_shift[leaf + 1] > packed.first_shift[leaf]:
            for k in range(0, size, LANES):
                store(c, at + size + k, load(c, at + k))
        for t in range(packed.pseudo[leaf]):
            c[at + size + t] = _within_triangle(packed, leaf, t, c, at)


@njit(nogil=True, cache=True, fastmath=FAST)
def _within_triangle(packed, leaf, t, c, at):  # type: ignore[no-untyped-def]
    """The kernel at the largest distance that a pseudo-landmark can have, as far as the landmarks know."""
    begin = packed.first_distance[leaf]
    m = (packed.first_distance[leaf + 1] - begin) // packed.pseudo[leaf]
    nearest = np.float32(3e38)
    for j in range(m):
        away = np.sqrt(-np.log(max(c[at + j], np.float32(1e-37))) / packed.gamma)
        nearest = min(nearest, away + packed.distances[begin + t * m + j])
    return exp32(-packed.gamma * nearest * nearest)


@njit(nogil=True, cache=True, fastmath=FAST)
def _weighted(packed, leaf, c, rows, values):  # type: ignore[no-untyped-def]
    """The weighted sums of landmarks and pseudo-landmarks, for four rows."""
    most, weights, tasks = packed.most, packed.weights, values.shape[1]
    size = (packed.first[leaf + 1] - packed.first[leaf]) * LANES
    with_triangle = size + (packed.pseudo[leaf] + LANES - 1) // LANES * LANES
    w = packed.first_weight[leaf]
    for task in range(tasks):
        one = two = three = four = spread(np.float32(0.0))
        for k in range(0, with_triangle, LANES):
            weight = load(weights, w + k)
            one = times_plus(load(c, k), weight, one)
            two = times_plus(load(c, most + k), weight, two)
            three = times_plus(load(c, 2 * most + k), weight, three)
            four = times_plus(load(c, 3 * most + k), weight, four)
        w += with_triangle
        for q in range(packed.first_shift[leaf], packed.first_shift[leaf + 1]):
            shift = packed.shifts[q]
            for k in range(0, size, LANES):
                weight = load(weights, w + k)
                one = times_plus(times(load(c, k), load(c, k + shift)), weight, one)
                two = times_plus(times(load(c, most + k), load(c, most + k + shift)), weight, two)
                three = times_plus(times(load(c, 2 * most + k), load(c, 2 * most + k + shift)), weight, three)
                four = times_plus(times(load(c, 3 * most + k), load(c, 3 * most + k + shift)), weight, four)
            w += size
        intercept = packed.intercepts[leaf, task]
        values[rows[3], task] = total(four) + intercept  # rows that are there twice get the same value
        values[rows[2], task] = total(three) + intercept
        values[rows[1], task] = total(two) + intercept
        values[rows[0], task] = total(one) + intercept
