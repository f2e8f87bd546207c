"""What the figures of DC-SVM share: a case, made ready from its data set, and the methods that run on it.

Seconds are solver time: making the kernel's points is left out, clustering is in.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine import datasets
from engine.learning.validation import dense
from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.optimisation.dual_problem import Problem
from engine.reproduction.bench import ReadyCase, seconds_of_fit, with_tests
from engine.reproduction.paper import Effort
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Event, Steps
from engine.runtime.run import Run
from engine.systems.dcsvm.algorithm import DCSVMSolution, solve
from engine.systems.dcsvm.baselines import cascade, subsample
from engine.systems.dcsvm.early_prediction import Committee, Method
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.settings import DualSettings

SUBSETS = 256  # of CascadeSVM's first layer, and cells of DC-SVM's bottom level
EARLY_LEVEL = 3  # 64 cells: where the paper stops for early prediction


@dataclass(frozen=True)
class Case:
    """A data set with the parameters that the paper chose for it, and how many rows of it are used."""

    data: str
    C: float
    gamma: float
    rows: int | None = None
    tests: int | None = 10_000
    kernel: str = "rbf"
    with_svc: bool = False  # whether scikit-learn's SVC ends in reasonable time

    def ready(self, effort: Effort) -> "Ready":
        """Load the data and build the problem."""
        data, X = _loaded(self.data, effort.train(self.rows), effort.seed)
        y = _signs(data.y, data.y)
        kernel = Kernel.fit(X, self.kernel, self.gamma, C=self.C)
        part = with_tests(data, effort.test(self.tests), effort.seed)
        assert part.y_test is not None
        X_test, y_test = dense(part.X_test), _signs(part.y_test, data.y)
        problem = Problem.build(X, y, C=self.C, kernel=kernel, bias=False)
        warm_up(self.kernel)
        return Ready(self, effort, X, y, X_test, y_test, problem, kernel.points(X_test))


@dataclass(frozen=True, eq=False)
class Ready(ReadyCase[Case]):
    """A case that can be run."""

    problem: Problem
    tests: Points  # of the test part

    def settings(self, **values: Any) -> DCSVMSettings:
        """DC-SVM as asked for; nothing is measured on the way unless it is asked for."""
        return DCSVMSettings(**{"C": self.case.C, "seed": self.effort.seed, "instruments": "none", **values})

    def as_published(self, **values: Any) -> DCSVMSettings:
        """DC-SVM as the paper has it: kernel k-means, four levels."""
        return self.settings(**{"partition": "kernel-kmeans", "levels": 4, **values})

    def accuracy(self, values: Array) -> float:
        """Of decision values on the test part, in percent."""
        return 100 * float(np.mean(np.where(values > 0, 1, -1) == self.y_test))

    def values(self, alpha: Array) -> Array:
        """Decision values on the test part by the exact model, or by eq. (5) for the alpha of a level."""
        used, problem = np.flatnonzero(alpha), self.problem
        weights = (problem.y * alpha)[used]
        return problem.kernel.product(self.tests, problem.points[used], weights, problem.threads)

    def early_values(
        self, labels: Array, router: Any, alpha: Array, method: Method = "early", points: Points | None = None
    ) -> Array:
        """Decision values by the cells of a level, on the test part or other points."""
        used, problem = np.flatnonzero(alpha), self.problem
        weights, cells = (problem.y * alpha)[used], labels[used]
        committee = Committee(problem.kernel, router, problem.points[used], weights, cells, 1 / self.case.C)
        return committee.values(self.tests if points is None else points, method, problem.threads)

    def solve_level(self, settings: DCSVMSettings) -> tuple[DCSVMSolution, float]:
        """DC-SVM with a level to stop at: the solution and its seconds."""
        return timed(solve(self.problem, settings))

    def early(self) -> tuple[float, float]:
        """Seconds and accuracy of early prediction with 64 cells."""
        found, seconds = self.solve_level(self.settings(stop_level=EARLY_LEVEL))
        assert found.partition is not None
        return seconds, self.accuracy(self.early_values(found.partition.labels, found.partition.router, found.alpha))

    def methods(self) -> dict[str, tuple[str, Callable[[], tuple[float, float]]]]:
        """By the paper's name: which method we run for it, and how to get seconds and accuracy."""
        plain = DualSettings(seed=self.effort.seed)
        return {
            "DC-SVM (early)": ("DC-SVM, 64 cells", self.early),
            "DC-SVM": ("DC-SVM", lambda: self._exact(solve(self.problem, self.settings()))),
            "LIBSVM": ("dual solver", lambda: self._exact(kernel_svm.solve(self.problem, plain))),
            "LIBSVM (subsample)": ("dual solver, 1/5 of the rows", lambda: self._alpha(subsample(self.problem, plain))),
            "CascadeSVM": ("cascade, first round", lambda: self._cascade(plain)),
        }

    def svc(self) -> tuple[float, float]:
        """Seconds and accuracy of scikit-learn's SVC, which has a bias."""
        from sklearn.svm import SVC

        model = SVC(C=self.case.C, gamma=self.case.gamma, kernel=self.case.kernel, cache_size=1000)
        seconds = seconds_of_fit(model, self.X, self.y)
        return seconds, self.accuracy(model.decision_function(self.X_test))

    def _exact(self, steps: Steps[Any]) -> tuple[float, float]:
        found, seconds = timed(steps)
        return seconds, self.accuracy(self.values(found.alpha))

    def _alpha(self, steps: Steps[Array]) -> tuple[float, float]:
        alpha, seconds = timed(steps)
        return seconds, self.accuracy(self.values(alpha))

    def _cascade(self, settings: DualSettings) -> tuple[float, float]:
        layers, seconds = timed(cascade(self.problem, settings, SUBSETS))
        return seconds, self.accuracy(self.values(layers[-1].alpha))


def timed(steps: Steps[Any]) -> tuple[Any, float]:
    """The result of some steps and the time spent in them."""
    run = Run(steps, Counter())
    return run.result(), run.seconds


def watched(steps: Steps[Any]) -> Iterator[Event]:
    """The events of some steps, stamped with the time spent in them."""
    run = Run(steps, Counter())
    yield from run
    run.result()  # raises what went wrong


@lru_cache
def warm_up(kernel: str) -> None:
    """Compile everything that is timed, on few rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    problem = Problem.build(X, np.sign(X[:, 0]), C=1.0, kernel=Kernel.fit(X, kernel, 1.0), bias=False)
    for partition in ("kernel-kmeans", "kmeans", "random"):
        timed(solve(problem, DCSVMSettings(levels=2, partition=partition, instruments="all")))
    timed(kernel_svm.solve(problem, DualSettings()))


@lru_cache(maxsize=2)
def _loaded(name: str, size: int | None, seed: int) -> tuple[datasets.Dataset, Array]:
    data = datasets.load(name, size=size, seed=seed)
    return data, dense(data.X)


def _signs(y: Array, among: Array) -> Array:
    return np.where(y == among.max(), 1.0, -1.0)
