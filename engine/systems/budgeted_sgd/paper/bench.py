"""What the tables and figures of Budgeted SGD share: a case, made ready from its data set, and runs on it.

Seconds are solver time. The functions at the end take any data of two classes, and are also there for benchmarks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from engine import datasets
from engine.learning.validation import dense
from engine.reproduction.bench import ReadyCase, predictions, unwatched, with_tests
from engine.reproduction.paper import Effort
from engine.runtime.events import Array
from engine.systems.budgeted_sgd.events import BudgetFinished, MergesReplayed, StrategiesCompared
from engine.systems.budgeted_sgd.merging import MERGING
from engine.systems.budgeted_sgd.paper.printed import TABLE_1
from engine.systems.budgeted_sgd.strategy_comparison import time_split
from engine.systems.budgeted_sgd.system import BUDGETED_SGD

TIMED = ("gss", "lookup-h", "lookup-wd")  # that Table 3 compares
RUNS = {"gss-precise": 3}  # it takes several times as long as the others
ALL_RUNS = 5
QUICK_RUNS, QUICK_PASSES = 2, 2  # where rows are limited
WARM = 2000  # rows that are enough to compile for the precision of the set, which follows from its size among others


@dataclass(frozen=True)
class Case:
    """A data set with the parameters that the paper chose for it."""

    data: str
    published: str  # its name in the paper
    C: float
    gamma: float
    budgets: tuple[int, ...] = (100, 500)
    passes: int = 20
    factor: float = 1.0  # on the features as the registry has them

    def ready(self, effort: Effort) -> "Ready":
        """Load the data, and compile what is timed."""
        return _ready(self, effort)


@dataclass(frozen=True, eq=False)
class Ready(ReadyCase[Case]):
    """A case that can be run."""

    passes: int

    @property
    def printed_rows(self) -> int:
        """The paper's number of training rows."""
        return TABLE_1[self.case.published][0]

    def settings(self, budget: int, **more: Any) -> dict[str, Any]:
        """For a run of Budgeted SGD."""
        it = self.case
        return {
            "C": it.C, "gamma": it.gamma, "budget": budget, "lam": None, "epochs": self.passes,
            "seed": self.effort.seed, **more,
        }  # fmt: skip

    def seeds(self, maintenance: str) -> range:
        """One for each run that a mean is taken of."""
        most = ALL_RUNS if self.effort.rows is None else QUICK_RUNS
        return range(self.effort.seed, self.effort.seed + min(most, RUNS.get(maintenance, most)))

    def fit(self, budget: int, maintenance: str, seed: int, C: float | None = None) -> "Fit":
        """One run, with the paper's C or another one."""
        settings = self.settings(budget, maintenance=maintenance, seed=seed, C=C or self.case.C)
        return fitted(self.X, self.y, self.X_test, self.y_test, settings)


@dataclass(frozen=True)
class Fit:
    """How a run ended: accuracy and merges in a step are fractions."""

    seconds: float
    accuracy: float
    frequency: float


@cache
def fits(case: Case, effort: Effort, budget: int, strategies: tuple[str, ...]) -> dict[str, list[Fit]]:
    """A run for each seed and way of merging, in turn, so that a slow moment is everybody's; kept for other tables."""
    ready = case.ready(effort)
    found: dict[str, list[Fit]] = {name: [] for name in strategies}
    for seed in ready.seeds(strategies[0]):
        for name in strategies:
            found[name].append(ready.fit(budget, name, seed))
    return found


# ---- on any data ----------------------------------------------------------------------------------------------------


def fitted(X: Array, y: Array, X_test: Array, y_test: Array, settings: Mapping[str, Any]) -> Fit:
    """One run, measured on the test part."""
    run = unwatched(BUDGETED_SGD, X, y, {**settings, "instruments": "none"})
    (end,) = (event for event in run if isinstance(event, BudgetFinished))
    hits = predictions(run.result(), X_test) == y_test
    return Fit(run.seconds, float(np.mean(hits)), end.maintained / end.inner_steps)


def accuracies(
    X: Array, y: Array, X_test: Array, y_test: Array, settings: Mapping[str, Any], seeds: Iterable[int] = range(5)
) -> Array:
    """Table 2: the test accuracy for each seed; the paper has mean and deviation of five."""
    return np.array([fitted(X, y, X_test, y_test, {**settings, "seed": seed}).accuracy for seed in seeds])


def merging_decisions(X: Array, y: Array, settings: Mapping[str, Any]) -> StrategiesCompared:
    """Table 3: merging frequency, equal decisions and WD factors over all merges of a run."""
    run = unwatched(BUDGETED_SGD, X, y, {**settings, "instruments": "all"})
    return [event for event in run if isinstance(event, StrategiesCompared)][-1]


def merging_time(X: Array, y: Array, settings: Mapping[str, Any]) -> tuple[int, dict[str, tuple[float, float]]]:
    """Figure 3: the merges of a run, and seconds of one in section A and in section B, for each way of merging."""
    events = list(unwatched(BUDGETED_SGD, X, y, settings))
    (end,) = (event for event in events if isinstance(event, BudgetFinished))
    return end.maintained, time_split([event for event in events if isinstance(event, MergesReplayed)])


@cache
def _ready(case: Case, effort: Effort) -> Ready:
    data = datasets.load(case.data, size=effort.train(None), seed=effort.seed)
    data = with_tests(data, effort.test(None), effort.seed)
    assert data.y_test is not None
    X, X_test = case.factor * dense(data.X), case.factor * dense(data.X_test)
    passes = case.passes if effort.rows is None else min(case.passes, QUICK_PASSES)
    ready = Ready(case, effort, X, data.y, X_test, data.y_test, passes)
    few = slice(None, None, max(1, data.n // WARM))
    for maintenance in MERGING:
        settings = {**ready.settings(50, maintenance=maintenance), "epochs": 1}
        unwatched(BUDGETED_SGD, X[few], data.y[few], settings).result()
    return ready
