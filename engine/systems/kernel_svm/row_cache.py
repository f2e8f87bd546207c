"""The cache of kernel rows: rows over the active columns, within a limit of memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from engine.optimisation.dual_problem import Problem
from engine.runtime.errors import invalid
from engine.runtime.events import Array

MOVED = 2**24  # entries moved between two breaths: some 15 ms
FRESH = 2**21  # entries written between two breaths where memory is first used, which can take 20 ms


def check_limit(limit_mb: float, n: int, store: Any) -> None:
    """Two rows must fit."""
    needed = 2 * n * np.dtype(store).itemsize / 2**20
    if limit_mb < needed:
        raise invalid("cache_mb", limit_mb, f"at least {needed:.3g}, two kernel rows of {n} points")


class RowCache:
    """Rows of K over the active columns only; the least recently used make room for new ones."""

    def __init__(self, problem: Problem, limit_mb: float) -> None:
        n, self._store, self._limit_mb = len(problem), problem.kernel.store, limit_mb
        check_limit(limit_mb, n, self._store)
        entries = int(limit_mb * 2**20) // np.dtype(self._store).itemsize
        self._problem = problem
        # Pages of it that are never touched are never taken from the system.
        self._buffer = np.empty(min(entries, n * n), self._store)
        self._touched = 0  # entries of it that were
        self._clock = 0
        self.hits = self.computed = 0
        self.start_anew(np.arange(n))

    def of_another(self, problem: Problem) -> "RowCache":
        """An empty cache for a problem of the same points in another precision, with this one's counts."""
        least = 2 * len(problem) * np.dtype(problem.kernel.store).itemsize / 2**20
        other = RowCache(problem, max(self._limit_mb, least))
        other.hits, other.computed = self.hits, self.computed
        return other

    def start_anew(self, active: Array) -> None:
        """Hold no rows, over these columns."""
        n = len(self._problem)
        self.active = active
        self._columns = self._problem.points if len(active) == n else self._problem.points[active]
        capacity = min(self._buffer.size // max(1, len(active)), n)
        self.rows = self._buffer[: capacity * len(active)].reshape(capacity, len(active))
        self._slot = np.full(n, -1)
        self._owner = np.full(capacity, -1)
        self._used = np.zeros(capacity, np.int64)
        self._filled = 0

    def narrow(self, active: Array) -> Iterator[None]:
        """Hold only these of the active columns, and of these points the rows; breathes between slices."""
        stays = np.zeros(len(self._problem), bool)
        stays[active] = True
        columns, width = np.flatnonzero(stays[self.active]), len(self.active)
        slots = np.flatnonzero(stays[self._owner[: self._filled]])
        owners, used = self._owner[slots], self._used[slots]
        step = max(1, MOVED // max(1, len(columns)))
        for top in range(0, len(slots), step):
            _move_rows(self._buffer, slots[top : top + step], top, width, columns)
            yield
        self.start_anew(active)
        self._filled = len(slots)
        self._slot[owners], self._owner[: len(slots)], self._used[: len(slots)] = np.arange(len(slots)), owners, used

    def fetch(self, wanted: Array) -> Iterator[None]:
        """Make sure that the rows of these points are there, at `rows[slots(wanted)]`; breathes between slices."""
        self._clock += 1
        present = self._slot[wanted] >= 0
        missing = wanted[~present]
        self.hits += len(wanted) - len(missing)
        self.computed += len(missing)
        self._used[self._slot[wanted[present]]] = self._clock
        slots = self._make_room(len(missing))
        self._owner[slots], self._used[slots] = missing, self._clock
        problem = self._problem
        step, width, top = problem.kernel.rows_per_slice(len(self.active)), len(self.active), 0
        while top < len(missing):
            fresh = (slots[top] + 1) * width > self._touched
            bottom = top + (min(step, max(1, FRESH // width)) if fresh else step)
            part, where = missing[top:bottom], slots[top:bottom]
            problem.kernel.block(problem.points[part], self._columns, self.rows, where, problem.threads)
            self._slot[part] = where
            self._touched = max(self._touched, (int(where.max()) + 1) * width)
            top = bottom
            yield

    def _make_room(self, count: int) -> Array:
        """Empty slots first, then those that were not used for the longest time."""
        empty = np.arange(self._filled, min(self._filled + count, len(self.rows)))
        self._filled += len(empty)
        more = count - len(empty)
        if more == 0:
            return empty
        self._used[empty] = self._clock
        oldest = np.argpartition(self._used, more - 1)[:more]
        self._slot[self._owner[oldest]] = -1
        return np.concatenate([empty, oldest])

    def slots(self, points: Array) -> Array:
        """Where the rows of these points are."""
        return self._slot[points]


@njit(nogil=True, cache=True)
def _move_rows(buffer, slots, first, width, columns):  # type: ignore[no-untyped-def]
    """Gather some columns of rows of a width, in place: no entry is written before it is read."""
    for k in range(slots.size):
        start, target = slots[k] * width, (first + k) * columns.size
        for j in range(columns.size):
            buffer[target + j] = buffer[start + columns[j]]
