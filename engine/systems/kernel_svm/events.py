"""The events of the dual solver."""

from dataclasses import dataclass

from engine.runtime.events import Array, Event


@dataclass(frozen=True, eq=False, kw_only=True)
class Iteration(Event):
    """One outer iteration of the dual solver: a working set chosen, its rows fetched, its subproblem solved.

    `gradient` is up to date for the points in `active`; shrunk ones keep the value they had when they were shrunk.
    """

    thins = True

    iteration: int
    inner_steps: int  # two-variable steps in this iteration
    objective: float
    violation: float
    intercept: float
    n_free: int
    n_bound: int
    n_active: int
    rows_computed: int
    cache_hits: int
    working_set: Array
    alpha: Array
    gradient: Array
    active: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class ActiveSetChanged(Event):
    """Shrinking removed points from the active set, or some came back after a check of all points."""

    n_before: int
    n_after: int
    violation: float
