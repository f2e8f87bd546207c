"""What the benches of all papers share: cut a test part to size, run a system, time a fit, write a row.

A paper's own bench adds its parameters (`Case`) and the methods that it compares (`Ready`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from engine.datasets.dataset import Dataset
from engine.learning.model import Trained
from engine.learning.system import System
from engine.learning.validation import check_data
from engine.reproduction.paper import Effort, Row
from engine.runtime.counter import Counter
from engine.runtime.events import Array
from engine.runtime.run import Run
from engine.runtime.threads import thread_count


class Parameters(Protocol):
    """A data set with the parameters that a paper chose for it."""

    @property
    def data(self) -> str:
        """The name of the data set."""

    @property
    def C(self) -> float:
        """The penalty."""

    @property
    def gamma(self) -> float | None:
        """The kernel coefficient; None for a kernel without one."""


Case = TypeVar("Case", bound=Parameters)


@dataclass(frozen=True, eq=False)
class ReadyCase(Generic[Case]):
    """A case with its data, ready to be run."""

    case: Case
    effort: Effort
    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @property
    def printed_rows(self) -> int | None:
        """The paper's number of training rows, if its numbers are quoted with it."""
        return None

    def row(self, case: dict[str, Any], ours: dict[str, Any], paper: dict[str, Any] | None = None) -> Row:
        """A row of this case; quoted numbers come with the paper's number of rows."""
        it = self.case
        quoted = {"n": self.printed_rows, **paper} if paper and self.printed_rows is not None else paper or {}
        return Row(it.data, len(self.y), it.C, it.gamma, self.effort.seed, case, ours, quoted)


def with_tests(data: Dataset, tests: int | None, seed: int) -> Dataset:
    """The data set with at most so many random test rows; None keeps all, in a random order."""
    assert data.X_test is not None
    assert data.y_test is not None
    some = np.random.default_rng(seed).permutation(len(data.y_test))[:tests]
    return replace(data, X_test=data.X_test[some], y_test=data.y_test[some])


def unwatched(solver: System, X: Array, y: Array, settings: Mapping[str, Any]) -> Run[Trained]:
    """A run of a system without a recording, to be driven by the caller."""
    X, y = check_data(X, y)
    counter = Counter()
    return Run(solver.steps(X, y, solver.settings.checked(settings), counter), counter)


def predictions(trained: Trained, X: Array) -> Array:
    """Labels of these rows, on all cores."""
    return trained.model.predict(trained.model.task_values(X, thread_count(None)))


def seconds_of_fit(model: Any, X: Array, y: Array) -> float:
    """Fit an estimator; the seconds that it took."""
    began = perf_counter()
    model.fit(X, y)
    return perf_counter() - began
