"""The clusters of ClusterSVM at a moment of a run: who belongs to which, who stands for them, what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
from explorer.systems.clustersvm import reader

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay

# After these ClusterSVM stands elsewhere.
STANDS = (
    ClusterSplit, ClustersMade, RepresentativesChosen, ReducedSetMade, ReducedTrained, ClustersRevised,
    ExactnessChecked,
)  # fmt: skip
CHANGES = (ClusterSplit, ClustersMade, RepresentativesChosen, ClustersRevised)  # of the clusters


@dataclass(frozen=True, eq=False)
class Grouping:
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
    def clusters(self) -> Array:
        """The numbers of those that have members."""
        return np.unique(self.labels[self.labels >= 0])


def grouping_at(events: Iterable[Any], n: int) -> tuple[Array, float, Grouping]:
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
    grouping = Grouping(
        labels=labels,
        chosen=chosen,
        outcomes=() if revised is None else tuple(revised.outcomes),
        used=used,
        reduced=reduced,
        since=since,
        trained=trained,
    )
    return alpha, intercept, grouping


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


def _clusters(replay: "Replay", event: Event, n: int) -> dict[str, Any]:
    """Clusters, and who stands for them."""
    alpha, intercept, clusters = reader.grouping_at(replay.past(event), n)
    return {"alpha": alpha, "intercept": intercept, "grouping": clusters}
