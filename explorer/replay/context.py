"""What a recording is about, known before its first event: points, labels, kernel, tasks, the plane of the scene."""

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from engine import SOLVERS
from engine.learning.model import Task, tasks
from engine.learning.multiclass import class_weights
from engine.learning.validation import check_data, check_targets, class_numbers, dense
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.events import Array
from engine.runtime.recording import Header
from engine.runtime.threads import thread_count
from explorer.replay.plane import Plane
from explorer.style.number_format import number
from explorer.systems.dcpred.reader import Training

WHOLE = Task("", (0,), ())  # of a regression: all points
ENOUGH = 2000  # points for an accuracy in a chart
NARROW = 0.01  # kernel value of the nearest point that hardly counts


class Given:
    """Data and problem of a recording, as views need them."""

    def __init__(self, header: Header, X_test: Array | None = None, y_test: Array | None = None) -> None:
        self.y = header.y
        self.regression = SOLVERS[header.solver].task == "regression"
        (check_targets if self.regression else check_data)(header.X, header.y)
        self.X = np.asarray(header.X, float)
        one = np.zeros(1, int), np.zeros(len(header.y), int)
        self.classes, self.labels = one if self.regression else class_numbers(header.y)
        self.settings = settings = cast(Any, SOLVERS[header.solver].settings.checked(header.settings))
        degree, coef0 = getattr(settings, "degree", 3), getattr(settings, "coef0", 0.0)
        kernel = Kernel.fit(self.X, settings.kernel, settings.gamma, degree, coef0)
        self.kernel = replace(kernel, work=np.float32, store=np.float32)  # for pictures, where single precision will do
        self.points = self.kernel.points(self.X)
        self.threads = thread_count(settings.n_jobs)
        self.plane = Plane.fit(self.X)
        self.places = self.plane.project(self.X)
        self.beside = ((self.X - self.plane.lift(self.places)) ** 2).sum(axis=1)  # squared distance from the plane
        if self.regression:  # targets over the first axis
            self.plane = replace(self.plane, labels=(self.plane.labels[0], "target"))
            self.places = np.column_stack([self.places[:, 0], header.y])
        weights = class_weights(getattr(settings, "class_weight", None), self.classes, header.y)
        self._upper = getattr(settings, "C", np.inf) * weights[self.labels]
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

    @cached_property
    def training(self) -> Training:
        """What the machines of leaves are trained on."""
        return Training(self.X, self.targets(self.y), self.regression, self.kernel.gamma)

    def targets(self, y: Array) -> Array:
        """A row for each task: +1 and -1, or the targets of a regression."""
        if self.regression:
            return np.asarray(y, float)[None]
        return np.array(
            [np.where(np.isin(y, self.classes[list(task.positive)]), 1.0, -1.0) for task in self.tasks.values()]
        )

    def is_narrow(self) -> bool:
        """Whether even the nearest of other points hardly counts, for most of the points."""
        if self.kernel.name not in ("rbf", "laplacian") or len(self.X) < 2:
            return False
        some, others = spread(len(self.X), 100), spread(len(self.X), ENOUGH)
        values = self.kernel.block(self.points[some], self.points[others])
        values[some[:, None] == others] = 0.0
        return bool(np.median(values.max(axis=1)) < NARROW)

    def test_points(self, task: Task) -> tuple[Points, Array]:
        """Test points of a task, enough for a chart, and which of them are positive."""
        if self._test is None:
            return self.points[:0], np.zeros(0, bool)
        points, labels = self._test
        sides = (self.classes[list(side)] for side in (task.positive, task.negative))
        positive, negative = (np.isin(labels, side) for side in sides)
        ours = np.flatnonzero(positive | negative)
        ours = ours[spread(len(ours), ENOUGH)]
        return points[ours], positive[ours]


def spread(n: int, most: int) -> Array:
    """So many of n rows, evenly: a file may be sorted by class."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(int)
