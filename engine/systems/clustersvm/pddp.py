"""PDDP, principal direction divisive partitioning (Boley, 1998): split a cluster at its mean, where it is widest.

    repeat: take the cluster with the largest scatter; u = its principal direction;
            its members with (x - mean)'u > 0 become a cluster of their own

The principal direction comes from some Lanczos steps with the covariance, which is never formed; rows are centred as
they are read. Its sign makes the largest entry positive. Nothing is random.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.numerics.jit import FAST
from engine.runtime.events import Array

LANCZOS = 12  # steps: a direction is enough, its last digits are not
SLICE = 2**22  # entries of rows read between two breaths, or a pass over a cluster if that is more: some ms
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
    leaves = [_leaf(rows, 0, len(rows))]
    widths = [leaves[0].scatter]  # -1: cannot be split
    splits: list[Split] = []
    while len(leaves) < count and max(widths) > 0:
        cluster = widths.index(max(widths))
        leaf = leaves[cluster]
        span = slice(leaf.start, leaf.stop)
        direction = yield from principal_direction(rows[span], leaf.mean, leaf.farthest)
        beyond, farthest = _beyond(rows[span], leaf.mean, direction)
        if not farthest > ROUNDING * leaf.largest or not beyond.any():
            widths[cluster] = -1.0
            continue
        members = order[span].copy()
        middle = leaf.start + _divide(order[span], rows[span], beyond)
        if rows[span].size > SLICE:
            yield None
        here, there = _leaf(rows, leaf.start, middle), _leaf(rows, middle, leaf.stop)
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
    basis, tridiagonal = np.zeros((most + 1, len(mean))), np.zeros((most + 1, most + 1))
    basis[0] = rows[farthest] - mean
    done, more = 0, True
    while more:
        done, more = _lanczos(rows, mean, basis, tridiagonal, done, max(1, SLICE // rows.size))
        if more:
            yield None
    return _ritz_vector(basis, tridiagonal[:done, :done])


def _leaf(rows: Array, start: int, stop: int) -> _Leaf:
    mean, scatter, farthest, largest = _describe(rows[start:stop])
    return _Leaf(start, stop, mean, scatter, farthest, largest)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _describe(rows):  # type: ignore[no-untyped-def]
    """The mean, the sum of square distances from it, the row with the largest, and the largest absolute entry."""
    n, d = rows.shape
    mean = np.zeros(d)
    for i in range(n):
        for k in range(d):
            mean[k] += rows[i, k]
    mean /= n
    scatter, most, farthest, largest = 0.0, 0.0, 0, 0.0
    for i in range(n):
        distance = 0.0
        for k in range(d):
            off = rows[i, k] - mean[k]
            distance += off * off
            largest = max(largest, abs(rows[i, k]))
        scatter += distance
        if distance > most:
            most, farthest = distance, i
    return mean, scatter, farthest, largest


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _lanczos(rows, mean, basis, tridiagonal, done, steps):  # type: ignore[no-untyped-def]
    """So many more steps with the covariance; how many there are then, and whether there is a next one to take."""
    most, d = tridiagonal.shape[0] - 1, mean.size
    if done == 0:
        basis[0] /= max(np.sqrt((basis[0] ** 2).sum()), 1e-300)
    for step in range(done, min(done + steps, most)):
        vector, product = basis[step], basis[step + 1]
        for i in range(rows.shape[0]):
            total = 0.0
            for k in range(d):
                total += (rows[i, k] - mean[k]) * vector[k]
            for k in range(d):
                product[k] += total * (rows[i, k] - mean[k])
        tridiagonal[step, step] = (vector * product).sum()
        for _ in range(2):  # for the last digits
            for j in range(step + 1):
                share = (basis[j] * product).sum()
                for k in range(d):
                    product[k] -= share * basis[j, k]
        beside = np.sqrt((product**2).sum())
        if not beside > ROUNDING * np.diag(tridiagonal).max():
            return step + 1, False
        product /= beside
        tridiagonal[step, step + 1] = tridiagonal[step + 1, step] = beside
    done = min(done + steps, most)
    return done, done < most


@njit(nogil=True, cache=True)
def _ritz_vector(basis, tridiagonal):  # type: ignore[no-untyped-def]
    """The direction of the largest eigenvalue that a Lanczos basis knows of, with its largest entry positive."""
    weights = np.linalg.eigh(tridiagonal)[1][:, -1]
    direction = np.zeros(basis.shape[1])
    for j in range(weights.size):
        direction += weights[j] * basis[j]
    direction /= max(np.sqrt(np.dot(direction, direction)), 1e-300)
    return direction if direction[np.abs(direction).argmax()] > 0 else -direction


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _beyond(rows, mean, direction):  # type: ignore[no-untyped-def]
    """Which rows are beyond the mean, and how far from it the farthest is, both along the direction."""
    beyond, farthest = np.empty(rows.shape[0], np.bool_), 0.0
    for i in range(rows.shape[0]):
        along = 0.0
        for k in range(mean.size):
            along += (rows[i, k] - mean[k]) * direction[k]
        beyond[i] = along > 0
        farthest = max(farthest, abs(along))
    return beyond, farthest


@njit(nogil=True, cache=True)
def _divide(order, rows, beyond):  # type: ignore[no-untyped-def]
    """Bring those beyond behind the others, in place and otherwise in their order; returns where they begin."""
    moved_order, moved_rows = order[beyond], rows[beyond]
    place = 0
    for i in range(beyond.size):
        if not beyond[i]:
            order[place] = order[i]
            rows[place] = rows[i]
            place += 1
    order[place:] = moved_order
    rows[place:] = moved_rows
    return place
