"""What stands for the kernel matrix in a run of the interior-point method, and the machine that follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.frame import Drawn, Expansion, Frame
from explorer.replay.reader import Reader

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


@dataclass(frozen=True, eq=False, kw_only=True)
class FactorFrame(Frame):
    """A frame of the interior-point method, whose alphas never quite get to their bounds."""

    factor: Factor

    @property
    def support(self) -> Array:
        """Which alphas count as not zero."""
        return self.alpha > NEAR * self.upper

    @property
    def at_bound(self) -> Array:
        """Which alphas count as at their bound."""
        return (self.alpha > 0) & (self.alpha >= self.upper * (1 - NEAR))


class FactorReader(Reader):
    """Reads the latest iterate and the factorisation; what follows by decomposition are frames of the dual problem."""

    states = (Iteration, PivotsChosen, Factorised, InteriorIteration, InteriorFinished)
    checked = (SchemeSwitched, ColdStart)

    def read(self, event: Any) -> Frame:
        """The latest iterate, and the factorisation."""
        if isinstance(event, Iteration):
            return super().read(event)
        problem, past = self.problem(event), self.context.past(event)
        iterates = (item for item in reversed(past) if isinstance(item, InteriorIteration | InteriorFinished))
        latest = next(iterates, None)
        alpha, intercept = (
            (np.zeros(len(problem["members"])), 0.0) if latest is None else (latest.alpha, latest.intercept)
        )
        return FactorFrame(**problem, alpha=alpha, intercept=intercept, factor=factor_at(past))

    def _expansion(self, frame: Frame) -> Expansion:
        """Over the vectors that the method ended with, over pivots while it runs, or over points with their alphas."""
        if isinstance(frame.event, InteriorFinished):
            return self.over_points(frame, frame.event.vectors, frame.event.coefficients)
        if isinstance(frame, FactorFrame) and frame.factor.kind == "icf" and len(frame.factor.pivots_used):
            here, pivots = self.context, frame.factor.pivots_used
            points, weights = here.points[frame.members], frame.signs * frame.alpha
            return self.over_points(frame, pivots, over_pivots(here.kernel, points, pivots, weights, here.threads))
        return super()._expansion(frame)

    def drawn(self, frame: Frame) -> Drawn:
        """The support vectors, whatever the decision function is a sum over."""
        if not isinstance(frame, FactorFrame):
            return super().drawn(frame)
        support = np.flatnonzero(frame.support)
        places = self.context.places[frame.members[support]]
        return Drawn(places, (frame.signs * frame.alpha)[support], frame.at_bound[support])

    def fits(self, event: Event, size: int) -> bool:
        """Whether an event is about the points of its task."""
        return super().fits(event, size) if isinstance(event, Iteration) else fits(event, size)


READER = FactorReader
