"""TODO: what this is."""

from dataclasses import dataclass, fields

import numpy as np

from engine.runtime.events import Array, Finished


@dataclass(frozen=True, eq=False)
class Solution:
    """What the dual solver returns."""

    alpha: Array
    gradient: Array
    intercept: float
    objective: float
    violation: float
    stop_reason: str
    iterations: int
    inner_steps: int
    n_free: int
    n_bound: int
    gap: float

    def expansion(self, signs: Array) -> tuple[Array, Array]:
        """The points that the decision function is a sum over, and their signed coefficients."""
        used = np.flatnonzero(self.alpha)
        return used, (signs * self.alpha)[used]

    def event(self) -> Finished:
        """What is told of it at the end."""
        return Finished(**{item.name: getattr(self, item.name) for item in fields(Solution) if item.name != "gradient"})
