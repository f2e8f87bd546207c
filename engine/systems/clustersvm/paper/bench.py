"""What the tables and figures of ClusterSVM share: a case, made ready from its data set, and runs on it.

Seconds are solver time. SMO, which the paper compares with, is here our dual solver, each class against the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from engine import datasets
from engine.learning.system import System
from engine.reproduction.bench import ReadyCase, predictions, unwatched, with_tests
from engine.reproduction.paper import Effort
from engine.runtime.events import Array
from engine.systems.clustersvm.events import ClustersMade
from engine.systems.clustersvm.paper.printed import TABLES
from engine.systems.clustersvm.system import CLUSTERSVM
from engine.systems.kernel_svm.system import KERNEL_SVM

EXACT, PAPERS, CONDITION_2, TO_THE_END = "all points", "ClusterSVM", "ClusterSVM, Condition 2", "ClusterSVM, to the end"
METHODS: dict[str, dict[str, Any]] = {
    EXACT: {"multiclass": "ovr"},
    PAPERS: {"max_passes": 1},
    CONDITION_2: {"max_passes": 1, "collapse_bound": True},
    TO_THE_END: {"max_passes": None},
}


@dataclass(frozen=True)
class Case:
    """A data set with the paper's parameters."""

    data: str
    published: str  # its name in the paper
    settings: tuple[tuple[str, Any], ...]
    options: tuple[tuple[str, Any], ...] = ()
    first_class: int = 0  # the class that the paper's first classifier is for
    size: int | None = None  # of a toy, as large as its test data

    @property
    def C(self) -> float:
        """The penalty."""
        value: float = dict(self.settings)["C"]
        return value

    @property
    def gamma(self) -> float | None:
        """The kernel coefficient; None for a linear kernel."""
        return dict(self.settings).get("gamma")

    def ready(self, effort: Effort) -> "Ready":
        """Load the data, and compile what is timed."""
        return _ready(self, effort)

    def drawn(self, rows: int | None, tests: int | None, seed: int) -> tuple[Array, Array, Array, Array]:
        """Training and test data; those of a toy are drawn twice, as the paper did."""
        data = datasets.load(self.data, size=rows or self.size, seed=seed, **dict(self.options))
        if self.size is not None:
            test = datasets.load(self.data, size=tests or self.size, seed=seed + 10_000)
            return data.X, data.y, test.X, test.y
        data = with_tests(data, tests, seed)
        assert data.X_test is not None
        assert data.y_test is not None
        return data.X, data.y, data.X_test, data.y_test


class Ready(ReadyCase[Case]):
    """A case that can be run."""

    @property
    def printed_rows(self) -> int:
        """The paper's number of training rows."""
        return TABLES[self.case.published].n

    def fit(self, method: str, **more: Any) -> "Fit":
        """One run of a method on all of the data."""
        solver = KERNEL_SVM if method == EXACT else CLUSTERSVM
        settings = {"seed": self.effort.seed, **dict(self.case.settings), **METHODS[method], **more}
        return fitted(solver, self.X, self.y, self.X_test, self.y_test, settings)


@dataclass(frozen=True, eq=False)
class Fit:
    """How a run ended; the error rate is in percent."""

    seconds: float
    clustering_seconds: float
    error: float
    sizes: Array  # of the reduced sets, of each classifier; all points, if they were not reduced
    exact: bool
    passes: int


def fitted(solver: System, X: Array, y: Array, X_test: Array, y_test: Array, settings: Mapping[str, Any]) -> Fit:
    """One run, measured on the test part."""
    run = unwatched(solver, X, y, settings)
    clustering = 0.0
    for event in run:
        if isinstance(event, ClustersMade) and not clustering:
            clustering = event.stamp.seconds
    trained = run.result()
    error = 100 * float(np.mean(predictions(trained, X_test) != y_test))
    sizes = np.array([getattr(solution, "size", len(y)) for solution in trained.solutions])
    passes = max(getattr(solution, "passes", 0) for solution in trained.solutions)
    return Fit(run.seconds, clustering, error, sizes, trained.stop_reason == "converged", passes)


@cache
def _ready(case: Case, effort: Effort) -> Ready:
    ready = Ready(case, effort, *case.drawn(effort.train(None), effort.test(None), effort.seed))
    few = slice(None, None, max(1, len(ready.y) // 1500))
    for method in METHODS:
        solver = KERNEL_SVM if method == EXACT else CLUSTERSVM
        settings = {**dict(case.settings), **METHODS[method]}
        fitted(solver, ready.X[few], ready.y[few], ready.X_test, ready.y_test, settings)
    return ready
