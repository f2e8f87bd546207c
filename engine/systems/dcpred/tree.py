"""A tree of k-means: cells divided among centres until there are enough leaves, in flat arrays, for fast routing.

A point goes to the nearest of a cell's centres c_0, c_1, ...: that takes one inner product less than there
are centres,

    score_0 = 0,   score_j = x.(c_j - c_0) - (|c_j|^2 - |c_0|^2) / 2,   the largest wins

and one for each level of a binary tree. Of many features, those in which centres hardly differ are left out of it.
Points are float32, moved to the origin of the data, with zeros at the end to whole vectors. Those of a cell are divided
together, so that all leave the tree sorted by leaf.
"""

import heapq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.numerics.jit import FAST
from engine.numerics.kmeans import plain_kmeans
from engine.numerics.points import check_width
from engine.numerics.simd import LANES, broadcast, load, multiply_add, place_of_largest, products_of, total
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps
from engine.systems.dcpred.events import TreeGrown, TreeSplit

SAMPLE = 8192  # points of a cell that k-means looks at
LEAST = 32  # points in a leaf, on average
HARDLY = 0.05  # of the spread of centres over all features
NEVER = np.float32(-3e38)  # the score of a child that is not there
SLICE = 2**22  # coordinates routed between two breaths


class Tree(NamedTuple):
    """Cells as rows: a cell's children, and what routes a point among them.

    A child that is not there is -1, and has an offset that none comes up to. The first child of a leaf is ~leaf.
    """

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
                depth[children[children >= 0]] = depth[node] + 1
        return depth[self.leaves()]

    def routing(self) -> Array:
        """How many inner products it takes to come to each leaf."""
        return self.depths() * self.normals.shape[1]

    def moved(self, X: Array) -> Array:
        """Data in the tree's form: from its origin, in whole vectors."""
        check_width(X.shape[1], len(self.origin))
        X = floats(X)
        return in_vectors(X - self.origin.astype(X.dtype))

    def route(self, X: Array) -> Array:
        """The leaf of each row."""
        return _leaves(self.packed(), self.moved(X).ravel())

    def packed(self, moved: bool = True) -> "Routing":
        """The tree in the form that is fastest to route through, for points moved to its origin or as they are."""
        d = len(self.origin)
        check_width(self.normals.shape[2], d + -d % LANES, "a normal, in whole vectors,")
        if self.offsets.shape != self.normals.shape[:2] or self.children.shape[0] != len(self.offsets):
            raise ValueError("normals, offsets and children are not of one tree")
        if moved:
            return _packed(self.normals, self.offsets, self.children, self.normals.shape[2])
        offsets = self.offsets + (self.normals[:, :, :d] @ self.origin).astype(np.float32)
        return _packed(self.normals, offsets, self.children, d)

    @property
    def takes_any_width(self) -> bool:
        """Whether points that are not in whole vectors can be routed: those of a panel are taken one by one."""
        return self.children.shape[1] > 2 or len(self.children) == 1

    def path(self, x: Array) -> list[int]:
        """The cells that a point goes through, from the first to its leaf."""
        nodes, z, routing = [0], self.moved(x[None]).ravel(), self.packed()
        one, side = np.zeros(1, np.int32), np.empty(4, np.int32)
        while self.children[nodes[-1], 0] >= 0:
            divide(routing, nodes[-1], z, one, 0, 1, side)
            nodes.append(int(self.children[nodes[-1], side[0]]))
        return nodes

    def check(self) -> None:
        """A ValueError if the arrays do not fit together."""
        cells, branching = self.children.shape
        if branching > LANES:
            raise ValueError(f"children should be {LANES} at most")
        d = len(self.origin)
        width = in_vectors(self.origin[None]).shape[1]
        refuse_others("origin", self.origin, (d,), np.float64)
        refuse_others("normals", self.normals, (cells, branching - 1, width), np.float32)
        refuse_others("offsets", self.offsets, (cells, branching - 1), np.float32)
        refuse_others("children", self.children, (cells, branching), np.int32)
        inner = self.children[:, 0] >= 0
        children, there = self.children[inner], self.children[inner] >= 0
        below, leaves = np.sort(children[there]), np.sort(~self.children[~inner, 0])
        absent = ~there[:, 1:]
        if not (
            np.array_equal(below, np.arange(1, cells))  # each is below one other
            and np.array_equal(leaves, np.arange(len(leaves)))
            and (children > np.flatnonzero(inner)[:, None])[there].all()  # so that every route ends
            and (there[:, 1:] <= there[:, :-1]).all()  # none after one that is not there
            and (children[~there] == -1).all()
            and (self.offsets[inner][absent] == -NEVER).all()
            and not self.normals[inner][absent].any()
            and not self.normals[:, :, d:].any()
        ):
            raise ValueError("the cells are no tree")


def refuse_others(name: str, array: Array, shape: tuple[int, ...], kind: Any) -> None:
    """A ValueError unless an array has this shape and this kind of numbers, all finite: a file may say anything."""
    if array.shape != shape or array.dtype != kind or not np.isfinite(array).all():
        raise ValueError(f"{name} should be {shape} finite numbers ({np.dtype(kind)})")


class Routing(NamedTuple):
    """A tree in flat arrays: a normal for each cell, or a panel of centres if it has more than two children.

    A panel has only the features in which centres differ.
    """

    width: int  # from one point to the next
    normals: Array
    offsets: Array
    children: Array
    features: Array
    first: Array  # feature of each cell


def stump(origin: Array) -> Tree:
    """A tree of one leaf."""
    normals, offsets = in_vectors(np.zeros((1, 1, len(origin)))), np.zeros((1, 1), np.float32)
    return Tree(origin, normals, offsets, np.full((1, 2), -1, np.int32))


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

    It is divided into as many parts as make leaves of the mean size, `branching` at most. A cell is left alone if all
    its points have the same class, or are the same.
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
    while heap and count < wanted:
        _, node = heapq.heappop(heap)
        members = cells[node]
        fan = min(branching, wanted - count + 1, max(2, round(len(members) * wanted / n)))
        if len(members) < fan or (classes is not None and (classes[members] == classes[members[0]]).all()):
            continue
        sample = members if len(members) <= SAMPLE else np.sort(rng.permutation(members)[:SAMPLE])
        found = yield from plain_kmeans(Z[sample], fan, rng, counter)
        _level_out(found)
        side = yield from _divided(padded, members, found)
        taken, side = np.unique(side, return_inverse=True)
        found, fan = found[taken], len(taken)
        if fan == 1:
            continue
        parts = [members[side == j] for j in range(fan)]
        numbers = np.arange(len(cells), len(cells) + fan, dtype=np.int32)
        children[node][:fan], centres[node][:fan] = numbers, found
        for number, part in zip(numbers.tolist(), parts, strict=True):
            cells.append(part)
            depth.append(depth[node] + 1)
            children.append(np.full(branching, -1, np.int32))
            centres.append(np.zeros((branching, d), np.float32))
            heapq.heappush(heap, (-len(part), number))
        count += fan - 1
        cells[node] = members[:0]
        yield TreeSplit(
            node=node, depth=depth[node], size=len(members), children=numbers,
            sizes=np.array([len(part) for part in parts]), centres=found + origin,
        )  # fmt: skip
    normals, offsets = _routing(np.array(centres))
    absent = np.array(children)[:, 1:] < 0
    normals[absent], offsets[absent] = 0.0, -NEVER
    tree = Tree(origin, normals, offsets, np.array(children))
    labels = np.empty(n, np.int32)
    for leaf, node in enumerate(tree.leaves()):
        tree.children[node, 0] = ~leaf
        labels[cells[node]] = leaf
    return Grown(tree, labels, Z)


def _level_out(centres: Array) -> None:
    """Make centres agree in features in which they hardly differ, so that these need not be looked at.

    Of few features none is spared: they fit into a vector together.
    """
    if centres.shape[1] <= LANES:
        return
    spread = np.square(centres - centres.mean(axis=0)).sum(axis=0)
    order = np.argsort(spread)
    little = order[np.cumsum(spread[order]) < HARDLY * spread.sum()]
    centres[:, little] = centres[:, little].mean(axis=0)


def grown_event(grown: Grown) -> TreeGrown:
    """The event of a grown tree."""
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


def in_vectors(X: Array) -> Array:
    """Rows in float32, with zeros at the end to whole vectors."""
    whole = np.zeros((*X.shape[:-1], X.shape[-1] + -X.shape[-1] % LANES), np.float32)
    whole[..., : X.shape[-1]] = X
    return whole


def _divided(Z: Array, members: Array, centres: Array) -> Steps[Array]:
    """Which of the centres each member goes to."""
    normals, offsets = _routing(centres[None])
    routing = _packed(normals, offsets, np.zeros((1, len(centres)), np.int32), Z.shape[1])
    side = np.empty(len(members) + 3, np.int32)
    flat, rows, step = Z.ravel(), members.astype(np.int32), max(4, SLICE // Z.shape[1] // 4 * 4)
    for top in range(0, len(rows), step):
        divide(routing, 0, flat, rows, top, min(top + step, len(rows)), side)
        yield None
    return side[: len(rows)]


def _routing(centres: Array) -> tuple[Array, Array]:
    """Normals and offsets for the centres (cells, branching, d) of some cells."""
    exact = centres.astype(np.float64)
    squares = np.square(exact).sum(axis=2) / 2
    return in_vectors(exact[:, 1:] - exact[:, :1]), (squares[:, 1:] - squares[:, :1]).astype(np.float32)


def _packed(normals: Array, offsets: Array, children: Array, width: int) -> Routing:
    cells, branching = children.shape
    if normals.shape[2] % LANES or branching > LANES:  # memory beside the arrays would be written to
        raise ValueError(f"normals should be in whole vectors, children {LANES} at most")
    if branching == 2:
        nothing = np.zeros(0, np.int32), np.zeros(cells + 1, np.int64)
        return Routing(width, normals.ravel(), offsets.ravel(), children, *nothing)
    owner, features = np.nonzero(normals.any(axis=1))
    centres = np.zeros((len(owner), LANES), np.float32)
    centres[:, 1:branching] = normals[owner, :, features]  # the first has a score of zero
    minus = np.full((cells, LANES), NEVER)
    minus[:, 0], minus[:, 1:branching] = 0.0, -offsets
    first = np.searchsorted(owner, np.arange(cells + 1))
    return Routing(width, centres.ravel(), minus.ravel(), children, features.astype(np.int32), first)


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST)
def divide(routing, node, Z, rows, begin, end, side):  # type: ignore[no-untyped-def]
    """The child that each of these rows goes to, from `begin` to `end`; up to three more are overwritten."""
    width, normals, offsets, children, features, first = routing
    if children.shape[1] == 2:
        for i in range(begin, end):
            score = broadcast(np.float32(0.0))
            for k in range(0, width, LANES):
                score = multiply_add(load(Z, rows[i] * width + k), load(normals, node * width + k), score)
            side[i] = total(score) > offsets[node]
        return
    start, last = load(offsets, node * LANES), end - 1
    for i in range(begin, end, 4):
        a, b, c, e = rows[i], rows[min(i + 1, last)], rows[min(i + 2, last)], rows[min(i + 3, last)]
        one, two, three, four = products_of(
            Z, a * width, b * width, c * width, e * width, features, first[node], first[node + 1], normals, start
        )
        side[i], side[i + 1] = place_of_largest(one), place_of_largest(two)
        side[i + 2], side[i + 3] = place_of_largest(three), place_of_largest(four)


@njit(nogil=True, cache=True)
def sorted_by_cell(routing, Z):  # type: ignore[no-untyped-def]
    """Rows of Z in the order of their leaves, and where those of each cell begin and end in it."""
    children = routing.children
    cells, branching = children.shape
    n = Z.size // routing.width
    order, spare, side = np.arange(n).astype(np.int32), np.empty(n, np.int32), np.empty(n + 3, np.int32)
    begin, end, where = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.empty(branching, np.int64)
    end[0] = n
    for node in range(cells):  # parents come before children
        if begin[node] == end[node] or children[node, 0] < 0:
            continue
        divide(routing, node, Z, order, begin[node], end[node], side)
        where[:], fan = 0, np.int32(0)
        while fan < branching and children[node, fan] >= 0:
            fan += np.int32(1)
        own = range(np.uint64(begin[node]), np.uint64(end[node]))  # unsigned: numba checks no sign
        for i in own:
            side[i] = min(side[i], fan - 1)  # whatever is in the data
            where[np.uint64(side[i])] += 1
        top = begin[node]
        for k in range(fan):
            child = children[node, k]
            begin[child], top = top, top + where[k]
            end[child], where[k] = top, begin[child]
        for i in own:
            j = np.uint64(side[i])
            spare[np.uint64(where[j])] = order[i]
            where[j] += 1
        order[begin[node] : end[node]] = spare[begin[node] : end[node]]
    return order, begin, end


@njit(nogil=True, cache=True)
def _leaves(routing, Z):  # type: ignore[no-untyped-def]
    order, begin, end = sorted_by_cell(routing, Z)
    leaves = np.empty(order.size, np.int32)
    for node in range(begin.size):
        if routing.children[node, 0] < 0:
            for i in range(begin[node], end[node]):
                leaves[order[i]] = ~routing.children[node, 0]
    return leaves
