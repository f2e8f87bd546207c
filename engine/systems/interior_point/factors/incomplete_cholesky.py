"""Incomplete Cholesky factorisation: K ~ HH' with p columns, by greedy or by random pivots.

    v = diag(K)
    repeat: i = argmax v, or i with probability v_i / sum of v;  h = (K(:, i) - H H(i, :)') / sqrt(v_i);  v -= h^2

The sum of v is the trace of K - HH', which is also the sum of the singular values left out. It can go on from any
rank. Greedy pivots that tie, as all do at first, go by a random order and not by that of the data. Random pivots (Chen,
Epperly, Tropp and Webber, 2024) are drawn where much is left, instead of where single points are far from all others.
What the interior-point method does with HH' is in `low_rank`.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from engine.numerics.jit import FAST
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array
from engine.systems.interior_point.factors.low_rank import PANEL, ROWS, LowRankFactor

FRESH = 2000  # columns that are read in the time in which a row of a new panel is had from the system
NOTHING = 1e-15  # entry of H, as a part of the root of the largest diagonal: smaller ones only slow down arithmetic
SMALLEST = {"float32": 1e-6, "float64": 1e-13}  # pivot, as a part of the largest diagonal, that is more than rounding


class IncompleteCholesky(LowRankFactor):
    """H, its pivots, and v: what is left of the diagonal of K."""

    kind = "icf"

    def __init__(self, problem: Problem, single: bool = True, pivots: str = "greedy", seed: int = 0) -> None:
        super().__init__(len(problem), problem.threads, single and problem.kernel.store is np.float32)
        self.problem = problem
        self._draws = pivots == "random"
        self._random = np.random.default_rng([seed, 12])
        self._order = self._random.permutation(self.n)
        self.pivots: list[int] = []
        self.values: list[float] = []  # of v at the pivots, when they were chosen
        self.traces: list[float] = []  # of K - HH', after each pivot
        self.residual = np.maximum(problem.diagonal, 0.0)
        self.total = float(self.residual.sum())
        self._nothing = NOTHING * float(np.sqrt(self.residual.max()))
        self._smallest = SMALLEST[np.dtype(problem.kernel.store).name] * float(self.residual.max())

    @property
    def rank(self) -> int:
        """The number of columns so far."""
        return len(self.pivots)

    @property
    def error(self) -> float:
        """The trace of K - HH' as a part of that of K."""
        return (self.traces[-1] if self.traces else self.total) / self.total if self.total else 0.0

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left but rounding."""
        return not self.rank < self.n or not float(self.residual.max()) > self._smallest

    # ---- the factorisation ----

    def extend(self, rank: int, error: float) -> Iterator[None]:
        """Add columns until there are `rank` of them, or the residual trace is down to `error` of all, or none is left.

        Breathes after each column, if not more often.
        """
        column = np.empty(self.n)
        row = np.empty((1, self.n), self.problem.kernel.store)
        while self.rank < min(rank, self.n) and self.error > error and not self.exhausted:
            pivot = self._next()
            value = float(self.residual[pivot])
            for _ in self.problem.kernel.row_steps(self.problem.points, pivot, row, self.threads):
                yield
            yield from self._make_room(min(rank, self.n) - self.rank)
            yield from self._column(pivot, value, row[0], column)
            self.residual[pivot] = 0.0
            self.pivots.append(pivot)
            self.values.append(value)
            self.traces.append(float(self.residual.sum()))

    def _next(self) -> int:
        """The point whose row is next."""
        if not self._draws:
            return int(self._order[self.residual[self._order].argmax()])
        ends = np.cumsum(np.where(self.residual > self._smallest, self.residual, 0.0))
        return int(np.searchsorted(ends, self._random.random() * ends[-1], side="right"))

    def _make_room(self, wanted: int) -> Iterator[None]:
        """For a column, and for as many more as are wanted, if one panel will do."""
        place = self.rank % PANEL
        if place and place < self.panels[-1].shape[1]:
            return
        room = np.zeros((self.n, min(PANEL, place + wanted)), self.problem.kernel.store)
        if place:
            narrow = self.panels.pop()
            for top in range(0, self.n, ROWS):
                room[top : top + ROWS, :place] = narrow[top : top + ROWS]
                yield
        self.panels.append(room)

    def _column(self, pivot: int, value: float, kernel_row: Array, column: Array) -> Iterator[None]:
        place = self.rank % PANEL
        parts = [(panel, panel[pivot, :width].astype(np.float64)) for panel, width in self._parts() if width]
        new, residual, root = self.panels[-1], self.residual, np.sqrt(value)

        def work(top: int) -> None:
            bottom = min(top + ROWS, self.n)
            column[top:bottom] = kernel_row[top:bottom]
            for panel, of_pivot in parts:
                _subtract(panel, of_pivot, column, top, bottom)
            _finish(column, root, new, place, residual, self._nothing, top, bottom)

        # The first column of a panel is the first to touch its memory: that takes as long as reading many columns.
        yield from self._sliced(work, self.rank + (8 if place else FRESH))
        # What the arithmetic makes of the pivot itself is v_i / sqrt(v_i), up to rounding.
        new[pivot, place] = root


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _subtract(panel, of_pivot, column, top, bottom):  # type: ignore[no-untyped-def]
    """column -= panel @ of_pivot, with float64 sums."""
    width = of_pivot.size
    for i in range(top, bottom):
        row = panel[i]
        total = 0.0
        for k in range(width):
            total += row[k] * of_pivot[k]
        column[i] -= total


@njit(nogil=True, cache=True, fastmath=FAST)
def _finish(column, root, panel, place, residual, nothing, top, bottom):  # type: ignore[no-untyped-def]
    for i in range(top, bottom):
        # A point whose diagonal is used up has nothing in later columns but rounding.
        entry = column[i] / root if residual[i] > 0 else 0.0
        h = panel.dtype.type(entry if abs(entry) > nothing else 0.0)
        panel[i, place] = h
        residual[i] = max(residual[i] - float(h) * float(h), 0.0)
