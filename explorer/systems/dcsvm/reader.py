"""Frames of DC-SVM: alpha amid a level, and the cells in force, each with a model of its own."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.numerics.points import Points
from engine.runtime.events import Array, Event
from engine.systems.dcsvm.early_prediction import Committee
from engine.systems.dcsvm.events import LevelFinished, Partitioned, SubproblemSolved
from engine.systems.dcsvm.partition import Router
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.context import RunContext
from explorer.replay.decision_field import gaussian_sides, grid
from explorer.replay.frame import Frame
from explorer.replay.reader import Reader


@dataclass(frozen=True, eq=False, kw_only=True)
class CellFrame(Frame):
    """A frame amid the levels."""

    cells: Partitioned
    intercepts: Array  # of the cells' models, 0 where there is none yet; empty without a bias


class CellReader(Reader):
    """Reads levels and cells; what follows the levels are frames of the dual problem."""

    states = (Iteration, Partitioned, SubproblemSolved, LevelFinished)

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        self.cell_members = lru_cache(4)(self._cell_members)
        self.seams = lru_cache(4)(self._seams)

    def read(self, event: Any) -> Frame:
        """Alpha amid a level: the level below's, with those of the cells already solved in its place."""
        cells = event if isinstance(event, Partitioned) else self.cells_before(event)
        if isinstance(event, Iteration) or cells is None:
            return super().read(event)
        if isinstance(event, LevelFinished):
            return CellFrame(**self.problem(event), alpha=event.alpha, cells=cells, intercepts=event.intercepts)
        problem = self.problem(event)
        alpha, intercepts = np.zeros(len(problem["members"])), np.zeros(len(cells.sizes))
        for past in self.context.past(event):
            if isinstance(past, LevelFinished):
                alpha = past.alpha.copy()
            elif isinstance(past, SubproblemSolved) and past.stamp.sequence > cells.stamp.sequence:
                alpha[self.cell_members(cells)[past.cluster]] = past.alpha
                intercepts[past.cluster] = past.intercept
        return CellFrame(**problem, alpha=alpha, cells=cells, intercepts=intercepts)

    def cells_before(self, event: Event) -> Partitioned | None:
        """The newest partition before an event, of the same task."""
        for past in reversed(self.context.recording[: self.context.position(event)]):
            if past.stamp.path != event.stamp.path:
                return None
            if isinstance(past, Partitioned):
                return past
        return None

    def _cell_members(self, cells: Partitioned) -> tuple[Array, ...]:
        """The points of each cell."""
        order = np.argsort(cells.labels, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(cells.labels, minlength=len(cells.sizes)))[:-1]))

    # ---- decision values, by the model of a point's cell alone ----

    def committee(self, frame: CellFrame) -> Committee:
        """The models of the cells in force."""
        points = self.context.points[frame.members]
        return Committee.of_level(
            self.context.kernel, points, frame.signs, frame.cells, frame.alpha, self.context.settings.C,
            frame.intercepts,
        )  # fmt: skip

    def decision(self, frame: Frame, points: Points, local: bool = True) -> Array:
        """Decision values: those of a point's cell, if `local` and amid the levels."""
        if local and isinstance(frame, CellFrame):
            return self.committee(frame).values(points, "early", self.context.threads)
        return super().decision(frame, points, local)

    def field(self, frame: Frame, xs: Array, ys: Array, local: bool = True) -> Array:
        """The field: in each cell that of its own model, if `local` and amid the levels."""
        if not local or not isinstance(frame, CellFrame):
            return super().field(frame, xs, ys, local)
        if self.context.kernel.name != "rbf":
            return self.decision(frame, grid(self.context, xs, ys)).reshape(len(ys), len(xs))
        across, up = gaussian_sides(self.context, self.expansion(frame), xs, ys)
        owner, routed = frame.cells.labels[frame.alpha > 0], self.seams(frame.cells, tuple(xs), tuple(ys))
        added = frame.intercepts if len(frame.intercepts) else np.zeros(len(frame.cells.sizes))
        values = added[routed].astype(np.float32)
        for cell in np.unique(owner):
            mine = owner == cell
            np.copyto(values, up[:, mine] @ across[:, mine].T + added[cell], where=routed == cell)
        return values

    def _seams(self, cells: Partitioned, xs: tuple[float, ...], ys: tuple[float, ...]) -> Array:
        """The cell of each place of a grid."""
        router = Router.from_table(vars(cells), self.context.kernel)
        return router.route(grid(self.context, xs, ys), self.context.threads).reshape(len(ys), len(xs))

    # ---- files ----

    def fits(self, event: Event, size: int) -> bool:
        """Whether an event is about the points of its task, or of its cell."""
        if isinstance(event, Partitioned):
            Router.from_table(vars(event), self.context.kernel)
        if isinstance(event, SubproblemSolved):
            cells = self.cells_before(event)
            size = 0 if cells is None else int(np.count_nonzero(cells.labels == event.cluster))
        return super().fits(event, size)


READER = CellReader
