"""DC-Pred++ for labelled data and for regression: from data, or from a fitted model, to a compressed model."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.learning.model import Trained, tasks
from engine.learning.validation import check_size, class_numbers
from engine.numerics.kernels import Kernel
from engine.runtime import archive
from engine.runtime.archive import ArchiveError
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps, Stop
from engine.runtime.threads import thread_count
from engine.systems.dcpred import algorithm as dcpred
from engine.systems.dcpred.algorithm import DCPredSolution
from engine.systems.dcpred.compressed_model import CompressedModel
from engine.systems.dcpred.learners import ExactLeaves, Learner, RidgeLearner, SVMLearner
from engine.systems.dcpred.settings import DCPredRidgeSettings, DCPredSettings
from engine.systems.dcpred.tree import Grown

KIND, VERSION = "svm-explorer fast model", 2


@dataclass(frozen=True, eq=False)
class CompressedPredictor:
    """A compressed model with its classes (none in a regression), and its file."""

    fast: CompressedModel
    classes: Array

    @property
    def n_features(self) -> int:
        """Of the data it was trained on."""
        return len(self.fast.tree.origin)

    def task_values(self, X: Array, threads: int) -> Array:
        """Values, a column for each task; a ValueError if classes, leaves or X are of another model."""
        self._check_tasks()
        return self.fast.values(X, threads)

    def _check_tasks(self) -> None:
        classes, columns = len(self.classes), self.fast.intercepts.shape[1]
        expected = classes if classes > 2 else 1
        if columns != expected:
            raise ValueError(f"{classes} classes are {expected} tasks, but the compressed model has {columns}")

    def decision(self, values: Array) -> Array:
        """Values for the user: a vector, or a column for each of more than two classes."""
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, values: Array) -> Array:
        """Labels by sign or largest value, or the values of a regression."""
        if not len(self.classes):
            return values[:, 0].astype(np.float64)
        chosen = (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else values.argmax(axis=1)
        return self.classes[chosen]

    def save(self, path: str | Path, extra: dict[str, Any]) -> None:
        """Write to one file, with what else the estimator wants to keep."""
        archive.write(path, KIND, VERSION, {"classes": self.classes, "fast": self.fast.table(), "extra": extra})

    @classmethod
    def load(cls, path: str | Path) -> tuple["CompressedPredictor", dict[str, Any]]:
        """Read a model and what was kept with it."""
        content = archive.read(path, KIND, VERSION)
        try:
            model = cls(CompressedModel.of(content["fast"]), content["classes"])
            model._check_tasks()
            return model, content["extra"]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ArchiveError(f"{Path(path).name} is damaged: {error}") from error


def train_dcpred(
    X: Array, y: Array, settings: DCPredSettings, counter: Counter, executor: Executor | None = None
) -> Steps[Trained]:
    """Train and compress a kernel SVM; all classes share tree and landmarks."""
    learner, classes = _svm(X, y, settings, counter)
    return (yield from _trained(X, learner, lambda grown: learner.train(grown, settings, executor), settings, classes))


def train_dcpred_ridge(X: Array, y: Array, settings: DCPredRidgeSettings, counter: Counter) -> Steps[Trained]:
    """Train and compress kernel ridge regression."""
    learner = _ridge(X, y, settings, counter)
    return (yield from _trained(X, learner, learner.train, settings, np.empty(0)))


def compress_svm(X: Array, y: Array, settings: DCPredSettings, exact: ExactLeaves, counter: Counter) -> Steps[Trained]:
    """Compress an exact classifier that is already fitted."""
    learner, classes = _svm(X, y, settings, counter)
    return (yield from _trained(X, learner, lambda grown: _known(exact), settings, classes))


def compress_ridge(
    X: Array, y: Array, settings: DCPredRidgeSettings, exact: ExactLeaves, counter: Counter
) -> Steps[Trained]:
    """Compress an exact regression that is already fitted."""
    learner = _ridge(X, y, settings, counter)
    return (yield from _trained(X, learner, lambda grown: _known(exact), settings, np.empty(0)))


def _svm(X: Array, y: Array, settings: DCPredSettings, counter: Counter) -> tuple[SVMLearner, Array]:
    kernel = _kernel(X, settings.gamma, counter, settings.C)
    classes, labels = class_numbers(y)
    signs = np.array([np.where(np.isin(labels, task.positive), 1.0, -1.0) for task in tasks(classes, "ovr")])
    return SVMLearner(kernel, kernel.points(X), labels, signs, settings.C, thread_count(settings.n_jobs)), classes


def _ridge(X: Array, y: Array, settings: DCPredRidgeSettings, counter: Counter) -> RidgeLearner:
    kernel = _kernel(X, settings.gamma, counter)
    return RidgeLearner(kernel, kernel.points(X), np.asarray(y, float), settings.alpha, thread_count(settings.n_jobs))


def _kernel(X: Array, gamma: float | str, counter: Counter, C: float = 1.0) -> Kernel:
    kernel = Kernel.fit(X, "rbf", gamma, counter=counter, C=C)
    check_size(X)  # a compressed model predicts in single precision, from the data as they are
    return kernel


def _known(exact: ExactLeaves) -> Steps[ExactLeaves]:
    yield None
    return exact


def _trained(
    X: Array, learner: Learner, train: Callable[[Grown], Steps[ExactLeaves]], settings: Any, classes: Array
) -> Steps[Trained]:
    def of(solution: DCPredSolution) -> Trained:
        return Trained(CompressedPredictor(solution.model, classes), [solution])

    try:
        solution = yield from dcpred.solve(X, learner, train, settings)
    except Stop as stop:
        stop.result = of(stop.result)
        raise
    return of(solution)
