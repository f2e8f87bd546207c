"""k-means in kernel space and in input space: seeded by k-means++; no cluster is left empty."""

from collections.abc import Callable

import numpy as np
from numba import njit

from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps
from engine.runtime.threads import serial_blas

SLICE = 2**21  # distances between two breaths
BREATH = 64  # seeds between two breaths
ROUNDS = 20  # of k-means on the sample, at most
MARGIN = 1e-6  # relative; a centre must be nearer by more than rounding to win a point


def kernel_kmeans(K: Array, count: int, rng: np.random.Generator) -> Steps[Array]:
    """Kernel k-means on a kernel matrix; returns the cluster of each point."""
    diagonal = np.diagonal(K).astype(np.float64)
    seeds = yield from _seeds(lambda i: diagonal + diagonal[i] - 2.0 * K[i], len(K), count, rng)
    owner = (diagonal[seeds][None] - 2.0 * K[:, seeds]).argmin(axis=1).astype(np.int32)
    owner[seeds] = np.arange(count)
    distance = np.empty(len(K))
    for _ in range(ROUNDS):
        moved = _kmeans_round(K, diagonal, owner, count, distance)
        _fill_empty(owner, count, distance)
        yield None
        if not moved:
            break
    return owner


def plain_kmeans(
    X: Array, count: int, rng: np.random.Generator, counter: Counter, weights: Array | None = None
) -> Steps[Array]:
    """Lloyd's k-means in input space, of points that may have positive weights; returns the centres."""
    weights = np.ones(len(X)) if weights is None else weights
    norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    seeds = yield from _seeds(lambda i: weights * (norms + norms[i] - 2.0 * (X @ X[i])), len(X), count, rng)
    centres = X[seeds]
    owner, distance = np.full(len(X), -1, np.int32), np.empty(len(X))
    for _ in range(ROUNDS):
        before = owner.copy()
        for top in range(0, len(X), max(1, SLICE // count)):
            part = slice(top, top + max(1, SLICE // count))
            with serial_blas():
                values = np.einsum("ij,ij->i", centres, centres)[None] - 2.0 * (X[part] @ centres.T)
            owner[part] = values.argmin(axis=1)
            distance[part] = norms[part] + values.min(axis=1)
            yield None
        counter.add(len(X) * count)
        _fill_empty(owner, count, weights * distance)
        centres = means(X, owner, weights, count)
        if np.array_equal(owner, before):
            break
    return centres


def _seeds(distances_to: Callable[[int], Array], size: int, count: int, rng: np.random.Generator) -> Steps[Array]:
    """k-means++: each next seed with a probability proportional to its square distance from those before."""
    seeds = np.full(count, int(rng.integers(size)))
    nearest = np.full(size, np.inf)
    for done in range(1, count + 1):
        with serial_blas():
            nearest = np.minimum(nearest, np.maximum(distances_to(int(seeds[done - 1])), 0.0))
        nearest[seeds[done - 1]] = 0.0
        if done == count:
            break
        total = np.cumsum(nearest)
        if total[-1] > 0:
            seeds[done] = min(int(np.searchsorted(total, rng.random() * total[-1], side="right")), size - 1)
        else:  # nothing but duplicates is left
            seeds[done] = rng.choice(np.setdiff1d(np.arange(size), seeds[:done]))
        if done % BREATH == 0:
            yield None
    return seeds


def _fill_empty(owner: Array, count: int, distance: Array) -> None:
    """Re-seed every empty cluster from the point farthest from its own centre, in place."""
    sizes = np.bincount(owner, minlength=count)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    candidates = iter(np.argsort(-distance, kind="stable"))
    for cluster in empty:
        point = next(i for i in candidates if sizes[owner[i]] > 1)
        sizes[owner[point]] -= 1
        owner[point] = cluster


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _kmeans_round(K, diagonal, owner, count, distance):  # type: ignore[no-untyped-def]
    """One round of kernel k-means, in place; returns how many points moved. `distance` is to the old nearest centre."""
    m = owner.size
    sizes = np.zeros(count)
    for i in range(m):
        sizes[owner[i]] += 1.0
    sums = np.zeros((m, count))
    for i in range(m):
        for j in range(m):
            sums[i, owner[j]] += K[i, j]
    offsets = np.zeros(count)
    for i in range(m):
        offsets[owner[i]] += sums[i, owner[i]] / sizes[owner[i]] ** 2
    moved = 0
    for i in range(m):
        where = owner[i]
        best = offsets[where] - 2.0 * sums[i, where] / sizes[where]
        edge = MARGIN * abs(diagonal[i])
        for c in range(count):
            other = offsets[c] - 2.0 * sums[i, c] / sizes[c]
            if other < best - edge:
                best, where = other, c
        distance[i] = diagonal[i] + best
        if where != owner[i]:
            moved += 1
            owner[i] = where
    return moved


@njit(nogil=True, cache=True)
def means(X, labels, weights, count):  # type: ignore[no-untyped-def]
    """The weighted mean of the rows with each label; zero where there are none."""
    sums = np.zeros((count, X.shape[1]))
    sizes = np.zeros(count)
    for i in range(X.shape[0]):
        sizes[labels[i]] += weights[i]
        for k in range(X.shape[1]):
            sums[labels[i], k] += weights[i] * X[i, k]
    for c in range(count):
        if sizes[c] > 0.0:
            sums[c] /= sizes[c]
    return sums.astype(X.dtype)


@njit(nogil=True, cache=True)
def nearest_centres(X, centres):  # type: ignore[no-untyped-def]
    """For each row the centre nearest to it, the first of equal ones."""
    nearest = np.empty(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        least = np.inf
        for c in range(centres.shape[0]):
            distance = 0.0
            for k in range(X.shape[1]):
                distance += (X[i, k] - centres[c, k]) ** 2
            if distance < least:
                least, nearest[i] = distance, c
    return nearest
