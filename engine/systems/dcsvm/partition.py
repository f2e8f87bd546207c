"""How DC-SVM divides a level into clusters (cells), and how a new point is routed to one of them.

Clusters come from kernel k-means, k-means or random assignment. The first two cluster a sample, then route every point
to the nearest centre. A centre is the mean of its anchors in kernel
space, so that for any kernel

    |phi(x) - centre_c|^2 = K(x, x) - 2 mean_j K(x, a_j) + offset_c,   offset_c = mean_ij K(a_i, a_j)

and plain k-means is the same thing with a linear kernel and one anchor, the mean, for each centre.

A narrow kernel is nearly zero between sampled points, and far from all of them every distance is the same: one cell
would contain most of the data. Clustering therefore uses a wider kernel of the same kind, which has the same
neighbours: log K is multiplied by a factor of at most 1, so that the kernel is not negligible for a typical pair of
points. Diagnostics of a partition use the kernel itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from engine.learning.sealed import Sealed
from engine.numerics.jit import FAST
from engine.numerics.kernels import TILE_COLUMNS, TILE_ROWS, Kernel
from engine.numerics.kmeans import kernel_kmeans, means, plain_kmeans
from engine.numerics.points import Points, check_pair, joined, square_norms
from engine.runtime.events import Array, Steps, drain
from engine.runtime.threads import for_each

IN_SIGHT = 1.0  # largest median of -log K between sampled points while clustering
LEAST_PER_CENTRE = 2  # sampled points
ENOUGH_PER_CENTRE, ENOUGH = 32, 16384  # for plain k-means, which is cheap: so many for each centre, so many in all
OVERSIZED = 4  # a cell so many times the mean size is split
RESPLITS = 3  # how often that is tried: duplicates cannot be split
SMALL_CELL = 256  # never split


@dataclass(frozen=True, eq=False)
class Router(Sealed):
    """Sends points to the nearest centre. Anchors are sorted by their centre; `first` is where those of each begin."""

    kernel: Kernel  # of the problem
    linear: bool  # distances in input space instead
    scale: float  # of points before they are compared: a wider kernel of the same kind
    anchors: Points  # already scaled
    first: Array
    offsets: Array

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def clustering_kernel(self) -> Kernel:
        """The kernel that distances are taken in."""
        return replace(self.kernel, name="linear") if self.linear else self.kernel

    def table(self) -> dict[str, Any]:
        """In plain values and arrays, as events and files have it."""
        return {
            "linear": self.linear, "scale": self.scale, "anchors": self.anchors.X.copy(),
            "anchor_norms": self.anchors.norms.copy(), "first": self.first.copy(), "offsets": self.offsets.copy(),
        }  # fmt: skip

    @classmethod
    def from_table(cls, table: Mapping[str, Any], kernel: Kernel) -> "Router":
        """The inverse of `table`, with the problem's kernel; a ValueError if the arrays do not fit together."""
        anchors, norms, first, offsets = (table[name] for name in ("anchors", "anchor_norms", "first", "offsets"))
        fits = (
            anchors.shape == (len(norms), len(kernel.origin))
            and first.shape == (len(offsets) + 1,)
            and (first[0], first[-1]) == (0, len(anchors))
            and (np.diff(first) > 0).all()
            and all(np.isfinite(array).all() for array in (anchors, norms, offsets))
        )
        if not fits:
            raise ValueError("the arrays of a router do not fit together")
        points = Points(anchors.astype(kernel.work), norms.astype(kernel.work))
        return cls(kernel, bool(table["linear"]), float(table["scale"]), points, first.copy(), offsets.copy())

    def route_steps(self, points: Points, threads: int) -> Steps[Array]:
        """The cell of each point, breathing between slices."""
        check_pair(points, self.anchors)
        self.derived()
        if len(self.first) != len(self.offsets) + 1 or self.first[-1] != len(self.anchors):
            raise ValueError(f"a router has {len(self.anchors)} anchors, where {self.first[-1]} are expected")
        labels = np.empty(len(points), np.int32)
        kernel = self.clustering_kernel
        rows = TILE_ROWS * max(1, TILE_COLUMNS // len(self.anchors))
        step = rows * max(1, kernel.rows_per_slice(len(self.anchors)) // rows)

        def tile(top: int) -> None:
            part = slice(top, min(top + rows, len(points)))
            values = kernel.block(scaled(points[part], self.scale), self.anchors)
            _nearest(values, self.first, self.offsets, labels[part])

        for top in range(0, len(points), step):
            for_each(tile, range(top, min(top + step, len(points)), rows), threads)
            yield None
        return labels

    def route(self, points: Points, threads: int = 1) -> Array:
        """The cell of each point."""
        return drain(self.route_steps(points, threads))


@dataclass(frozen=True, eq=False)
class Partition:
    """A cell for each point, and how new points find theirs."""

    labels: Array
    router: Router
    sizes: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", np.bincount(self.labels, minlength=len(self.router)))

    def __len__(self) -> int:
        return len(self.sizes)

    def members(self) -> list[Array]:
        """Indices of the points of each cell."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])


def divide(
    kernel: Kernel,
    points: Points,
    cells: int,
    kind: str,
    sample_size: int,
    rng: np.random.Generator,
    among: Array | None = None,
    threads: int = 1,
) -> Steps[Partition]:
    """Partition all points into `cells`, or somewhat more if some came out too large.

    The sample is drawn from the points in `among` as far as they suffice.
    """
    n = len(points)
    cells = min(cells, n)
    size = max(sample_size, LEAST_PER_CENTRE * cells)
    if kind == "kmeans":
        size = max(size, min(ENOUGH_PER_CENTRE * cells, ENOUGH))
    sample = points[_draw(n, min(n, size), among, rng)]
    linear = kind != "kernel-kmeans"
    plan = _Plan(kernel, linear, 1.0 if linear else _scale_into_sight(kernel, sample), threads)
    if kind == "random":
        labels = rng.permutation(n).astype(np.int32) % cells
        centres = means(points.X, labels, np.ones(n), cells)
        return Partition(labels, plan.router(_as_points(centres), np.arange(cells)))
    anchors, owner = yield from plan.centres(scaled(sample, plan.scale), cells, rng)
    router = plan.router(anchors, owner)
    labels = yield from router.route_steps(points, threads)
    for _ in range(RESPLITS):
        sizes = np.bincount(labels, minlength=len(router))
        large = np.flatnonzero((sizes > OVERSIZED * n / cells) & (sizes > SMALL_CELL))
        if not len(large):
            break
        for cell in large:
            anchors, owner = yield from plan.resplit(points, labels, int(cell), anchors, owner, n / cells, rng)
        router = plan.router(anchors, owner)
        labels = yield from router.route_steps(points, threads)
    return Partition(labels, router)


@dataclass(frozen=True)
class _Plan:
    """How this partition is made: in which space, at which scale, on how many threads."""

    kernel: Kernel
    linear: bool
    scale: float
    threads: int

    def router(self, anchors: Points, owner: Array) -> Router:
        order = np.argsort(owner, kind="stable")
        anchors, owner = anchors[order], owner[order]
        first = np.searchsorted(owner, np.arange(owner[-1] + 2))
        router = Router(self.kernel, self.linear, self.scale, anchors, first, np.empty(0))
        kernel = router.clustering_kernel
        if self.linear:
            offsets = square_norms(anchors.X)  # one anchor each, whose norms are those of another kernel
        else:
            parts = [anchors[a:b] for a, b in pairwise(first)]
            offsets = np.array([kernel.block(part, part).mean(dtype=np.float64) for part in parts])
        return replace(router, offsets=offsets)

    def centres(self, sample: Points, count: int, rng: np.random.Generator) -> Steps[tuple[Points, Array]]:
        """Cluster a sample; returns anchors and the centre that each belongs to."""
        if self.linear:
            centres = yield from plain_kmeans(sample.X, count, rng, self.kernel.counter)
            return _as_points(centres), np.arange(count)
        K = np.empty((len(sample), len(sample)), self.kernel.store)
        yield from self.kernel.block_steps(sample, sample, K, np.arange(len(sample)), self.threads)
        owner = yield from kernel_kmeans(K, count, rng)
        return sample, owner

    def resplit(
        self, points: Points, labels: Array, cell: int, anchors: Points, owner: Array, wanted: float,
        rng: np.random.Generator,
    ) -> Steps[tuple[Points, Array]]:  # fmt: skip
        """Give an oversized cell several centres, found among its own members."""
        members = np.flatnonzero(labels == cell)
        parts = int(np.ceil(len(members) / wanted))
        chosen = rng.permutation(members)[: ENOUGH_PER_CENTRE // (1 if self.linear else 4) * parts]
        more, whose = yield from self.centres(scaled(points[chosen], self.scale), min(parts, len(chosen)), rng)
        stay = owner != cell
        ids = np.where(whose == 0, cell, owner.max() + whose)
        return joined(anchors[stay], more), np.concatenate([owner[stay], ids])


def _draw(n: int, size: int, among: Array | None, rng: np.random.Generator) -> Array:
    """`size` different points, from `among` first."""
    if among is None or len(among) == n:
        return rng.permutation(n)[:size]
    first = rng.permutation(among)[:size]
    rest = np.ones(n, bool)
    rest[among] = False
    return np.concatenate([first, rng.permutation(np.flatnonzero(rest))[: size - len(first)]])


def _scale_into_sight(kernel: Kernel, sample: Points) -> float:
    """What to multiply points by so that the median of -log K between sampled points is at most IN_SIGHT."""
    if kernel.name not in ("rbf", "laplacian"):
        return 1.0
    half = len(sample) // 2
    difference = sample.X[:half].astype(np.float64) - sample.X[half : 2 * half]
    if kernel.name == "laplacian":
        median = float(np.median(np.abs(difference).sum(axis=1))) if half else 0.0
        return min(1.0, IN_SIGHT / median) if median else 1.0
    median = float(np.median((difference**2).sum(axis=1))) / 2 if half else 0.0
    return float(np.sqrt(min(1.0, IN_SIGHT / median))) if median else 1.0


def scaled(points: Points, scale: float) -> Points:
    """Points for a kernel of another width."""
    if scale == 1.0:
        return points
    return Points(points.X * points.X.dtype.type(scale), points.norms * points.X.dtype.type(scale**2))


def _as_points(centres: Array) -> Points:
    return Points(centres, np.zeros(len(centres), centres.dtype))


# ---- kernels --------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def _nearest(values, first, offsets, labels):  # type: ignore[no-untyped-def]
    """labels[i] = the centre c with the least offset_c - 2 mean of values[i] over its anchors."""
    for i in range(values.shape[0]):
        row = values[i]
        best, where = 1e300, 0
        for c in range(offsets.size):
            total = 0.0
            for j in range(first[c], first[c + 1]):
                total += row[j]
            distance = offsets[c] - 2.0 * total / (first[c + 1] - first[c])
            if distance < best:
                best, where = distance, c
        labels[i] = where
