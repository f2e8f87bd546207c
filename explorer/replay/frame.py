"""What is known at a cursor of a recording, whichever solver told it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.learning.model import Task
from engine.numerics.points import Points
from engine.runtime.events import Array, Event
from engine.systems.dcsvm.events import Partitioned, SubproblemSolved
from explorer.systems.budgeted_sgd.reader import Budget
from explorer.systems.clustersvm.reader import Grouping
from explorer.systems.dcpred.reader import Leaves
from explorer.systems.interior_point.reader import Factor


@dataclass(frozen=True, eq=False)
class Frame:
    """What is known at a cursor: the newest state of the solver, and which points its numbers belong to."""

    event: Event
    task: Task
    members: Array  # points of this task
    signs: Array  # their labels, +1 and -1
    upper: Array  # their bounds
    alpha: Array
    gradient: Array | None = None  # None where the solver keeps none
    active: Array | None = None  # of which points it is up to date
    intercept: float = 0.0
    working_set: Array = field(default_factory=lambda: np.zeros(0, int))
    cells: Partitioned | None = None  # in force: each cell has a model of its own
    budget: "Budget | None" = None  # the vectors of the decision function, where they are not points of the task
    factor: Factor | None = None  # what stands for the kernel matrix
    grouping: Grouping | None = None  # clusters, and who stands for them
    leaves: Leaves | None = None  # of a tree, each with machines of its own
    near: float = 0.0  # part of a bound that an alpha may be away from it and still count as on it

    @property
    def support(self) -> Array:
        """Which alphas are not zero."""
        return self.alpha > self.near * self.upper

    @property
    def at_bound(self) -> Array:
        """Which alphas are as large as they may be."""
        return (self.alpha > 0) & (self.alpha >= self.upper * (1 - max(self.near, 1e-12)))

    @property
    def cell(self) -> int | None:
        """The cell that the event is about."""
        return self.event.cluster if isinstance(self.event, SubproblemSolved) else None


@dataclass(frozen=True, eq=False)
class Expansion:
    """The decision function of a frame as a sum over vectors, and how they are drawn."""

    points: Points
    weights: Array  # signed
    places: Array  # in the plane
    beside: Array  # squared distance from the plane
    marked: Array  # at the bound, or merged


class Drawn(NamedTuple):
    """Support vectors in the plane."""

    places: Array
    weights: Array  # signed
    marked: Array
