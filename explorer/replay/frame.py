"""A frame: what is known at a cursor of a recording, whichever solver it is of.

A system that knows more than this has a subclass of `Frame` for it, made by its own reader.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.learning.model import Task
from engine.numerics.points import Points
from engine.runtime.events import Array, Event


@dataclass(frozen=True, eq=False)
class Frame:
    """The newest state of a solver, and the points that its numbers belong to."""

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

    @property
    def support(self) -> Array:
        """Which alphas are not zero."""
        return self.alpha != 0

    @property
    def at_bound(self) -> Array:
        """Which alphas are as large as they may be."""
        return (self.alpha > 0) & (self.alpha >= self.upper * (1 - 1e-12))


@dataclass(frozen=True, eq=False)
class Expansion:
    """The decision function of a frame as a sum over vectors, and how they are drawn."""

    points: Points
    weights: Array  # signed
    places: Array  # in the plane
    plane_distance: Array  # squared distance from the plane
    marked: Array  # at the bound, or merged


class Drawn(NamedTuple):
    """Support vectors in the plane."""

    places: Array
    weights: Array  # signed
    marked: Array
