"""What a recording is about, known before its first event: points, labels, kernel, tasks, the plane of the scene.

With it go look-ups of events by number. Readers build on this; frames are looked up by `Replay`, one module further.
"""

from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import numpy as np

from engine import SOLVERS, Recording
from engine.learning.model import Task, tasks
from engine.learning.multiclass import class_weights
from engine.learning.validation import check_data, check_targets, class_numbers, dense
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.events import Array, Event, Finished
from engine.runtime.threads import thread_count
from explorer.replay.plane import Plane
from explorer.style.number_format import number

WHOLE = Task("", (0,), ())  # of a regression: all points
ENOUGH = 2000  # points for an accuracy in a chart
NARROW = 0.01  # kernel value of the nearest point that hardly counts


class RunContext:
    """Data, problem and events of a recording, which may still be growing."""

    def __init__(self, recording: Recording, X_test: Array | None = None, y_test: Array | None = None) -> None:
        self.recording = recording
        header, system = recording.header, SOLVERS[recording.header.solver]
        self.y = header.y
        self.regression = system.task == "regression"
        (check_targets if self.regression else check_data)(header.X, header.y)
        self.X = np.asarray(header.X, float)
        one = np.zeros(1, int), np.zeros(len(header.y), int)
        self.classes, self.labels = one if self.regression else class_numbers(header.y)
        self.settings = settings = cast(Any, system.settings.checked(header.settings))
        kernel = Kernel.fit(self.X, settings.kernel, settings.gamma, settings.degree, settings.coef0)
        self.kernel = replace(kernel, work=np.float32, store=np.float32)  # for pictures, where single precision will do
        self.points = self.kernel.points(self.X)
        self.threads = thread_count(settings.n_jobs)
        self.plane = Plane.fit(self.X)
        self.places = self.plane.project(self.X)
        self.plane_distance = ((self.X - self.plane.lift(self.places)) ** 2).sum(axis=1)  # squared
        if self.regression:  # targets over the first axis
            self.plane = replace(self.plane, labels=(self.plane.labels[0], "target"))
            self.places = np.column_stack([self.places[:, 0], header.y])
        weights = class_weights(settings.class_weight, self.classes, header.y)
        self._upper = settings.C * weights[self.labels]
        ours = [WHOLE] if self.regression else tasks(self.classes, settings.multiclass)
        self.tasks = {task.name: task for task in ours}
        self.test_data = (self.X, header.y)  # where there are no others, those of the training
        self.has_test = X_test is not None and y_test is not None
        self._test = None
        if X_test is not None and y_test is not None:
            self.test_data = (dense(X_test), y_test)
            self._test = (self.kernel.points(self.test_data[0]), y_test)
        self.members = lru_cache(64)(self._members)

    def _members(self, task: Task) -> tuple[Array, Array, Array]:
        """Points of a task, their signs and bounds."""
        positive = np.isin(self.labels, task.positive)
        members = np.flatnonzero(positive | np.isin(self.labels, task.negative))
        return members, np.where(positive[members], 1.0, -1.0), self._upper[members]

    @property
    def label_names(self) -> Array:
        """The label of each point in words, or its target."""
        if self.regression:
            return np.array([number(value) for value in self.y.astype(float)])
        return np.asarray(self.classes[self.labels].astype(str))

    def is_narrow(self) -> bool:
        """Whether even the nearest of other points hardly counts, for most of the points."""
        if self.kernel.name not in ("rbf", "laplacian") or len(self.X) < 2:
            return False
        some, others = spread(len(self.X), 100), spread(len(self.X), ENOUGH)
        values = self.kernel.block(self.points[some], self.points[others])
        values[some[:, None] == others] = 0.0
        return bool(np.median(values.max(axis=1)) < NARROW)

    def test_points(self, task: Task) -> tuple[Points, Array]:
        """Test points of a task, enough for a chart, and which of them are positive; of a regression, their targets."""
        if self._test is None:
            return self.points[:0], np.zeros(0, bool)
        points, labels = self._test
        if self.regression:
            some = spread(len(labels), ENOUGH)
            return points[some], np.asarray(labels, float)[some]
        sides = (self.classes[list(side)] for side in (task.positive, task.negative))
        positive, negative = (np.isin(labels, side) for side in sides)
        ours = np.flatnonzero(positive | negative)
        ours = ours[spread(len(ours), ENOUGH)]
        return points[ours], positive[ours]

    # ---- events ----

    def __len__(self) -> int:
        return len(self.recording)

    def event(self, cursor: int) -> Event | None:
        """The event at the cursor."""
        found = self.recording[cursor : cursor + 1] if cursor >= 0 else []
        return found[0] if found else None

    @property
    def last_sequence(self) -> int:
        """The number of the newest event; -1 if there is none."""
        return self.recording[-1].stamp.sequence if len(self.recording) else -1

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return isinstance(self.recording[-1], Finished) and not self.recording[-1].stamp.path

    def position_of(self, sequence: int) -> int:
        """Where the event of this number is; if it was left out, the one before it."""
        return bisect_right(self.recording, sequence, key=lambda event: event.stamp.sequence) - 1

    def position(self, event: Event) -> int:
        """Where an event is in the recording."""
        return self.position_of(event.stamp.sequence)

    def past(self, event: Event) -> list[Event]:
        """The events of its task up to and with an event."""
        return [item for item in self.recording[: self.position(event) + 1] if item.stamp.path == event.stamp.path]

    def stops(self, kinds: tuple[type[Event], ...]) -> list[int]:
        """Positions of the events of these kinds, where a step may end."""
        return [position for position, event in enumerate(self.recording) if isinstance(event, kinds)]


def spread(n: int, most: int) -> Array:
    """So many of n rows, evenly: a file may be sorted by class."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(int)
