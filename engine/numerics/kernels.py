"""Kernel functions and blocks of kernel matrices: K(A, B) in tiles on all cores, every evaluation counted.

A tile is a matrix product (for the Laplacian kernel, a pass over L1 distances) and a vectorised map over its entries.
Kernel values are computed here; the one exception are the steps of Budgeted SGD, which have a loop of their own.

Precision. Blocks are stored in float32, those of small problems, where it costs nothing, in float64. Distances do not
depend on the origin but rounding does, so rbf and laplacian centre the data, and use float64 if float32 would still be
too inaccurate for the exponent (a large gamma times large norms). Everything is float64 for linear and polynomial
kernels of data far from the origin (a large constant hides the differences), for a huge C (it multiplies every rounding
error), for a tiny tolerance (float32 gradients have too few digits), and for kernels of low rank, which are cheap.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any, Literal

import numpy as np

from engine.numerics.kernel_loops import accumulate, accumulate_both, exponential32, exponential64, f32, minus_l1, poly
from engine.numerics.points import Points, check_pair, check_width, square_norms
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import Array
from engine.runtime.threads import for_each, serial_blas

KernelName = Literal["rbf", "poly", "linear", "laplacian"]
KERNELS: tuple[KernelName, ...] = ("rbf", "poly", "linear", "laplacian")

GAMMA_RULES = ("scale", "auto")
REACH = 1e30  # exponent: coordinates and their squares are numbers still, in single precision too
GAMMA_ACCEPTED = 'a positive finite number, "scale" or "auto"'

SMALL = 1024  # points up to which everything is kept in float64
BLUR = 5e-5  # largest error of an exponent that float32 may cause
HEAVY = 1.0  # largest error of a decision value, in margins, that float32 may cause if every coefficient is C
LOW_RANK = 100  # most rank of a kernel matrix for which it pays to know it
FINE = 1e-5  # tolerances below it are for float64
FAR = 100  # square norms so many times the spread lie far from the origin
# Larger coordinates of a point are cut off, so that exponents are numbers: float32 for rbf and laplacian, float64 for
# both. Data that a kernel was fitted to are nearer, and kernel values between them and a point so far are 0.
FARTHEST = {"rbf": 1e16, "laplacian": 1e32, "float64": 1e151}
TILE_ROWS, TILE_COLUMNS = 64, 1024  # a tile and its scratch stay in a core's own cache
WIDE = 8192  # columns of a tile that is a single row
SLICE = 0.01  # seconds between two breaths of a solver: touching new memory can take many times as long


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters, fitted to data: origin and precision are chosen from the data."""

    name: KernelName
    gamma: float
    degree: int
    coef0: float
    origin: Array
    work: Any = np.float32  # of points and inner products
    store: Any = np.float32  # of kernel values
    counter: Counter = field(default_factory=Counter, compare=False, repr=False)

    @classmethod
    def fit(
        cls,
        X: Array,
        name: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        counter: Counter | None = None,
        C: float = 1.0,
        tol: float = 1e-3,
    ) -> "Kernel":
        """Fill in gamma ("scale", "auto"); choose origin and precision for the data, coefficients up to `C`, `tol`."""
        if name not in KERNELS:
            raise invalid("kernel", name, f"one of {', '.join(KERNELS)}")
        value = resolve_gamma(gamma, X)
        with np.errstate(over="ignore", invalid="ignore"):
            mean, zero = X.mean(axis=0, dtype=np.float64), np.zeros(X.shape[1])
            spread = _largest_norm(X, mean)
        if not np.isfinite(spread):
            raise invalid("X", float(np.abs(X).max()), "so small that squared distances are numbers")
        origin = mean if name in ("rbf", "laplacian") else zero
        exponent = {"rbf": 2 * value * spread, "laplacian": value * np.sqrt(X.shape[1] * spread)}.get(name, 0.0)
        if exponent > REACH:
            raise invalid("gamma", value, f"at most {value * (REACH / exponent):.2g} for data so far apart")
        blurred = exponent * np.finfo(f32).eps / 2 > BLUR
        drowned = not exponent and _largest_norm(X, zero) > FAR * spread
        heavy = C * np.sqrt(len(X)) * np.finfo(f32).eps / 2 > HEAVY
        low_rank = rank_of(name, X.shape[1], degree, coef0) <= LOW_RANK
        precise = len(X) <= SMALL or drowned or heavy or low_rank or tol < FINE
        return cls(
            name=name,
            gamma=value,
            degree=int(degree),
            coef0=float(coef0),
            origin=origin,
            work=np.float64 if precise or blurred else np.float32,
            store=np.float64 if precise else np.float32,
            counter=counter or Counter(),
        )

    def points(self, X: Array) -> Points:
        """Bring raw data into this kernel's form; a ValueError if they have other features, or overflow."""
        check_width(X.shape[1], len(self.origin))
        with np.errstate(over="ignore"):
            return self._points(X)

    def _points(self, X: Array) -> Points:
        if self.name in ("linear", "poly"):
            moved = np.array(X, self.work, order="C")
            norms = square_norms(moved)
            if not np.isfinite(norms).all():
                raise invalid("X", float(np.abs(X).max()), "so small that its squares are numbers")
            return Points(moved, norms)
        scale, limit = self._scale(), FARTHEST["float64" if self.store is np.float64 else self.name]
        moved = np.empty(X.shape, self.work)
        norms = np.zeros(len(X), self.work)
        for top in range(0, len(X), TILE_ROWS):
            part = moved[top : top + TILE_ROWS]
            part[:] = np.clip((X[top : top + TILE_ROWS] - self.origin) * scale, -limit, limit)
            if self.name == "rbf":
                # A product with itself would be another BLAS routine, with another rounding.
                norms[top : top + TILE_ROWS] = np.diagonal(part @ part.copy().T) / 2
        return Points(moved, norms)

    def exact(self, store: Any = np.float64) -> "Kernel | None":
        """The same kernel that computes in float64 and keeps values in `store`; None where there is no such kernel."""
        return replace(self, work=np.float64, store=store)

    def raw(self, X: Array) -> Array:
        """Coordinates of this kernel's form as the data have them."""
        return X / self._scale() + self.origin

    def _scale(self) -> float:
        return {"rbf": np.sqrt(2 * self.gamma), "laplacian": self.gamma}.get(self.name, 1.0)

    def diagonal(self, points: Points) -> Array:
        """K(x, x) for each point, in float64."""
        if self.name in ("rbf", "laplacian"):
            return np.ones(len(points))
        self.counter.add(len(points))
        inner = points.norms
        return inner.copy() if self.name == "linear" else (self.gamma * inner + self.coef0) ** self.degree

    def block(
        self, rows: Points, columns: Points, out: Array | None = None, slots: Array | None = None, threads: int = 1
    ) -> Array:
        """K(rows, columns). With `out`, written there, row i into `out[slots[i]]`."""
        check_pair(rows, columns)
        if out is None:
            out = np.empty((len(rows), len(columns)), self.store)
        elif out.shape[1] < len(columns):
            raise ValueError(f"there is room for {out.shape[1]} of {len(columns)} columns")
        if slots is None:
            slots = np.arange(len(rows))

        def compute(tile: tuple[int, int, int, int]) -> None:
            top, bottom, left, right = tile
            self._tile(rows[top:bottom], columns[left:right], out, slots[top:bottom], left)

        with serial_blas():
            for_each(compute, tiles(len(rows), len(columns)), threads)
        self.counter.add(len(rows) * len(columns))
        return out

    def row_steps(self, points: Points, index: int, out: Array, threads: int) -> Iterator[None]:
        """K(points[index], points) into `out`, a matrix of one row, in wide tiles: a narrow one is soon done."""
        row, slots = points[index : index + 1], np.zeros(1, np.int64)
        step = self.rows_per_slice(WIDE) * WIDE

        def compute(left: int) -> None:
            self._tile(row, points[left : min(left + WIDE, len(points))], out, slots, left)

        for left in range(0, len(points), step):
            with serial_blas():
                for_each(compute, range(left, min(left + step, len(points)), WIDE), threads)
            yield
        self.counter.add(len(points))

    def rows_per_slice(self, columns: int) -> int:
        """How many rows of a block of so many columns may be computed between two breaths."""
        d = len(self.origin)
        nanoseconds = 4 + 0.2 * d if self.name == "laplacian" else 1.5 + 0.03 * d
        if self.work is np.float64:
            nanoseconds *= 2
        return max(1, int(SLICE * 1e9 / nanoseconds / max(1, columns)))

    def block_steps(self, rows: Points, columns: Points, out: Array, slots: Array, threads: int) -> Iterator[None]:
        """`block`, breathing between slices."""
        step = self.rows_per_slice(len(columns))
        for top in range(0, len(rows), step):
            self.block(rows[top : top + step], columns, out, slots[top : top + step], threads)
            yield

    def product_steps(
        self, rows: Points, columns: Points, coefficients: Array, threads: int
    ) -> Generator[None, None, Array]:
        """`product`, breathing between slices."""
        columns, coefficients = self._merged(columns, coefficients)
        result = np.zeros((len(rows), *coefficients.shape[1:]))
        step = self.rows_per_slice(len(columns))
        for top in range(0, len(rows), step):
            result[top : top + step] = self.product(rows[top : top + step], columns, coefficients, threads)
            yield
        return result

    def product(self, rows: Points, columns: Points, coefficients: Array, threads: int = 1) -> Array:
        """K(rows, columns) @ coefficients (a vector or a matrix) in float64, without keeping K."""
        check_pair(rows, columns)
        if len(coefficients) != len(columns):
            raise ValueError(f"there are {len(coefficients)} coefficients of {len(columns)} points")
        columns, coefficients = self._merged(columns, coefficients)
        weights = np.ascontiguousarray(np.atleast_2d(coefficients.T), dtype=np.float64)
        result = np.zeros((len(rows), len(weights)))
        few = len(weights) <= 4
        width = min(TILE_COLUMNS, len(columns))
        height = max(TILE_ROWS, TILE_ROWS * TILE_COLUMNS // max(1, width, rows.X.shape[1]))

        def compute(top: int) -> None:
            part = rows[top : top + height]
            slots = np.arange(len(part))
            values = np.empty((len(part), width), self.store)
            for left in range(0, len(columns), TILE_COLUMNS):
                self._tile(part, columns[left : left + TILE_COLUMNS], values, slots, 0)
                if few:
                    accumulate(values, weights, left, result, top)
                else:
                    some = weights[:, left : left + TILE_COLUMNS]
                    result[top : top + height] += values[:, : some.shape[1]].astype(np.float64) @ some.T

        with serial_blas():
            for_each(compute, range(0, len(rows), height), threads)
        self.counter.add(len(rows) * len(columns))
        return result.reshape(len(rows), *coefficients.shape[1:])

    def symmetric_product_steps(
        self, points: Points, coefficients: Array, threads: int
    ) -> Generator[None, None, Array]:
        """K(points, points) @ coefficients, each kernel value computed once, breathing between slices."""
        n, top = len(points), 0
        result, weights = np.zeros(n), np.asarray(coefficients, np.float64)
        while top < n:
            bottom = min(top + self.rows_per_slice(n - top), n)
            values = self.block(points[top:bottom], points[top:], threads=threads)
            accumulate_both(values, weights, result, top)
            top = bottom
            yield
        return result

    def _merged(self, columns: Points, coefficients: Array) -> tuple[Points, Array]:
        """With a linear kernel, sum the columns up to one point per model; other kernels keep them."""
        models = 1 if coefficients.ndim == 1 else coefficients.shape[1]
        if self.name != "linear" or len(columns) <= models:
            return columns, coefficients
        self.counter.add(len(columns) * models)
        with serial_blas():
            merged = np.atleast_2d(coefficients.T) @ columns.X.astype(np.float64)
        return Points(merged, square_norms(merged)), np.ones(1) if coefficients.ndim == 1 else np.eye(models)

    def _tile(self, rows: Points, columns: Points, out: Array, slots: Array, left: int) -> None:
        """Write K(rows, columns) into `out[slots, left : left + len(columns)]`."""
        if self.name == "laplacian":
            inner = minus_l1(rows.X, np.ascontiguousarray(columns.X.T))
        else:
            inner = rows.X @ columns.X.T
        if self.name in ("rbf", "laplacian"):
            exponential = exponential32 if out.dtype == np.float32 else exponential64
            exponential(inner, rows.norms, columns.norms, out, slots, left)
        elif self.name == "poly":
            poly(inner, self.gamma, self.coef0, self.degree, out, slots, left)
        else:
            out[slots, left : left + len(columns)] = inner


def resolve_gamma(gamma: float | str, X: Array) -> float:
    """The number behind "scale" (1 / (d var)), "auto" (1 / d), or a number itself."""
    if isinstance(gamma, str):
        if gamma == "scale":
            with np.errstate(over="ignore", invalid="ignore"):
                spread = X.shape[1] * float(X.var(dtype=np.float64))
            if not spread:
                return 1.0
            if np.isfinite(spread):
                return 1.0 / spread
            raise invalid("X", float(np.abs(X).max()), "small enough to have a variance")
        if gamma == "auto":
            return 1.0 / X.shape[1]
    elif np.isfinite(gamma) and gamma > 0:
        return float(gamma)
    raise invalid("gamma", gamma, GAMMA_ACCEPTED)


def rank_of(name: str, d: int, degree: int, coef0: float) -> float:
    """The most rank that a kernel matrix can have, however many points there are."""
    if name == "linear":
        return d
    if name == "poly" and coef0 >= 0:
        return comb(d + degree if coef0 else d + degree - 1, degree)
    return np.inf


def tiles(rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    """Cut a matrix into tiles (top, bottom, left, right)."""
    return [
        (top, min(top + TILE_ROWS, rows), left, min(left + TILE_COLUMNS, columns))
        for left in range(0, columns, TILE_COLUMNS)
        for top in range(0, rows, TILE_ROWS)
    ]


def _largest_norm(X: Array, origin: Array) -> float:
    step = max(1, 2**20 // max(1, X.shape[1]))
    largest = 0.0
    for top in range(0, len(X), step):
        moved = X[top : top + step] - origin
        largest = max(largest, float(np.einsum("ij,ij->i", moved, moved).max()))
    return largest
