"""From labelled data to binary tasks, and from their solutions back to one model."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from engine.learning.model import Model, Trained, tasks
from engine.learning.validation import class_numbers
from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem, Source
from engine.optimisation.solution import Solution
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import FROM_OUTSIDE, Array, Finished, Steps, Stop, finish, within
from engine.runtime.threads import thread_count


def train_by_tasks(
    X: Array, y: Array, settings: Any, counter: Counter, bounds: Array, bias: bool,
    solve_task: Callable[[Problem, Array], Steps[Any]], together: Callable[[Trained], Finished] | None = None,
) -> Steps[Trained]:  # fmt: skip
    """Train one binary task after the other; `bounds` has C for each class.

    `solve_task` gets a task's problem and the indices of its points; `together` makes the closing event of all tasks.
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
        source = Source(X, members)
        problem = Problem.of(kernel, part, signs, C=bounds[labels[members]], bias=bias, threads=threads, source=source)
        steps = solve_task(problem, members)
        stopped = False
        try:
            solution = yield from steps if len(works) == 1 else within(task.name, steps)
        except Stop as stop:
            solution, stopped = stop.result, True
        used, coefficients = solution.expansion(signs)
        parts.append((members[used], coefficients, solution.intercept))
        solutions.append(solution)
        if stopped or solution.stop_reason in FROM_OUTSIDE:
            break
    # A stopped run leaves tasks untrained: they have no support vectors, and decision values of 0.
    empty = np.empty(0, int)
    parts += [(empty, np.empty(0), 0.0)] * (len(works) - len(parts))
    trained = Trained(Model.assemble(kernel, classes, settings.multiclass, X, labels, parts), solutions)
    if len(works) == 1:
        return trained
    return (yield from finish(trained, (together or closing)(trained)))


def class_weights(class_weight: Mapping[Any, float] | str | None, classes: Array, y: Array) -> Array:
    """The weight of each class: from a table, by "balanced" frequency, or 1."""
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


def closing(trained: Trained, kind: type[Finished] = Finished, **own: Any) -> Finished:
    """The closing event of several tasks: sums, and the largest violation. `own` are the fields of a system's kind."""
    solutions = trained.solutions
    return kind(
        stop_reason=trained.stop_reason,
        violation=max(solution.violation for solution in solutions),
        intercept=np.nan,
        alpha=np.empty(0),
        **{
            name: sum(getattr(solution, name) for solution in solutions)
            for name in ("iterations", "inner_steps", "objective", "gap", "n_free", "n_bound")
        },
        **own,
    )
