"""The fast machine of DC-Pred++: down the tree to a leaf, the kernel at its landmarks, pseudo-landmarks from those.

    value(x) = intercept + sum_j weight_j c_j + sum_t weight_t f_t(c),   c_j = K(x, u_j)

where f_t is a product c_a c_b, or the kernel at a distance that the triangle inequality allows. One numba kernel for a
batch, float32, on threads over blocks of rows. Any machine of leaves fits in, also one whose landmarks are all its
support vectors. A linear model, coded and measured the same way, is what its time is compared with.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.events import Array
from engine.jit import FAST
from engine.kernels import exp32
from engine.nystrom import Expansion
from engine.threads import for_each
from engine.tree import TOGETHER, Tree, floats, in_strips, route, table

BLOCK = 2**18  # values of X for a thread at a time
LEAST_ROWS = 256


class FastModel(NamedTuple):
    """Leaves one after the other in flat arrays; `first` is where the landmarks of each begin, and so on."""

    tree: Tree
    gamma: np.float32
    first: Array  # (leaves + 1,)
    landmarks: Array  # (landmarks, d and zeros to a multiple of STRIP) float32, from the tree's origin
    weights: Array  # (landmarks, tasks) float32
    first_pseudo: Array  # (leaves + 1,)
    pairs: Array  # (pseudo, 2): the landmarks of the leaf that are multiplied; -1 for the triangle inequality
    pseudo_weights: Array  # (pseudo, tasks) float32
    first_distance: Array  # (leaves + 1,)
    distances: Array  # triangle inequality: from each pseudo-landmark of a leaf to each of its landmarks
    intercepts: Array  # (leaves, tasks) float32

    def values(self, X: Array, threads: int = 1) -> Array:
        """Decision values, a column for each task."""
        X = floats(X)
        result = np.empty((len(X), self.intercepts.shape[1]), np.float32)
        _in_blocks(lambda rows: _values(self, X[rows], result[rows]), X, threads)
        return result

    def costs(self) -> Array:
        """Of a prediction in each leaf, in inner products, routing among them."""
        d, tasks = len(self.tree.origin), self.weights.shape[1]
        landmarks, pseudo, distances = map(np.diff, (self.first, self.first_pseudo, self.first_distance))
        values = np.where(distances > 0, distances, pseudo)  # a multiplication for a product, one for each distance
        return self.tree.routing() + landmarks + (values + (landmarks + pseudo) * tasks) / d

    def cost(self, X: Array) -> float:
        """The mean over these rows."""
        return float(self.costs()[self.tree.route(floats(X))].mean())

    def places(self, leaf: int) -> Array:
        """The landmarks of a leaf, as the data have them."""
        return self.landmarks[self.first[leaf] : self.first[leaf + 1], : len(self.tree.origin)] + self.tree.origin

    def trace(self, x: Array) -> "Trace":
        """How the prediction for one point comes about."""
        nodes = self.tree.path(x)
        leaf = int(~self.tree.children[nodes[-1], 0])
        own = slice(self.first[leaf], self.first[leaf + 1])
        pseudo = slice(self.first_pseudo[leaf], self.first_pseudo[leaf + 1])
        away = self.tree.moved(x[None])[0] - self.landmarks[own]  # both with zeros at the end
        c = np.exp(-self.gamma * np.square(away).sum(axis=1))
        distances = self.distances[self.first_distance[leaf] : self.first_distance[leaf + 1]]
        distances = distances.reshape(-1, max(1, len(c)))
        expansion = Expansion(float(self.gamma), self.pairs[pseudo], distances)
        f = expansion.expand(c[None])[0, len(c) :]
        return Trace(
            nodes=nodes, leaf=leaf, landmarks=self.places(leaf), kernel_values=c,
            contributions=c[:, None] * self.weights[own], pairs=self.pairs[pseudo], pseudo_values=f,
            pseudo_contributions=f[:, None] * self.pseudo_weights[pseudo], intercepts=self.intercepts[leaf],
            cost=float(self.costs()[leaf]),
        )  # fmt: skip

    # ---- events and files ----

    def table(self) -> dict[str, Any]:
        """In plain values and arrays, as events and files have it."""
        own = {name: getattr(self, name) for name in self._fields[2:]}
        return {"gamma": float(self.gamma), **table(self.tree), **{name: array.copy() for name, array in own.items()}}

    @classmethod
    def of(cls, table: Any) -> "FastModel":
        """The inverse of `table`, from a mapping or an event; a ValueError if the arrays do not fit together."""
        values = table if isinstance(table, dict) else vars(table)
        tree = Tree(*(np.array(values[name]) for name in Tree._fields))
        model = cls(tree, np.float32(values["gamma"]), *(np.array(values[name]) for name in cls._fields[2:]))
        model._check()
        return model

    def _check(self) -> None:
        self.tree.check()
        leaves, d, tasks = len(self.tree), self.tree.normals.shape[2], self.intercepts.shape[1]
        sizes = np.diff(self.first), np.diff(self.first_pseudo), np.diff(self.first_distance)
        shapes = {
            "first": (leaves + 1,), "first_pseudo": (leaves + 1,), "first_distance": (leaves + 1,),
            "landmarks": (self.first[-1], d), "weights": (self.first[-1], tasks),
            "pairs": (self.first_pseudo[-1], 2), "pseudo_weights": (self.first_pseudo[-1], tasks),
            "distances": (self.first_distance[-1],), "intercepts": (leaves, tasks),
        }  # fmt: skip
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape or not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} should be {shape} finite numbers")
        ordered = all((size >= 0).all() for size in sizes) and self.first[0] == 0 and self.first_pseudo[0] == 0
        triangle = sizes[2] > 0
        landmarks_of = np.repeat(np.where(triangle, 0, sizes[0]), sizes[1])
        known = (self.pairs >= -1) & (self.pairs < landmarks_of[:, None])
        distances = np.where(triangle, sizes[0] * sizes[1], 0)
        if not (ordered and known.all() and np.array_equal(sizes[2], distances) and self.gamma > 0):
            raise ValueError("the leaves do not fit together")


@dataclass(frozen=True, eq=False)
class Trace:
    """A prediction, step by step; contributions have a column for each task and add up to its values."""

    nodes: list[int]  # cells of the tree
    leaf: int
    landmarks: Array  # as the data have them
    kernel_values: Array
    contributions: Array
    pairs: Array
    pseudo_values: Array
    pseudo_contributions: Array
    intercepts: Array
    cost: float  # in inner products

    @property
    def values(self) -> Array:
        """What is predicted, for each task."""
        return self.contributions.sum(axis=0) + self.pseudo_contributions.sum(axis=0) + self.intercepts


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf's part of a fast machine."""

    landmarks: Array  # moved to the tree's origin
    weights: Array
    intercepts: Array
    pairs: Array
    pseudo_weights: Array
    distances: Array  # (pseudo, landmarks), or empty

    def cost(self) -> float:
        """Of a prediction in inner products, without routing."""
        many, more, tasks = len(self.landmarks), len(self.pairs), len(self.intercepts)
        return many + ((self.distances.size or more) + (many + more) * tasks) / self.landmarks.shape[1]


def assembled(tree: Tree, gamma: float, leaves: list[Leaf]) -> FastModel:
    """The fast machine of some leaves."""
    f32 = np.float32
    return FastModel(
        tree,
        f32(gamma),
        _starts([len(leaf.landmarks) for leaf in leaves]),
        in_strips(np.concatenate([leaf.landmarks for leaf in leaves])),
        np.concatenate([leaf.weights for leaf in leaves]).astype(f32),
        _starts([len(leaf.pairs) for leaf in leaves]),
        np.concatenate([leaf.pairs for leaf in leaves]).astype(np.int32),
        np.concatenate([leaf.pseudo_weights for leaf in leaves]).astype(f32),
        _starts([leaf.distances.size for leaf in leaves]),
        np.concatenate([leaf.distances.ravel() for leaf in leaves]).astype(f32),
        np.array([leaf.intercepts for leaf in leaves], f32),
    )


def linear_values(X: Array, weights: Array, intercept: float, threads: int = 1) -> Array:
    """Decision values of a linear model, as fast machines are coded: float32, threads over blocks of rows."""
    X, weights, shift = floats(X), weights.astype(np.float32), np.float32(intercept)
    result = np.empty(len(X), np.float32)
    _in_blocks(lambda rows: _linear(X[rows], weights, shift, result[rows]), X, threads)
    return result


def _in_blocks(work: Callable[[slice], None], X: Array, threads: int) -> None:
    step = max(LEAST_ROWS, BLOCK // X.shape[1])
    for_each(work, [slice(top, top + step) for top in range(0, len(X), step)], threads)


def _starts(sizes: list[int]) -> Array:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _values(model, X, values):  # type: ignore[no-untyped-def]
    """Some rows together: moved to the origin, routed, then each through the landmarks of its leaf.

    Arrays are indexed, not sliced, and helpers inlined: to count a reference takes longer than an inner product.
    """
    first, landmarks, weights = model.first, model.landmarks, model.weights
    first_pseudo, pairs, pseudo_weights = model.first_pseudo, model.pairs, model.pseudo_weights
    origin, gamma, tasks = model.tree.origin.astype(X.dtype), model.gamma, values.shape[1]
    Z = np.zeros((TOGETHER, landmarks.shape[1]), np.float32)
    c = np.empty(max(1, np.diff(first).max()), np.float32)
    for top in range(0, X.shape[0], TOGETHER):
        size = min(TOGETHER, X.shape[0] - top)
        for i in range(size):
            for k in range(X.shape[1]):
                Z[i, k] = X[top + i, k] - origin[k]
        leaves = route(model.tree, Z[:size])
        for i in range(size):
            leaf = leaves[i]
            begin, m = first[leaf], first[leaf + 1] - first[leaf]
            for j in range(m):
                total = np.float32(0.0)
                for k in range(Z.shape[1]):
                    difference = Z[i, k] - landmarks[begin + j, k]
                    total += difference * difference
                c[j] = total
            for j in range(m):
                c[j] = exp32(-gamma * c[j])
            for task in range(tasks):
                total = model.intercepts[leaf, task]
                for j in range(m):
                    total += weights[begin + j, task] * c[j]
                values[top + i, task] = total
            for t in range(first_pseudo[leaf], first_pseudo[leaf + 1]):
                value = c[pairs[t, 0]] * c[pairs[t, 1]] if pairs[t, 0] >= 0 else _within_triangle(model, leaf, t, c)
                for task in range(tasks):
                    values[top + i, task] += pseudo_weights[t, task] * value


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"}, inline="always")
def _within_triangle(model, leaf, t, c):  # type: ignore[no-untyped-def]
    """The kernel at the largest distance that a pseudo-landmark can have, as far as the landmarks know."""
    m = model.first[leaf + 1] - model.first[leaf]
    where = model.first_distance[leaf] + (t - model.first_pseudo[leaf]) * m
    nearest = np.float32(3e38)
    for j in range(m):
        away = np.sqrt(-np.log(max(c[j], np.float32(1e-37))) / model.gamma)
        nearest = min(nearest, away + model.distances[where + j])
    return exp32(-model.gamma * nearest * nearest)


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _linear(X, weights, intercept, values):  # type: ignore[no-untyped-def]
    for i in range(X.shape[0]):
        total = intercept
        for k in range(weights.size):
            total += weights[k] * X[i, k]
        values[i] = total
