"""Whether the events of a recording fit its data: a file may say anything."""

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.events import BudgetMaintained, Event, Partitioned, SubproblemSolved
from engine.partition import Router
from explorer import factors, grouping, leaves

if TYPE_CHECKING:
    from explorer.replay import Replay


def check(replay: "Replay", states: tuple[type[Event], ...]) -> None:
    """Raise a ValueError that says what is wrong with the events that tell of states."""
    if any(isinstance(event, leaves.STANDS) for event in replay.recording):
        leaves.check(replay.recording, replay.training)
    for event in replay.recording:
        if not isinstance(event, (*states, *factors.EVENTS)):
            continue
        if event.stamp.path and event.stamp.path[0] not in replay.tasks:
            raise ValueError(f"the recording is damaged: it has a task {event.stamp.path[0]!r} that its data have not")
        size = len(replay.members(replay.task_of(event))[0])
        if not _fits(replay, event, size):
            raise ValueError(f"the recording is damaged: {type(event).__name__} is not about its {size} points")


def _fits(replay: "Replay", event: Any, size: int) -> bool:
    d = replay.X.shape[1]
    if isinstance(event, leaves.STANDS):
        return True  # looked at all together
    if hasattr(event, "sources"):
        return _budget_fits(event, len(replay.X), d)
    if isinstance(event, grouping.STANDS):
        return grouping.fits(event, size, d)
    if isinstance(event, factors.EVENTS):
        return factors.fits(event, size)
    if isinstance(event, Partitioned):
        Router.from_table(vars(event), replay.kernel)
    if isinstance(event, SubproblemSolved):
        cells = replay.cells_before(event)
        size = 0 if cells is None else int(np.count_nonzero(cells.labels == event.cluster))
    told = [getattr(event, name) for name in ("alpha", "gradient", "active", "labels") if hasattr(event, name)]
    return all(array.shape == (size,) for array in told)


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
