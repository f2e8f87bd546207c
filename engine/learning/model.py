"""A trained classifier: support vectors, coefficients and intercepts of its binary tasks, and how they vote."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.learning.sealed import Sealed
from engine.numerics.kernels import KERNELS, Kernel
from engine.runtime import archive
from engine.runtime.archive import ArchiveError
from engine.runtime.counter import Counter
from engine.runtime.events import STOP_REASONS, Array

KIND, VERSION = "svm-explorer model", 1


class Task(NamedTuple):
    """One binary problem of a classification: class numbers on the positive and on the negative side."""

    name: str
    positive: tuple[int, ...]
    negative: tuple[int, ...]


def tasks(classes: Array, scheme: str) -> list[Task]:
    """Two classes are one task; more are each pair ("ovo") or each class against the rest ("ovr")."""
    count = len(classes)
    if count == 2:
        return [Task(f"{classes[1]} against {classes[0]}", (1,), (0,))]
    if scheme == "ovo":
        return [Task(f"{classes[a]} against {classes[b]}", (a,), (b,)) for a, b in combinations(range(count), 2)]
    rest = [tuple(b for b in range(count) if b != a) for a in range(count)]
    return [Task(f"{classes[a]} against the rest", (a,), rest[a]) for a in range(count)]


def pair_votes(values: Array, classes: Array) -> Array:
    """The votes for each class; values have a column for each pair of classes."""
    votes = np.zeros((len(values), len(classes)))
    for column, task in zip(values.T, tasks(classes, "ovo"), strict=True):
        votes[:, task.positive[0]] += column > 0
        votes[:, task.negative[0]] += column <= 0
    return votes


def pair_decision(values: Array, classes: Array) -> Array:
    """The votes for each class, and within equal votes its summed confidence, as SVC does it."""
    confidence = np.zeros((len(values), len(classes)))
    for column, task in zip(values.T, tasks(classes, "ovo"), strict=True):
        confidence[:, task.positive[0]] += column
        confidence[:, task.negative[0]] -= column
    return pair_votes(values, classes) + confidence / (3 * (np.abs(confidence) + 1))


class Group(NamedTuple):
    """Support vectors that share the tasks they take part in: with pairs, those of one class."""

    start: int
    stop: int
    tasks: Array


@dataclass(frozen=True, eq=False)
class Model(Sealed):
    """A trained classifier; see `task_values`, `decision` and `predict`.

    Support vectors are sorted by class, then by index. `coefficients` has a column for each and a row for each of its
    tasks: with pairs there are n_classes - 1 of these, in the order of the other class, as scikit-learn's SVC has them.
    """

    kernel: Kernel
    classes: Array
    scheme: str
    support: Array
    vectors: Array
    class_counts: Array
    coefficients: Array
    intercepts: Array

    @classmethod
    def assemble(
        cls,
        kernel: Kernel,
        classes: Array,
        scheme: str,
        X: Array,
        labels: Array,
        parts: list[tuple[Array, Array, float]],
    ) -> "Model":
        """From the parts (indices, signed coefficients, intercept) of all tasks; `labels` are class numbers."""
        works = tasks(classes, scheme)
        dense = np.zeros((len(works), len(labels)))
        for row, (indices, signed, _) in zip(dense, parts, strict=True):
            row[indices] = signed
        used = np.flatnonzero(dense.any(axis=0))
        support = used[np.argsort(labels[used], kind="stable")]
        dense = dense[:, support]
        counts = np.bincount(labels[support], minlength=len(classes))
        model = cls(
            kernel=replace(kernel, counter=Counter()),  # predictions are not part of the run
            classes=classes,
            scheme=scheme,
            support=support,
            vectors=np.asarray(X[support], float),
            class_counts=counts,
            coefficients=np.empty(0),
            intercepts=np.array([intercept for _, _, intercept in parts]),
        )
        columns = [dense[group.tasks, group.start : group.stop] for group in model.groups()]
        return replace(model, coefficients=np.hstack(columns))

    @property
    def n_features(self) -> int:
        """The number of features of the training data."""
        return self.vectors.shape[1]

    def groups(self) -> list[Group]:
        """The support vectors by the tasks they take part in."""
        works = tasks(self.classes, self.scheme)
        if self.scheme == "ovr" or len(works) == 1:
            return [Group(0, len(self.support), np.arange(len(works)))]
        ends = np.cumsum(self.class_counts)
        return [
            Group(int(end - size), int(end), np.array([t for t, w in enumerate(works) if c in w.positive + w.negative]))
            for c, (end, size) in enumerate(zip(ends, self.class_counts, strict=True))
        ]

    def task_coefficients(self) -> Array:
        """A row for each task, a column for each support vector."""
        dense = np.zeros((len(self.intercepts), len(self.support)))
        for group in self.groups():
            span = slice(group.start, group.stop)
            dense[group.tasks, span] = self.coefficients[: len(group.tasks), span]
        return dense

    def task_values(self, X: Array, threads: int) -> Array:
        """Decision values, a column for each task; a ValueError if arrays, or X, are of another model."""
        self._check_shapes()
        self.derived()
        result = np.tile(self.intercepts, (len(X), 1))
        points, vectors = self.kernel.points(X), self.kernel.points(self.vectors)
        for group in self.groups():
            span = slice(group.start, group.stop)
            weights = self.coefficients[: len(group.tasks), span].T
            result[:, group.tasks] += self.kernel.product(points, vectors[span], weights, threads)
        return result

    def decision(self, values: Array) -> Array:
        """Decision values for the user: a vector for two classes, else a column for each class.

        With pairs a class's value is its votes, and within equal votes its summed confidence, as SVC does it.
        """
        if len(self.classes) == 2:
            return values[:, 0]
        if self.scheme == "ovr":
            return values
        return pair_decision(values, self.classes)

    def predict(self, values: Array) -> Array:
        """Labels: by sign, by the largest value, or by most votes (of equal ones the first class wins)."""
        if len(self.classes) == 2:
            return self.classes[(values[:, 0] > 0).astype(int)]
        scores = values if self.scheme == "ovr" else pair_votes(values, self.classes)
        return self.classes[scores.argmax(axis=1)]

    def save(self, path: str | Path, extra: dict[str, Any]) -> None:
        """Write to one file, with what else the estimator wants to keep."""
        kernel = self.kernel
        content = {
            "kernel": {
                "name": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0,
                "origin": kernel.origin, "work": np.dtype(kernel.work).name, "store": np.dtype(kernel.store).name,
            },
            **{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "kernel"},
            "extra": extra,
        }  # fmt: skip
        archive.write(path, KIND, VERSION, content)

    @classmethod
    def load(cls, path: str | Path) -> tuple["Model", dict[str, Any]]:
        """Read a model and what was kept with it."""
        content = archive.read(path, KIND, VERSION)
        try:
            extra, kernel = content.pop("extra"), content.pop("kernel")
            for name in ("work", "store"):
                kernel[name] = {"float32": np.float32, "float64": np.float64}[kernel[name]]
            model = cls(kernel=Kernel(**kernel), **content)
            model._check()
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ArchiveError(f"{Path(path).name} is damaged: {error}") from error
        return model, extra

    def _check_shapes(self) -> None:
        """Refuse arrays that do not fit together: compiled loops would read beside them."""
        count, classes = len(self.support), len(self.classes)
        rows = {"ovo": classes - 1, "ovr": 1 if classes == 2 else classes}[self.scheme]
        works = rows if self.scheme == "ovr" else classes * (classes - 1) // 2
        for name, array, shape in (
            ("vectors", self.vectors, (count, len(self.kernel.origin))),
            ("coefficients", self.coefficients, (rows, count)),
            ("intercepts", self.intercepts, (works,)),
            ("class_counts", self.class_counts, (classes,)),
        ):
            if array.shape != shape:
                raise ValueError(f"{name} of a model should be {shape}, but are {array.shape}")
        if self.class_counts.sum() != count:
            raise ValueError(f"class_counts of a model should add up to {count}, but do to {self.class_counts.sum()}")

    def _check(self) -> None:
        """Refuse arrays that do not fit together, or have other things than numbers."""
        kernel = self.kernel
        self._check_shapes()
        for name in ("vectors", "coefficients", "intercepts", "class_counts"):
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} should be finite numbers")
        if kernel.origin.ndim != 1 or not np.isfinite(kernel.origin).all() or kernel.name not in KERNELS:
            raise ValueError("its kernel is unknown or wrong")
        numbers = (kernel.gamma, kernel.degree, kernel.coef0)
        if not all(isinstance(value, int | float) and np.isfinite(value) for value in numbers):
            raise ValueError("the kernel's numbers are not numbers")


@dataclass(frozen=True, eq=False)
class Trained:
    """What training returns: the model, and the solution of each of its tasks."""

    model: Any  # a Model, or what predicts as one does
    solutions: list[Any]  # as the solver has them; each has its stop_reason

    @property
    def stop_reason(self) -> str:
        """Of all tasks together: the first of `STOP_REASONS` that any of them has."""
        reasons = {solution.stop_reason for solution in self.solutions}
        return next((reason for reason in STOP_REASONS if reason in reasons), "converged")
