"""Events as states: after which of them a solver stands elsewhere, and what is known there.

A solver with states of its own adds a reader to `READERS`; those of the dual problem share one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.events import (
    BudgetMaintained,
    Event,
    Finished,
    InteriorFinished,
    InteriorIteration,
    Iteration,
    LevelFinished,
    Partitioned,
    PhaseBegan,
    StepsTaken,
    SubproblemSolved,
)
from explorer import factors, grouping, leaves
from explorer.frame import Budget, Frame

if TYPE_CHECKING:
    from explorer.replay import Replay


def frame_of(replay: "Replay", event: Event) -> Frame:
    """What is known after an event that tells of a state."""
    task = replay.task_of(event)
    members, signs, upper = replay.members(task)
    read = next(read for kinds, read in READERS if isinstance(event, kinds))
    return Frame(event, task, members, signs, upper, **read(replay, event, len(members)))


def _iteration(replay: "Replay", event: Any, n: int) -> dict[str, Any]:
    """A step of a solver of the dual problem, which keeps the gradient; ClusterSVM's has clusters, too."""
    clustered = replay.recording.header.solver == "clustersvm"
    return {
        "alpha": event.alpha, "gradient": event.gradient, "active": event.active, "intercept": event.intercept,
        "working_set": event.working_set,
        "grouping": grouping.grouping_at(replay.past(event), n)[2] if clustered else None,
    }  # fmt: skip


def _clusters(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """Clusters, and who stands for them."""
    alpha, intercept, clusters = grouping.grouping_at(replay.past(event), n)
    return {"alpha": alpha, "intercept": intercept, "grouping": clusters}


def _budget(replay: "Replay", event: Any, n: int) -> dict[str, Any]:
    """The vectors of a budget; of a merge, those after it. A training point among them has its coefficient."""
    merge = isinstance(event, BudgetMaintained)
    vectors, coefficients, sources = event.after() if merge else (event.vectors, event.coefficients, event.sources)
    alpha, merged = np.zeros(n), sources < 0
    alpha[sources[~merged]] = abs(coefficients[~merged])
    return {"alpha": alpha, "budget": Budget(vectors, coefficients, merged)}


def _factor(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """The latest iterate of the interior-point method, and the factorisation."""
    past = replay.past(event)
    iterates = (item for item in reversed(past) if isinstance(item, InteriorIteration | InteriorFinished))
    latest = next(iterates, None)
    alpha, intercept = (np.zeros(n), 0.0) if latest is None else (latest.alpha, latest.intercept)
    return {"alpha": alpha, "intercept": intercept, "factor": factors.factor_at(past), "near": factors.NEAR}


def _leaves(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """Leaves of a tree, each with machines of its own."""
    found = leaves.leaves_at(replay.recording[: replay.position(event) + 1], replay.training)
    return {"alpha": found.alpha[replay.task_number(replay.task_of(event))], "leaves": found}


def _cells(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """Alpha amid a level: the level below's, with those of the cells already solved in its place."""
    cells = event if isinstance(event, Partitioned) else replay.cells_before(event)
    if isinstance(event, LevelFinished):
        return {"alpha": event.alpha, "cells": cells}
    alpha = np.zeros(n)
    for past in replay.past(event) if cells is not None else ():
        if isinstance(past, LevelFinished):
            alpha = past.alpha.copy()
        elif isinstance(past, SubproblemSolved) and past.stamp.sequence > cells.stamp.sequence:  # type: ignore[union-attr]
            alpha[replay.cell_members(cells)[past.cluster]] = past.alpha
    return {"alpha": alpha, "cells": cells}


READERS: tuple[tuple[tuple[type[Event], ...], Callable[["Replay", Any, int], dict[str, Any]]], ...] = (
    ((Iteration,), _iteration),
    ((Partitioned, SubproblemSolved, LevelFinished), _cells),
    ((StepsTaken, BudgetMaintained), _budget),
    (factors.STANDS, _factor),
    (grouping.STANDS, _clusters),
    (leaves.STANDS, _leaves),
)
STATES = tuple(kind for kinds, _ in READERS for kind in kinds)  # after these the solver stands elsewhere
STOPS: dict[str, Any] = {
    "event": Event,
    "iteration": (*STATES, Finished),
    "phase": (PhaseBegan, Finished),
    "merge": (BudgetMaintained, Finished),
}  # of steps of each size


def is_state(event: Event) -> bool:
    """Whether the solver stands elsewhere after an event; the end of several tasks is no state of any."""
    return isinstance(event, STATES) and not (isinstance(event, Finished) and not len(event.alpha))
