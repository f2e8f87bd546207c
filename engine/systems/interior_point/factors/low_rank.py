"""HH' in place of K: products and solutions for the interior-point method, whatever the p columns of H are.

(HH' + D)^-1 follows from the p x p matrix E = I + H'D^-1 H by the formula of Sherman, Morrison and Woodbury; forming E
is the dominant cost of an iteration. H is kept in panels of columns, so that it grows without being copied.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy
from numba import njit

from engine.numerics.cholesky import NotPositive, cholesky, lower_to_upper
from engine.numerics.jit import FAST
from engine.numerics.tall_products import add_times, add_transposed
from engine.runtime.events import Array, Steps
from engine.runtime.threads import for_each, serial_blas

PANEL = 128  # columns of a panel
ROWS = 4096  # of a tile that one thread works on
BATCH = 8  # tiles whose products are added up together
ENTRIES = 2e7  # of H read between two breaths: some 10 ms
FLOPS = 4e8  # of forming E between two breaths
JITTERS = (1e-15, 1e-12, 1e-9)  # of E's diagonal, tried one after the other


class LowRankFactor:
    """H, and (HH' + D)^-1 for one D after the other; `single`: E is formed in float32."""

    def __init__(self, n: int, threads: int, single: bool, panels: Sequence[Array] = ()) -> None:
        self.n, self.threads, self.single = n, threads, single
        self.panels = list(panels)  # all but the last have PANEL columns

    @property
    def rank(self) -> int:
        """The number of columns so far."""
        return sum(panel.shape[1] for panel in self.panels)

    @property
    def bytes(self) -> int:
        """Memory of H, in bytes."""
        return sum(panel.nbytes for panel in self.panels)

    def columns(self, rows: Any = slice(None)) -> Array:
        """H in one piece, or some rows of it."""
        return np.hstack([np.zeros((self.n, 0))[rows], *(panel[rows, :width] for panel, width in self._parts())])

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
                self._lower = yield from cholesky(E.copy(), self.threads)
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
        rows = ROWS if rank <= 512 else ROWS // 4 if rank <= 1024 else ROWS // 16
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
                for_each(work, some, self.threads)
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
            for_each(work, tops[first : first + step], self.threads)
            yield

    def _parts(self) -> list[tuple[Array, int]]:
        """The panels, and how many columns of each are filled."""
        return [(panel, min(PANEL, self.rank - PANEL * number)) for number, panel in enumerate(self.panels)]


@njit(nogil=True, cache=True, fastmath=FAST)
def _scale(panel, scale, block, left, width, top, bottom):  # type: ignore[no-untyped-def]
    for i in range(top, bottom):
        factor = block.dtype.type(scale[i])
        row, target = panel[i], block[i - top, left : left + width]
        for k in range(width):
            target[k] = factor * row[k]
