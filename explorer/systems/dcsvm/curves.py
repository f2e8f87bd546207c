"""The curves of DC-SVM: those of the dual problem, through its cells and levels as well."""

import numpy as np

from engine.runtime.events import Event, Finished
from engine.systems.dcsvm.events import LevelFinished, LevelMeasured, SubproblemSolved
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.charts import Curves, IterationAxis
from explorer.replay.lookup import Replay
from explorer.systems.kernel_svm import curves


def objective_of(event: Event) -> float:
    """The objective of the whole problem that an event tells; NaN if it tells none."""
    if isinstance(event, Finished) and event.stop_reason == "early":
        return np.nan  # of the cells, with the kernel between them taken as zero
    return float(event.objective) if isinstance(event, LevelMeasured) else curves.objective_of(event)


def _numbers(replay: Replay, event: Event) -> dict[str, float]:
    if isinstance(event, SubproblemSolved | LevelFinished):
        frame = replay.frame_of(event)
        bound = int(np.count_nonzero(frame.at_bound))
        return {"free": int(np.count_nonzero(frame.alpha)) - bound, "bound": bound}
    return curves.dual_numbers(replay, event)


class _Axis(IterationAxis):
    """The iterations of all cells, and those of the whole problem after them."""

    def __init__(self) -> None:
        super().__init__()
        self._in_cells = self._after = 0

    def read(self, event: Event) -> None:
        """Add the iterations of a cell, or count those of the whole problem."""
        if isinstance(event, SubproblemSolved):
            self._in_cells += event.iterations
        elif isinstance(event, Iteration):
            self._after = event.iteration
        self.place = self._in_cells + self._after


CURVES = Curves((Iteration, SubproblemSolved, LevelFinished, LevelMeasured), _numbers, objective_of, _Axis)
