"""Incomplete Cholesky factorisation: K ~ HH' with p columns, by greedy pivots.

    v = diag(K);  repeat: i = argmax v;  h = (K(:, i) - H H(i, :)') / sqrt(v_i);  v -= h^2

The sum of v is the trace of K - HH', which is also the sum of the singular values left out. It can go on from any
rank. (HH' + D)^-1 follows from the p x p matrix E = I + H'D^-1 H by the formula of Sherman, Morrison and Woodbury;
forming E is the dominant cost of an iteration. H is kept in panels of columns, so that it grows without being copied.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy
from numba import njit

from engine.events import Array, Steps
from engine.factor import NotPositive, cholesky, lower_to_upper
from engine.jit import FAST
from engine.problem import Problem
from engine.threads import for_each, serial_blas

PANEL = 128  # columns of a panel
ROWS = 4096  # of a tile that one thread works on
BATCH = 8  # tiles whose products are added up together
ENTRIES = 2e7  # of H read between two breaths: some 10 ms
FLOPS = 4e8  # of forming E between two breaths
JITTERS = (1e-15, 1e-12, 1e-9)  # of E's diagonal, tried one after the other
NOTHING = 1e-15  # entry of H, as a part of the root of the largest diagonal: smaller ones only slow down arithmetic
SMALLEST = {"float32": 1e-6, "float64": 1e-13}  # pivot, as a part of the largest diagonal, that is more than rounding


class IncompleteCholesky:
    """H, its pivots, and v: what is left of the diagonal of K."""

    kind = "icf"

    def __init__(self, problem: Problem, single: bool = True) -> None:
        self.problem, self.n = problem, len(problem)
        self.panels: list[Array] = []
        self.pivots: list[int] = []
        self.values: list[float] = []  # of v at the pivots, when they were chosen
        self.traces: list[float] = []  # of K - HH', after each pivot
        self.residual = np.maximum(problem.diagonal, 0.0)
        self.total = float(self.residual.sum())
        self.single = single and problem.kernel.store is np.float32
        self._nothing = NOTHING * float(np.sqrt(self.residual.max()))
        self._smallest = SMALLEST[np.dtype(problem.kernel.store).name] * float(self.residual.max())

    @property
    def rank(self) -> int:
        """Columns so far."""
        return len(self.pivots)

    @property
    def bytes(self) -> int:
        """Of H."""
        return sum(panel.nbytes for panel in self.panels)

    @property
    def error(self) -> float:
        """The trace of K - HH' as a part of that of K."""
        return (self.traces[-1] if self.traces else self.total) / self.total if self.total else 0.0

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left but rounding."""
        return not self.rank < self.n or not float(self.residual.max()) > self._smallest

    def columns(self, rows: Any = slice(None)) -> Array:
        """H in one piece, or some rows of it, for those who look at it."""
        return np.hstack([np.zeros((self.n, 0))[rows], *(panel[rows, :width] for panel, width in self._parts())])

    # ---- the factorisation ----

    def extend(self, rank: int, error: float) -> Iterator[None]:
        """Add columns until there are `rank` of them, or the residual trace is down to `error` of all, or none is left.

        Breathes after each column, if not more often.
        """
        column = np.empty(self.n)
        row = np.empty((1, self.n), self.problem.kernel.store)
        while self.rank < min(rank, self.n) and self.error > error and not self.exhausted:
            pivot = int(self.residual.argmax())
            value = float(self.residual[pivot])
            for _ in self.problem.kernel.row_steps(self.problem.points, pivot, row, self.problem.threads):
                yield
            yield from self._column(pivot, value, row[0], column)
            self.residual[pivot] = 0.0
            self.pivots.append(pivot)
            self.values.append(value)
            self.traces.append(float(self.residual.sum()))

    def _column(self, pivot: int, value: float, kernel_row: Array, column: Array) -> Iterator[None]:
        place = self.rank % PANEL
        if place == 0:
            self.panels.append(np.zeros((self.n, PANEL), self.problem.kernel.store))
        parts = [(panel, panel[pivot, :width].astype(np.float64)) for panel, width in self._parts() if width]
        new, residual, root = self.panels[-1], self.residual, np.sqrt(value)

        def work(top: int) -> None:
            bottom = min(top + ROWS, self.n)
            column[top:bottom] = kernel_row[top:bottom]
            for panel, of_pivot in parts:
                _subtract(panel, of_pivot, column, top, bottom)
            _finish(column, root, new, place, residual, self._nothing, top, bottom)

        yield from self._sliced(work, self.rank + 8)
        # What the arithmetic makes of the pivot itself is v_i / sqrt(v_i), up to rounding.
        new[pivot, place] = root

    def _parts(self) -> list[tuple[Array, int]]:
        """The panels, and how many columns of each are filled."""
        return [(panel, min(PANEL, self.rank - PANEL * number)) for number, panel in enumerate(self.panels)]

    # ---- as a factor ----

    def product(self, V: Array) -> Steps[Array]:
        """H H' times the rows of V."""
        return (yield from self._times((yield from self._transposed(V))))

    def prepare(self, D: Array) -> Steps[None]:
        """Form E = I + H'D^-1 H and factorise it."""
        self._inverse = 1.0 / D
        E = yield from self._form(np.sqrt(self._inverse))
        diagonal = np.diag_indices_from(E)
        formed = E[diagonal]
        for jitter in JITTERS:
            # Beside a huge D^-1 the 1 is lost in rounding: refinement makes up for a little more than 1.
            E[diagonal] = 1.0 + (1.0 + jitter) * formed
            try:
                self._lower = yield from cholesky(E.copy(), self.problem.threads)
                return
            except NotPositive:
                if self.single or jitter == JITTERS[-1]:
                    raise

    def solve(self, V: Array) -> Steps[Array]:
        """D^-1 V - D^-1 H E^-1 H' D^-1 V."""
        V = V * self._inverse
        inner = yield from self._transposed(V)
        back = yield from self._times(scipy.linalg.cho_solve((self._lower, True), inner.T).T)
        return V - self._inverse * back

    def _form(self, scale: Array) -> Steps[Array]:
        """H'D^-1 H from the rows of D^-1/2 H, tile by tile: in float32 if that is asked for, added up in float64."""
        rank, dtype = self.rank, np.float32 if self.single else np.float64
        rows = ROWS if rank <= 512 else ROWS // 4
        E = np.zeros((rank, rank))
        tops = range(0, self.n, rows)
        batch = int(max(2, min(BATCH, FLOPS / (rows * rank * rank), len(tops))))
        products = np.empty((batch, rank, rank), dtype)

        def work(item: tuple[int, int]) -> None:
            place, top = item
            bottom = min(top + rows, self.n)
            block = np.empty((bottom - top, rank), dtype)
            for number, (panel, width) in enumerate(self._parts()):
                left = PANEL * number
                _scale(panel, scale, block, left, width, top, bottom)
            np.matmul(block.T, block, out=products[place])  # numpy sees that this is symmetric: half the work

        for first in range(0, len(tops), batch):
            some = list(enumerate(tops[first : first + batch]))
            with serial_blas():
                for_each(work, some, self.problem.threads)
            for place, _ in some:  # in this order, whoever was first
                E += products[place]
            yield None
        lower_to_upper(E)
        return E

    def _transposed(self, V: Array) -> Steps[Array]:
        """H' times the rows of V."""
        tops = range(0, self.n, ROWS)
        sums = np.zeros((len(tops), len(V), self.rank))

        def work(top: int) -> None:
            out = sums[top // ROWS]
            for number, (panel, width) in enumerate(self._parts()):
                add_transposed(panel, V, out[:, PANEL * number : PANEL * number + width], top, min(top + ROWS, self.n))

        yield from self._sliced(work, self.rank * len(V))
        return sums.sum(axis=0)

    def _times(self, W: Array) -> Steps[Array]:
        """H times the rows of W."""
        out = np.zeros((len(W), self.n))
        parts = [
            (panel, np.ascontiguousarray(W[:, PANEL * number : PANEL * number + width]))
            for number, (panel, width) in enumerate(self._parts())
        ]

        def work(top: int) -> None:
            for panel, some in parts:
                add_times(panel, some, out, top, min(top + ROWS, self.n))

        yield from self._sliced(work, self.rank * len(W))
        return out

    def _sliced(self, work: Any, entries: int) -> Iterator[None]:
        """Call `work` on all tiles, with a breath after so many that ENTRIES were read, at `entries` a row."""
        tops = range(0, self.n, ROWS)
        step = max(2, int(ENTRIES / (ROWS * max(1, entries))))
        for first in range(0, len(tops), step):
            for_each(work, tops[first : first + step], self.problem.threads)
            yield


class GivenColumns(IncompleteCholesky):
    """HH' with columns that were found in another way: it has no pivots."""

    def __init__(self, problem: Problem, H: Array) -> None:
        super().__init__(problem)
        self._count = H.shape[1]
        self.panels = [np.ascontiguousarray(H[:, left : left + PANEL]) for left in range(0, self._count, PANEL)]

    @property
    def rank(self) -> int:
        """Columns."""
        return self._count


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


@njit(nogil=True, cache=True, fastmath=FAST)
def _scale(panel, scale, block, left, width, top, bottom):  # type: ignore[no-untyped-def]
    for i in range(top, bottom):
        factor = block.dtype.type(scale[i])
        row, target = panel[i], block[i - top, left : left + width]
        for k in range(width):
            target[k] = factor * row[k]


@njit(nogil=True, cache=True, fastmath=FAST)
def add_transposed(panel, V, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += V @ panel, over these rows of the panel."""
    width = out.shape[1]
    for i in range(top, bottom):
        row = panel[i]
        for c in range(V.shape[0]):
            value, target = V[c, i], out[c]
            for k in range(width):
                target[k] += value * row[k]


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def add_times(panel, W, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += W @ panel', over these rows of the panel."""
    width = W.shape[1]
    for i in range(top, bottom):
        row = panel[i]
        for c in range(W.shape[0]):
            weights = W[c]
            total = 0.0
            for k in range(width):
                total += row[k] * weights[k]
            out[c, i] += total
