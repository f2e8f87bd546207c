"""Budgeted SGD for labelled data: each class against the rest, on one data set or on a stream of batches."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.learning.model import Model, Trained, tasks
from engine.learning.validation import class_numbers
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import Array, Steps, Stop, finish, within
from engine.systems.budgeted_sgd import algorithm as budgeted_sgd
from engine.systems.budgeted_sgd.algorithm import BudgetedModel, BudgetedSGDSolution
from engine.systems.budgeted_sgd.budget import Budget
from engine.systems.budgeted_sgd.choice import choose_steps, is_open, without_rows
from engine.systems.budgeted_sgd.events import BudgetChosen, BudgetFinished
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings

PROJECTABLE = 500  # vectors, with which a projection takes some 20 ms
FARTHEST = {"float32": 1e15, "float64": 1e150}  # coordinate, in the kernel's units, whose square is no trouble


@dataclass(frozen=True, eq=False)
class TrainedBudgeted(Trained):
    """What training returns, with the stream that `partial_fit` continues."""

    stream: "Stream"
    chosen: BudgetChosen | None = None  # how its budget and lambda were chosen, if they were


def train_budgeted_sgd(X: Array, y: Array, settings: BudgetedSGDSettings, counter: Counter) -> Steps[TrainedBudgeted]:
    """Train by Budgeted SGD, one binary task after the other, with a budget and lambda that are chosen before."""
    if not is_open(settings):
        return (yield from _train(X, y, settings, counter))
    class_numbers(y)
    Kernel.fit(X, "rbf", settings.gamma, C=settings.C)  # what it refuses, it refuses of all data
    try:
        chosen = yield from choose_steps(X, y, settings, _train)
        if chosen.event is not None:
            yield chosen.event
    except Stop as stop:
        return (yield from _stopped(_train(X, y, without_rows(settings, len(y)), counter), stop))
    trained = yield from _train(X, y, chosen.settings, counter)
    return replace(trained, chosen=chosen.event)


def _stopped(steps: Steps[TrainedBudgeted], stop: Stop) -> Steps[TrainedBudgeted]:
    """The result of a run that was stopped before its first step."""
    try:
        yield next(steps)
        item = steps.throw(stop)
        while True:
            yield item
            item = next(steps)
    except StopIteration as end:
        result: TrainedBudgeted = end.value
        return result


def _train(X: Array, y: Array, settings: BudgetedSGDSettings, counter: Counter) -> Steps[TrainedBudgeted]:
    classes, labels = class_numbers(y)
    stream = Stream.begin(X, classes, settings, counter)
    points = stream.points(X)
    works = tasks(classes, "ovr")
    solutions: list[BudgetedSGDSolution] = []
    for number, task in enumerate(works):
        signs = np.where(np.isin(labels, task.positive), 1.0, -1.0)
        steps = budgeted_sgd.solve(stream.kernel, points, signs, settings)
        stopped = False
        try:
            latest = yield from steps if len(works) == 1 else within(task.name, steps)
        except Stop as stop:
            latest, stopped = stop.result, True
        stream.models[number] = latest.model
        solutions.append(latest)
        if stopped or latest.stop_reason in ("cancelled", "time"):
            break
    # A stopped run leaves models without vectors: their decision values are 0.
    trained = TrainedBudgeted(stream.model(), solutions, stream)
    if len(works) == 1:
        return trained
    return (yield from finish(trained, _together(trained)))


@dataclass(frozen=True, eq=False)
class Stream:
    """Models that learn from batches of labelled data, one for each task, all with one kernel and one lambda.

    The first batch decides on precision and a gamma that is a rule; what else there is comes from the settings, so that
    the answer does not depend on the size of the batches. Each batch is processed once, in its order.
    """

    classes: Array
    kernel: Kernel
    models: list[BudgetedModel]

    @classmethod
    def begin(cls, X: Array, classes: Array, settings: BudgetedSGDSettings, counter: Counter | None = None) -> "Stream":
        """Empty models for these classes, and the kernel of the first data; the settings name a budget."""
        kernel = Kernel.fit(X, "rbf", settings.gamma, counter=counter, C=settings.C)
        if settings.maintenance == "projection" and settings.budget > PROJECTABLE:
            raise invalid(
                "budget", settings.budget, f"at most {PROJECTABLE} with projection, whose time grows like B^3"
            )
        decay = settings.decay(len(X))
        return cls(classes, kernel, [BudgetedModel(kernel, settings, decay) for _ in tasks(classes, "ovr")])

    def copy(self) -> "Stream":
        """A stream that learns on its own: this one stays as it is."""
        return Stream(self.classes, self.kernel, [model.copy() for model in self.models])

    def points(self, X: Array) -> Points:
        """Data in the kernel's form; refused if their distances would overflow."""
        with np.errstate(over="ignore"):
            points = self.kernel.points(X)
        largest, limit = np.abs(points.X).max(), FARTHEST[np.dtype(self.kernel.store).name]
        if not largest < limit:
            near = float(np.abs(self.kernel.raw(np.full(X.shape[1], limit)) - self.kernel.origin).min())
            raise invalid("X", float(np.abs(X).max()), f"within {near:.3g} of the mean of the first data")
        return points

    def learn(self, X: Array, labels: Array) -> None:
        """Go through a batch; `labels` are class numbers."""
        points = self.points(X)
        if len(labels) != len(X) or labels.max() >= len(self.classes):
            raise invalid("y", labels, f"for each row the number of one of {len(self.classes)} classes")
        order = np.arange(len(X))
        for task, model in zip(tasks(self.classes, "ovr"), self.models, strict=True):
            signs = np.where(np.isin(labels, task.positive), 1.0, -1.0)
            for steps in (model.prepare(), model.go_through(points.X, signs, order)):
                for _ in steps:
                    pass
            model.budget.sources[:] = -1  # rows of a batch that is gone

    def model(self) -> Model:
        """The model at this moment."""
        snapshots = [model.snapshot() for model in self.models]
        sizes = [len(sources) for _, _, sources in snapshots]
        vectors, _, sources = (np.concatenate(part) for part in zip(*snapshots, strict=True))
        coefficients = np.zeros((len(snapshots), len(sources)))
        for row, (_, signed, _), end in zip(coefficients, snapshots, np.cumsum(sizes), strict=True):
            row[end - len(signed) : end] = signed
        counts = np.array(sizes)
        if len(self.classes) == 2:  # the vectors of one model, by their label
            order = np.argsort(coefficients[0] > 0, kind="stable")
            vectors, coefficients, sources = vectors[order], coefficients[:, order], sources[order]
            positive = int(np.count_nonzero(coefficients > 0))
            counts = np.array([len(sources) - positive, positive])
        return Model(
            kernel=self.kernel, classes=self.classes, scheme="ovr", support=sources, vectors=vectors.astype(float),
            class_counts=counts, coefficients=coefficients, intercepts=np.zeros(len(self.models)),
        )  # fmt: skip

    # ---- files ----

    def tables(self) -> dict[str, Any]:
        """What a file keeps of it, besides the model."""
        return {
            "settings": self.models[0].settings.values_by_name(),
            "decay": self.models[0].decay,
            "budgets": [model.budget._asdict() for model in self.models],
        }

    @classmethod
    def from_tables(cls, model: Model, tables: dict[str, Any]) -> "Stream":
        """The inverse of `tables`; raises ValueError, KeyError or TypeError if they do not fit."""
        models = []
        settings: Any = BudgetedSGDSettings.checked({**BudgetedSGDSettings.formerly, **tables["settings"]})
        decay = float(tables["decay"])
        if not decay > 0:
            raise ValueError("lambda should be positive")
        for table in tables["budgets"]:
            restored = BudgetedModel(model.kernel, settings, decay)
            budget = Budget(**table)
            for name, empty in restored.budget._asdict().items():
                kept = getattr(budget, name)
                if kept.shape != empty.shape or kept.dtype != empty.dtype or not np.isfinite(kept).all():
                    raise ValueError(f"{name} should be {empty.shape} finite numbers")
            if (budget.counts < 0).any() or not 0 <= budget.counts[1] < len(budget.coefficients):
                raise ValueError("the counts of the budget are not possible")
            restored.budget = budget
            models.append(restored)
        if len(models) != len(model.intercepts):
            raise ValueError("there should be a budget for each task")
        return cls(model.classes, model.kernel, models)


def _together(trained: TrainedBudgeted) -> BudgetFinished:
    """The closing event of several tasks: sums, and the mean accuracy."""
    events = [solution.event() for solution in trained.solutions]
    added = ("inner_steps", "objective", "n_free", "size", "violations", "maintained", "removed")
    return BudgetFinished(
        stop_reason=trained.stop_reason, iterations=min(event.iterations for event in events), gap=np.nan,
        violation=np.nan, intercept=0.0, n_bound=0, alpha=np.empty(0),
        accuracy=float(np.mean([event.accuracy for event in events])), vectors=np.empty((0, 0)),
        coefficients=np.empty(0), sources=np.empty(0, np.int64),
        **{name: sum(getattr(event, name) for event in events) for name in added},
    )  # fmt: skip
