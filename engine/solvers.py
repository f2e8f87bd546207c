"""All solvers by name: what a page, the command line and a recording know of each. No estimator is needed for a run."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.budgeted import train_budgeted_sgd
from engine.classify import check_data, check_targets, train_dcsvm, train_kernel_svm
from engine.clustered import train_clustersvm
from engine.compressing import train_dcpred, train_dcpred_ridge
from engine.datasets.dataset import Task
from engine.events import Array, BudgetFinished, ClusterFinished, FastFinished, Finished, InteriorFinished, Steps
from engine.interior import train_interior_point
from engine.kernels import Counter
from engine.model import Trained, tasks
from engine.recording import LIMIT_MB, Header, Recording
from engine.run import Run
from engine.settings import (
    BudgetedSGDSettings,
    ClusterSVMSettings,
    DCPredRidgeSettings,
    DCPredSettings,
    DCSVMSettings,
    InteriorPointSettings,
    KernelSVMSettings,
    Settings,
)


def _dual_summary(last: Finished) -> dict[str, str]:
    support = f"{last.n_free + last.n_bound:,} ({last.n_free:,} free, {last.n_bound:,} at the bound)"
    return {
        "iterations": f"{last.iterations:,} ({last.inner_steps:,} two-variable steps)",
        "objective": f"{last.objective:.8g}",
        "duality gap": "unknown" if np.isnan(last.gap) else f"{last.gap:.3g}",
        "violation": f"{last.violation:.3g}",
        "support vectors": support,
    }


def _budget_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, BudgetFinished)
    return {
        "passes": f"{last.iterations:,} ({last.inner_steps:,} steps, {last.violations:,} violations)",
        "maintenance": f"{last.maintained:,} times ({last.removed:,} vectors dropped)",
        "primal objective": f"{last.objective:.6g} (estimated on a sample)",
        "support vectors": f"{last.size:,}",
    }


def _interior_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, InteriorFinished)
    known = not np.isnan(last.gap)
    told = {
        "iterations": f"{last.iterations:,}" + (f" ({last.inner_steps:,} two-variable steps)" * (last.inner_steps > 0)),
        "factorisation": f"{last.scheme}, rank {last.rank:,}, relative error {last.error:.3g}",
        "approximate problem": f"objective {last.approximate_objective:.8g}, gap {last.approximate_gap:.3g}",
        "exact problem": f"objective {last.objective:.8g}, gap {last.gap:.3g}" if known else "not measured: too dear",
        "support vectors": _dual_summary(last)["support vectors"],
    }
    return {**told, "stalled because": last.reason} if last.reason else told


def _cluster_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, ClusterFinished)
    exact = "yes" if last.exact else "no: a reduced set stands for the data"
    return {
        **_dual_summary(last),
        "passes": f"{last.passes}",
        "reduced set": f"{last.size:,} of {last.n:,} points, from {last.n_clusters:,} clusters",
        "exact": exact,
    }


def _fast_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, FastFinished)
    shown = "{:.4g}" if last.machine == "ridge" else "{:.2%}"
    exact, fast = shown.format(last.exact_quality), shown.format(last.quality)
    return {
        "leaves": f"{last.iterations:,} of {len(last.intercepts):,}",
        "landmarks": f"{last.n_landmarks:,}, and {last.n_pseudo:,} pseudo-landmarks",
        "inner products": f"{last.cost:.1f} for a prediction, {last.exact_cost:.1f} by the leaves' exact machines",
        "compression": f"from {exact} to {fast} on the training data",
    }


@dataclass(frozen=True)
class Solver:
    """A way to train: its name and title, its settings, and its steps on checked data."""

    name: str
    title: str
    settings: type[Settings]
    train: Callable[..., Steps[Trained]]  # (X, y, settings, counter), and the executor if it has subproblems
    subproblems: bool = False  # whether it has parts to hand out
    summary: Callable[[Finished], dict[str, str]] = _dual_summary  # how it ended, in words by name
    task: Task = "classification"
    by_tasks: bool = True  # whether more than two classes are binary problems, one after the other

    def recorded_run(
        self,
        X: Any,
        y: Any,
        settings: Settings,
        *,
        source: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        recording_mb: float = LIMIT_MB,
        executor: Executor | None = None,
    ) -> Run[Trained]:
        """A recorded run on these data, not yet begun; what has subproblems hands them to the executor."""
        X, y = check_data(X, y) if self.task == "classification" else check_targets(X, y)
        counter = Counter()
        header = Header(self.name, settings.values_by_name(), X, y, source or {})
        steps = self.steps(X, y, settings, counter, executor)
        return Run(steps, counter, Recording(header, recording_mb), time_limit)

    def parts(self, y: Array, settings: Any) -> int:
        """How many tasks, one after the other, a training on these labels has."""
        return len(tasks(np.unique(y), settings.multiclass)) if self.by_tasks else 1

    def steps(
        self, X: Array, y: Array, settings: Any, counter: Counter, executor: Executor | None = None
    ) -> Steps[Trained]:
        """The steps of a training on checked data."""
        how = {"executor": executor} if self.subproblems else {}
        return self.train(X, y, settings, counter, **how)


KERNEL_SVM = Solver("kernel-svm", "Kernel SVM", KernelSVMSettings, train_kernel_svm)
DCSVM = Solver("dcsvm", "DC-SVM", DCSVMSettings, train_dcsvm, subproblems=True)
CLUSTERSVM = Solver("clustersvm", "ClusterSVM", ClusterSVMSettings, train_clustersvm, summary=_cluster_summary)
BUDGETED_SGD = Solver("budgeted-sgd", "Budgeted SGD", BudgetedSGDSettings, train_budgeted_sgd, summary=_budget_summary)
INTERIOR_POINT = Solver(
    "interior-point", "Interior point", InteriorPointSettings, train_interior_point, summary=_interior_summary
)

DCPRED = Solver(
    "dcpred", "DC-Pred++", DCPredSettings, train_dcpred, subproblems=True, summary=_fast_summary, by_tasks=False
)
DCPRED_RIDGE = Solver(
    "dcpred-ridge", "DC-Pred++ (ridge)", DCPredRidgeSettings, train_dcpred_ridge, summary=_fast_summary,
    task="regression", by_tasks=False,
)  # fmt: skip

SOLVERS = {
    solver.name: solver
    for solver in (KERNEL_SVM, DCSVM, CLUSTERSVM, BUDGETED_SGD, INTERIOR_POINT, DCPRED, DCPRED_RIDGE)
}
