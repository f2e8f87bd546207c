"""From labelled data to binary tasks and back: the part of a classifier that no solver needs to know."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from numbers import Real
from typing import Any

import numpy as np
import scipy

from engine import dcsvm, dual
from engine.dcsvm import Conquered
from engine.dual import Solution
from engine.early import EarlyModel, TrainedEarly
from engine.errors import invalid
from engine.events import Array, Finished, Steps, Stop, within
from engine.kernels import Counter, Kernel
from engine.model import Model, Trained, tasks
from engine.problem import Problem, check_points
from engine.settings import DCSVMSettings, KernelSVMSettings
from engine.threads import thread_count

DENSE_LIMIT_MB = 4096


def dense(X: Any) -> Array:
    """Sparse data as a dense matrix, within DENSE_LIMIT_MB: kernel blocks are dense products."""
    if isinstance(X, np.ndarray) or not scipy.sparse.issparse(X):
        return np.asarray(X)
    needed = X.shape[0] * X.shape[1] * X.dtype.itemsize / 2**20
    if needed > DENSE_LIMIT_MB:
        shown = f"a sparse {X.shape[0]} x {X.shape[1]} matrix"
        raise invalid("X", shown, f"at most {DENSE_LIMIT_MB} MiB when made dense")
    return X.toarray()


def check_data(X: Any, y: Any) -> tuple[Array, Array]:
    """Dense data and labels that a solver can work with: matching shapes, finite numbers, two classes or more."""
    X, y = check_points(dense(X)), np.asarray(y)
    if y.shape != (len(X),):
        raise invalid("y", y.shape, f"one label for each of the {len(X)} rows of X")
    if y.dtype.kind == "f" and not np.array_equal(y, np.round(y)):
        raise invalid("y", float(y[y != np.round(y)][0]), "class labels: names or whole numbers")
    class_numbers(y)
    return X, y


def check_targets(X: Any, y: Any) -> tuple[Array, Array]:
    """Dense data and targets of a regression: matching shapes, finite numbers."""
    X, y = check_points(dense(X)), np.asarray(y)
    if y.shape != (len(X),) or y.dtype.kind not in "fiu" or not np.isfinite(y).all():
        raise invalid("y", y, f"a finite number for each of the {len(X)} rows of X")
    return X, y.astype(float)


def class_numbers(y: Array) -> tuple[Array, Array]:
    """The classes in sorted order and, for each label, its number."""
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes; got 1 class, {classes.tolist()}")
    return classes, labels


def train_kernel_svm(X: Array, y: Array, settings: KernelSVMSettings, counter: Counter) -> Steps[Trained]:
    """Train a kernel SVM by the dual solver, one binary task after the other."""
    classes, _ = class_numbers(y)
    bounds = settings.C * class_weights(settings.class_weight, classes, y)
    return (
        yield from train_by_tasks(
            X, y, settings, counter, bounds, settings.bias, lambda problem, _: dual.solve(problem, settings)
        )
    )


def train_dcsvm(
    X: Array, y: Array, settings: DCSVMSettings, counter: Counter, executor: Executor | None = None
) -> Steps[Trained]:
    """Train by DC-SVM, one binary task after the other; the subproblems of each go to the executor."""
    classes, _ = class_numbers(y)
    members_of: list[Array] = []

    def solve_task(problem: Problem, members: Array) -> Steps[Solution]:
        members_of.append(members)
        return dcsvm.solve(problem, settings, executor)

    try:
        trained = yield from train_by_tasks(
            X, y, settings, counter, np.full(len(classes), settings.C), False, solve_task
        )
    except Stop as stop:
        stop.result = _with_committees(stop.result, members_of, len(y), settings.C)
        raise
    return _with_committees(trained, members_of, len(y), settings.C)


def _with_committees(trained: Trained, members_of: list[Array], n: int, C: float) -> Trained:
    """Add what early prediction needs, if all tasks were stopped at a level."""
    model = trained.model
    partitions = [it.partition for it in trained.solutions if isinstance(it, Conquered) and it.partition is not None]
    if len(partitions) < len(model.intercepts):
        return trained
    cells = []
    for partition, members in zip(partitions, members_of, strict=True):
        of_all = np.full(n, -1)
        of_all[members] = partition.labels
        cells.append(of_all[model.support])
    early = EarlyModel.assemble(model, [partition.router for partition in partitions], cells, C)
    return TrainedEarly(model, trained.solutions, early)


def train_by_tasks(
    X: Array, y: Array, settings: Any, counter: Counter, bounds: Array, bias: bool,
    solve_task: Callable[[Problem, Array], Steps[Any]], together: Callable[[Trained], Finished] | None = None,
) -> Steps[Trained]:  # fmt: skip
    """Train one binary task after the other; `bounds` has C for each class.

    `solve_task` gets a task's problem and the indices of its points; `together` makes the closing event of several.
    """
    threads = thread_count(settings.n_jobs)
    classes, labels = class_numbers(y)
    kernel = Kernel.fit(
        X, settings.kernel, settings.gamma, settings.degree, settings.coef0, counter, float(bounds.max()), settings.tol
    )
    points = kernel.points(X)
    works = tasks(classes, settings.multiclass)
    solutions: list[Solution] = []
    parts = []
    for task in works:
        positive = np.isin(labels, task.positive)
        members = np.flatnonzero(positive | np.isin(labels, task.negative))
        signs = np.where(positive[members], 1.0, -1.0)
        part = points if len(members) == len(points) else points[members]
        problem = Problem.of(kernel, part, signs, C=bounds[labels[members]], bias=bias, threads=threads)
        steps = solve_task(problem, members)
        stopped = False
        try:
            solution = yield from steps if len(works) == 1 else within(task.name, steps)
        except Stop as stop:
            solution, stopped = stop.result, True
        used, coefficients = solution.expansion(signs)
        parts.append((members[used], coefficients, solution.intercept))
        solutions.append(solution)
        if stopped or solution.stop_reason in ("cancelled", "time"):
            break
    # A stopped run leaves tasks untrained: they have no support vectors and say nothing.
    empty = np.empty(0, int)
    parts += [(empty, np.empty(0), 0.0)] * (len(works) - len(parts))
    trained = Trained(Model.assemble(kernel, classes, settings.multiclass, X, labels, parts), solutions)
    if len(works) > 1:
        try:
            yield (together or closing)(trained)
        except Stop as stop:
            stop.result = trained
            raise
    return trained


def class_weights(class_weight: Mapping[Any, float] | str | None, classes: Array, y: Array) -> Array:
    """The weight of each class: as told, by "balanced" frequency, or 1."""
    if isinstance(class_weight, Mapping):
        for label, weight in class_weight.items():
            if label not in classes:
                raise invalid("class_weight", label, f"a table with keys among the classes {classes.tolist()}")
            if not (isinstance(weight, Real) and np.isfinite(weight) and weight >= 0):
                raise invalid(f"class_weight[{label!r}]", weight, "finite and not negative")
        return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
    if class_weight == "balanced":
        return len(y) / (len(classes) * np.unique(y, return_counts=True)[1])
    return np.ones(len(classes))


def closing(trained: Trained) -> Finished:
    """The closing event of several tasks: sums, and the worst of what can be worst."""
    solutions = trained.solutions
    return Finished(
        stop_reason=trained.stop_reason,
        violation=max(solution.violation for solution in solutions),
        intercept=np.nan,
        alpha=np.empty(0),
        **{
            name: sum(getattr(solution, name) for solution in solutions)
            for name in ("iterations", "inner_steps", "objective", "gap", "n_free", "n_bound")
        },
    )
