"""Landmarks of a leaf: the points where its kernel is evaluated, chosen by the alpha of the exact model.

By Theorem 3 of the DC-Pred++ paper the error of a model over landmarks u is bounded by the objective of k-means with
the squares of alpha as weights, so its centres are good landmarks:

    D(u) = sum_i alpha_i^2 |x_i - u_nearest(i)|^2

The bound is loose there: squares give a fifth of the support vectors nearly all the weight, D is halved, and Delta,
which it bounds, is no less than with centres of plain k-means. Delta itself has |alpha| as weights; and a centre
between two classes represents neither. With |alpha|, and the classes each on its own ("sided-kmeans"), a model needs
fewer landmarks than with the same and no weights ("sided-plain").
"""

import numpy as np
import scipy

from engine.numerics.kmeans import plain_kmeans
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps

OF_SUPPORT = ("weighted-kmeans", "sided-kmeans", "sided-plain")  # all others are of all points
STRATEGIES = (*OF_SUPPORT, "kmeans", "random")


def choose(
    strategy: str, points: Array, support: Array, squares: Array, sides: Array, count: int, rng: np.random.Generator,
    counter: Counter,
) -> Steps[Array]:  # fmt: skip
    """So many landmarks, or fewer if there are not so many different points.

    `points` are all of the leaf; `support` are those with an alpha, whose `squares` and `sides` come beside them.
    """
    if strategy in ("sided-kmeans", "sided-plain"):
        parts, weights = [], np.sqrt(squares) if strategy == "sided-kmeans" else np.ones(len(squares))
        for side in np.unique(sides):
            own = support[sides == side], weights[sides == side]
            share = max(1, round(count * len(own[0]) / len(support)))
            parts.append((yield from _centres(*_merged(*own), share, rng, counter)))
        return np.concatenate(parts)
    if strategy == "weighted-kmeans":
        points, weights = _merged(support, squares)
    else:
        points, weights = _merged(points, np.ones(len(points)))
    if strategy == "random":
        return points[np.sort(rng.permutation(len(points))[:count])]
    return (yield from _centres(points, weights, count, rng, counter))


def objective(landmarks: Array, support: Array, squares: Array) -> tuple[float, Array]:
    """D(u), and the weight that falls to each landmark."""
    distances = scipy.spatial.distance.cdist(support, landmarks, "sqeuclidean")
    shares = np.bincount(distances.argmin(axis=1), squares, minlength=len(landmarks))
    return float(squares @ distances.min(axis=1)), shares


def _centres(points: Array, weights: Array, count: int, rng: np.random.Generator, counter: Counter) -> Steps[Array]:
    """The centres of weighted k-means, or the points themselves if they are few."""
    if len(points) <= count:
        return points
    return (yield from plain_kmeans(points, count, rng, counter, weights))


def _merged(points: Array, weights: Array) -> tuple[Array, Array]:
    """Duplicates as one point with the sum of their weights."""
    different, owner = np.unique(points, axis=0, return_inverse=True)
    return different, np.bincount(owner.ravel(), weights)
