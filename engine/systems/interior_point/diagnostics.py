"""What events show of a factorisation: pivots as they are chosen, its parts and its error at the end."""

from typing import Any

import numpy as np

from engine.runtime.events import Array
from engine.systems.interior_point.events import Factorised, PivotsChosen
from engine.systems.interior_point.exact_problem import ExactProblem
from engine.systems.interior_point.factors.full_cholesky import FullCholesky
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from engine.systems.interior_point.factors.kronecker import Kronecker

SCREEN = 5000  # points that a screen shows one by one
SMALL_FACTOR, SMALL_MATRIX = 150, 400  # sides of matrices that a screen shows


def pivots_since(factor: IncompleteCholesky, reported: int, most: int, shown: bool) -> PivotsChosen:
    """The columns after the first `reported`; `shown`: with the residual diagonal of each point."""
    return PivotsChosen(
        rank=factor.rank, most=most, pivots=np.array(factor.pivots[reported:]),
        values=np.array(factor.values[reported:]),
        traces=np.array(factor.traces[reported:]), total=factor.total,
        residual=factor.residual.astype(np.float32) if shown else np.empty(0, np.float32),
    )  # fmt: skip


def factorised(factor: Any, exact: ExactProblem) -> Factorised:
    """A factorisation that is ready."""
    icf, grid, none = isinstance(factor, IncompleteCholesky), isinstance(factor, Kronecker), np.empty((0, 0))
    small = grid and max(len(factor.B), len(factor.C)) <= SMALL_FACTOR
    return Factorised(
        kind=factor.kind, rank=factor.rank, error=float(getattr(factor, "error", 0.0)), bytes=factor.bytes,
        pivots=np.array(factor.pivots if icf else [], int), values=np.array(factor.values if icf else []),
        order=factor.order.copy() if grid else np.empty(0, int),
        cells=factor.cells[factor.order] if grid else np.empty(0, int), left=factor.B.copy() if small else none,
        right=factor.C.copy() if small else none, difference=none if exact.silent else _difference(factor, exact),
    )  # fmt: skip


def _difference(factor: Any, exact: ExactProblem) -> Array:
    """K minus its approximation, in the order of the factorisation: all points, or as many as a screen shows."""
    if isinstance(factor, FullCholesky):
        return np.empty((0, 0))
    order = factor.order if isinstance(factor, Kronecker) else np.arange(factor.n)
    some = np.arange(len(order)) if len(order) <= SMALL_MATRIX else np.linspace(0, len(order) - 1, SMALL_MATRIX)
    some = some.astype(int)
    if isinstance(factor, Kronecker):
        instead = factor.between(order[some])
    else:
        H = factor.columns(some)
        instead = H @ H.T
    return (exact.block(order[some]) - instead).astype(np.float32)
