"""A recording as views see it: at any cursor, the state of the solver and the decision function it stands for."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np

from engine import SOLVERS, Recording
from engine.classify import check_data, class_numbers, class_weights, dense
from engine.events import Array, Event, Finished, Iteration, PhaseBegan
from engine.kernels import Kernel, Points
from engine.model import Task, tasks
from engine.threads import thread_count
from explorer.plane import Plane


@dataclass(frozen=True, eq=False)
class Frame:
    """What is known at a cursor: the newest iteration, and which points its numbers belong to."""

    event: Iteration
    task: Task
    members: Array  # points of this task
    signs: Array  # their labels, +1 and -1
    upper: Array  # their bounds


class Replay:
    """Looks up frames of a recording, which may still be growing, and evaluates them."""

    def __init__(self, recording: Recording, X_test: Array | None = None, y_test: Array | None = None) -> None:
        self.recording = recording
        header = recording.header
        check_data(header.X, header.y)
        self.X = np.asarray(header.X, float)
        self.classes, self.labels = class_numbers(header.y)
        self.settings = settings = cast(Any, SOLVERS[header.solver].settings.checked(header.settings))
        kernel = Kernel.fit(self.X, settings.kernel, settings.gamma, settings.degree, settings.coef0)
        self.kernel = replace(kernel, work=np.float32, store=np.float32)  # for pictures, where single precision will do
        self.points = self.kernel.points(self.X)
        self.plane = Plane.fit(self.X)
        self.places = self.plane.project(self.X)
        self._beside = ((self.X - self.plane.lift(self.places)) ** 2).sum(axis=1)  # squared distance from the plane
        weights = class_weights(getattr(settings, "class_weight", None), self.classes, header.y)
        self._upper = settings.C * weights[self.labels]
        self._tasks = {task.name: task for task in tasks(self.classes, self.settings.multiclass)}
        self._test = None if X_test is None or y_test is None else (self.kernel.points(dense(X_test)), y_test)
        self.members = lru_cache(64)(self._members)

    def __len__(self) -> int:
        return len(self.recording)

    def event(self, cursor: int) -> Event | None:
        """The event at the cursor."""
        found = self.recording[cursor : cursor + 1] if cursor >= 0 else []
        return found[0] if found else None

    def frame(self, cursor: int) -> Frame | None:
        """The newest iteration at or before the cursor, if there was one."""
        for event in reversed(self.recording[: max(0, cursor + 1)]):
            if isinstance(event, Iteration):
                return self.frame_of(event)
        return None

    def frame_of(self, event: Iteration) -> Frame:
        """The frame of an iteration."""
        task = self._tasks[event.stamp.path[0]] if event.stamp.path else next(iter(self._tasks.values()))
        return Frame(event, task, *self.members(task))

    def alpha_of(self, point: int, event: Iteration) -> float:
        """The alpha of a point in an iteration; NaN if it has no part in that task."""
        members = self.frame_of(event).members
        row = int(np.searchsorted(members, point))
        return float(event.alpha[row]) if row < len(members) and members[row] == point else np.nan

    def _members(self, task: Task) -> tuple[Array, Array, Array]:
        positive = np.isin(self.labels, task.positive)
        members = np.flatnonzero(positive | np.isin(self.labels, task.negative))
        return members, np.where(positive[members], 1.0, -1.0), self._upper[members]

    def check(self) -> None:
        """Raise a ValueError if the events do not fit the data: a file may say anything."""
        for event in self.recording:
            if not isinstance(event, Iteration):
                continue
            if event.stamp.path and event.stamp.path[0] not in self._tasks:
                raise ValueError(
                    f"the recording is damaged: it has a task {event.stamp.path[0]!r} that its data have not"
                )
            size = len(self.frame_of(event).members)
            if any(getattr(event, name).shape != (size,) for name in ("alpha", "gradient", "active")):
                raise ValueError(f"the recording is damaged: an iteration is not about the {size} points of its task")

    # ---- the decision function of a frame ----

    def decision(self, frame: Frame, points: Points) -> Array:
        """Decision values of points that the kernel has taken in."""
        support = np.flatnonzero(frame.event.alpha)
        weights = frame.signs[support] * frame.event.alpha[support]
        vectors = self.points[frame.members[support]]
        threads = thread_count(self.settings.n_jobs)
        return self.kernel.product(points, vectors, weights, threads) + frame.event.intercept

    def field(self, frame: Frame, xs: Array, ys: Array) -> Array:
        """Decision values on a grid in the plane, a row for each of `ys`."""
        if self.kernel.name != "rbf":
            grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
            return self.decision(frame, self.kernel.points(self.plane.lift(grid))).reshape(len(ys), len(xs))
        # On a grid the Gaussian is a product of one along each axis and one for what lies beside the plane.
        support = np.flatnonzero(frame.event.alpha)
        members = frame.members[support]
        weights = frame.signs[support] * frame.event.alpha[support] * np.exp(-self.kernel.gamma * self._beside[members])
        across, up = (
            np.exp((-self.kernel.gamma * (places[:, None] - self.places[members, axis]) ** 2).astype(np.float32))
            for axis, places in enumerate((xs, ys))
        )
        return (up * weights.astype(np.float32)) @ across.T + frame.event.intercept

    def margins(self, frame: Frame) -> Array:
        """y f(x) of the task's points, from the gradient that the solver keeps: exact for the active ones."""
        return frame.event.gradient + 1.0 + frame.signs * frame.event.intercept

    def accuracy(self, frame: Frame) -> tuple[float, float]:
        """Per cent right on the task's training points and on its part of the test set (NaN without one)."""
        train = 100 * float(np.mean(self.margins(frame) > 0))
        if self._test is None:
            return train, np.nan
        points, labels = self._test
        sides = (self.classes[list(side)] for side in (frame.task.positive, frame.task.negative))
        positive, negative = (np.isin(labels, side) for side in sides)
        ours = np.flatnonzero(positive | negative)[:2000]  # enough for a chart
        if not len(ours):
            return train, np.nan
        return train, 100 * float(np.mean((self.decision(frame, points[ours]) > 0) == positive[ours]))

    # ---- where things happen ----

    def stops(self, kind: str) -> list[int]:
        """Positions that a step of this size can go to: every event, iterations, or beginnings of phases."""
        wanted: Any = {"event": Event, "iteration": (Iteration, Finished), "phase": (PhaseBegan, Finished)}[kind]
        return [position for position, event in enumerate(self.recording) if isinstance(event, wanted)]
