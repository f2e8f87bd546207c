"""Events as states: after which of them a solver stands elsewhere, and what is known there.

A solver with states of its own adds a reader to `READERS`; those of the dual problem share one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.runtime.events import Event, Finished, PhaseBegan
from engine.systems.budgeted_sgd.events import BudgetMaintained, StepsTaken
from engine.systems.dcsvm.events import LevelFinished, Partitioned, SubproblemSolved
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.frame import Frame
from explorer.systems.budgeted_sgd.reader import _budget
from explorer.systems.clustersvm import reader
from explorer.systems.clustersvm.reader import _clusters
from explorer.systems.dcpred import reader
from explorer.systems.dcpred.reader import _leaves
from explorer.systems.dcsvm.reader import _cells
from explorer.systems.interior_point import reader
from explorer.systems.interior_point.reader import _factor
from explorer.systems.kernel_svm.reader import _iteration

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay


def frame_of(replay: "Replay", event: Event) -> Frame:
    """What is known after an event that tells of a state."""
    task = replay.task_of(event)
    members, signs, upper = replay.members(task)
    read = next(read for kinds, read in READERS if isinstance(event, kinds))
    return Frame(event, task, members, signs, upper, **read(replay, event, len(members)))


READERS: tuple[tuple[tuple[type[Event], ...], Callable[["Replay", Any, int], dict[str, Any]]], ...] = (
    ((Iteration,), _iteration),
    ((Partitioned, SubproblemSolved, LevelFinished), _cells),
    ((StepsTaken, BudgetMaintained), _budget),
    (reader.STANDS, _factor),
    (reader.STANDS, _clusters),
    (reader.STANDS, _leaves),
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
