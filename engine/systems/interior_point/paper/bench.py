"""What the figure and tables of the interior-point paper share: a case, made ready from its data set, and runs on it.

Seconds are solver time, with the exact kernel's part at the end in it; nothing is measured on the way.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from engine import datasets
from engine.learning.system import System
from engine.learning.validation import dense
from engine.numerics.kernels import SMALL
from engine.reproduction.bench import ReadyCase, predictions, seconds_of_fit, unwatched, with_tests
from engine.reproduction.paper import Effort
from engine.runtime.events import Finished
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

    @property
    def C(self) -> float:
        """The penalty: the same for all sets."""
        return C

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


class Ready(ReadyCase[Case]):
    """A case that can be run."""

    @property
    def printed_rows(self) -> int:
        """The paper's number of training rows."""
        return ROWS[self.case.published]

    def interior(self, method: str, threads: int, rank: int) -> Fit:
        """By one of the paper's schemes."""
        settings = {
            "scheme": SCHEMES[method], "rank": rank, "pivots": "greedy", "coarse_rank": max(1, rank // COARSER),
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
        seconds = seconds_of_fit(model, self.X, self.y)
        return Fit(seconds, 100 * float(model.score(self.X_test, self.y_test)))

    def _fit(self, solver: System, threads: int, settings: dict[str, Any]) -> Fit:
        common = {"C": C, "gamma": self.case.gamma, "n_jobs": threads, "seed": self.effort.seed}
        run = unwatched(solver, self.X, self.y, {**common, **settings})
        before, end = 0, None
        for event in run:
            before = event.iterations if isinstance(event, SchemeSwitched) else before
            end = event if isinstance(event, Finished) else end
        hits = predictions(run.result(), self.X_test) == self.y_test
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
    data = with_tests(data, effort.test(TESTS), effort.seed)
    assert data.y_test is not None
    _warm_up()
    return Ready(case, effort, dense(data.X), data.y, dense(data.X_test), data.y_test)


@cache
def _warm_up() -> None:
    """Compile everything that is timed, in both precisions."""
    for rows in (500, 2 * SMALL):
        data = datasets.load("checkerboard", size=rows)
        few = Ready(Case("checkerboard", "cb10", 1.0), Effort(), data.X, data.y, data.X[:10], data.y[:10])
        few.decomposition(1)
        for method in SCHEMES:
            few.interior(method, 1, 20)
