"""The clusters of ClusterSVM at a moment of a run: who belongs to which, who stands for them, what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.runtime.events import Array, Event
from engine.systems.clustersvm.events import (
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.context import RunContext
from explorer.replay.frame import Frame
from explorer.replay.reader import Reader
from explorer.systems.clustersvm.exact_solution import ExactSolution

FEW = 3000  # points whose exact answer is found beside the run; that of more only after it, so as not to slow it down
CHANGES = (ClusterSplit, ClustersMade, RepresentativesChosen, ClustersRevised)  # of the clusters


@dataclass(frozen=True, eq=False)
class ClusterState:
    """Clusters by number; those of the latest revision keep what was said of them until the next."""

    labels: Array  # the cluster of each point, or -1 if it has none
    chosen: RepresentativesChosen | None  # who stands for them
    outcomes: tuple[str, ...]  # of each cluster, as far as there was a revision
    used: Array  # which points the SVM is trained on, or has below a mean
    reduced: ReducedSetMade | None
    since: Event | None  # the event that made the clusters what they are
    trained: bool  # whether there is an SVM

    def members(self, cluster: int) -> Array:
        """The points of a cluster."""
        order, starts = self._by_cluster
        return order[starts[cluster] : starts[cluster + 1]]

    @cached_property
    def _by_cluster(self) -> tuple[Array, Array]:
        """The points in the order of their clusters, and where each of these begins; -1 comes first."""
        counts = np.bincount(self.labels + 1)
        return np.argsort(self.labels, kind="stable"), np.cumsum(counts)

    @property
    def numbers(self) -> Array:
        """The numbers of the clusters that have members."""
        return np.unique(self.labels[self.labels >= 0])


def clusters_at(events: Iterable[Any], n: int) -> tuple[Array, float, ClusterState]:
    """What a task of n points has come to with its events: alpha, bias, clusters."""
    alpha, intercept = np.zeros(n), 0.0
    labels, used, trained = np.full(n, -1), np.ones(n, bool), False
    chosen: RepresentativesChosen | None = None
    revised: ClustersRevised | None = None
    reduced: ReducedSetMade | None = None
    since: Event | None = None
    for event in events:
        if isinstance(event, CHANGES):
            since = event
        match event:
            case ClusterSplit():
                labels[event.members] = np.where(event.beyond, event.other, event.cluster)
            case ClustersMade():
                labels = event.labels
            case RepresentativesChosen():
                labels, chosen = event.labels, event
                used = (labels < 0) | np.append(event.means, False)[labels]
                used[event.representatives[event.representatives >= 0]] = True
            case ReducedSetMade():
                reduced = event
            case ClustersRevised():
                revised = event
            case Iteration() | ReducedTrained() | ExactnessChecked():
                alpha, intercept, trained = event.alpha, event.intercept, True
    state = ClusterState(
        labels=labels,
        chosen=chosen,
        outcomes=() if revised is None else tuple(revised.outcomes),
        used=used,
        reduced=reduced,
        since=since,
        trained=trained,
    )
    return alpha, intercept, state


def fits(event: Any, n: int, d: int) -> bool:
    """Whether what a file says of a task is about its n points in d dimensions."""
    points = np.arange(n)
    match event:
        case ClusterSplit():
            both = event.mean.shape == event.direction.shape == (d,)
            whose = event.members.ndim == 1 and np.isin(event.members, points).all()
            return both and bool(whose) and event.beyond.shape == event.members.shape and event.beyond.dtype == bool
        case ClustersMade():
            count = len(event.sizes)
            return (
                event.labels.shape == (n,)
                and bool(np.isin(event.labels, np.arange(count)).all())
                and event.classes.shape == (count,)
                and event.centres.shape == (count, d)
            )
        case RepresentativesChosen():
            count = len(event.representatives)
            return (
                event.labels.shape == (n,)
                and bool(np.isin(event.labels, np.arange(-1, count)).all())
                and bool(np.isin(event.representatives, np.arange(-1, n)).all())
                and event.means.shape == (count,)
                and event.means.dtype == bool
            )
        case ReducedSetMade():
            return event.points.ndim == 1 and bool(np.isin(event.points, points).all())
        case ClustersRevised():
            same = event.margins.shape == event.before.shape == event.after.shape == (n,)
            return same and bool(np.isin(event.before, np.arange(-1, len(event.outcomes))).all())
        case _:
            return event.alpha.shape == (n,)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterFrame(Frame):
    """A frame of ClusterSVM."""

    clusters: ClusterState


class ClusterReader(Reader):
    """Reads clusters and what was trained, and finds the exact answer beside the run."""

    states = (
        Iteration, ClusterSplit, ClustersMade, RepresentativesChosen, ReducedSetMade, ReducedTrained, ClustersRevised,
        ExactnessChecked,
    )  # fmt: skip

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        self._exact: ExactSolution | None = None

    def read(self, event: Any) -> Frame:
        """Clusters, who represents them, and the newest SVM."""
        problem = self.problem(event)
        alpha, intercept, clusters = clusters_at(self.context.past(event), len(problem["members"]))
        if isinstance(event, Iteration):
            return ClusterFrame(**vars(super().read(event)), clusters=clusters)
        return ClusterFrame(**problem, alpha=alpha, intercept=intercept, clusters=clusters)

    def fits(self, event: Event, size: int) -> bool:
        """Whether an event is about the points of its task."""
        if isinstance(event, Iteration):
            return super().fits(event, size)
        return fits(event, size, self.context.X.shape[1])

    # ---- the exact answer ----

    def exact(self, frame: Frame) -> Frame | None:
        """The same with the exact answer to the problem, once it is known; it is looked for in the background."""
        if self._exact is None and (len(self.context.X) <= FEW or self.context.is_over):
            self._exact = ExactSolution(self.context.recording.header)
        if not self.knows_exact(frame) or self._exact is None:
            return None
        end = self._exact.found[frame.event.stamp.path]
        return Frame(**self.problem(frame.event), alpha=end.alpha, intercept=end.intercept)

    def knows_exact(self, frame: Frame) -> bool:
        """Whether the exact answer to the problem of a frame is there."""
        return self._exact is not None and frame.event.stamp.path in self._exact.found

    def end(self) -> None:
        """End the search for the exact answer."""
        if self._exact is not None:
            self._exact.end()


READER = ClusterReader
