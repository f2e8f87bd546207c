"""The compressed model of DC-Pred++: a tree routes to a leaf, whose value comes from landmarks and pseudo-landmarks.

    value(x) = intercept + sum_j weight_j c_j + sum_t weight_t f_t(c),   c_j = K(x, u_j)

where f_t is a product c_a c_b, or the kernel at a distance that the triangle inequality allows. `prediction_loops`
evaluates it in float32, on threads over blocks of rows. Any model of leaves fits in, also one whose landmarks are all
its support vectors. Prediction time is compared with that of a linear model, written in the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numba import njit

from engine.learning.sealed import Sealed
from engine.numerics.jit import FAST
from engine.numerics.points import check_width
from engine.numerics.simd import LANES
from engine.runtime.errors import invalid
from engine.runtime.events import Array
from engine.runtime.threads import for_each
from engine.systems.dcpred.nystrom import Expansion
from engine.systems.dcpred.prediction_loops import Packed, pack, predict, starts_of
from engine.systems.dcpred.tree import Tree, floats, in_vectors, refuse_others, table

BLOCK = 2**18  # values of X for a thread at a time
LEAST_ROWS = 256
LARGEST = np.float32(1e16)  # coordinate whose square is a number still; those of training data may be a tenth of it
ROWS_A_LEAF = 8  # on average, so that what is fetched for a leaf is used more than once


@dataclass(frozen=True, eq=False)
class CompressedModel(Sealed):
    """Leaves one after the other in flat arrays; `first` is where the landmarks of each begin, and so on."""

    tree: Tree
    gamma: np.float32
    first: Array  # (leaves + 1,)
    landmarks: Array  # (landmarks, d and zeros to whole vectors) float32, from the tree's origin
    seen: Array  # (leaves, d) bool: the features that a leaf uses
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
        kept = self._refuse_others(X.shape[1])
        result, leaves = np.empty((len(X), self.intercepts.shape[1]), np.float32), len(self.intercepts)
        moved = X.dtype != np.float32 or not self._takes(X.shape[1])
        if moved not in kept:
            self._check()
            kept[moved] = pack(self, moved)
        packed, origin = kept[moved], self.tree.origin.astype(X.dtype) if moved else None
        width = packed.routing.width

        def work(rows: slice) -> None:
            part = X[rows]
            Z = part.ravel() if origin is None else _moved(part, origin, width)
            if _is_far(Z):
                raise invalid("X", float(np.abs(part).max()), f"at most {LARGEST:g} in its largest number: scale it")
            predict(packed, Z, result[rows])

        _in_blocks(work, X, threads, leaves)
        return result

    def _refuse_others(self, d: int) -> dict[bool, Packed]:
        """A ValueError unless rows have the tree's features and all arrays are of one model; what is packed of it."""
        check_width(d, len(self.tree.origin))
        return self.derived()

    def _takes(self, d: int) -> bool:
        """Whether rows can be used as they are: in whole vectors, or nowhere loaded as vectors."""
        vectors = self.seen.all(axis=1) & (np.diff(self.first) > 0)
        return d % LANES == 0 or (self.tree.takes_any_width and not vectors.any())

    def costs(self) -> Array:
        """The cost of a prediction in each leaf, in inner products, including routing."""
        d, tasks = len(self.tree.origin), self.weights.shape[1]
        landmarks, pseudo, distances = map(np.diff, (self.first, self.first_pseudo, self.first_distance))
        values = np.where(distances > 0, distances, pseudo)  # a multiplication for a product, one for each distance
        values += landmarks * self.seen.sum(axis=1)
        return self.tree.routing() + (values + (landmarks + pseudo) * tasks) / d

    def cost(self, X: Array) -> float:
        """The mean cost of a prediction over these rows."""
        self._refuse_others(X.shape[1])
        return float(self.costs()[self.tree.route(floats(X))].mean())

    def places(self, leaf: int) -> Array:
        """The landmarks of a leaf, as the data have them."""
        return self.landmarks[self.first[leaf] : self.first[leaf + 1], : len(self.tree.origin)] + self.tree.origin

    def trace(self, x: Array) -> "Trace":
        """How the prediction for one point comes about."""
        self._refuse_others(len(x))
        nodes = self.tree.path(x)
        leaf = int(~self.tree.children[nodes[-1], 0])
        own = slice(self.first[leaf], self.first[leaf + 1])
        pseudo = slice(self.first_pseudo[leaf], self.first_pseudo[leaf + 1])
        away = self.tree.moved(x[None])[0] - self.landmarks[own]  # both with zeros at the end
        c = np.exp(-self.gamma * np.square(away[:, : len(x)][:, self.seen[leaf]]).sum(axis=1))
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
        own = {name: getattr(self, name) for name in OWN}
        return {"gamma": float(self.gamma), **table(self.tree), **{name: array.copy() for name, array in own.items()}}

    @classmethod
    def of(cls, table: Any) -> "CompressedModel":
        """The inverse of `table`, from a mapping or an event; a ValueError if the arrays do not fit together."""
        values = table if isinstance(table, dict) else vars(table)
        tree = Tree(*(np.array(values[name]) for name in Tree._fields))
        model = cls(tree, np.float32(values["gamma"]), *(np.array(values[name]) for name in OWN))
        model._check()
        return model

    def _check(self) -> None:
        self.tree.check()
        leaves, d, tasks = len(self.tree), self.tree.normals.shape[2], self.intercepts.shape[1]
        sizes = np.diff(self.first), np.diff(self.first_pseudo), np.diff(self.first_distance)
        starts, f32 = (leaves + 1,), np.float32
        for name, shape, kind in (
            ("first", starts, np.int64), ("first_pseudo", starts, np.int64), ("first_distance", starts, np.int64),
            ("landmarks", (self.first[-1], d), f32), ("seen", (leaves, len(self.tree.origin)), np.bool_),
            ("weights", (self.first[-1], tasks), f32), ("pairs", (self.first_pseudo[-1], 2), np.int32),
            ("pseudo_weights", (self.first_pseudo[-1], tasks), f32), ("distances", (self.first_distance[-1],), f32),
            ("intercepts", (leaves, tasks), f32),
        ):  # fmt: skip
            refuse_others(name, getattr(self, name), shape, kind)
        begin = self.first[0] == self.first_pseudo[0] == self.first_distance[0] == 0
        ordered = begin and all((size >= 0).all() for size in sizes)
        triangle = sizes[2] > 0
        landmarks_of = np.repeat(np.where(triangle, 0, sizes[0]), sizes[1])
        known = (self.pairs >= -1) & (self.pairs < landmarks_of[:, None])
        distances = np.where(triangle, sizes[0] * sizes[1], 0)
        looking = self.seen.any(axis=1).all()
        if not (ordered and known.all() and looking and np.array_equal(sizes[2], distances) and self.gamma >= 0):
            raise ValueError("the leaves do not fit together")


OWN = [field.name for field in fields(CompressedModel)][2:]  # all arrays but those of the tree


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
    """A leaf's part of a compressed model."""

    landmarks: Array  # moved to the tree's origin
    seen: Array  # (d,) bool
    weights: Array
    intercepts: Array
    pairs: Array
    pseudo_weights: Array
    distances: Array  # (pseudo, landmarks), or empty

    def cost(self) -> float:
        """The cost of a prediction in inner products, without routing."""
        many, more, tasks = len(self.landmarks), len(self.pairs), len(self.intercepts)
        values = many * int(self.seen.sum()) + (self.distances.size or more)
        return (values + (many + more) * tasks) / len(self.seen)


def seen(points: Array) -> Array:
    """The features that a leaf with these points looks at: those in which they differ, if that spares half or more.

    Among the points the others change nothing; of a point that differs in them, the leaf knows nothing.
    """
    differ = (points != points[:1]).any(axis=0)
    count, d = np.count_nonzero(differ), len(differ)
    spared = count > 0 and -(-count // LANES) <= -(-d // LANES) // 2
    return differ if spared else np.ones(d, bool)


def assembled(tree: Tree, gamma: float, leaves: list[Leaf]) -> CompressedModel:
    """The compressed model of these leaves."""
    f32 = np.float32
    return CompressedModel(
        tree,
        f32(gamma),
        starts_of([len(leaf.landmarks) for leaf in leaves]),
        in_vectors(np.concatenate([leaf.landmarks for leaf in leaves])),
        np.array([leaf.seen for leaf in leaves]),
        np.concatenate([leaf.weights for leaf in leaves]).astype(f32),
        starts_of([len(leaf.pairs) for leaf in leaves]),
        np.concatenate([leaf.pairs for leaf in leaves]).astype(np.int32),
        np.concatenate([leaf.pseudo_weights for leaf in leaves]).astype(f32),
        starts_of([leaf.distances.size for leaf in leaves]),
        np.concatenate([leaf.distances.ravel() for leaf in leaves]).astype(f32),
        np.array([leaf.intercepts for leaf in leaves], f32),
    )


def linear_values(X: Array, weights: Array, intercept: float, threads: int = 1) -> Array:
    """Decision values of a linear model, written as compressed models are: float32, threads over blocks of rows."""
    check_width(X.shape[1], len(weights))
    X, weights, shift = floats(X), weights.astype(np.float32), np.float32(intercept)
    result = np.empty(len(X), np.float32)
    _in_blocks(lambda rows: _linear(X[rows], weights, shift, result[rows]), X, threads)
    return result


def _in_blocks(work: Callable[[slice], None], X: Array, threads: int, leaves: int = 1) -> None:
    step = max(LEAST_ROWS, BLOCK // X.shape[1], ROWS_A_LEAF * leaves)
    for_each(work, [slice(top, top + step) for top in range(0, len(X), step)], threads)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST)
def _is_far(Z):  # type: ignore[no-untyped-def]
    """Whether any number is too large to compute with; written so that LLVM vectorises it."""
    far = 0
    for k in range(Z.size):
        far |= abs(Z[k]) > LARGEST
    return far > 0


@njit(nogil=True, cache=True, fastmath=FAST)
def _moved(X, origin, width):  # type: ignore[no-untyped-def]
    """Rows from the origin, in whole vectors, one after the other."""
    Z = np.empty((X.shape[0], width), np.float32)
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            Z[i, k] = X[i, k] - origin[k]
        for k in range(X.shape[1], width):
            Z[i, k] = 0.0
    return Z.ravel()


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _linear(X, weights, intercept, values):  # type: ignore[no-untyped-def]
    for i in range(X.shape[0]):
        total = intercept
        for k in range(weights.size):
            total += weights[k] * X[i, k]
        values[i] = total
