"""A recording as views see it: at any cursor, the state of the solver and the decision function it stands for."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np

from engine import SOLVERS, Recording
from engine.classify import check_data, class_numbers, class_weights, dense
from engine.early import Committee
from engine.events import (
    Array,
    BudgetMaintained,
    Event,
    Finished,
    Iteration,
    LevelFinished,
    Partitioned,
    PhaseBegan,
    StepsTaken,
    SubproblemSolved,
)
from engine.kernels import Kernel, Points
from engine.model import Task, tasks
from engine.partition import Router
from engine.threads import thread_count
from explorer.plane import Plane

BUDGETS = (StepsTaken, BudgetMaintained)
STATES = (Iteration, Partitioned, SubproblemSolved, LevelFinished, *BUDGETS)  # after these the solver stands elsewhere
STOPS: dict[str, Any] = {
    "event": Event,
    "iteration": (*STATES, Finished),
    "phase": (PhaseBegan, Finished),
    "merge": (BudgetMaintained, Finished),
}
ENOUGH = 2000  # points for an accuracy in a chart
DEAREST = 4e6  # kernel evaluations that the margins of a frame may cost


@dataclass(frozen=True, eq=False)
class Frame:
    """What is known at a cursor: the newest state of the solver, and which points its numbers belong to."""

    event: Event
    task: Task
    members: Array  # points of this task
    signs: Array  # their labels, +1 and -1
    upper: Array  # their bounds
    alpha: Array
    gradient: Array | None = None  # None where the solver keeps none
    active: Array | None = None  # of which points it is up to date
    intercept: float = 0.0
    working_set: Array = field(default_factory=lambda: np.zeros(0, int))
    cells: Partitioned | None = None  # in force: each cell has a model of its own
    budget: "Budget | None" = None  # the vectors of the decision function, where they are not points of the task

    @property
    def at_bound(self) -> Array:
        """Which alphas are as large as they may be."""
        return (self.alpha > 0) & (self.alpha >= self.upper * (1 - 1e-12))

    @property
    def cell(self) -> int | None:
        """The cell that the event is about."""
        return self.event.cluster if isinstance(self.event, SubproblemSolved) else None


@dataclass(frozen=True, eq=False)
class Budget:
    """Vectors that a solver keeps for itself."""

    vectors: Array
    coefficients: Array  # signed
    merged: Array  # which of them are no training points


@dataclass(frozen=True, eq=False)
class Expansion:
    """The decision function of a frame as a sum over vectors, and how they are drawn."""

    points: Points
    weights: Array  # signed
    places: Array  # in the plane
    beside: Array  # squared distance from the plane
    marked: Array  # at the bound, or merged


class Replay:
    """Looks up frames of a recording, which may still be growing, and evaluates them."""

    def __init__(self, recording: Recording, X_test: Array | None = None, y_test: Array | None = None) -> None:
        self.recording = recording
        header = recording.header
        check_data(header.X, header.y)
        self.X = np.asarray(header.X, float)
        self.classes, self.labels = class_numbers(header.y)
        self.settings = settings = cast(Any, SOLVERS[header.solver].settings.checked(header.settings))
        degree, coef0 = getattr(settings, "degree", 3), getattr(settings, "coef0", 0.0)
        kernel = Kernel.fit(self.X, settings.kernel, settings.gamma, degree, coef0)
        self.kernel = replace(kernel, work=np.float32, store=np.float32)  # for pictures, where single precision will do
        self.points = self.kernel.points(self.X)
        self.threads = thread_count(settings.n_jobs)
        self.plane = Plane.fit(self.X)
        self.places = self.plane.project(self.X)
        self._beside = ((self.X - self.plane.lift(self.places)) ** 2).sum(axis=1)  # squared distance from the plane
        weights = class_weights(getattr(settings, "class_weight", None), self.classes, header.y)
        self._upper = settings.C * weights[self.labels]
        self._tasks = {task.name: task for task in tasks(self.classes, self.settings.multiclass)}
        self.test_data = (self.X, header.y)  # where there are no others, those of the training
        self._test = None
        if X_test is not None and y_test is not None:
            self.test_data = (dense(X_test), y_test)
            self._test = (self.kernel.points(self.test_data[0]), y_test)
        self.members = lru_cache(64)(self._members)
        self.frame_of = lru_cache(16)(self._frame_of)
        self.cell_members = lru_cache(4)(self._cell_members)
        self.expansion = lru_cache(8)(self._expansion)
        self.seams = lru_cache(4)(self._seams)

    def __len__(self) -> int:
        return len(self.recording)

    # ---- frames ----

    def event(self, cursor: int) -> Event | None:
        """The event at the cursor."""
        found = self.recording[cursor : cursor + 1] if cursor >= 0 else []
        return found[0] if found else None

    def frame(self, cursor: int) -> Frame | None:
        """The newest state at or before the cursor, if there was one."""
        for event in reversed(self.recording[: max(0, cursor + 1)]):
            if isinstance(event, STATES):
                return self.frame_of(event)
        return None

    def _frame_of(self, event: Event) -> Frame:
        """The frame of an event that tells of a state."""
        path = event.stamp.path
        task = self._tasks[path[0]] if path else next(iter(self._tasks.values()))
        whose = (event, task, *self.members(task))
        if isinstance(event, Iteration):
            return Frame(*whose, event.alpha, event.gradient, event.active, event.intercept, event.working_set)
        if isinstance(event, BUDGETS):
            alpha, budget = self._budget(event, len(whose[2]))
            return Frame(*whose, alpha, budget=budget)
        alpha, cells = self._in_cells(event, len(whose[2]))
        return Frame(*whose, alpha, cells=cells)

    def _budget(self, event: Any, n: int) -> tuple[Array, Budget]:
        """The vectors of a budget; of a merge, those after it. A training point among them has its coefficient."""
        told = (
            event.after() if isinstance(event, BudgetMaintained) else (event.vectors, event.coefficients, event.sources)
        )
        vectors, coefficients, sources = told
        alpha, merged = np.zeros(n), sources < 0
        alpha[sources[~merged]] = abs(coefficients[~merged])
        return alpha, Budget(vectors, coefficients, merged)

    def _in_cells(self, event: Event, n: int) -> tuple[Array, Partitioned | None]:
        """Alpha amid a level: the level below's, with those of the cells already solved in its place."""
        if isinstance(event, LevelFinished):
            return event.alpha, self.cells_before(event)
        cells = event if isinstance(event, Partitioned) else self.cells_before(event)
        members = () if cells is None else self.cell_members(cells)
        alpha = np.zeros(n)
        for past in self.recording[: self.position(event) + 1]:
            if cells is None or past.stamp.path != event.stamp.path:
                continue
            if isinstance(past, LevelFinished):
                alpha = past.alpha.copy()
            elif isinstance(past, SubproblemSolved) and past.stamp.sequence > cells.stamp.sequence:
                alpha[members[past.cluster]] = past.alpha
        return alpha, cells

    def _cell_members(self, cells: Partitioned) -> tuple[Array, ...]:
        """The points of each cell."""
        order = np.argsort(cells.labels, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(cells.labels, minlength=len(cells.sizes)))[:-1]))

    def cells_before(self, event: Event) -> Partitioned | None:
        """The newest partition before an event, of the same task."""
        for past in reversed(self.recording[: self.position(event)]):
            if past.stamp.path != event.stamp.path:
                return None
            if isinstance(past, Partitioned):
                return past
        return None

    def position(self, event: Event) -> int:
        """Where an event is in the recording."""
        return bisect_right(self.recording, event.stamp.sequence, key=lambda other: other.stamp.sequence) - 1

    def alpha_of(self, point: int, event: Event) -> float:
        """The alpha of a point in a frame; NaN if it has no part in that task."""
        frame = self.frame_of(event)
        row = int(np.searchsorted(frame.members, point))
        return float(frame.alpha[row]) if row < len(frame.members) and frame.members[row] == point else np.nan

    def _members(self, task: Task) -> tuple[Array, Array, Array]:
        positive = np.isin(self.labels, task.positive)
        members = np.flatnonzero(positive | np.isin(self.labels, task.negative))
        return members, np.where(positive[members], 1.0, -1.0), self._upper[members]

    def check(self) -> None:
        """Raise a ValueError if the events do not fit the data: a file may say anything."""
        for event in self.recording:
            if not isinstance(event, STATES):
                continue
            if event.stamp.path and event.stamp.path[0] not in self._tasks:
                raise ValueError(
                    f"the recording is damaged: it has a task {event.stamp.path[0]!r} that its data have not"
                )
            task = self._tasks[event.stamp.path[0]] if event.stamp.path else next(iter(self._tasks.values()))
            size = len(self.members(task)[0])
            if isinstance(event, SubproblemSolved):
                cells = self.cells_before(event)
                size = 0 if cells is None else int(np.count_nonzero(cells.labels == event.cluster))
            if isinstance(event, Partitioned):
                Router.from_table(vars(event), self.kernel)
            if isinstance(event, BUDGETS):
                self._check_budget(event)
                continue
            names = [name for name in ("alpha", "gradient", "active", "labels") if hasattr(event, name)]
            if any(getattr(event, name).shape != (size,) for name in names):
                raise ValueError(f"the recording is damaged: {type(event).__name__} is not about its {size} points")

    def _check_budget(self, event: Any) -> None:
        """The same for the vectors of a budget."""
        size, sizes = len(event.vectors), {len(event.coefficients), len(event.sources)}
        fits = (
            sizes == {size}
            and event.vectors.shape[1:] == self.X.shape[1:]
            and np.isfinite(event.vectors).all()
            and np.isfinite(event.coefficients).all()
            and (event.sources < len(self.X)).all()
        )
        if fits and isinstance(event, BudgetMaintained):
            candidates = np.arange(size)[event.candidates] if np.isin(event.candidates, np.arange(size)).all() else None
            fits = (
                candidates is not None
                and {len(event.m), len(event.kappa), len(event.degradations)} == {len(candidates)}
                and 0 <= event.first < size
                and (event.partner == -1 or event.partner in candidates)
                and event.z.shape == (self.X.shape[1:] if event.partner >= 0 else (0,))
                and len(event.shares) in (0, size - 1)
            )
        if not fits:
            raise ValueError(f"the recording is damaged: the vectors of {type(event).__name__} do not fit its data")

    # ---- the decision function of a frame ----

    def _expansion(self, frame: Frame) -> Expansion:
        """The vectors of a frame's decision function."""
        if frame.budget is not None:
            vectors = np.asarray(frame.budget.vectors, float)
            places = self.plane.project(vectors)
            beside = ((vectors - self.plane.lift(places)) ** 2).sum(axis=1)
            points = self.kernel.points(vectors)
            return Expansion(points, frame.budget.coefficients, places, beside, frame.budget.merged)
        support = np.flatnonzero(frame.alpha)
        members = frame.members[support]
        weights = frame.signs[support] * frame.alpha[support]
        marked = frame.at_bound[support]
        return Expansion(self.points[members], weights, self.places[members], self._beside[members], marked)

    def committee(self, frame: Frame) -> Committee:
        """The models of the cells in force."""
        assert frame.cells is not None
        points = self.points[frame.members]
        return Committee.of_level(self.kernel, points, frame.signs, frame.cells, frame.alpha, self.settings.C)

    def decision(self, frame: Frame, points: Points, early: bool = True) -> Array:
        """Decision values of points that the kernel has taken in; `early`: by the model of their cell alone."""
        if early and frame.cells is not None:
            return self.committee(frame).values(points, "early", self.threads)
        sum_ = self.expansion(frame)
        return self.kernel.product(points, sum_.points, sum_.weights, self.threads) + frame.intercept

    def field(self, frame: Frame, xs: Array, ys: Array, early: bool = True) -> Array:
        """Decision values on a grid in the plane, a row for each of `ys`."""
        early = early and frame.cells is not None
        if self.kernel.name != "rbf":
            return self.decision(frame, self.grid(xs, ys), early).reshape(len(ys), len(xs))
        # On a grid the Gaussian is a product of one along each axis and one for what lies beside the plane.
        sum_ = self.expansion(frame)
        weights = sum_.weights * np.exp(-self.kernel.gamma * sum_.beside)
        across, up = (
            np.exp((-self.kernel.gamma * (places[:, None] - sum_.places[:, axis]) ** 2).astype(np.float32))
            for axis, places in enumerate((xs, ys))
        )
        up *= weights.astype(np.float32)
        if not early or frame.cells is None:
            return up @ across.T + frame.intercept
        values, owner = np.zeros((len(ys), len(xs)), np.float32), frame.cells.labels[frame.alpha > 0]
        routed = self.seams(frame.cells, tuple(xs), tuple(ys))
        for cell in np.unique(owner):
            mine = owner == cell
            np.copyto(values, up[:, mine] @ across[:, mine].T, where=routed == cell)
        return values

    def grid(self, xs: Sequence[float] | Array, ys: Sequence[float] | Array) -> Points:
        """The places of a grid in the plane, as the kernel takes them in."""
        places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        return self.kernel.points(self.plane.lift(places))

    def _seams(self, cells: Partitioned, xs: tuple[float, ...], ys: tuple[float, ...]) -> Array:
        """The cell of each place of a grid."""
        router = Router.from_table(vars(cells), self.kernel)
        return router.route(self.grid(xs, ys), self.threads).reshape(len(ys), len(xs))

    def margins(self, frame: Frame, rows: Array | None = None, early: bool = True) -> Array:
        """y f(x) of some of the task's points: from the gradient where it is up to date; NaN where that is too dear."""
        rows = np.arange(len(frame.members)) if rows is None else rows
        values = np.full(len(rows), np.nan)
        known = np.zeros(len(rows), bool)
        if frame.gradient is not None and frame.active is not None:
            known = frame.active[rows]
            fresh = rows[known]
            values[known] = frame.gradient[fresh] + 1.0 + frame.signs[fresh] * frame.intercept
        rest = rows[~known]
        if len(rest) * (1 + len(self.expansion(frame).weights)) <= DEAREST:
            values[~known] = frame.signs[rest] * self.decision(frame, self.points[frame.members[rest]], early)
        return values

    def accuracy(self, frame: Frame) -> tuple[float, float]:
        """Per cent right on the task's training points and on its part of the test set (NaN without one)."""
        affordable = int(DEAREST / (1 + len(self.expansion(frame).weights)))
        some = _spread(len(frame.members), min(ENOUGH, affordable))
        margins, positive = self.margins(frame, some), frame.signs[some] > 0
        right = np.where(positive, margins > 0, margins >= 0)[np.isfinite(margins)]  # 0 is a no, as for the test set
        train = 100 * float(np.mean(right)) if len(right) else np.nan
        points, positive = self.test_points(frame)
        if not len(points):
            return train, np.nan
        return train, 100 * float(np.mean((self.decision(frame, points) > 0) == positive))

    def test_points(self, frame: Frame) -> tuple[Points, Array]:
        """Test points of a frame's task, enough for a chart, and which of them are positive."""
        if self._test is None:
            return self.points[:0], np.zeros(0, bool)
        points, labels = self._test
        sides = (self.classes[list(side)] for side in (frame.task.positive, frame.task.negative))
        positive, negative = (np.isin(labels, side) for side in sides)
        ours = np.flatnonzero(positive | negative)
        ours = ours[_spread(len(ours), ENOUGH)]
        return points[ours], positive[ours]

    # ---- where things happen ----

    def stops(self, kind: str) -> list[int]:
        """Positions that a step of this size can go to: every event, states of the solver, or beginnings of phases."""
        return [position for position, event in enumerate(self.recording) if isinstance(event, STOPS[kind])]


def _spread(n: int, most: int) -> Array:
    """So many of n rows, evenly: a file may be sorted by class."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(int)
