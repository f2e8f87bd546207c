"""A recording as views see it: at any cursor, the state of the solver and the decision function it stands for."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine import Recording
from engine.learning.model import Task
from engine.numerics.points import Points
from engine.runtime.events import Array, Event, Finished
from engine.systems.dcpred.events import LeafTrained
from engine.systems.dcsvm.early_prediction import Committee
from engine.systems.dcsvm.events import Partitioned
from engine.systems.dcsvm.partition import Router
from engine.systems.interior_point.events import InteriorFinished
from explorer.replay import validation
from explorer.replay.context import ENOUGH, Given, spread
from explorer.replay.frame import Drawn, Expansion, Frame
from explorer.replay.reader import STATES, STOPS, frame_of, is_state
from explorer.systems.clustersvm.exact_solution import ExactAnswer
from explorer.systems.dcpred.reader import Leaves
from explorer.systems.interior_point import reader

DEAREST = 4e6  # kernel evaluations that the margins of a frame may cost
PLAIN = 32  # dimensions up to which a kernel evaluation costs the same, more or less
FEW = 3000  # points whose exact answer is found beside the run; that of more only after it, so as not to slow it down


class Replay(Given):
    """Looks up frames of a recording, which may still be growing, and evaluates them."""

    def __init__(self, recording: Recording, X_test: Array | None = None, y_test: Array | None = None) -> None:
        super().__init__(recording.header, X_test, y_test)
        self.recording = recording
        self.frame_of = lru_cache(16)(lambda event: frame_of(self, event))
        self.cell_members = lru_cache(4)(self._cell_members)
        self.expansion = lru_cache(8)(self._expansion)
        self.seams = lru_cache(4)(self._seams)
        self._exact: ExactAnswer | None = None

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
            if is_state(event):
                return self.frame_of(event)
        return None

    def task_number(self, task: Task) -> int:
        """Which of all tasks it is."""
        return list(self.tasks).index(task.name)

    def task_of(self, event: Event) -> Task:
        """The task that an event is about, or the first."""
        if event.stamp.path:
            return self.tasks[event.stamp.path[0]]
        return list(self.tasks.values())[event.task if isinstance(event, LeafTrained) else 0]

    def past(self, event: Event) -> list[Event]:
        """What its task had told up to and with an event."""
        return [item for item in self.recording[: self.position(event) + 1] if item.stamp.path == event.stamp.path]

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
        return self.position_of(event.stamp.sequence)

    def alpha_of(self, point: int, event: Event) -> float:
        """The alpha of a point in a frame; NaN if it has no part in that task."""
        frame = self.frame_of(event)
        row = int(np.searchsorted(frame.members, point))
        return float(frame.alpha[row]) if row < len(frame.members) and frame.members[row] == point else np.nan

    def check(self) -> None:
        """Raise a ValueError if the events do not fit the data."""
        validation.check(self, STATES)

    # ---- the decision function of a frame ----

    def _expansion(self, frame: Frame) -> Expansion:
        """The vectors of a frame's decision function."""
        if frame.budget is not None:
            vectors = np.asarray(frame.budget.vectors, float)
            places = self.plane.project(vectors)
            beside = ((vectors - self.plane.lift(places)) ** 2).sum(axis=1)
            points = self.kernel.points(vectors)
            return Expansion(points, frame.budget.coefficients, places, beside, frame.budget.merged)
        used, weights = self._machine(frame)
        members, marked = frame.members[used], frame.at_bound[used]
        return Expansion(self.points[members], weights, self.places[members], self.beside[members], marked)

    def _machine(self, frame: Frame) -> tuple[Array, Array]:
        """Points of the task, and their signed coefficients: alphas, or what a factorisation makes of them."""
        weights, factor, event = frame.signs * frame.alpha, frame.factor, frame.event
        if isinstance(event, InteriorFinished):
            return event.vectors, event.coefficients
        if factor is not None and factor.kind == "icf" and len(factor.pivots_used):
            points = self.points[frame.members]
            pivots = factor.pivots_used
            return pivots, reader.over_pivots(self.kernel, points, pivots, weights, self.threads)
        used = np.flatnonzero(weights)
        return used, weights[used]

    def exact(self, frame: Frame) -> Frame | None:
        """The same with the exact answer to the problem, once it is known; it is looked for in the background."""
        if self._exact is None and (len(self.X) <= FEW or self._is_over()):
            self._exact = ExactAnswer(self.recording.header)
        if not self.knows_exact(frame) or self._exact is None:
            return None
        end = self._exact.found[frame.event.stamp.path]
        return replace(frame, alpha=end.alpha, intercept=end.intercept, gradient=None, active=None, grouping=None)

    def knows_exact(self, frame: Frame) -> bool:
        """Whether the exact answer to the problem of a frame is there."""
        return self._exact is not None and frame.event.stamp.path in self._exact.found

    def _is_over(self) -> bool:
        return isinstance(self.recording[-1], Finished) and not self.recording[-1].stamp.path

    def end(self) -> None:
        """End what works in the background."""
        if self._exact is not None:
            self._exact.end()

    def drawn(self, frame: Frame) -> Drawn:
        """What is drawn of it: support vectors, wherever the decision function is a sum over others.

        A leaf that has its fast machine does without them.
        """
        if frame.leaves is not None:
            waiting = [leaf for leaf in range(len(frame.leaves.members)) if leaf not in frame.leaves.compressed]
            left = np.concatenate([np.zeros(0, int), *(frame.leaves.members[leaf] for leaf in waiting)])
            support = np.sort(left[frame.alpha[left] != 0])
            return Drawn(self.places[support], (frame.signs * frame.alpha)[support], frame.at_bound[support])
        if frame.factor is None:
            sum_ = self.expansion(frame)
            return Drawn(sum_.places, sum_.weights, sum_.marked)
        support = np.flatnonzero(frame.support)
        places = self.places[frame.members[support]]
        return Drawn(places, (frame.signs * frame.alpha)[support], frame.at_bound[support])

    def committee(self, frame: Frame) -> Committee:
        """The models of the cells in force."""
        assert frame.cells is not None
        points = self.points[frame.members]
        return Committee.of_level(self.kernel, points, frame.signs, frame.cells, frame.alpha, self.settings.C)

    def price(self, frame: Frame, on_grid: bool = False) -> float:
        """Kernel evaluations for a decision value, more or less; in many dimensions each is dearer, but see `field`."""
        if frame.leaves is None:
            short_cut = on_grid and self.kernel.name == "rbf"
            return len(self.expansion(frame).weights) * (1.0 if short_cut else max(1.0, self.X.shape[1] / PLAIN))
        return (1 + frame.leaves.mean(frame.leaves.exact_costs)) * self.X.shape[1]

    def leaf_values(self, frame: Frame, X: Array, fast: bool) -> Array:
        """Decision values of the frame's task by the machines of leaves."""
        assert frame.leaves is not None
        return frame.leaves.values(X, fast)[:, self.task_number(frame.task)]

    def decision(self, frame: Frame, points: Points, early: bool = True) -> Array:
        """Decision values of points that the kernel has taken in; `early`: by the model of their cell alone."""
        if early and frame.cells is not None:
            return self.committee(frame).values(points, "early", self.threads)
        sum_ = self.expansion(frame)
        return self.kernel.product(points, sum_.points, sum_.weights, self.threads) + frame.intercept

    def field(self, frame: Frame, xs: Array, ys: Array, early: bool = True) -> Array:
        """Decision values on a grid in the plane, a row for each of `ys`."""
        if frame.leaves is not None:
            places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
            return self.leaf_values(frame, self.plane.lift(places), early).reshape(len(ys), len(xs))
        early = early and frame.cells is not None
        if self.kernel.name in ("linear", "poly") and not early:
            return self._inner_field(frame, xs, ys)
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

    def _inner_field(self, frame: Frame, xs: Array, ys: Array) -> Array:
        """The field of a kernel of inner products: in a plane each is a sum of three, for any features."""
        sum_, kernel = self.expansion(frame), self.kernel
        places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        along = np.stack([self.plane.origin, *self.plane.axes])
        inner = kernel.points(sum_.points.X.astype(float) @ along.T)
        values = kernel.product(kernel.points(np.insert(places, 0, 1.0, axis=1)), inner, sum_.weights, self.threads)
        return (values + frame.intercept).reshape(len(ys), len(xs))

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
        if frame.leaves is not None:
            return frame.signs[rest] * self.leaf_values(frame, self.X[frame.members[rest]], early)
        if len(rest) * (1 + self.price(frame)) <= DEAREST:
            values[~known] = frame.signs[rest] * self.decision(frame, self.points[frame.members[rest]], early)
        return values

    def accuracy(self, frame: Frame) -> tuple[float, float]:
        """Per cent right on the task's training points and on its part of the test set (NaN without one).

        Leaves have the machines of all tasks: theirs are per cent of all classes, or the errors of a regression.
        """
        if frame.leaves is not None:
            return self._quality(frame, frame.leaves)
        affordable = min(ENOUGH, int(DEAREST / (1 + self.price(frame))))
        some = spread(len(frame.members), affordable)
        margins, positive = self.margins(frame, some), frame.signs[some] > 0
        right = np.where(positive, margins > 0, margins >= 0)[np.isfinite(margins)]  # 0 is a no, as for the test set
        train = 100 * float(np.mean(right)) if len(right) else np.nan
        points, positive = self.test_points(frame.task)
        if not len(points):
            return train, np.nan
        some = spread(len(points), affordable)
        points, positive = points[some], positive[some]
        return train, 100 * float(np.mean((self.decision(frame, points) > 0) == positive))

    def affordable(self, frame: Frame) -> int:
        """How many points may be asked about for one drawing."""
        return min(ENOUGH, int(5 * DEAREST / (1 + self.price(frame))))

    def _quality(self, frame: Frame, machines: Leaves) -> tuple[float, float]:
        """The same of leaves."""
        found = []
        for X, y in ((self.X, self.y), *([self.test_data] if self.has_test else [])):
            some = spread(len(X), self.affordable(frame))
            found.append(self.training.quality(machines.values(X[some]), self.targets(y[some])))
        return found[0], found[1] if self.has_test else np.nan

    # ---- where things happen ----

    @property
    def last_sequence(self) -> int:
        """The number of the newest event; -1 if there is none."""
        return self.recording[-1].stamp.sequence if len(self.recording) else -1

    def position_of(self, sequence: int) -> int:
        """Where the event of this number is; if it was left out, the one before it."""
        return bisect_right(self.recording, sequence, key=lambda event: event.stamp.sequence) - 1

    def stops(self, kind: str) -> list[int]:
        """Positions that a step of this size can go to: every event, states of the solver, or beginnings of phases."""
        return [position for position, event in enumerate(self.recording) if isinstance(event, STOPS[kind])]
