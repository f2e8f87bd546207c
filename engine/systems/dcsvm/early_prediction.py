"""Prediction with the models of a level: early (eq. 6 of the DC-SVM paper), and what the paper compares it with.

    early    route a point to the nearest centre and evaluate the model of that cluster only
    naive    sum over the models of all clusters (eq. 5)
    bcm      Bayesian committee machine: sum, weighted by how certain a cluster's model is of a point (Tresp, 2000)

With a bias each cell's model has an intercept of its own, which early prediction adds. The other two are the paper's,
of models without: far from a cell its kernel values vanish, and its intercept would not.

The cost of a prediction is in the kernel's counter. A run to the end leaves an ordinary `Model` instead.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy

from engine.learning.model import Model, Trained
from engine.learning.sealed import Sealed
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.counter import Counter
from engine.runtime.events import Array
from engine.systems.dcsvm.events import Partitioned
from engine.systems.dcsvm.partition import Router

Method = Literal["early", "naive", "bcm"]
METHODS: tuple[Method, ...] = ("early", "naive", "bcm")


@dataclass(frozen=True, eq=False)
class Committee(Sealed):
    """The cells' models of one binary problem: support vectors, their signed coefficients and cells."""

    kernel: Kernel
    router: Router
    vectors: Points
    weights: Array
    cells: Array
    noise: float  # of the committee's Gaussian processes: 1 / C
    intercepts: Array = field(default_factory=lambda: np.empty(0))  # of each cell's model; empty without a bias

    @classmethod
    def of_level(
        cls, kernel: Kernel, points: Points, y: Array, partitioned: Partitioned, alpha: Array, C: float,
        intercepts: Array,
    ) -> "Committee":  # fmt: skip
        """From the events of a level; y has +1 and -1."""
        support = np.flatnonzero(alpha)
        router = Router.from_table(vars(partitioned), kernel)
        weights, cells = (y * alpha)[support], partitioned.labels[support]
        return cls(kernel, router, points[support], weights, cells, 1.0 / C, intercepts)

    def values(self, points: Points, method: Method = "early", threads: int = 1) -> Array:
        """Decision values; a ValueError if the arrays are not of one committee."""
        if not len(self.vectors) == len(self.weights) == len(self.cells) or len(self.intercepts) not in (
            0,
            len(self.router),
        ):
            counts = len(self.vectors), len(self.weights), len(self.cells), len(self.intercepts), len(self.router)
            raise ValueError(f"vectors, weights, cells, intercepts and centres do not fit together: {counts} of them")
        self.derived()
        if method == "early":
            return self._early(points, threads)
        if method == "naive":
            return self.kernel.product(points, self.vectors, self.weights, threads)
        return self._committee(points, threads)

    def _early(self, points: Points, threads: int) -> Array:
        routed = self.router.route(points, threads)
        result = self.intercepts[routed] if len(self.intercepts) else np.zeros(len(points))
        order, ends = _by_cell(routed, len(self.router))
        owned, borders = _by_cell(self.cells, len(self.router))
        for cell in np.unique(routed):
            mine = order[ends[cell] : ends[cell + 1]]
            support = owned[borders[cell] : borders[cell + 1]]
            if len(support):
                result[mine] += self.kernel.product(points[mine], self.vectors[support], self.weights[support], threads)
        return result

    def _committee(self, points: Points, threads: int) -> Array:
        """Cells as Gaussian processes on their support vectors: values weighted by inverse predictive variances."""
        prior = np.maximum(self.kernel.diagonal(points), self.noise)
        total, precision = np.zeros(len(points)), np.zeros(len(points))
        cells = np.unique(self.cells)
        for cell in cells:
            support = np.flatnonzero(self.cells == cell)
            vectors = self.vectors[support]
            K = self.kernel.block(vectors, vectors, threads=threads).astype(np.float64)
            jitter = self.noise + 1e-6 * np.trace(K) / len(K)
            factor = scipy.linalg.cholesky((K + K.T) / 2 + jitter * np.eye(len(K)), lower=True)
            step = self.kernel.rows_per_slice(len(support))
            for top in range(0, len(points), step):
                part = slice(top, top + step)
                cross = self.kernel.block(points[part], vectors, threads=threads).astype(np.float64)
                explained = np.einsum("ij,ji->i", cross, scipy.linalg.cho_solve((factor, True), cross.T))
                sure = 1.0 / np.maximum(prior[part] - explained, 1e-6 * prior[part])
                total[part] += sure * (cross @ self.weights[support])
                precision[part] += sure
        return total / np.maximum(precision - (len(cells) - 1) / prior, 1.0 / prior)


@dataclass(frozen=True, eq=False)
class EarlyModel:
    """A classifier that was stopped at a level: the glued model, and a committee for each of its tasks."""

    model: Model
    committees: list[Committee]

    @classmethod
    def assemble(
        cls, model: Model, routers: list[Router], cells_of: list[Array], C: float, intercepts: list[Array]
    ) -> "EarlyModel":
        """From the router and the intercepts of each task and, for each support vector, its cell in each task."""
        kernel, vectors = model.kernel, model.kernel.points(model.vectors)
        committees = []
        parts = zip(model.task_coefficients(), routers, cells_of, intercepts, strict=True)
        for weights, router, cells, own in parts:
            used = np.flatnonzero(weights)
            mine = replace(router, kernel=kernel)
            committees.append(Committee(kernel, mine, vectors[used], weights[used], cells[used], 1.0 / C, own))
        return cls(model, committees)

    def task_values(self, X: Array, threads: int, method: Method = "early") -> Array:
        """Decision values, a column for each task."""
        self.model.derived()
        points = self.model.kernel.points(X)
        return np.column_stack([committee.values(points, method, threads) for committee in self.committees])

    def cost(self, X: Array, method: Method = "early") -> float:
        """Kernel evaluations for each of these points, routing among them."""
        counter = Counter()
        points = self.model.kernel.points(X)
        for committee in self.committees:
            kernel = replace(committee.kernel, counter=counter)
            counted = replace(committee, kernel=kernel, router=replace(committee.router, kernel=kernel))
            counted.values(points, method)
        return counter.value / max(1, len(points))

    def tables(self) -> list[dict[str, Any]]:
        """What a file keeps of it, besides the model."""
        return [
            {**item.router.table(), "cells": item.cells, "noise": item.noise, "intercepts": item.intercepts}
            for item in self.committees
        ]

    @classmethod
    def from_tables(cls, model: Model, tables: list[dict[str, Any]]) -> "EarlyModel":
        """The inverse of `tables`; raises ValueError or KeyError if they do not fit."""
        kernel, vectors = model.kernel, model.kernel.points(model.vectors)
        committees = []
        for weights, table in zip(model.task_coefficients(), tables, strict=True):
            used = np.flatnonzero(weights)
            router, cells = Router.from_table(table, kernel), table["cells"]
            if cells.shape != used.shape or not np.isin(cells, np.arange(len(router))).all():
                raise ValueError("cells do not fit the support vectors")
            noise, own = float(table["noise"]), table.get("intercepts", np.empty(0))
            if own.shape not in ((0,), (len(router),)) or not np.isfinite(own).all():
                raise ValueError("intercepts do not fit the cells")
            committees.append(Committee(kernel, router, vectors[used], weights[used], cells, noise, own))
        return cls(model, committees)


@dataclass(frozen=True, eq=False)
class TrainedEarly(Trained):
    """What training returns if it stopped at a level."""

    early: EarlyModel
    check: "EarlyCheck | None" = None  # against the exact model, if that was asked for and affordable


class EarlyCheck(NamedTuple):
    """Early prediction and the exact model on rows held out: how many, and the parts that each has right."""

    rows: int
    early: float
    exact: float

    @property
    def loss(self) -> float:
        """What early prediction loses, as a part of 1."""
        return self.exact - self.early


def surest(decision: Array) -> Array:
    """The number of the class for each row; of equal votes, which cells give more often, the surest wins."""
    return (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)


def _by_cell(cells: Array, count: int) -> tuple[Array, Array]:
    """Positions sorted by cell, and where those of each cell begin."""
    return np.argsort(cells, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=count))])
