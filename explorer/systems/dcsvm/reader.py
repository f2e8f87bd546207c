"""TODO: what this is."""

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.runtime.events import Event
from engine.systems.dcsvm.events import LevelFinished, Partitioned, SubproblemSolved

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay


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
