"""PDDP, principal direction divisive partitioning (Boley, 1998): split a cluster at its mean, where it is widest.

    repeat: take the cluster with the largest scatter; u = its principal direction;
            its members with (x - mean)'u > 0 become a cluster of their own

The principal direction comes from some Lanczos steps with the covariance, which is never formed; rows are centred as
they are read. Its sign makes the largest entry positive. Nothing is random.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.events import Array
from engine.jit import FAST

LANCZOS = 12  # steps: a direction is enough, its last digits are not
SLICE = 2**21  # entries of rows read between two breaths: some ms
ROUNDING = 1e-10  # spread of a cluster, as a part of its largest entry, that is none: duplicates


@dataclass(frozen=True, eq=False)
class Split:
    """One split: `members` of `cluster`, of which those `beyond` its mean became the cluster `other`."""

    cluster: int
    other: int
    mean: Array
    direction: Array
    members: Array
    beyond: Array
    scatter: float
    scatter_here: float
    scatter_beyond: float


@dataclass(frozen=True, eq=False)
class Tree:
    """The cluster of each row, and the splits that led there, in their order."""

    labels: Array
    splits: list[Split]


class _Leaf(NamedTuple):
    """A cluster: a span of the rows in their present order, and what is known of it."""

    start: int
    stop: int
    mean: Array
    scatter: float
    farthest: int
    largest: float  # entry, but for its sign


def pddp(X: Array, count: int) -> Generator[Split | None, None, Tree]:
    """Split until there are `count` clusters, or nothing but duplicates in each; yields every split, and breaths."""
    order, rows = np.arange(len(X)), np.array(X)
    leaves = [(yield from _leaf(rows, 0, len(rows)))]
    widths = [leaves[0].scatter]  # -1: cannot be split
    splits: list[Split] = []
    while len(leaves) < count and max(widths) > 0:
        cluster = int(np.argmax(widths))
        leaf = leaves[cluster]
        direction = yield from principal_direction(rows[leaf.start : leaf.stop], leaf.mean, leaf.farthest)
        along = yield from _projections(rows[leaf.start : leaf.stop], leaf.mean, direction)
        beyond = along > 0
        if not np.abs(along).max() > ROUNDING * leaf.largest or not beyond.any():
            widths[cluster] = -1.0
            continue
        middle = leaf.stop - int(np.count_nonzero(beyond))
        members = order[leaf.start : leaf.stop].copy()
        for values in (order, rows):
            part = values[leaf.start : leaf.stop]
            part[:] = np.concatenate([part[~beyond], part[beyond]])
        here = yield from _leaf(rows, leaf.start, middle)
        there = yield from _leaf(rows, middle, leaf.stop)
        leaves[cluster], widths[cluster] = here, here.scatter
        leaves.append(there)
        widths.append(there.scatter)
        split = Split(
            cluster, len(leaves) - 1, leaf.mean, direction, members, beyond, leaf.scatter, here.scatter, there.scatter
        )
        splits.append(split)
        yield split
    labels = np.empty(len(X), np.int64)
    for number, leaf in enumerate(leaves):
        labels[order[leaf.start : leaf.stop]] = number
    return Tree(labels, splits)


def principal_direction(rows: Array, mean: Array, farthest: int) -> Generator[None, None, Array]:
    """The direction of the largest spread, by Lanczos steps that begin at the row farthest from the mean."""
    most = min(LANCZOS, len(mean))
    basis, diagonal, beside = np.zeros((most + 1, len(mean))), np.zeros(most), np.zeros(most)
    basis[0] = rows[farthest] - mean
    basis[0] /= max(np.linalg.norm(basis[0]), np.finfo(float).tiny)
    steps = 0
    while steps < most:
        for top, bottom in _spans(rows):
            _add_covariance_times(rows, mean, basis[steps], basis[steps + 1], top, bottom)
            if bottom < len(rows):
                yield None
        _orthogonalise(basis, diagonal, beside, steps)
        steps += 1
        if not beside[steps - 1] > ROUNDING * diagonal[:steps].max():
            break
    return _ritz_vector(basis, diagonal, beside, steps)


def _projections(rows: Array, mean: Array, direction: Array) -> Generator[None, None, Array]:
    along = np.empty(len(rows))
    for top, bottom in _spans(rows):
        _project(rows, mean, direction, along, top, bottom)
        if bottom < len(rows):
            yield None
    return along


def _leaf(rows: Array, start: int, stop: int) -> Generator[None, None, _Leaf]:
    part = rows[start:stop]
    mean, found = np.zeros(rows.shape[1]), np.zeros(4)
    for top, bottom in _spans(part):
        _add_up(part, mean, top, bottom)
        if bottom < len(part):
            yield None
    mean /= len(part)
    for top, bottom in _spans(part):
        _add_scatter(part, mean, found, top, bottom)
        if bottom < len(part):
            yield None
    scatter, _, farthest, largest = found.tolist()
    return _Leaf(start, stop, mean, scatter, int(farthest), largest)


def _spans(rows: Array) -> Iterator[tuple[int, int]]:
    step = max(1, SLICE // rows.shape[1])
    return ((top, min(top + step, len(rows))) for top in range(0, len(rows), step))


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _add_up(rows, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += the sum of the rows."""
    for i in range(top, bottom):
        for k in range(out.size):
            out[k] += rows[i, k]


@njit(nogil=True, cache=True)
def _orthogonalise(basis, diagonal, beside, step):  # type: ignore[no-untyped-def]
    """Make the next vector of a Lanczos basis of the product in its place; twice, for the last digits."""
    product = basis[step + 1]
    diagonal[step] = np.dot(basis[step], product)
    for _ in range(2):
        for j in range(step + 1):
            share = np.dot(basis[j], product)
            for k in range(product.size):
                product[k] -= share * basis[j, k]
    beside[step] = np.sqrt(np.dot(product, product))
    for k in range(product.size):
        product[k] /= max(beside[step], 1e-300)


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _project(rows, mean, direction, out, top, bottom):  # type: ignore[no-untyped-def]
    """out = (x - mean)'direction for each row x."""
    for i in range(top, bottom):
        total = 0.0
        for k in range(mean.size):
            total += (rows[i, k] - mean[k]) * direction[k]
        out[i] = total


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _add_covariance_times(rows, mean, vector, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += sum of (x - mean) (x - mean)'vector over the rows."""
    for i in range(top, bottom):
        total = 0.0
        for k in range(mean.size):
            total += (rows[i, k] - mean[k]) * vector[k]
        for k in range(mean.size):
            out[k] += total * (rows[i, k] - mean[k])


@njit(nogil=True, cache=True)
def _ritz_vector(basis, diagonal, beside, steps):  # type: ignore[no-untyped-def]
    """The direction of the largest eigenvalue that a Lanczos basis knows of, with its largest entry positive."""
    tridiagonal = np.diag(diagonal[:steps])
    for j in range(steps - 1):
        tridiagonal[j, j + 1] = tridiagonal[j + 1, j] = beside[j]
    weights = np.linalg.eigh(tridiagonal)[1][:, -1]
    direction = np.zeros(basis.shape[1])
    for j in range(steps):
        direction += weights[j] * basis[j]
    direction /= max(np.sqrt(np.dot(direction, direction)), 1e-300)
    return direction if direction[np.abs(direction).argmax()] > 0 else -direction


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _add_scatter(rows, mean, found, top, bottom):  # type: ignore[no-untyped-def]
    """Into `found`: the sum of square distances from the mean, the largest, whose it is, and the largest entry."""
    for i in range(top, bottom):
        distance, largest = 0.0, 0.0
        for k in range(mean.size):
            off = rows[i, k] - mean[k]
            distance += off * off
            largest = max(largest, abs(rows[i, k]))
        found[0] += distance
        found[3] = max(found[3], largest)
        if distance > found[1]:
            found[1] = distance
            found[2] = i
