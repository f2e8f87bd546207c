"""A product grid for points: the features are cut in two, and each point goes to the nearest centre in either half.

On such a grid a Gaussian kernel is a Kronecker product, k(u, u') k(v, v'). The centres of a half are those of k-means.
The cut is between neighbouring features, so that what belongs together, such as the columns of one category, is seldom
torn apart, and where points are near to some of them in both halves. A cell may hold several points, or none.
"""

from typing import NamedTuple

import numpy as np

from engine.numerics.kmeans import nearest_centres, plain_kmeans
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps

CUTS = 24  # that are tried
TRIED, PER_CENTRE, MOST = 2000, 32, 8192  # points that judge a cut; that find a centre, and all centres
SLICE = 2**23  # coordinates that are compared between two breaths


class Grid(NamedTuple):
    """Centres in the first features and in the others, and which of them each point has."""

    first: Array
    second: Array
    group: Array
    place: Array

    def points(self, groups: Array, places: Array) -> Array:
        """Where some points of the grid are."""
        return np.hstack([self.first[groups], self.second[places]])

    @property
    def cells(self) -> Array:
        """The cell of each point; cells are numbered group by group, within a group by place."""
        return self.group * len(self.second) + self.place


def lay_grid(X: Array, side: int, rng: np.random.Generator, counter: Counter) -> Steps[Grid]:
    """A grid of at most so many groups, and as many places."""
    cut = yield from _cut(X, side, rng)
    first, group = yield from _centres(X[:, :cut], side, rng, counter)
    second, place = yield from _centres(X[:, cut:], side, rng, counter)
    return Grid(first, second, group, place)


def _cut(X: Array, count: int, rng: np.random.Generator) -> Steps[int]:
    """How many features come first."""
    features = X.shape[1]
    if features < 2:
        return features
    some = X[rng.permutation(len(X))[:TRIED]]
    cuts = np.unique(np.linspace(1, features - 1, min(CUTS, features - 1)).astype(int))
    farness = []
    for cut in cuts:
        halves = np.split(some, [cut], axis=1)
        farness.append(max(_farness(half, min(count, len(some) // 2 + 1)) for half in halves))
        yield None
    return int(cuts[np.argmin(farness)])


def _farness(points: Array, count: int) -> float:
    """Mean square distance to the nearest of the first points."""
    centres = np.ascontiguousarray(points[:count])
    return float(np.mean(np.sum((points - centres[nearest_centres(points, centres)]) ** 2, axis=1)))


def _centres(X: Array, count: int, rng: np.random.Generator, counter: Counter) -> Steps[tuple[Array, Array]]:
    """Centres that have points, and the centre of each point."""
    X = np.ascontiguousarray(X)
    some = np.sort(rng.permutation(len(X))[: min(PER_CENTRE * count, MOST)])
    centres = yield from plain_kmeans(X[some], min(count, len(some)), rng, counter)
    rows = max(1, SLICE // (len(centres) * max(1, X.shape[1])))
    nearest = np.empty(len(X), int)
    for top in range(0, len(X), rows):
        nearest[top : top + rows] = nearest_centres(X[top : top + rows], centres)
        yield None
    counter.add(len(X) * len(centres))
    used, owner = np.unique(nearest, return_inverse=True)
    return centres[used], owner
