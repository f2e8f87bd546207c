"""The clusters of ClusterSVM, made once for all tasks from each class alone, and their pseudo-centres."""

import numpy as np
from numba import njit

from engine.numerics.jit import FAST
from engine.numerics.kmeans import means, nearest_centres, plain_kmeans
from engine.runtime.counter import Counter
from engine.runtime.events import Array, PhaseBegan, Steps
from engine.systems.clustersvm.events import ClustersMade, ClusterSplit
from engine.systems.clustersvm.pddp import pddp
from engine.systems.clustersvm.settings import ClusterSVMSettings

HUGE = np.finfo(float).max


class Clusters:
    """The clusters of all classes: the first task makes them, the others only report them again."""

    def __init__(self, X: Array, classes: Array, settings: ClusterSVMSettings) -> None:
        self.X, self.classes, self.settings = X, classes, settings
        self.labels = np.full(len(X), -1)
        self.centres = np.empty(0, int)  # for each cluster its pseudo-centre
        self._owners: list[int] = []  # the class of each cluster
        self._made: ClustersMade | None = None

    def __len__(self) -> int:
        return len(self._owners)

    def steps(self, counter: Counter) -> Steps[None]:
        """Make the clusters, unless an earlier task has, and yield their event."""
        if self._made is None:
            yield PhaseBegan(name="clusters", size=len(self.X))
            for number in np.unique(self.classes):
                members = np.flatnonzero(self.classes == number)
                wanted = self.settings.n_clusters
                count = round(len(members) ** 0.5) if wanted == "sqrt" else int(wanted)
                divide = self._pddp if self.settings.clustering == "pddp" else self._kmeans
                found = yield from divide(int(number), members, min(count, len(members)), counter)
                self.labels[members] = len(self) + found
                self._owners += [int(number)] * (int(found.max()) + 1)
            self.centres = self.pseudo_centres(self.labels, np.full(len(self), -1), np.arange(len(self)))
            self._made = ClustersMade(
                clustering=self.settings.clustering, labels=self.labels.copy(), sizes=np.bincount(self.labels),
                classes=np.array(self._owners), centres=means(self.X, self.labels, np.ones(len(self.X)), len(self)),
            )  # fmt: skip
        yield self._made

    def pseudo_centres(self, labels: Array, centres: Array, changed: Array) -> Array:
        """For each cluster its member nearest to the mean, -1 without members; `centres` are those before a change."""
        wanted = np.zeros(len(centres) + 1, bool)  # the last is for the label -1: no cluster
        wanted[changed] = True
        return _nearest_members(self.X, labels, np.flatnonzero(wanted[labels]), np.where(wanted[:-1], -1, centres))

    def _pddp(self, number: int, members: Array, count: int, counter: Counter) -> Steps[Array]:
        splitting, before = pddp(self.X[members], count), len(self)
        try:
            while True:
                split = next(splitting)
                if split is None:
                    yield None
                    continue
                yield ClusterSplit(
                    class_number=number, cluster=before + split.cluster, other=before + split.other, mean=split.mean,
                    direction=split.direction, members=members[split.members], beyond=split.beyond,
                    scatter=split.scatter, scatter_here=split.scatter_here, scatter_beyond=split.scatter_beyond,
                )  # fmt: skip
        except StopIteration as end:
            return end.value.labels

    def _kmeans(self, number: int, members: Array, count: int, counter: Counter) -> Steps[Array]:
        rng = np.random.default_rng([self.settings.seed, number])
        X = self.X[members]
        centres = yield from plain_kmeans(X, count, rng, counter)
        nearest = nearest_centres(X, centres)
        return np.unique(nearest, return_inverse=True)[1]  # duplicates may leave a centre without points


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _nearest_members(X, labels, members, nearest):  # type: ignore[no-untyped-def]
    """For the labels of these members the row nearest to the mean of them, the first of equal ones, into `nearest`."""
    means, sizes, least = np.zeros((nearest.size, X.shape[1])), np.zeros(nearest.size), np.full(nearest.size, HUGE)
    for i in members:
        mean, row = means[labels[i]], X[i]
        sizes[labels[i]] += 1.0
        for k in range(row.size):
            mean[k] += row[k]
    for c in range(sizes.size):
        means[c] /= max(sizes[c], 1.0)
    for i in members:
        c = labels[i]
        mean, row, distance = means[c], X[i], 0.0
        for k in range(row.size):
            distance += (row[k] - mean[k]) ** 2
        if distance < least[c]:
            least[c], nearest[c] = distance, i
    return nearest
