"""The compressed model of one leaf, in a few matrix products that all classes share.

Features are the kernel values of the landmarks, turned so that they are orthonormal in feature space: with W the kernel
of the landmarks and W + e I = L L', features are C L^-T. One factorisation of their Gram matrix serves all classes and
all rounds of a squared hinge loss: a round replaces targets that are passed by by the values themselves, and solves
least squares again.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from engine.numerics.cholesky import lower_to_upper
from engine.numerics.kernel_loops import exponential32
from engine.numerics.kmeans import means
from engine.runtime.events import Array
from engine.systems.dcpred.compressed_model import Leaf, seen
from engine.systems.dcpred.nystrom import Expansion, approximate, chain, nothing, products, triangle

ROUNDS = 8  # of the squared hinge loss; more gave no better accuracy
KMEANS_ROUNDS = 5
JITTER = 1e-3  # added to the diagonal of W; float32 will do then, and no accuracy is lost
FAR = 300.0  # gamma |x|^2, beyond which float32 would blur a kernel value
CONDITION = 1e5  # of a matrix that float32 will do for
ABSENT = -2.0  # the value of a class that is not near a leaf
SAMPLE = 500  # rows that pseudo-landmarks are fitted to


def kernel_values(Z: Array, landmarks: Array, gamma: float) -> Array:
    """The Gaussian kernel between two sets of rows, in float32."""
    centre, scale = landmarks.mean(axis=0), np.sqrt(2.0 * gamma).astype(np.float32)
    Z, landmarks = (Z - centre) * scale, (landmarks - centre) * scale
    norms, own = _half_norms(Z), _half_norms(landmarks)
    if max(norms.max(initial=0.0), own.max(initial=0.0)) > FAR:
        Z, landmarks = Z.astype(np.float64), landmarks.astype(np.float64)
        norms, own = _half_norms(Z), _half_norms(landmarks)
    inner = Z @ landmarks.T
    values = inner if inner.dtype == np.float32 else np.empty(inner.shape, np.float32)
    exponential32(inner, norms, own, values, np.arange(len(Z)), 0)
    return values


def _half_norms(Z: Array) -> Array:
    return np.einsum("ij,ij->i", Z, Z) / 2


def sided_centres(points: Array, weights: Array, sides: Array | None, count: int, rng: np.random.Generator) -> Array:
    """Centres of k-means of weighted points, each of one side; the points themselves if they are few."""
    if len(points) <= count:
        return points
    # Of points drawn by weight, and one of each side at least.
    keys = np.log(weights / weights.max() + 1e-12) + rng.gumbel(size=len(points))
    apart = points
    if sides is not None:
        _, number = np.unique(sides, return_inverse=True)
        order = np.argsort(-keys, kind="stable")
        first = np.unique(number[order], return_index=True)[1]
        keys[order[first]] += 1e6
        spread = np.square(points - points.mean(axis=0)).sum(axis=1).max()
        away = np.zeros((len(points), number.max() + 1), points.dtype)
        away[np.arange(len(points)), number] = 2.0 * np.sqrt(spread)
        apart = np.hstack([points, away])
    centres = apart[np.sort(np.argpartition(-keys, count - 1)[:count])]
    for _ in range(KMEANS_ROUNDS):
        distances = np.einsum("ij,ij->i", centres, centres) - 2.0 * (apart @ centres.T)
        owner = distances.argmin(axis=1)
        moved, taken = means(apart, owner, weights, count), np.bincount(owner, minlength=count) > 0
        centres = np.where(taken[:, None], moved, centres)
    return np.ascontiguousarray(centres[:, : points.shape[1]])


@dataclass(frozen=True, eq=False)
class Features:
    """Kernel values and pseudo-landmarks of some rows, and the map that makes them features."""

    expansion: Expansion
    values: Array
    map: Array
    beside: Array  # rows that are pseudo-landmarks, by the triangle inequality

    @classmethod
    def of(
        cls, Z: Array, landmarks: Array, gamma: float, pseudo: str, ratio: float, rng: np.random.Generator
    ) -> "Features":
        """Of these rows; `landmarks` should be in a chain if there are products."""
        count, C = int(np.ceil(ratio * len(landmarks))), kernel_values(Z, landmarks, gamma)
        if pseudo == "none" or not count:
            W = kernel_values(landmarks, landmarks, gamma)
            W[np.diag_indices(len(W))] += JITTER
            lower = scipy.linalg.cholesky(W, lower=True, check_finite=False)
            inverse, _ = scipy.linalg.lapack.strtri(lower, lower=True, overwrite_c=True)
            return cls(nothing(len(landmarks), gamma), C, inverse.T, np.empty(0, int))
        if pseudo == "products":
            expansion, beside = products(count, len(landmarks), gamma), np.empty(0, int)
        else:
            beside = np.sort(rng.permutation(len(Z))[:count])
            expansion = triangle(Z[beside], landmarks, gamma)
        values = expansion.expand(C).astype(np.float32)
        some = np.sort(rng.permutation(len(Z))[:SAMPLE])
        rows = np.vstack([Z[some], landmarks])
        W = kernel_values(landmarks, landmarks, gamma)
        fitted_to = np.vstack([values[some], expansion.expand(W)]).astype(np.float64)
        fitted = approximate(fitted_to, kernel_values(rows, rows, gamma).astype(np.float64))
        return cls(expansion, values, fitted.map.astype(np.float32), beside)


def squared_hinge(F: Array, signs: Array, C: float) -> Array:
    """min |w|^2 / 2 + C sum of max(0, 1 - y w.x)^2 for all columns of signs, by accelerated least squares."""
    inverse = _inverse(F, 1.0 / (2.0 * C))
    flat, before, w, pace = F.T.copy(), np.zeros((F.shape[1], signs.shape[1]), np.float32), np.zeros(0), 1.0
    targets = signs
    for _ in range(ROUNDS):
        w = inverse @ (flat @ targets)
        faster = (1.0 + np.sqrt(1.0 + 4.0 * pace * pace)) / 2.0
        ahead = w + np.float32((pace - 1.0) / faster) * (w - before)
        before, pace = w, faster
        targets = F @ ahead
        targets *= signs
        np.maximum(targets, np.float32(1.0), out=targets)
        targets *= signs
    return w


def least_squares(F: Array, targets: Array, ridge: float) -> Array:
    """min |F w - targets|^2 + ridge |w|^2."""
    return _inverse(F, ridge) @ (F.T @ targets)


def _inverse(F: Array, ridge: float) -> Array:
    """Of F'F + ridge I: a product with it takes no longer than one with F, for any number of columns."""
    gram = F.T @ F
    trace = float(np.trace(gram))
    added = ridge + 1e-6 * trace / len(gram)  # rounding must not make it indefinite
    if trace > CONDITION * added:
        gram = gram.astype(np.float64)
    gram[np.diag_indices(len(gram))] += added
    potrf, potri = scipy.linalg.get_lapack_funcs(("potrf", "potri"), (gram,))
    lower, _ = potrf(gram, lower=True, overwrite_a=True)
    inverse, _ = potri(lower, lower=True, overwrite_c=True)
    lower_to_upper(inverse)
    return inverse.astype(np.float32, copy=False)


@dataclass(frozen=True, eq=False)
class Target:
    """What a leaf's model is fitted to: signs (rows, tasks) with the squared hinge loss, or values of a regression."""

    values: Array  # (rows, tasks) float32
    price: float  # C, or the ridge
    regression: bool

    def constant(self, rows: Array) -> Array | None:
        """The values of a leaf where all rows have the same target; None where they have not."""
        if (self.values[rows] == self.values[rows[:1]]).all():
            return self.values[rows[0]].astype(np.float64)
        return None

    def fit(self, F: Array, rows: Array) -> tuple[Array, Array]:
        """Weights of the features, a column for each task, and intercepts; the last column of F is ones."""
        goal = self.values[rows]
        if self.regression:
            mean = goal.mean(axis=0, dtype=np.float64)
            return least_squares(F[:, :-1], goal - mean.astype(np.float32), self.price), mean
        weights, intercepts = np.zeros((F.shape[1] - 1, goal.shape[1])), np.full(goal.shape[1], ABSENT)
        mixed = (goal != goal[:1]).any(axis=0)
        found = squared_hinge(F, goal[:, mixed], self.price)
        weights[:, mixed], intercepts[mixed] = found[:-1], found[-1]
        return weights, np.where(mixed, intercepts, np.where(goal[0] > 0, 1.0, ABSENT))


def fit_leaf(
    Z: Array, target: Target, rows: Array, landmarks: Array, gamma: float, pseudo: str, ratio: float,
    rng: np.random.Generator,
) -> tuple[Leaf, Array]:  # fmt: skip
    """The model of a leaf over these landmarks, fitted to these rows of Z; and the points that are pseudo-landmarks."""
    looks = seen(Z[rows])
    if pseudo == "products":
        landmarks = landmarks[chain(landmarks)]
    some = slice(None) if looks.all() else looks
    features = Features.of(Z[rows][:, some], landmarks[:, some], gamma, pseudo, ratio, rng)
    F = np.ones((len(rows), features.map.shape[1] + 1), np.float32)
    np.matmul(features.values, features.map, out=F[:, :-1])
    weights, intercepts = target.fit(F, rows)
    coefficients, count, expansion = features.map @ weights, len(landmarks), features.expansion
    leaf = Leaf(
        landmarks, looks, coefficients[:count], intercepts, expansion.pairs, coefficients[count:], expansion.distances
    )
    return leaf, Z[rows[features.beside]]


def constant_leaf(d: int, values: Array) -> Leaf:
    """A leaf with the same value everywhere."""
    tasks, nothing_there = len(values), np.empty((0, 0))
    return Leaf(
        np.empty((0, d)), np.ones(d, bool), np.empty((0, tasks)), values, np.empty((0, 2), int), np.empty((0, tasks)),
        nothing_there,
    )  # fmt: skip


def leaf_values(leaf: Leaf, Z: Array, gamma: float) -> Array:
    """What the model of a leaf says of some rows."""
    if not len(leaf.landmarks):
        return np.tile(leaf.intercepts, (len(Z), 1))
    some = slice(None) if leaf.seen.all() else leaf.seen
    C = kernel_values(Z[:, some], leaf.landmarks[:, some], gamma)
    values = Expansion(gamma, leaf.pairs, leaf.distances).expand(C) if len(leaf.pairs) else C
    weights = np.vstack([leaf.weights, leaf.pseudo_weights]).astype(np.float32)
    return values @ weights + leaf.intercepts
