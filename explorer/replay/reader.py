"""How the events of a system become frames, and what decision function a frame stands for.

`Reader` is enough for a system whose events have alpha, and perhaps gradient and intercept, of every point of a task.
A system that keeps its state in other ways has a subclass in its own folder. A reader belongs to one recording, so it
may keep what it has found out about it.
"""

from dataclasses import fields
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from engine import SOLVERS
from engine.learning.model import Task
from engine.numerics.points import Points
from engine.runtime.events import Array, Event, Finished
from explorer.replay import decision_field
from explorer.replay.context import ENOUGH, RunContext, spread
from explorer.replay.frame import Drawn, Expansion, Frame

MOST_EVALUATIONS = 4e6  # kernel evaluations that the margins of a frame may cost
PLAIN = 32  # dimensions up to which a kernel evaluation costs the same, more or less
OF_POINTS = ("alpha", "gradient", "active", "labels")  # fields of events with an entry for each point
STATE = ("alpha", "gradient", "active", "intercept", "working_set")  # fields that frames and events share


class Reader:
    """Reads the frames of one recording. The defaults are those of a solver of the dual problem."""

    states: ClassVar[tuple[type[Event], ...]] = ()  # a frame follows these events; empty: all own kinds with an alpha
    checked: ClassVar[tuple[type[Event], ...]] = ()  # further kinds of events that must fit the data
    joint: ClassVar[bool] = False  # whether a frame holds the models of all classes, not those of one task

    def __init__(self, context: RunContext) -> None:
        self.context = context
        own = SOLVERS[context.recording.header.solver].events
        self.kinds = self.states or tuple(kind for kind in own if any(item.name == "alpha" for item in fields(kind)))
        self.expansion = lru_cache(8)(self._expansion)

    # ---- frames ----

    def is_state(self, event: Event) -> bool:
        """Whether the solver has another state after an event; the end of several tasks is no state of any."""
        return isinstance(event, self.kinds) and not (isinstance(event, Finished) and not len(event.alpha))

    def task_of(self, event: Event) -> Task:
        """The task that an event is about, or the first."""
        if event.stamp.path:
            return self.context.tasks[event.stamp.path[0]]
        return next(iter(self.context.tasks.values()))

    def read(self, event: Any) -> Frame:
        """The frame after an event that is a state."""
        return Frame(**self.problem(event), **{name: getattr(event, name) for name in STATE if hasattr(event, name)})

    def problem(self, event: Event) -> dict[str, Any]:
        """The fields of a frame that do not depend on the solver's state."""
        task = self.task_of(event)
        members, signs, upper = self.context.members(task)
        return {"event": event, "task": task, "members": members, "signs": signs, "upper": upper}

    # ---- the decision function ----

    def _expansion(self, frame: Frame) -> Expansion:
        """The vectors of a frame's decision function and their signed coefficients."""
        weights = frame.signs * frame.alpha
        used = np.flatnonzero(weights)
        return self.over_points(frame, used, weights[used])

    def over_points(self, frame: Frame, rows: Array, weights: Array) -> Expansion:
        """An expansion over points of the task."""
        members = frame.members[rows]
        here = self.context
        return Expansion(
            here.points[members], weights, here.places[members], here.plane_distance[members], frame.at_bound[rows]
        )

    def drawn(self, frame: Frame) -> Drawn:
        """The support vectors that are drawn."""
        terms = self.expansion(frame)
        return Drawn(terms.places, terms.weights, terms.marked)

    def cost_per_value(self, frame: Frame, on_grid: bool = False) -> float:
        """Kernel evaluations of a decision value, about; those in many dimensions count more, but for a field."""
        short_cut = on_grid and self.context.kernel.name == "rbf"
        each = 1.0 if short_cut else max(1.0, self.context.X.shape[1] / PLAIN)
        return len(self.expansion(frame).weights) * each

    def decision(self, frame: Frame, points: Points, local: bool = True) -> Array:
        """Decision values of points that the kernel has taken in; `local`: by the model of their part alone."""
        terms = self.expansion(frame)
        values = self.context.kernel.product(points, terms.points, terms.weights, self.context.threads)
        return values + frame.intercept

    def field(self, frame: Frame, xs: Array, ys: Array, local: bool = True) -> Array:
        """Decision values on a grid in the plane, a row for each of `ys`."""
        return decision_field.values_on_grid(self.context, self.expansion(frame), frame.intercept, xs, ys)

    def margins(self, frame: Frame, rows: Array | None = None, local: bool = True) -> Array:
        """y f(x) of some points, of a regression f(x).

        It comes from the gradient where that is up to date; NaN where it would cost too much.
        """
        rows = np.arange(len(frame.members)) if rows is None else rows
        values = np.full(len(rows), np.nan)
        known = np.zeros(len(rows), bool)
        if frame.gradient is not None and not self.context.regression:
            known = np.ones(len(rows), bool) if frame.active is None else frame.active[rows]
            fresh = rows[known]
            values[known] = frame.gradient[fresh] + 1.0 + frame.signs[fresh] * frame.intercept
        rest = rows[~known]
        if len(rest) * (1 + self.cost_per_value(frame)) <= MOST_EVALUATIONS:
            points = self.context.points[frame.members[rest]]
            values[~known] = frame.signs[rest] * self.decision(frame, points, local)
        return values

    def accuracy(self, frame: Frame) -> tuple[float, float]:
        """Per cent right on the task's training points and on its part of the test set (NaN without one).

        Of a regression, the roots of the mean square errors.
        """
        affordable = min(ENOUGH, int(MOST_EVALUATIONS / (1 + self.cost_per_value(frame))))
        some = spread(len(frame.members), affordable)
        if self.context.regression:
            return self._errors(frame, some, affordable)
        margins, positive = self.margins(frame, some), frame.signs[some] > 0
        right = np.where(positive, margins > 0, margins >= 0)[np.isfinite(margins)]  # 0 is a no, as for the test set
        train = 100 * float(np.mean(right)) if len(right) else np.nan
        points, positive = self.context.test_points(frame.task)
        if not len(points):
            return train, np.nan
        some = spread(len(points), affordable)
        points, positive = points[some], positive[some]
        return train, 100 * float(np.mean((self.decision(frame, points) > 0) == positive))

    def _errors(self, frame: Frame, some: Array, affordable: int) -> tuple[float, float]:
        """The roots of the mean square errors of a regression on some training points, and on test points."""
        train = self.margins(frame, some) - self.context.y[frame.members[some]]
        points, targets = self.context.test_points(frame.task)
        chosen = spread(len(points), affordable)
        test = self.decision(frame, points[chosen]) - targets[chosen] if len(points) else np.zeros(0)
        known = (errors[np.isfinite(errors)] for errors in (train, test))
        first, second = (float(np.sqrt(np.mean(errors**2))) if len(errors) else np.nan for errors in known)
        return first, second

    # ---- files ----

    def check(self) -> None:
        """Raise a ValueError if the events do not fit the data: a file may say anything."""
        here = self.context
        for event in here.recording:
            if not isinstance(event, (*self.kinds, *self.checked)):
                continue
            if event.stamp.path and event.stamp.path[0] not in here.tasks:
                raise ValueError(
                    f"the recording is damaged: it has a task {event.stamp.path[0]!r} that its data have not"
                )
            size = len(here.members(self.task_of(event))[0])
            if not self.fits(event, size):
                raise ValueError(f"the recording is damaged: {type(event).__name__} is not about its {size} points")

    def fits(self, event: Event, size: int) -> bool:
        """Whether an event is about the points of its task, so many of them."""
        told = [getattr(event, name) for name in OF_POINTS if hasattr(event, name)]
        return all(array.shape == (size,) for array in told)

    def end(self) -> None:
        """End what works in the background; the stage calls it when the recording leaves."""
