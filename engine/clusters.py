"""The clusters of ClusterSVM: each class by itself is divided, once for all tasks, and who stands for a cluster."""

import numpy as np
from numba import njit

from engine.clustering import means, nearest_centres, plain_kmeans
from engine.events import Array, ClustersMade, ClusterSplit, PhaseBegan, Steps
from engine.kernels import Counter
from engine.pddp import pddp
from engine.settings import ClusterSVMSettings


class Clusters:
    """The clusters of all classes: made by the first who asks, told again to the others."""

    def __init__(self, X: Array, classes: Array, settings: ClusterSVMSettings) -> None:
        self.X, self.classes, self.settings = X, classes, settings
        self.labels = np.full(len(X), -1)
        self._owners: list[int] = []  # the class of each cluster

    def __len__(self) -> int:
        return len(self._owners)

    def steps(self, counter: Counter) -> Steps[None]:
        """Make them, if they are not there, and tell what they are."""
        if not self._owners:
            yield PhaseBegan(name="clusters", size=len(self.X))
            for number in np.unique(self.classes):
                members = np.flatnonzero(self.classes == number)
                wanted = self.settings.n_clusters
                count = round(len(members) ** 0.5) if wanted == "sqrt" else int(wanted)
                divide = self._pddp if self.settings.clustering == "pddp" else self._kmeans
                found = yield from divide(int(number), members, min(count, len(members)), counter)
                self.labels[members] = len(self) + found
                self._owners += [int(number)] * (int(found.max()) + 1)
        yield ClustersMade(
            clustering=self.settings.clustering, labels=self.labels.copy(), sizes=np.bincount(self.labels),
            classes=np.array(self._owners), centres=means(self.X, self.labels, np.ones(len(self.X)), len(self)),
        )  # fmt: skip

    def pseudo_centres(self, labels: Array, count: int) -> Array:
        """For each cluster its member nearest to the mean; -1 if there are no members. Label -1 is no cluster."""
        return _nearest_members(self.X, labels, count)

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


@njit(nogil=True, cache=True)
def _nearest_members(X, labels, count):  # type: ignore[no-untyped-def]
    """For each label its row nearest to the mean of its rows, the first of equal ones."""
    sums, sizes = np.zeros((count, X.shape[1])), np.zeros(count)
    for i in range(X.shape[0]):
        if labels[i] >= 0:
            sizes[labels[i]] += 1.0
            for k in range(X.shape[1]):
                sums[labels[i], k] += X[i, k]
    nearest, least = np.full(count, -1), np.full(count, np.inf)
    for i in range(X.shape[0]):
        c = labels[i]
        if c >= 0:
            distance = 0.0
            for k in range(X.shape[1]):
                distance += (X[i, k] - sums[c, k] / sizes[c]) ** 2
            if distance < least[c]:
                least[c], nearest[c] = distance, i
    return nearest
