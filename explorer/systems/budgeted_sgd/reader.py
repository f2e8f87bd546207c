"""Frames of Budgeted SGD: the vectors of the budget, which need not be training points."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.runtime.events import Array
from engine.systems.budgeted_sgd.events import BudgetMaintained, StepsTaken
from explorer.replay.frame import Expansion, Frame
from explorer.replay.reader import Reader


@dataclass(frozen=True, eq=False)
class Budget:
    """Vectors that a solver keeps for itself."""

    vectors: Array
    coefficients: Array  # signed
    merged: Array  # which of them are no training points


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetFrame(Frame):
    """A frame of Budgeted SGD."""

    budget: Budget


class BudgetReader(Reader):
    """Reads the budget; after a merge, the one that it leaves."""

    states = (StepsTaken, BudgetMaintained)

    def read(self, event: Any) -> BudgetFrame:
        """The vectors of the budget. A training point among them has its coefficient as alpha."""
        problem = self.problem(event)
        merge = isinstance(event, BudgetMaintained)
        vectors, coefficients, sources = event.after() if merge else (event.vectors, event.coefficients, event.sources)
        alpha, merged = np.zeros(len(problem["members"])), sources < 0
        alpha[sources[~merged]] = abs(coefficients[~merged])
        return BudgetFrame(**problem, alpha=alpha, budget=Budget(vectors, coefficients, merged))

    def _expansion(self, frame: Frame) -> Expansion:
        assert isinstance(frame, BudgetFrame)
        budget, plane = frame.budget, self.context.plane
        vectors = np.asarray(budget.vectors, float)
        places = plane.project(vectors)
        plane_distance = ((vectors - plane.lift(places)) ** 2).sum(axis=1)
        points = self.context.kernel.points(vectors)
        return Expansion(points, budget.coefficients, places, plane_distance, budget.merged)

    def fits(self, event: Any, size: int) -> bool:
        """Whether an event is about vectors like the data's."""
        n, d = self.context.X.shape
        return _budget_fits(event, n, d)


def _budget_fits(event: Any, n: int, d: int) -> bool:
    size = len(event.vectors)
    fits = (
        {len(event.coefficients), len(event.sources)} == {size}
        and event.vectors.shape[1:] == (d,)
        and bool(np.isfinite(event.vectors).all())
        and bool(np.isfinite(event.coefficients).all())
        and bool((event.sources < n).all())
    )
    return fits and (not isinstance(event, BudgetMaintained) or _merge_fits(event, size, d))


def _merge_fits(event: BudgetMaintained, size: int, d: int) -> bool:
    return (
        bool(np.isin(event.candidates, np.arange(size)).all())
        and {len(event.m), len(event.kappa), len(event.degradations)} == {len(event.candidates)}
        and 0 <= event.first < size
        and (event.partner == -1 or event.partner in event.candidates)
        and event.z.shape == ((d,) if event.partner >= 0 else (0,))
        and len(event.shares) in (0, size - 1)
    )


READER = BudgetReader
