"""What the figure and tables of the interior-point paper share: a case, made ready from its data set, and runs on it.

Seconds are solver time, with the exact kernel's part at the end in it; nothing is measured on the way.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from engine import datasets
from engine.learning.system import System
from engine.learning.validation import check_data, dense
from engine.numerics.kernels import SMALL
from engine.reproduction.paper import Effort, Row
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Finished
from engine.runtime.run import Run
from engine.runtime.threads import thread_count
from engine.systems.interior_point.events import SchemeSwitched
from engine.systems.interior_point.paper.printed import ROWS
from engine.systems.interior_point.system import INTERIOR_POINT
from engine.systems.kernel_svm.system import KERNEL_SVM

C = 100.0  # of all sets, as in the paper
MOST_ITERATIONS, COARSE_ITERATIONS = 50, 20  # as in the paper
COARSER = 2  # times fewer columns has the coarse factorisation
CACHE_MB = 1000
TESTS = 10_000
SVC, DUAL = "SVC", "dual solver"  # what stands here for SVMLight
SCHEMES = {
    "IPM-ICF": "icf",
    "IPM-KF": "kronecker",
    "ICF+ICF": "icf+icf",
    "KF+ICF": "kronecker+icf",
    "ICF+SVMLight": "icf+decomposition",
}
"""The paper's names of what it compares with SVMLight, and ours."""


@dataclass(frozen=True)
class Case:
    """A data set with the gamma chosen for it, how many rows of it are used, and the rank as a part of them."""

    data: str
    published: str  # its name in the paper
    gamma: float
    rows: int | None = None
    share: float = 0.005
    with_svc: bool = True  # whether scikit-learn's SVC ends in reasonable time

    def ready(self, effort: Effort) -> "Ready":
        """Load the data, and compile what is timed."""
        return _ready(self, effort)


@dataclass(frozen=True)
class Fit:
    """How a run ended: accuracy in percent; iterations before a switch to a finer factorisation, and after it."""

    seconds: float
    accuracy: float
    rank: int = 0
    error: float = np.nan
    coarse: int = 0
    fine: int = 0


@dataclass(frozen=True, eq=False)
class Ready:
    """A case that can be run."""

    case: Case
    effort: Effort
    X: Array
    y: Array
    X_test: Array
    y_test: Array

    def row(self, case: dict[str, Any], ours: dict[str, Any], paper: dict[str, Any] | None = None) -> Row:
        """A row of this case; quoted numbers come with the paper's number of rows."""
        it = self.case
        quoted = {"n": ROWS[it.published], **paper} if paper else {}
        return Row(it.data, len(self.y), C, it.gamma, self.effort.seed, case, ours, quoted)

    def interior(self, method: str, threads: int, rank: int) -> Fit:
        """By one of the paper's schemes."""
        settings = {
            "scheme": SCHEMES[method], "rank": rank, "coarse_rank": max(1, rank // COARSER),
            "coarse_iter": COARSE_ITERATIONS, "max_iter": MOST_ITERATIONS, "instruments": "none",
        }  # fmt: skip
        return self._fit(INTERIOR_POINT, threads, settings)

    def decomposition(self, threads: int) -> Fit:
        """By our dual solver."""
        return self._fit(KERNEL_SVM, threads, {"cache_mb": CACHE_MB})

    def svc(self) -> Fit:
        """By scikit-learn's SVC."""
        from sklearn.svm import SVC

        model = SVC(C=C, gamma=self.case.gamma, cache_size=CACHE_MB)
        began = perf_counter()
        model.fit(self.X, self.y)
        seconds = perf_counter() - began
        return Fit(seconds, 100 * float(model.score(self.X_test, self.y_test)))

    def _fit(self, solver: System, threads: int, settings: dict[str, Any]) -> Fit:
        common = {"C": C, "gamma": self.case.gamma, "n_jobs": threads, "seed": self.effort.seed}
        X, y = check_data(self.X, self.y)
        counter = Counter()
        run = Run(solver.steps(X, y, solver.settings.checked({**common, **settings}), counter), counter)
        before, end = 0, None
        for event in run:
            before = event.iterations if isinstance(event, SchemeSwitched) else before
            end = event if isinstance(event, Finished) else end
        model = run.result().model
        hits = model.predict(model.task_values(self.X_test, thread_count(None))) == self.y_test
        assert end is not None
        return Fit(
            run.seconds, 100 * float(np.mean(hits)), getattr(end, "rank", 0), getattr(end, "error", np.nan),
            before, end.iterations - before,
        )  # fmt: skip


def fit(case: Case, effort: Effort, method: str, threads: int = 1, share: float | None = None) -> Fit:
    """One run by a method of the paper, or by what stands here for SVMLight; kept for other tables."""
    return _fitted(case, effort, method, threads, share or case.share)


@cache
def _fitted(case: Case, effort: Effort, method: str, threads: int, share: float) -> Fit:
    ready = case.ready(effort)
    if method == SVC:
        return ready.svc()
    if method == DUAL:
        return ready.decomposition(threads)
    return ready.interior(method, threads, max(1, round(share * len(ready.y))))


@lru_cache(maxsize=2)
def _ready(case: Case, effort: Effort) -> Ready:
    data = datasets.load(case.data, size=effort.train(case.rows), seed=effort.seed)
    assert data.X_test is not None
    assert data.y_test is not None
    some = np.random.default_rng(effort.seed).permutation(len(data.y_test))[: effort.test(TESTS)]
    _warm_up()
    return Ready(case, effort, dense(data.X), data.y, dense(data.X_test[some]), data.y_test[some])


@cache
def _warm_up() -> None:
    """Compile everything that is timed, in both precisions."""
    for rows in (500, 2 * SMALL):
        data = datasets.load("checkerboard", size=rows)
        few = Ready(Case("checkerboard", "cb10", 1.0), Effort(), data.X, data.y, data.X[:10], data.y[:10])
        few.decomposition(1)
        for method in SCHEMES:
            few.interior(method, 1, 20)
