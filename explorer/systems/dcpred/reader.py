"""The machines of DC-Pred++ at a moment: the tree so far, the exact machine of each leaf, and the fast one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from engine.learning.model import Task
from engine.runtime.events import Array, Event
from engine.systems.dcpred.compressed_model import CompressedModel, Leaf, assembled, seen
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from engine.systems.dcpred.tree import Tree, stump
from explorer.replay.context import ENOUGH, RunContext, spread
from explorer.replay.frame import Drawn, Frame
from explorer.replay.plane import Plane
from explorer.replay.reader import MOST_EVALUATIONS, Reader

# After these the solver has another state.
STATES = (TreeSplit, TreeGrown, LeafTrained, LandmarksChosen, KernelApproximated, LeafCompressed, FastFinished)


@dataclass(frozen=True, eq=False)
class Training:
    """What the machines are trained on."""

    X: Array
    targets: Array  # a row for each task: +1 and -1, or the targets of a regression
    regression: bool
    gamma: float

    def quality(self, values: Array, targets: Array) -> float:
        """Of values (a column for each task): per cent right, or the root of the mean square error."""
        if self.regression:
            return float(np.sqrt(np.mean((values[:, 0] - targets[0]) ** 2)))
        if len(targets) == 1:
            return 100 * float(np.mean((values[:, 0] > 0) == (targets[0] > 0)))
        return 100 * float(np.mean(values.argmax(axis=1) == targets.argmax(axis=0)))


@dataclass(frozen=True, eq=False)
class Leaves:
    """What the events up to one have come to. Until it is grown, the tree has one leaf."""

    training: Training
    splits: list[TreeSplit] = field(default_factory=list)
    grown: list[TreeGrown] = field(default_factory=list)  # one, or none yet
    trained: dict[tuple[int, int], LeafTrained] = field(default_factory=dict)  # by leaf and task, the newest
    landmarks: dict[int, LandmarksChosen] = field(default_factory=dict)
    kernels: dict[int, KernelApproximated] = field(default_factory=dict)
    compressed: dict[int, LeafCompressed] = field(default_factory=dict)
    leaf: int | None = None  # that the last event is about

    @cached_property
    def tree(self) -> Tree:
        """Of the leaves."""
        if self.grown:
            return Tree(*(getattr(self.grown[0], name) for name in Tree._fields))
        return stump(self.training.X.mean(axis=0, dtype=np.float64))

    @cached_property
    def members(self) -> list[Array]:
        """The points of each leaf."""
        if not self.grown:
            return [np.arange(len(self.training.X))]
        labels = self.grown[0].labels
        return np.split(
            np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=len(self.tree)))[:-1]
        )

    @cached_property
    def alpha(self) -> Array:
        """Of the exact machines, a row for each task."""
        alpha = np.zeros(self.training.targets.shape)
        for event in {id(event): event for event in self.trained.values()}.values():
            alpha[event.task, event.members] = event.alpha
        return alpha

    # ---- machines ----

    @cached_property
    def exact(self) -> CompressedModel:
        """The exact machine of each leaf: its landmarks are all its support vectors."""
        return self._assembled([self._exact_leaf(leaf) for leaf in range(len(self.members))])

    @cached_property
    def fast(self) -> CompressedModel:
        """The fast machine of each leaf that has one, and the exact one of any other."""
        return self._assembled(
            [
                self._fast_leaf(leaf) if leaf in self.compressed else self._exact_leaf(leaf)
                for leaf in range(len(self.members))
            ]
        )

    def values(self, X: Array, fast: bool = True) -> Array:
        """What they say, a column for each task."""
        return (self.fast if fast else self.exact).values(np.ascontiguousarray(X, float))

    def _assembled(self, leaves: list[Leaf]) -> CompressedModel:
        return assembled(self.tree, self.training.gamma, leaves)

    def _exact_leaf(self, leaf: int) -> Leaf:
        """Without training, and where all are on one side, a constant."""
        training, tasks = self.training, len(self.training.targets)
        events = [self.trained.get((leaf, task)) for task in range(tasks)]
        known = [event.members[event.alpha != 0] for event in events if event is not None]
        support = np.unique(np.concatenate([np.zeros(0, int), *known]))
        intercepts = training.targets[:, self.members[leaf]].mean(axis=1)
        weights = np.zeros((len(support), tasks))
        for task, event in enumerate(events):
            if event is None:
                continue
            mine = np.isin(support, event.members)
            weights[mine, task] = self.alpha[task, support[mine]]
            if not training.regression:
                weights[:, task] *= training.targets[task, support]
                intercepts[task] = 0.0
        nothing = np.empty((0, 2), int), np.empty((0, tasks)), np.empty((0, 0))
        return Leaf(training.X[support] - self.tree.origin, self._everything, weights, intercepts, *nothing)

    def _fast_leaf(self, leaf: int) -> Leaf:
        done, d = self.compressed[leaf], self.training.X.shape[1]
        if leaf not in self.landmarks:
            nothing = np.empty((0, d)), self._everything, done.coefficients
            return Leaf(*nothing, done.intercepts, np.empty((0, 2), int), done.coefficients, np.empty((0, 0)))
        landmarks, kernel = self.landmarks[leaf].landmarks, self.kernels[leaf]
        count = len(landmarks)
        pairs, distances = kernel.pairs, np.empty((0, count))
        if kernel.pseudo == "triangle":
            apart = kernel.pseudo_landmarks[:, None] - landmarks
            distances = np.sqrt((apart**2).sum(axis=2))
        moved, weights = landmarks - self.tree.origin, done.coefficients
        features = seen(self.tree.moved(self.training.X[self.members[leaf]])[:, :d])  # as the solver had them
        return Leaf(moved, features, weights[:count], done.intercepts, pairs, weights[count:], distances)

    @property
    def _everything(self) -> Array:
        return np.ones(self.training.X.shape[1], bool)

    # ---- what they cost ----

    @cached_property
    def exact_costs(self) -> Array:
        """Inner products for a prediction in each leaf by its exact model, with those of routing."""
        support = (self.alpha != 0).any(axis=0)
        return self.tree.routing() + np.array([np.count_nonzero(support[members]) for members in self.members])

    @cached_property
    def costs(self) -> Array:
        """The same with the fast machine where there is one."""
        costs = self.exact_costs.astype(float)
        for leaf, event in self.compressed.items():
            costs[leaf] = event.cost
        return costs

    def mean(self, costs: Array) -> float:
        """Of costs, over the points."""
        return float(np.average(costs, weights=[len(members) for members in self.members]))

    def pseudo_places(self, leaf: int) -> Array:
        """Where the pseudo-landmarks of a leaf are: a product of two Gaussians is one around the middle."""
        kernel, landmarks = self.kernels[leaf], self.landmarks[leaf].landmarks
        if kernel.pseudo == "triangle":
            return kernel.pseudo_landmarks
        return landmarks[kernel.pairs].mean(axis=1)


def leaves_at(events: Iterable[Event], training: Training) -> Leaves:
    """What these events have come to."""
    found: dict[str, Any] = {name: {} for name in ("trained", "landmarks", "kernels", "compressed")}
    splits: list[TreeSplit] = []
    grown: list[TreeGrown] = []
    leaf: int | None = None
    for event in events:
        leaf = getattr(event, "leaf", None)
        match event:
            case TreeSplit():
                splits.append(event)
            case TreeGrown():
                grown.append(event)
            case LeafTrained():
                leaf = int(event.leaves[0]) if len(event.leaves) == 1 else None
                found["trained"] |= {(int(below), event.task): event for below in event.leaves}
            case LandmarksChosen():
                found["landmarks"][event.leaf] = event
            case KernelApproximated():
                found["kernels"][event.leaf] = event
            case LeafCompressed():
                found["compressed"][event.leaf] = event
    return Leaves(training, splits, grown, leaf=leaf, **found)


def cells_of(splits: list[TreeSplit], window: tuple[float, ...], plane: Plane) -> dict[int, Array]:
    """The corners of each undivided cell, by its number, in a window (left, right, bottom, top) of a plane."""
    left, right, bottom, top = window
    cells = {0: np.array([[left, bottom], [right, bottom], [right, top], [left, top]])}
    for split in splits:
        whole, centres = cells.pop(split.node), split.centres - plane.origin
        slopes, heights = centres @ plane.axes.T, (centres**2).sum(axis=1) / 2
        for child, slope, height in zip(split.children, slopes, heights, strict=True):
            part = whole
            for other, its_height in zip(slopes, heights, strict=True):  # nearer to this centre than to any other
                part = _clipped(part, slope - other, height - its_height)
            cells[int(child)] = part
    return cells


def _clipped(corners: Array, normal: Array, offset: float) -> Array:
    """What is left of a convex polygon where corner . normal >= offset."""
    above = corners @ normal - offset
    if (above >= 0).all():
        return corners
    kept = []
    for k in range(len(corners)):
        here, before = above[k], above[k - 1]
        if (here >= 0) != (before >= 0):
            kept.append(corners[k - 1] + (corners[k] - corners[k - 1]) * (before / (before - here)))
        if here >= 0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)


def check(events: Iterable[Event], training: Training) -> None:
    """Raise a ValueError if events do not fit the data: a file may say anything."""
    known = [event for event in events if isinstance(event, STATES)]
    leaves = 0  # until the tree is grown
    try:
        for event in known:
            if not _fits(event, training, leaves):
                raise ValueError(f"{type(event).__name__} is about something else")
            leaves = len(event.leaves) if isinstance(event, TreeGrown) else leaves
        last = leaves_at(known, training)
        for model in (last.exact, last.fast):
            CompressedModel.of(model.table())
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"the recording is damaged: its leaves do not fit together ({error})") from error


def _fits(event: Any, training: Training, leaves: int) -> bool:
    """Whether what a file says is about the data, and about leaves that there are."""
    (n, d), tasks = training.X.shape, len(training.targets)
    match event:
        case TreeSplit():
            return event.centres.shape == (len(event.children), d) and len(event.sizes) == len(event.children)
        case TreeGrown():
            Tree(*(getattr(event, name) for name in Tree._fields)).check()
            return (
                not leaves
                and event.labels.shape == (n,)
                and bool(np.isin(event.labels, range(len(event.leaves))).all())
            )
        case LeafTrained():
            inside = np.isin(event.members, np.arange(n)).all() and np.isin(event.leaves, np.arange(leaves)).all()
            return bool(inside) and event.members.shape == event.alpha.shape and 0 <= event.task < tasks
        case FastFinished():
            CompressedModel.of(event)
            return event.alpha.shape == (n,)
    if not 0 <= event.leaf < leaves:
        return False
    match event:
        case LandmarksChosen():
            return event.landmarks.shape == (len(event.weights), d)
        case KernelApproximated():
            squares = (event.matrix, event.approximation, event.without)
            places = event.pseudo_landmarks.shape[1:] == (d,)
            return places and all(square.shape == (len(event.rows),) * 2 for square in squares)
        case _:
            return bool(event.coefficients.shape[1:] == (tasks,))


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafFrame(Frame):
    """A frame of DC-Pred++: the leaves of the tree have the models of all classes."""

    leaves: Leaves


class LeafReader(Reader):
    """Reads the tree and the models of its leaves, `local` being the compressed ones."""

    states = STATES
    joint = True

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        here = context
        self.training = Training(here.X, self.targets(here.y), here.regression, here.kernel.gamma)

    def targets(self, y: Array) -> Array:
        """A row for each task: +1 and -1, or the targets of a regression."""
        if self.context.regression:
            return np.asarray(y, float)[None]
        classes = self.context.classes
        tasks = self.context.tasks.values()
        return np.array([np.where(np.isin(y, classes[list(task.positive)]), 1.0, -1.0) for task in tasks])

    def task_of(self, event: Event) -> Task:
        """The task that an event is about, or the first."""
        return list(self.context.tasks.values())[event.task if isinstance(event, LeafTrained) else 0]

    def task_number(self, task: Task) -> int:
        """The row of a task in targets and alpha."""
        return list(self.context.tasks).index(task.name)

    def read(self, event: Any) -> LeafFrame:
        """Leaves of a tree, each with models of its own."""
        here = self.context
        leaves = leaves_at(here.recording[: here.position(event) + 1], self.training)
        alpha = leaves.alpha[self.task_number(self.task_of(event))]
        return LeafFrame(**self.problem(event), alpha=alpha, leaves=leaves)

    # ---- decision values ----

    def values(self, frame: LeafFrame, X: Array, compressed: bool) -> Array:
        """Decision values of the frame's task by the models of leaves."""
        return frame.leaves.values(X, compressed)[:, self.task_number(frame.task)]

    def drawn(self, frame: Frame) -> Drawn:
        """The support vectors of the leaves that are not compressed; the others do without them."""
        assert isinstance(frame, LeafFrame)
        members = frame.leaves.members
        waiting = [members[leaf] for leaf in range(len(members)) if leaf not in frame.leaves.compressed]
        left = np.concatenate([np.zeros(0, int), *waiting])
        support = np.sort(left[frame.alpha[left] != 0])
        return Drawn(self.context.places[support], (frame.signs * frame.alpha)[support], frame.at_bound[support])

    def cost_per_value(self, frame: Frame, on_grid: bool = False) -> float:
        """Kernel evaluations of a decision value, about, by the exact models."""
        assert isinstance(frame, LeafFrame)
        return (1 + frame.leaves.mean(frame.leaves.exact_costs)) * self.context.X.shape[1]

    def affordable(self, frame: Frame) -> int:
        """The number of points whose values may be computed for one drawing."""
        return min(ENOUGH, int(5 * MOST_EVALUATIONS / (1 + self.cost_per_value(frame))))

    def field(self, frame: Frame, xs: Array, ys: Array, local: bool = True) -> Array:
        """Decision values on a grid in the plane, a row for each of `ys`."""
        assert isinstance(frame, LeafFrame)
        places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        return self.values(frame, self.context.plane.lift(places), local).reshape(len(ys), len(xs))

    def margins(self, frame: Frame, rows: Array | None = None, local: bool = True) -> Array:
        """y f(x) of some of the points."""
        assert isinstance(frame, LeafFrame)
        rows = np.arange(len(frame.members)) if rows is None else rows
        return frame.signs[rows] * self.values(frame, self.context.X[frame.members[rows]], local)

    def accuracy(self, frame: Frame) -> tuple[float, float]:
        """Per cent right of all classes, or the error of a regression, on training and test points."""
        assert isinstance(frame, LeafFrame)
        here, found = self.context, []
        for X, y in ((here.X, here.y), *([here.test_data] if here.has_test else [])):
            some = spread(len(X), self.affordable(frame))
            found.append(self.training.quality(frame.leaves.values(X[some]), self.targets(y[some])))
        return found[0], found[1] if here.has_test else np.nan

    # ---- files ----

    def check(self) -> None:
        """Raise a ValueError if the events do not fit the data, or one another."""
        check(self.context.recording, self.training)
        super().check()

    def fits(self, event: Event, size: int) -> bool:
        """They are looked at all together."""
        return True


READER = LeafReader
