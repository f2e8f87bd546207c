"""Whether the events of a recording fit its data: a file may say anything."""

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.runtime.events import Event
from engine.systems.dcsvm.events import Partitioned, SubproblemSolved
from engine.systems.dcsvm.partition import Router
from explorer.systems.budgeted_sgd.reader import _budget_fits
from explorer.systems.clustersvm import reader
from explorer.systems.dcpred import reader
from explorer.systems.interior_point import reader

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay


def check(replay: "Replay", states: tuple[type[Event], ...]) -> None:
    """Raise a ValueError that says what is wrong with the events that tell of states."""
    if any(isinstance(event, reader.STANDS) for event in replay.recording):
        reader.check(replay.recording, replay.training)
    for event in replay.recording:
        if not isinstance(event, (*states, *reader.EVENTS)):
            continue
        if event.stamp.path and event.stamp.path[0] not in replay.tasks:
            raise ValueError(f"the recording is damaged: it has a task {event.stamp.path[0]!r} that its data have not")
        size = len(replay.members(replay.task_of(event))[0])
        if not _fits(replay, event, size):
            raise ValueError(f"the recording is damaged: {type(event).__name__} is not about its {size} points")


def _fits(replay: "Replay", event: Any, size: int) -> bool:
    d = replay.X.shape[1]
    if isinstance(event, reader.STANDS):
        return True  # looked at all together
    if hasattr(event, "sources"):
        return _budget_fits(event, len(replay.X), d)
    if isinstance(event, reader.STANDS):
        return reader.fits(event, size, d)
    if isinstance(event, reader.EVENTS):
        return reader.fits(event, size)
    if isinstance(event, Partitioned):
        Router.from_table(vars(event), replay.kernel)
    if isinstance(event, SubproblemSolved):
        cells = replay.cells_before(event)
        size = 0 if cells is None else int(np.count_nonzero(cells.labels == event.cluster))
    told = [getattr(event, name) for name in ("alpha", "gradient", "active", "labels") if hasattr(event, name)]
    return all(array.shape == (size,) for array in told)
