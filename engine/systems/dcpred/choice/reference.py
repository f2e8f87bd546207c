"""The exact model that candidates are compared with, trained once, on most of the rows."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.learning.model import Model, Trained, tasks
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps, Stop, passed_on
from engine.runtime.threads import run_in_thread
from engine.systems.dcpred.choice.leaf_fit import Target
from engine.systems.dcpred.learners import RidgeLearner, SVMLearner
from engine.systems.kernel_svm.settings import KernelSVMSettings
from engine.systems.kernel_svm.training import train_kernel_svm

ASIDE = 4  # one row of so many
MOST_ASIDE = 5000
WORST = 0.02  # share of rows that a regression is worst at
ENOUGH, EXACTLY = 1e-3, 1e-6  # relative residuals: to compare with, and of a model that is kept
# Nanoseconds that the dual solver takes for a kernel evaluation, for each feature of it, and for a task; fitted to a
# table of times.
EVALUATION, FEATURE, TASK = 2.0, 0.035, 1.3e6


class Reference(Protocol):
    """An exact model and what it says of the rows put aside."""

    @property
    def part(self) -> Array:
        """The rows it was trained on."""

    @property
    def aside(self) -> Array:
        """The rows put aside."""

    @property
    def weights(self) -> Array:
        """Of all rows: |alpha|, and for rows put aside what it may be."""

    @property
    def quality(self) -> float:
        """On the rows put aside."""

    @property
    def cost(self) -> float:
        """Of a prediction, in inner products."""

    @property
    def work(self) -> float:
        """Nanoseconds that training it takes, told from counts."""

    @property
    def target(self) -> Target:
        """What leaves are fitted to."""

    @property
    def expansion(self) -> "Expansion":
        """The model itself."""

    def losses(self, values: Array, places: Array) -> Array:
        """What each of some rows put aside adds to the loss of a model with these values there."""

    def loss(self, losses: Array, places: Array) -> tuple[float, float]:
        """The loss, and its standard error."""

    def quality_of(self, values: Array, places: Array) -> float:
        """Accuracy, or root mean square error, of values at these rows put aside."""


def split(n: int, labels: Array | None, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows to train on, and rows put aside: the same share of each class, and of no class all rows."""
    order = rng.permutation(n)
    if labels is None:
        place = np.empty(n, int)
        place[order] = np.arange(n)
    else:
        order = order[np.argsort(labels[order], kind="stable")]
        starts = np.searchsorted(labels[order], labels[order])
        place = np.empty(n, int)
        place[order] = np.arange(n) - starts
    aside = np.flatnonzero(place % ASIDE == ASIDE - 1)
    if len(aside) > MOST_ASIDE:
        aside = np.sort(rng.permutation(aside)[:MOST_ASIDE])
    return np.setdiff1d(np.arange(n), aside), aside


@dataclass(frozen=True, eq=False)
class Expansion:
    """An exact model as a sum over support vectors, a column for each task of the compressed model."""

    support: Array  # rows of the data
    coefficients: Array
    intercepts: Array
    pairs: tuple[Array, Array] | None = None  # coefficients and intercepts of all pairs of classes, if they vote


@dataclass(frozen=True, eq=False)
class SVMReference:
    """A kernel SVM with bias, each pair of classes a task, as `KernelSVC` trains it."""

    part: Array
    aside: Array
    weights: Array
    quality: float
    cost: float
    work: float
    target: Target
    expansion: Expansion
    labels: Array  # class numbers of the rows put aside
    right: Array  # whether the exact model is, there

    def losses(self, values: Array, places: Array) -> Array:
        """1 where the exact model alone is right, -1 where it alone is wrong."""
        return self.right[places].astype(float) - (_chosen(values) == self.labels[places])

    def loss(self, losses: Array, places: Array) -> tuple[float, float]:
        """The difference of accuracies. One more row is taken to differ than does: none is no proof."""
        return float(losses.mean()), float(np.sqrt(np.abs(losses).sum() + 1.0) / len(losses))

    def quality_of(self, values: Array, places: Array) -> float:
        """Accuracy."""
        return float(np.mean(_chosen(values) == self.labels[places]))


def svm_reference(
    X: Array, y: Array, learner: SVMLearner, settings: Any, rng: np.random.Generator, counter: Counter
) -> Steps[SVMReference]:
    """Train the exact classifier on most rows."""
    part, aside = split(len(X), learner.classes, rng)
    before = counter.value
    trained = yield from exact_svm(X[part], y[part], learner, settings, counter)
    model = trained.model
    work = (counter.value - before) * (EVALUATION + FEATURE * X.shape[1]) + TASK * len(trained.solutions)
    values = yield from run_in_thread(lambda: model.task_values(X[aside], learner.threads))
    numbers = np.searchsorted(model.classes, model.predict(values))
    weights = np.zeros(len(X))
    strength = np.sqrt(np.square(model.task_coefficients()).sum(axis=0))
    weights[part[model.support]] = strength
    near = aside[_within_margins(model, values, learner.classes[aside])]
    weights[near] = np.median(strength) if len(strength) else 1.0
    right = numbers == learner.classes[aside]
    return SVMReference(
        part=part, aside=aside, weights=weights, quality=float(right.mean()) if len(right) else np.nan,
        cost=cost_of(model), work=work, expansion=expansion_of(model, part), labels=learner.classes[aside], right=right,
        target=Target(np.ascontiguousarray(learner.signs.T, np.float32), settings.C, regression=False),
    )  # fmt: skip


def exact_svm(X: Array, y: Array, learner: SVMLearner, settings: Any, counter: Counter) -> Steps[Trained]:
    """Train what `KernelSVC` with the same C and gamma would be; its events are not passed on."""
    own = {name: getattr(settings, name) for name in ("tol", "max_iter", "cache_mb", "seed", "n_jobs")}
    table = KernelSVMSettings.checked({**own, "C": learner.C, "gamma": learner.kernel.gamma})
    assert isinstance(table, KernelSVMSettings)
    trained = yield from passed_on(train_kernel_svm(X, y, table, counter), lambda event: None)
    if trained.stop_reason in ("cancelled", "time"):
        raise Stop(trained.stop_reason)
    return trained


def cost_of(model: Model) -> float:
    """Inner products for a prediction: one for each support vector, and its coefficients."""
    return len(model.support) * (1.0 + model.coefficients.shape[0] / model.n_features)


@dataclass(frozen=True, eq=False)
class RidgeReference:
    """Kernel ridge regression; a loss is the relative increase of the root mean square error."""

    part: Array
    aside: Array
    weights: Array
    quality: float
    cost: float
    work: float
    target: Target
    expansion: Expansion
    targets: Array  # of the rows put aside
    squares: Array  # of the exact model's errors, there

    def losses(self, values: Array, places: Array) -> Array:
        """The square of the error."""
        return (values[:, 0] - self.targets[places]) ** 2

    def loss(self, losses: Array, places: Array) -> tuple[float, float]:
        """With all rows, or without those that the exact model is worst at, whichever is more: few may decide."""
        exact = self.squares[places]
        usual = exact <= np.quantile(exact, 1.0 - WORST)
        return max(self._increase(losses, exact), self._increase(losses[usual], exact[usual]))

    def _increase(self, losses: Array, exact: Array) -> tuple[float, float]:
        """Of the root of the mean; the standard error is that of the ratio of two means."""
        least = max(float(exact.mean()), 1e-12 * float(self.targets.var()), np.finfo(float).tiny)
        ratio = float(losses.mean()) / least
        error = float((losses - ratio * exact).std()) / (least * np.sqrt(len(exact)))
        return float(np.sqrt(ratio) - 1.0), error / (2.0 * max(np.sqrt(ratio), 1e-12))

    def quality_of(self, values: Array, places: Array) -> float:
        """The root of the mean square error."""
        return float(np.sqrt(self.losses(values, places).mean()))


def ridge_reference(X: Array, learner: RidgeLearner, rng: np.random.Generator) -> Steps[RidgeReference]:
    """Train the exact regression on most rows."""
    part, aside = split(len(X), None, rng)
    expansion = yield from exact_ridge(learner, part, ENOUGH)
    points, threads = learner.points, learner.threads
    values = yield from run_in_thread(
        lambda: learner.kernel.product(points[aside], points[part], expansion.coefficients, threads)
    )
    squares = (values[:, 0] + expansion.intercepts[0] - learner.y[aside]) ** 2
    weights = np.zeros(len(X))
    weights[part] = np.abs(expansion.coefficients[:, 0])
    weights[aside] = np.median(weights[part])
    n, d = len(part), X.shape[1]
    return RidgeReference(
        part=part, aside=aside, weights=weights, quality=float(np.sqrt(squares.mean())) if len(aside) else np.nan,
        cost=n * (1.0 + 1.0 / d), work=0.01 * float(n) ** 3 + n * n * (EVALUATION + FEATURE * d), expansion=expansion,
        target=Target(np.asarray(learner.y, np.float32)[:, None], learner.ridge, regression=True),
        targets=learner.y[aside], squares=squares,
    )  # fmt: skip


def exact_ridge(learner: RidgeLearner, rows: Array, enough: float = EXACTLY) -> Steps[Expansion]:
    """Train kernel ridge regression on some rows, to a relative residual."""
    mean = learner.constant(rows)
    alpha = yield from learner.solved(learner.points[rows], learner.y[rows] - mean[0], enough)
    return Expansion(rows, alpha[:, None], mean)


def expansion_of(model: Model, rows: Array) -> Expansion:
    """With a column for each class, the sum of what its pairs say, for a screen; predictions are by the pairs' votes.

    `rows` are those that the model was trained on.
    """
    coefficients, intercepts = model.task_coefficients().T, model.intercepts
    if len(model.classes) > 2:
        sides = np.zeros((len(intercepts), len(model.classes)))
        for label, works in enumerate(_tasks_of_classes(model)):
            for task, sign in works:
                sides[task, label] = sign
        return Expansion(rows[model.support], coefficients @ sides, intercepts @ sides, (coefficients, intercepts))
    return Expansion(rows[model.support], coefficients, intercepts)


def _chosen(values: Array) -> Array:
    return (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)


def _within_margins(model: Model, values: Array, labels: Array) -> Array:
    """Whether rows are within the margin of any task that their class takes part in, or on its wrong side."""
    within = np.zeros(len(values), bool)
    for group, label in zip(_tasks_of_classes(model), range(len(model.classes)), strict=True):
        rows = labels == label
        for task, sign in group:
            within[rows] |= sign * values[rows, task] < 1.0
    return within


def _tasks_of_classes(model: Model) -> list[list[tuple[int, float]]]:
    works = tasks(model.classes, model.scheme)
    return [
        [(t, 1.0 if c in work.positive else -1.0) for t, work in enumerate(works) if c in work.positive + work.negative]
        for c in range(len(model.classes))
    ]
