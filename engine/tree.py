"""A tree of k-means: cells divided among centres until there are enough leaves, in flat arrays, for fast routing.

A point goes to the nearest of a cell's `branching` centres c_0, c_1, ...: that takes one inner product less than there
are centres,

    score_0 = 0,   score_j = x.(c_j - c_0) - (|c_j|^2 - |c_0|^2) / 2,   the largest wins

and one for each level of a binary tree. Points are float32, moved to the origin of the data, with zeros at the end to
whole strips: so many features are multiplied at a time, and a rest would take longer.
"""

import heapq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.clustering import plain_kmeans
from engine.events import Array, Steps, TreeGrown, TreeSplit
from engine.jit import FAST
from engine.kernels import Counter

SAMPLE = 8192  # points of a cell that k-means looks at
LEAST = 32  # points in a leaf, on average
STRIP = 32  # features
TOGETHER = 64  # rows that are routed level by level
SLICE = 2**22  # coordinates routed between two breaths


class Tree(NamedTuple):
    """Cells as rows: a cell's children, and what routes a point among them. Its first child is ~leaf in a leaf."""

    origin: Array  # (d,) float64
    normals: Array  # (cells, branching - 1, d and zeros to whole strips) float32
    offsets: Array  # (cells, branching - 1) float32
    children: Array  # (cells, branching) int32

    def __len__(self) -> int:
        return len(self.leaves())

    def leaves(self) -> Array:
        """The cell that each leaf is."""
        return np.flatnonzero(self.children[:, 0] < 0)

    def depths(self) -> Array:
        """How many divisions are above each leaf."""
        depth = np.zeros(len(self.children), int)
        for node, children in enumerate(self.children):  # parents come before children
            if children[0] >= 0:
                depth[children] = depth[node] + 1
        return depth[self.leaves()]

    def routing(self) -> Array:
        """How many inner products it takes to come to each leaf."""
        return self.depths() * self.normals.shape[1]

    def moved(self, X: Array) -> Array:
        """Data as the tree wants them."""
        X = floats(X)
        return in_strips(X - self.origin.astype(X.dtype))

    def route(self, X: Array) -> Array:
        """The leaf of each row."""
        return route(self, self.moved(X))

    def path(self, x: Array) -> list[int]:
        """The cells that a point goes through, from the first to its leaf."""
        z, nodes = self.moved(x[None]), [0]
        while self.children[nodes[-1], 0] >= 0:
            nodes.append(int(self.children[nodes[-1], child_of(self.normals, self.offsets, nodes[-1], z, 0)]))
        return nodes

    def check(self) -> None:
        """A ValueError if the arrays do not fit together."""
        cells, branching = self.children.shape
        width = in_strips(self.origin[None]).shape[1]
        shapes = {"normals": (cells, branching - 1, width), "offsets": (cells, branching - 1)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape or not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} should be {shape} finite numbers")
        inner = self.children[:, 0] >= 0
        later = self.children[inner] > np.flatnonzero(inner)[:, None]  # so that every route ends
        leaves = np.sort(~self.children[~inner, 0])
        if not (later.all() and (self.children < cells).all() and np.array_equal(leaves, np.arange(len(leaves)))):
            raise ValueError("the cells are no tree")


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree with the leaf of each point it was grown on, and these points from its origin."""

    tree: Tree
    labels: Array
    Z: Array

    def members(self) -> list[Array]:
        """The points of each leaf."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.labels, minlength=len(self.tree)))[:-1])


def grow(
    X: Array, leaves: int, branching: int, rng: np.random.Generator, counter: Counter, classes: Array | None = None
) -> Steps[Grown]:
    """Divide the largest cell until there are so many leaves, or as many as the points are enough for.

    A cell is left alone if all its points have the same class, or are the same.
    """
    n, d = X.shape
    origin = X.mean(axis=0, dtype=np.float64)
    padded = Tree(origin, *[np.empty(0)] * 3).moved(X)
    Z = padded[:, :d]
    wanted = max(1, min(leaves, n // LEAST))
    cells, depth = [np.arange(n)], [0]
    children = [np.full(branching, -1, np.int32)]
    centres = [np.zeros((branching, d), np.float32)]
    heap, count = [(-n, 0)], 1
    while heap and count + branching - 1 <= wanted:
        _, node = heapq.heappop(heap)
        members = cells[node]
        if len(members) < branching or (classes is not None and (classes[members] == classes[members[0]]).all()):
            continue
        sample = members if len(members) <= SAMPLE else np.sort(rng.permutation(members)[:SAMPLE])
        found = yield from plain_kmeans(Z[sample], branching, rng, counter)
        side = yield from _divided(padded, members, found)
        parts = [members[side == j] for j in range(branching)]
        if not all(len(part) for part in parts):
            continue
        numbers = np.arange(len(cells), len(cells) + branching, dtype=np.int32)
        children[node], centres[node] = numbers, found
        for number, part in zip(numbers.tolist(), parts, strict=True):
            cells.append(part)
            depth.append(depth[node] + 1)
            children.append(np.full(branching, -1, np.int32))
            centres.append(np.zeros((branching, d), np.float32))
            heapq.heappush(heap, (-len(part), number))
        count += branching - 1
        cells[node] = members[:0]
        yield TreeSplit(
            node=node, depth=depth[node], size=len(members), children=numbers,
            sizes=np.array([len(part) for part in parts]), centres=found + origin,
        )  # fmt: skip
    tree = Tree(origin, *_routing(np.array(centres)), np.array(children))
    labels = np.empty(n, np.int32)
    for leaf, node in enumerate(tree.leaves()):
        tree.children[node, 0] = ~leaf
        labels[cells[node]] = leaf
    return Grown(tree, labels, Z)


def grown_event(grown: Grown) -> TreeGrown:
    """What is told of a grown tree."""
    tree = grown.tree
    return TreeGrown(
        labels=grown.labels.copy(), sizes=np.bincount(grown.labels, minlength=len(tree)), depths=tree.depths(),
        leaves=tree.leaves(), **table(tree),
    )  # fmt: skip


def table(tree: Tree) -> dict[str, Any]:
    """The arrays of a tree, as events and files have them."""
    return {name: array.copy() for name, array in tree._asdict().items()}


def floats(X: Array) -> Array:
    """Float32 or float64, in one piece."""
    return np.ascontiguousarray(X, X.dtype if X.dtype in (np.float32, np.float64) else np.float64)


def in_strips(X: Array) -> Array:
    """Rows in float32, with zeros at the end to whole strips."""
    whole = np.zeros((*X.shape[:-1], X.shape[-1] + -X.shape[-1] % STRIP), np.float32)
    whole[..., : X.shape[-1]] = X
    return whole


def _divided(Z: Array, members: Array, centres: Array) -> Steps[Array]:
    """Which of the centres each member goes to."""
    normals, offsets = _routing(centres[None])
    side = np.empty(len(members), np.int32)
    step = max(1, SLICE // Z.shape[1])
    for top in range(0, len(members), step):
        _sides(normals, offsets, Z, members[top : top + step], side[top : top + step])
        yield None
    return side


def _routing(centres: Array) -> tuple[Array, Array]:
    """Normals and offsets for the centres (cells, branching, d) of some cells."""
    exact = centres.astype(np.float64)
    squares = np.square(exact).sum(axis=2) / 2
    return in_strips(exact[:, 1:] - exact[:, :1]), (squares[:, 1:] - squares[:, :1]).astype(np.float32)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"}, inline="always")
def child_of(normals, offsets, node, Z, i):  # type: ignore[no-untyped-def]
    """Which child of a cell row i of Z goes to."""
    best, which = np.float32(0.0), 0
    for j in range(normals.shape[1]):
        score = -offsets[node, j]
        for k in range(Z.shape[1]):
            score += Z[i, k] * normals[node, j, k]
        if score > best:
            best, which = score, j + 1
    return which


@njit(nogil=True, cache=True)
def _sides(normals, offsets, Z, members, side):  # type: ignore[no-untyped-def]
    for i in range(members.size):
        side[i] = child_of(normals, offsets, 0, Z, members[i])


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def route(tree, Z):  # type: ignore[no-untyped-def]
    """The leaf of each row of Z; some rows go down together, since a processor need not wait for one to do the next."""
    normals, offsets, children = tree.normals, tree.offsets, tree.children
    nodes = np.zeros(Z.shape[0], np.int32)
    for top in range(0, nodes.size, TOGETHER):
        bottom = min(top + TOGETHER, nodes.size)
        going = True
        while going:
            going = False
            for i in range(top, bottom):
                if children[nodes[i], 0] >= 0:
                    nodes[i] = children[nodes[i], child_of(normals, offsets, nodes[i], Z, i)]
                    going = True
    for i in range(nodes.size):
        nodes[i] = ~children[nodes[i], 0]
    return nodes
