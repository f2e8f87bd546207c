"""The two learners of DC-Pred++, SVM and kernel ridge regression: exact models of leaves, linear ones on features.

Compression needs two things of an exact model: the weight of each point (alpha^2), and its values at the points.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from engine.numerics.cholesky import cholesky
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps
from engine.runtime.threads import serial_blas
from engine.systems.dcpred.events import LeafTrained
from engine.systems.dcpred.settings import DCPredSettings
from engine.systems.dcpred.tree import Grown
from engine.systems.kernel_svm.subproblems import Subproblem, SubproblemQueue

MOST_SUPPORT = 400  # of a cell, bottom up
MOST_POINTS = 5000  # of a leaf, for Cholesky
CG_ITERATIONS = 1000
NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False)
class ExactLeaves:
    """The exact models of all leaves, or the one of all data, as far as compression needs them."""

    squares: Array  # alpha^2 of each point, summed over the tasks
    values: Array  # at each point, a column for each task
    objective: float
    whole: bool = False  # one model for all leaves
    coefficients: Array | None = None  # of each point, a column for each task, if each leaf has its own model

    def costs(self, grown: Grown) -> Array:
        """Of a prediction in each leaf, in inner products."""
        if self.whole:
            return np.full(len(grown.tree), float(np.count_nonzero(self.squares)))
        support = np.bincount(grown.labels, self.squares > 0, minlength=len(grown.tree))
        return grown.tree.routing() + support


class Learner(Protocol):
    """Trains and judges kernel models of one or several tasks, on some training data."""

    @property
    def name(self) -> str:
        """One word."""

    @property
    def kernel(self) -> Kernel:
        """Gaussian."""

    @property
    def points(self) -> Points:
        """The training data."""

    @property
    def classes(self) -> Array | None:
        """Numbers of the points' classes, if they have any."""

    def constant(self, members: Array) -> Array:
        """The best constant prediction: a value for each task."""

    def is_constant(self, members: Array) -> bool:
        """Whether a constant fits these points exactly."""

    def intercepts(self, members: Array) -> Array:
        """The intercepts of the exact model of a leaf with these points: a value for each task."""

    def fit_linear(self, features: Array, members: Array) -> tuple[Array, Array]:
        """Fit a linear model on features of these points: weights, a column for each task, and intercepts."""

    def loss(self, values: Array, members: Array) -> tuple[float, Array]:
        """The loss of values at the members, without |f|^2 / 2, and its gradient."""

    def quality(self, values: Array, members: Array) -> float:
        """The quality of values at these points: accuracy, or the root of the mean square error."""


@dataclass(frozen=True, eq=False)
class SVMLearner:
    """Support vector machines without bias, one for each task; `signs` has a row for each."""

    kernel: Kernel
    points: Points
    classes: Array  # numbers
    signs: Array
    C: float
    threads: int

    name = "svm"

    @property
    def tasks(self) -> int:
        """How many: one for two classes, else one for each."""
        return len(self.signs)

    def constant(self, members: Array) -> Array:
        """The side that most are on; a class that none is of comes last."""
        return np.clip(self.signs[:, members].mean(axis=1), -1.0, 1.0)

    def is_constant(self, members: Array) -> bool:
        """Whether they are of one class."""
        return bool((self.classes[members] == self.classes[members[0]]).all())

    def intercepts(self, members: Array) -> Array:
        """None, but a task with one side only is a constant."""
        constant = self.constant(members)
        return np.where(np.abs(constant) == 1.0, constant, 0.0)

    def train(self, grown: Grown, settings: DCPredSettings, executor: Executor | None) -> Steps[ExactLeaves]:
        """Train the exact models of all leaves."""
        n = len(self.classes)
        alpha, values, objective = np.zeros((self.tasks, n)), np.zeros((n, self.tasks)), 0.0
        for task in range(self.tasks):
            problem = Problem.of(self.kernel, self.points, self.signs[task], C=self.C, bias=False, threads=self.threads)
            with SubproblemQueue(problem, settings, executor) as queue:
                objective += yield from self._train_task(grown, queue, task, settings.bottom_up, alpha, values)
        own = None if settings.bottom_up else (alpha * self.signs).T
        return ExactLeaves((alpha**2).sum(axis=0), values, objective, coefficients=own)

    def _train_task(
        self, grown: Grown, queue: SubproblemQueue, task: int, bottom_up: bool, alpha: Array, values: Array
    ) -> Steps[float]:
        """Cells from the leaves up; a cell is trained from its children's alpha if they have few support vectors."""
        signs, objectives = self.signs[task], np.zeros(len(grown.tree.children))
        members = grown.members()
        cells = [(int(node), np.array([leaf])) for leaf, node in enumerate(grown.tree.leaves())]
        while cells:
            works = []
            for node, leaves in cells:
                points = np.concatenate([members[leaf] for leaf in leaves])
                values[points, task] = signs[points].mean()
                if not self._one_sided(signs[points]):
                    works.append((node, leaves, points))
            futures = queue.solve([Subproblem(points, alpha[task, points]) for _, _, points in works])
            for (node, leaves, points), future in zip(works, futures, strict=True):
                solved = yield from queue.wait_for(future)
                alpha[task, points] = solved.alpha
                values[points, task] = signs[points] * (solved.gradient + 1.0)
                objectives[node] = solved.objective
                event = LeafTrained(
                    node=node, leaves=leaves, task=task, size=len(points), objective=solved.objective,
                    n_support=int(np.count_nonzero(solved.alpha)), members=points,
                    alpha=solved.alpha.astype(np.float32),
                )  # fmt: skip
                yield from queue.suspended(event)
            cells = list(_joined(grown, cells, alpha[task], members)) if bottom_up else []
        return float(objectives.sum())

    @staticmethod
    def _one_sided(signs: Array) -> bool:
        return bool((signs == signs[0]).all())

    def fit_linear(self, features: Array, members: Array) -> tuple[Array, Array]:
        """By squared hinge loss; a task with one side only is a constant."""
        weights, intercepts = np.zeros((features.shape[1], self.tasks)), self.constant(members)
        with_one = np.column_stack([features, np.ones(len(features))])
        for task in range(self.tasks):
            signs = self.signs[task, members]
            if not self._one_sided(signs):
                found = squared_hinge(with_one, signs, self.C)
                weights[:, task], intercepts[task] = found[:-1], found[-1]
        return weights, intercepts

    def loss(self, values: Array, members: Array) -> tuple[float, Array]:
        """The squared hinge loss of these values at the members, and its gradient."""
        signs = self.signs[:, members].T
        lacking = np.maximum(1.0 - signs * values, 0.0)
        return self.C * float(np.square(lacking).sum()), -2.0 * self.C * signs * lacking

    def quality(self, values: Array, members: Array) -> float:
        """The share that is right."""
        if self.tasks == 1:
            return float(np.mean((values[:, 0] > 0) == (self.signs[0, members] > 0)))
        return float(np.mean(values.argmax(axis=1) == self.classes[members]))


def _joined(grown: Grown, cells: list[tuple[int, Array]], alpha: Array, members: list[Array]) -> Iterator[Any]:
    """The cells above these whose children are all among them, with few support vectors together."""
    below = dict(cells)
    for node, children in enumerate(grown.tree.children):
        if children[0] >= 0 and all(int(child) in below for child in children if child >= 0):
            leaves = np.concatenate([below[int(child)] for child in children if child >= 0])
            if sum(np.count_nonzero(alpha[members[leaf]]) for leaf in leaves) <= MOST_SUPPORT:
                yield node, leaves


@dataclass(frozen=True, eq=False)
class RidgeLearner:
    """Kernel ridge regression: (K + ridge I) alpha = y - its mean in the leaf."""

    kernel: Kernel
    points: Points
    y: Array
    ridge: float
    threads: int

    name, classes = "ridge", None

    def constant(self, members: Array) -> Array:
        """The mean."""
        return self.y[members].mean(keepdims=True)

    def is_constant(self, members: Array) -> bool:
        """Whether they have one target."""
        return bool((self.y[members] == self.y[members[0]]).all())

    def intercepts(self, members: Array) -> Array:
        """The mean."""
        return self.constant(members)

    def train(self, grown: Grown) -> Steps[ExactLeaves]:
        """Train the exact models of all leaves."""
        alpha, objective = np.zeros(len(self.y)), 0.0
        values = np.empty(len(self.y))
        for leaf, members in enumerate(grown.members()):
            mean = self.constant(members)[0]
            rest = self.y[members] - mean
            alpha[members] = yield from self._solved(self.points[members], rest)
            values[members] = mean + rest - self.ridge * alpha[members]
            objective -= float(rest @ alpha[members])
            yield LeafTrained(
                node=int(grown.tree.leaves()[leaf]), leaves=np.array([leaf]), task=0, size=len(members),
                n_support=len(members), objective=-float(rest @ alpha[members]), members=members,
                alpha=alpha[members].astype(np.float32),
            )  # fmt: skip
        return ExactLeaves(alpha**2, values[:, None], objective, coefficients=alpha[:, None])

    def _solved(self, points: Points, y: Array) -> Steps[Array]:
        """(K + ridge I)^-1 y, by Cholesky or, of many points, by conjugate gradients."""
        if len(points) > MOST_POINTS:
            return (yield from self._conjugate_gradients(points, y))
        n = len(points)
        K = np.empty((n, n), self.kernel.store)
        yield from self.kernel.block_steps(points, points, K, np.arange(n), self.threads)
        K = K.astype(np.float64)
        K[np.diag_indices(n)] = 1.0 + self.ridge
        lower = yield from cholesky(K, self.threads)
        with serial_blas():
            half = scipy.linalg.solve_triangular(lower, y, lower=True, check_finite=False)
            return scipy.linalg.solve_triangular(lower, half, lower=True, trans="T", check_finite=False)

    def _conjugate_gradients(self, points: Points, y: Array) -> Steps[Array]:
        alpha, residual = np.zeros(len(y)), y.copy()
        direction, square = residual.copy(), float(residual @ residual)
        enough = 1e-12 * square
        for _ in range(CG_ITERATIONS):
            if square <= enough:
                break
            image = yield from self.kernel.product_steps(points, points, direction, self.threads)
            image += self.ridge * direction
            step = square / float(direction @ image)
            alpha += step * direction
            residual -= step * image
            square, before = float(residual @ residual), square
            direction = residual + square / before * direction
        return alpha

    def fit_linear(self, features: Array, members: Array) -> tuple[Array, Array]:
        """Ridge regression with the same ridge."""
        mean = self.constant(members)
        matrix = features.T @ features + self.ridge * np.eye(features.shape[1])
        weights = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix), features.T @ (self.y[members] - mean))
        return weights[:, None], mean

    def loss(self, values: Array, members: Array) -> tuple[float, Array]:
        """Half of the squares over the ridge, so that it goes with |f|^2 / 2."""
        off = values - self.y[members, None]
        return float(np.square(off).sum()) / (2.0 * self.ridge), off / self.ridge

    def quality(self, values: Array, members: Array) -> float:
        """The root of the mean square error."""
        return float(np.sqrt(np.mean((values[:, 0] - self.y[members]) ** 2)))


def squared_hinge(features: Array, signs: Array, C: float) -> Array:
    """min |w|^2 / 2 + C sum of max(0, 1 - y w.x)^2, by Newton's method on the points within the margin."""
    w = np.zeros(features.shape[1])
    margins = np.ones(len(features))  # 1 - y w.x
    best = C * float(margins @ margins)
    for _ in range(NEWTON_STEPS):
        inside = margins > 0
        some = features[inside]
        matrix = np.eye(len(w)) + 2 * C * some.T @ some
        step = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix), 2 * C * some.T @ signs[inside]) - w
        size = 1.0
        while size > 1e-10:
            new = w + size * step
            margins = 1.0 - signs * (features @ new)
            loss = 0.5 * float(new @ new) + C * float(np.square(np.maximum(margins, 0.0)).sum())
            if loss < best:
                break
            size /= 2
        if not loss < best * (1 - 1e-9):
            break
        w, best = new, loss
    return w
