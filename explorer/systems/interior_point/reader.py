"""What stands for the kernel matrix in a run of the interior-point method, and the machine that follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.events import Array, Event
from engine.runtime.threads import serial_blas
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from explorer.systems.interior_point import reader

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay

STANDS = (PivotsChosen, Factorised, InteriorIteration, InteriorFinished)  # after these the method stands elsewhere
EVENTS = (*STANDS, SchemeSwitched, ColdStart)
JITTER = 1e-10  # of the diagonal between pivots
NEAR = 0.01  # part of C: an alpha that is nearer to a bound counts as on it, since it never gets there


@dataclass(frozen=True, eq=False)
class Factor:
    """A factorisation at a moment."""

    kind: str  # icf, kronecker, cholesky; empty before the first
    pivots: Array  # of incomplete Cholesky, so far
    fresh: int  # of these, the newest
    residual: Array  # of each point, or empty
    largest: float  # of the kernel's diagonal
    pivots_used: Array  # by the latest iteration: those its machine is a sum over


def factor_at(events: Iterable[Event]) -> Factor:
    """The factorisation that a task has come to with its events."""
    chosen: list[PivotsChosen] = []
    kind, used, residual, fresh = "", 0, np.zeros(0, np.float32), 0
    for event in events:
        fresh = len(event.pivots) if isinstance(event, PivotsChosen) else 0
        if isinstance(event, PivotsChosen):
            kind, residual = "icf", event.residual
            chosen.append(event)
        elif isinstance(event, Factorised):
            kind = event.kind
        elif isinstance(event, InteriorIteration):
            used = sum(len(past.pivots) for past in chosen)
    pivots = np.concatenate([np.zeros(0, int), *(past.pivots for past in chosen)])
    largest = float(chosen[0].values[0]) if chosen else np.nan
    return Factor(kind, pivots, fresh, residual, largest, pivots[:used])


def over_pivots(kernel: Kernel, points: Points, pivots: Array, weights: Array, threads: int) -> Array:
    """Coefficients of the pivots in the machine that HH' makes of `weights`: there HH' is exact, so values agree."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # not before a page is there: it takes a while

    used = np.flatnonzero(weights)
    values = kernel.product(points[pivots], points[used], weights[used], threads)
    between = kernel.block(points[pivots], points[pivots]).astype(float)
    between[np.diag_indices_from(between)] *= 1 + JITTER
    with serial_blas():  # for so few pivots its threads would only wait for each other
        try:
            return np.asarray(cho_solve(cho_factor(between, lower=True), values))
        except LinAlgError:
            return np.asarray(np.linalg.lstsq(between, values, rcond=JITTER)[0])


def fits(event: Any, n: int) -> bool:
    """Whether what a file says of a task is about its n points."""
    of_points = [getattr(event, name) for name in ("pivots", "order", "vectors") if hasattr(event, name)]
    if not all(rows.ndim == 1 and np.isin(rows, np.arange(n)).all() for rows in of_points):
        return False
    match event:
        case PivotsChosen():
            same = {len(event.pivots), len(event.values), len(event.traces)}
            return len(same) == 1 and event.residual.shape in ((n,), (0,))
        case Factorised():
            squares = (event.left, event.right, event.difference)
            return all(square.ndim == 2 and len(set(square.shape)) == 1 for square in squares)
        case InteriorIteration():
            return event.alpha.shape == (n,) and event.products.shape in ((2, n), (2, 0))
        case InteriorFinished():
            return event.alpha.shape in ((n,), (0,)) and len(event.vectors) == len(event.coefficients)
        case SchemeSwitched():
            return event.alpha.shape == (n,)
        case _:
            return event.gaps.ndim == 1


def _factor(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """The latest iterate of the interior-point method, and the factorisation."""
    past = replay.past(event)
    iterates = (item for item in reversed(past) if isinstance(item, InteriorIteration | InteriorFinished))
    latest = next(iterates, None)
    alpha, intercept = (np.zeros(n), 0.0) if latest is None else (latest.alpha, latest.intercept)
    return {"alpha": alpha, "intercept": intercept, "factor": reader.factor_at(past), "near": reader.NEAR}
