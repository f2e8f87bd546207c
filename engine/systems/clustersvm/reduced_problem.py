"""The reduced dual problem: individual points, and cluster means with the bound n_1 C (Proposition 2.1).

A cluster of n_1 points whose multipliers are to be equal is one point with the bound n_1 C, in feature space the mean
of them all: its row and column of the Gram matrix are the average of theirs. For the linear kernel that mean is a
point like any other; for other kernels `MeanKernel` puts averages in the rows and columns of means.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points, square_norms
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps


@dataclass(frozen=True, eq=False)
class Reduction:
    """Maps points to variables (items) of the reduced problem; `owner` is -1 for points that are not used."""

    owner: Array
    sizes: Array  # points that each variable represents

    @classmethod
    def of(cls, n: int, points: Array, groups: Sequence[Array]) -> "Reduction":
        """Variables are these points, then a mean for each group."""
        owner = np.full(n, -1)
        sizes = np.array([1] * len(points) + [len(group) for group in groups], int)
        owner[np.concatenate([points, *groups])] = np.repeat(np.arange(len(sizes)), sizes)
        return cls(owner, sizes)

    def up(self, values: Array) -> Array:
        """From variables to points: points that share one get equal parts of its value, points without one get 0."""
        return self.spread(values / self.sizes)

    def spread(self, values: Array) -> Array:
        """From variables to points: each gets the value of its variable, points without one get 0."""
        return np.append(values, values.dtype.type(0))[self.owner]

    def down(self, values: Array) -> Array:
        """From points to variables: sums."""
        used = self.owner >= 0
        return np.bincount(self.owner[used], values[used], len(self.sizes))


def reduced_problem(problem: Problem, points: Array, groups: Sequence[Array]) -> Steps[Problem]:
    """The problem of these points and of the means of these groups, each of one class."""
    if not len(groups):
        return problem.part(points)
    first = [int(group[0]) for group in groups]
    members, sizes = np.concatenate([points, first]), np.array([len(group) for group in groups])
    upper = np.concatenate([problem.upper[points], [problem.upper[group].sum() for group in groups]])
    linear = np.concatenate([problem.linear[points], [problem.linear[group].mean() for group in groups]])
    kernel, chosen = problem.kernel, problem.points[members]
    if kernel.name == "linear":
        everyone, ends = np.concatenate(groups), np.cumsum(sizes)
        sums = np.add.reduceat(problem.points.X[everyone], ends - sizes, axis=0, dtype=np.float64)
        chosen.X[len(points) :] = sums / sizes[:, None]
        chosen = Points(chosen.X, square_norms(chosen.X))
    else:
        averages = yield from _averages(problem, points, groups, sizes)
        kernel = MeanKernel(**{**vars(kernel), "averages": averages, "first": len(points)})
        chosen = _Placed(chosen.X, chosen.norms, np.arange(len(members)))
    return Problem(kernel, chosen, problem.y[members], upper, linear, problem.bias, problem.threads)


def _averages(problem: Problem, points: Array, groups: Sequence[Array], sizes: Array) -> Steps[Array]:
    """A row for each mean: its kernel values with the points, then with the means."""
    kernel, everyone = problem.kernel, np.concatenate([points, *groups])
    starts = len(points) + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = np.empty((len(groups), len(points) + len(groups)))
    for row, group in zip(rows, groups, strict=True):
        weights = np.full(len(group), 1 / len(group))
        values = yield from kernel.product_steps(
            problem.points[everyone], problem.points[group], weights, problem.threads
        )
        row[: len(points)] = values[: len(points)]
        row[len(points) :] = np.add.reduceat(values, starts) / sizes
    between = rows[:, len(points) :]
    between[:] = (between + between.T) / 2
    return rows


@dataclass(frozen=True)
class _Placed(Points):
    """Points that know their places in the reduced problem."""

    place: Array

    def __getitem__(self, index: Any) -> "_Placed":
        return _Placed(self.X[index], self.norms[index], self.place[index])


@dataclass(frozen=True, eq=False)
class MeanKernel(Kernel):
    """A kernel some of whose points, from the place `first` on, are means of others."""

    averages: Array = field(kw_only=True)  # a row for each mean, over all places
    first: int = field(kw_only=True)

    def exact(self, store: Any = np.float64) -> None:
        """There is none: its means were averaged in this kernel's precision."""

    def diagonal(self, points: Points) -> Array:
        """K(x, x) for each point."""
        assert isinstance(points, _Placed)
        values, place = super().diagonal(points), points.place
        of_means = np.flatnonzero(place >= self.first)
        values[of_means] = self.averages[place[of_means] - self.first, place[of_means]]
        return values

    def _tile(self, rows: Points, columns: Points, out: Array, slots: Array, left: int) -> None:
        super()._tile(rows, columns, out, slots, left)
        assert isinstance(rows, _Placed)
        assert isinstance(columns, _Placed)
        for i in np.flatnonzero(rows.place >= self.first):
            out[slots[i], left : left + len(columns)] = self.averages[rows.place[i] - self.first, columns.place]
        for j in np.flatnonzero(columns.place >= self.first):
            out[slots, left + j] = self.averages[columns.place[j] - self.first, rows.place]
