"""How a compressed model predicts: rows sorted by leaf, four at a time against sixteen landmarks at a time.

The model is packed once. Landmarks of a leaf lie side by side in panels, from a centre of their own, so that

    K(x, u) = exp(2 gamma x.u - gamma |u|^2 - gamma |x|^2)

loses nothing; where landmarks are so far apart that it would, differences are squared instead. Of data with many kinds,
each a feature of its own, a leaf has few: it looks only at the features in which its points differ. Products of two
kernel values c_j c_(j + shift) are vectors multiplied with vectors: a model has few different shifts.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.numerics.jit import FAST
from engine.numerics.kernel_loops import exp32
from engine.numerics.simd import (
    LANES,
    add,
    broadcast,
    broadcast_from,
    exponential,
    load,
    multiply,
    multiply_add,
    panels_of,
    products,
    store,
    total,
)
from engine.runtime.events import Array
from engine.systems.dcpred.tree import Routing, in_vectors, sorted_by_cell

GROUP = 4  # rows for which a panel is fetched once; a multiple of four, and more gain nothing
FAR = 1000.0  # gamma |u|^2, beyond which float32 would blur


class Packed(NamedTuple):
    """Leaves one after the other; `first` is the first panel of each, and so on."""

    routing: Routing
    gamma: np.float32
    most: int  # numbers for a row in any leaf
    first: Array
    panels: Array
    first_number: Array  # of a leaf's panels
    squares: Array  # -gamma |u|^2
    features: Array  # indices of the features a leaf uses; empty if it uses all
    first_feature: Array
    looks: Array  # how many features each leaf uses
    centres: Array  # of the leaves
    first_centre: Array
    far: Array
    pseudo: Array  # how many are found by the triangle inequality, in each leaf
    distances: Array  # from them to the landmarks
    first_distance: Array
    shifts: Array
    first_shift: Array
    weights: Array  # (tasks, landmarks and pseudo-landmarks in whole vectors, then those of each shift) of each leaf
    first_weight: Array
    intercepts: Array


def pack(model: Any, moved: bool) -> Packed:
    """A `CompressedModel` in this form, for rows that are moved to the tree's origin, or as they are."""
    d, gamma, tasks = len(model.tree.origin), float(model.gamma), model.intercepts.shape[1]
    counts, more, looks = np.diff(model.first), np.diff(model.first_pseudo), model.seen.sum(axis=1)
    whole = -(-counts // LANES)
    centres, far, panels, squares, features, shifts, weights = [], [], [], [], [], [], []
    triangle = np.diff(model.first_distance) > 0
    for leaf, count in enumerate(counts):
        seen = np.flatnonzero(model.seen[leaf])
        places = model.landmarks[model.first[leaf] : model.first[leaf + 1], seen].astype(np.float64)
        own, size = slice(model.first_pseudo[leaf], model.first_pseudo[leaf + 1]), whole[leaf] * LANES
        centre = places.mean(axis=0) if count else np.zeros(len(seen))
        centre = centre.astype(np.float32)
        apart = (places - centre).astype(np.float32)
        norms = np.zeros(size)
        norms[:count] = gamma * np.square(apart, dtype=np.float64).sum(axis=1)
        features.append(seen if len(seen) < d else seen[:0])
        centres.append(in_vectors(centre if moved else centre + model.tree.origin[seen]))
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
        model.tree.packed(moved), np.float32(gamma),
        int((2 * whole * LANES + extra).max(initial=0)) + LANES,
        starts_of(whole), _flat(panels), starts_of(map(len, panels)), _flat(squares), np.concatenate(features),
        starts_of(map(len, features)), looks, _flat(centres), starts_of(map(len, centres)), np.array(far), pseudo,
        model.distances, model.first_distance, np.concatenate(shifts), starts_of(map(len, shifts)),
        _flat(weights), starts_of(map(len, weights)), model.intercepts,
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
    rows = np.zeros((len(found), size, tasks))
    np.add.at(rows, (which, start), weights)
    return found, rows.reshape(-1, tasks).T


def starts_of(sizes: Iterable[int]) -> Array:
    """Where parts of these sizes begin, one after the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int64)


def _flat(parts: list[Array]) -> Array:
    return np.concatenate(parts).astype(np.float32)


def predict(packed: Packed, Z: Array, values: Array) -> None:
    """Values of some rows, a column for each task; Z has them in whole vectors, one after the other."""
    (rows, tasks), width, known = values.shape, packed.routing.width, packed.intercepts.shape[1]
    if len(Z) != rows * width or tasks != known:
        raise ValueError(f"{len(Z)} numbers and {tasks} columns, where {rows} rows of {width} and {known} are expected")
    _predict(packed, Z, values)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST)
def _predict(packed, Z, values):  # type: ignore[no-untyped-def]
    """`predict`, of rows that fit.

    Arrays are taken out of the tuple once, and helpers inlined: to count references takes longer than an inner product.
    """
    routing, gamma, most = packed.routing, packed.gamma, packed.most
    first, panels, first_number, squares = packed.first, packed.panels, packed.first_number, packed.squares
    features, first_feature, looks = packed.features, packed.first_feature, packed.looks
    centres, first_centre, far = packed.centres, packed.first_centre, packed.far
    pseudo, distances, first_distance = packed.pseudo, packed.distances, packed.first_distance
    shifts, first_shift, weights, first_weight = packed.shifts, packed.first_shift, packed.weights, packed.first_weight
    intercepts, children, stride = packed.intercepts, routing.children, routing.width
    order, begin, end = sorted_by_cell(routing, Z)
    z, c = np.zeros(GROUP * (stride + LANES), np.float32), np.zeros(GROUP * most, np.float32)
    rows, norms = np.empty(GROUP, np.int64), np.empty(GROUP, np.float32)
    for node in range(begin.size):
        if children[node, 0] >= 0:
            continue
        leaf = ~children[node, 0]
        if first[leaf] == first[leaf + 1]:
            for i in range(begin[node], end[node]):
                values[order[i]] = intercepts[leaf]
            continue
        size = (first[leaf + 1] - first[leaf]) * LANES
        whole = size + (pseudo[leaf] + LANES - 1) // LANES * LANES
        d, panel, first_square = looks[leaf], first_number[leaf], first[leaf] * LANES
        centre, width = first_centre[leaf], first_centre[leaf + 1] - first_centre[leaf]
        some = first_feature[leaf]
        if some < first_feature[leaf + 1]:
            z[:] = 0.0
        for i in range(begin[node], end[node], GROUP):
            count = min(GROUP, (end[node] - i + 3) // 4 * 4)
            for j in range(count):
                rows[j] = order[min(i + j, end[node] - 1)]
            if some < first_feature[leaf + 1]:
                for j in range(count):
                    _gathered(Z, rows[j] * stride, features, some, d, z, j * width)
                for j in range(count):
                    norms[j] = _from_centre(z, j * width, centres, centre, width, z, j * width, gamma)
            else:
                for j in range(count):
                    norms[j] = _from_centre(Z, rows[j] * stride, centres, centre, width, z, j * width, gamma)
            if far[leaf]:
                _far_kernel_values(z, count, width, d, panels, panel, size, gamma, c, most)
            else:
                _kernel_values(z, norms, count, width, d, panels, panel, squares, first_square, size, gamma, c, most)
            if first_shift[leaf] < first_shift[leaf + 1]:
                _once_more(c, count, most, size)
            if pseudo[leaf] > 0:
                _within_triangles(c, count, most, size, pseudo[leaf], distances, first_distance, leaf, gamma)
            for j in range(0, count, 4):
                at = first_weight[leaf]
                for task in range(values.shape[1]):
                    one, two, three, four = _weighted(
                        c, j * most, most, size, whole, weights, at, shifts, first_shift, leaf
                    )
                    at += whole + (first_shift[leaf + 1] - first_shift[leaf]) * size
                    intercept = intercepts[leaf, task]
                    values[rows[j + 3], task] = total(four) + intercept  # a row that is there twice gets one value
                    values[rows[j + 2], task] = total(three) + intercept
                    values[rows[j + 1], task] = total(two) + intercept
                    values[rows[j], task] = total(one) + intercept


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def _kernel_values(z, norms, count, width, d, panels, first, squares, first_square, size, gamma, c, most):  # type: ignore[no-untyped-def]
    """Kernel values of a group of rows at all landmarks of a leaf, into c, which has `most` numbers for each row."""
    zero, twice = broadcast(np.float32(0.0)), broadcast(np.float32(2.0) * gamma)
    for k in range(0, size, LANES):
        panel, square = first + k * d, load(squares, first_square + k)
        for j in range(0, count, 4):
            z0, c0 = j * width, j * most + k
            one, two, three, four = products(z, z0, z0 + width, z0 + 2 * width, z0 + 3 * width, d, panels, panel, zero)
            store(c, c0, exponential(multiply_add(one, twice, add(broadcast_from(norms, j), square))))
            store(c, c0 + most, exponential(multiply_add(two, twice, add(broadcast_from(norms, j + 1), square))))
            store(c, c0 + 2 * most, exponential(multiply_add(three, twice, add(broadcast_from(norms, j + 2), square))))
            store(c, c0 + 3 * most, exponential(multiply_add(four, twice, add(broadcast_from(norms, j + 3), square))))


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def _gathered(Z, row, features, first, count, z, at):  # type: ignore[no-untyped-def]
    """Some features of a row, into z. Unsigned indices avoid numba's check for negative ones."""
    for k in range(np.uint64(count)):
        z[np.uint64(at) + k] = Z[np.uint64(row) + np.uint64(features[np.uint64(first) + k])]


@njit(nogil=True, cache=True, fastmath=FAST)
def _from_centre(Z, row, centres, centre, width, z, at, gamma):  # type: ignore[no-untyped-def]
    """A row from the centre of its leaf, into z; returns -gamma |x|^2."""
    square = broadcast(np.float32(0.0))
    for k in range(0, width, LANES):
        x = multiply_add(load(centres, centre + k), broadcast(np.float32(-1.0)), load(Z, row + k))
        store(z, at + k, x)
        square = multiply_add(x, x, square)
    return -gamma * total(square)


@njit(nogil=True, cache=True, fastmath=FAST)
def _far_kernel_values(z, count, width, d, panels, first, size, gamma, c, most):  # type: ignore[no-untyped-def]
    """The same by the squares of differences, for landmarks far from the centre of their leaf."""
    minus = broadcast(np.float32(-1.0))
    for j in range(count):
        for k in range(0, size, LANES):
            square = broadcast(np.float32(0.0))
            for feature in range(d):
                landmark = load(panels, first + k * d + feature * LANES)
                away = multiply_add(landmark, minus, broadcast_from(z, j * width + feature))
                square = multiply_add(away, away, square)
            store(c, j * most + k, exponential(multiply(square, broadcast(-gamma))))


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def _once_more(c, count, most, size):  # type: ignore[no-untyped-def]
    """Repeat the kernel values, for products with those that come a shift later."""
    for j in range(count):
        for k in range(0, size, LANES):
            store(c, j * most + size + k, load(c, j * most + k))


@njit(nogil=True, cache=True, fastmath=FAST)
def _within_triangles(c, count, most, size, pseudo, distances, first_distance, leaf, gamma):  # type: ignore[no-untyped-def]
    """The kernel at the largest distances that pseudo-landmarks can have, as far as the landmarks know."""
    begin, m = first_distance[leaf], (first_distance[leaf + 1] - first_distance[leaf]) // pseudo
    for row in range(count):
        for t in range(pseudo):
            nearest = np.float32(3e38)
            for j in range(m):
                away = np.sqrt(-np.log(max(c[row * most + j], np.float32(1e-37))) / gamma)
                nearest = min(nearest, away + distances[begin + t * m + j])
            c[row * most + size + t] = exp32(-gamma * nearest * nearest)


@njit(nogil=True, cache=True, fastmath=FAST, inline="always")
def _weighted(c, c0, most, size, whole, weights, at, shifts, first_shift, leaf):  # type: ignore[no-untyped-def]
    """The weighted sums of landmarks and pseudo-landmarks of four rows, still in the places of a vector."""
    one = two = three = four = broadcast(np.float32(0.0))
    for k in range(0, whole, LANES):
        weight = load(weights, at + k)
        one = multiply_add(load(c, c0 + k), weight, one)
        two = multiply_add(load(c, c0 + most + k), weight, two)
        three = multiply_add(load(c, c0 + 2 * most + k), weight, three)
        four = multiply_add(load(c, c0 + 3 * most + k), weight, four)
    at += whole
    for q in range(first_shift[leaf], first_shift[leaf + 1]):
        shift = shifts[q]
        for k in range(0, size, LANES):
            weight = load(weights, at + k)
            one = multiply_add(multiply(load(c, c0 + k), load(c, c0 + k + shift)), weight, one)
            two = multiply_add(multiply(load(c, c0 + most + k), load(c, c0 + most + k + shift)), weight, two)
            three = multiply_add(
                multiply(load(c, c0 + 2 * most + k), load(c, c0 + 2 * most + k + shift)), weight, three
            )
            four = multiply_add(multiply(load(c, c0 + 3 * most + k), load(c, c0 + 3 * most + k + shift)), weight, four)
        at += size
    return one, two, three, four
