"""The kernel SVM as the registry has it; its summary and progress also serve the systems that build on it."""

import math

import numpy as np

from engine.learning.system import System
from engine.runtime.events import Event, Finished, Started
from engine.runtime.progress import Done, Progress
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.settings import KernelSVMSettings
from engine.systems.kernel_svm.training import train_kernel_svm

EVENTS = (Iteration, ActiveSetChanged)


def support_vectors(last: Finished) -> str:
    """How many support vectors there are, by kind."""
    return f"{last.n_free + last.n_bound:,} ({last.n_free:,} free, {last.n_bound:,} at the bound)"


def dual_summary(last: Finished) -> dict[str, str]:
    """How a solver of the dual problem ended."""
    return {
        "iterations": f"{last.iterations:,} ({last.inner_steps:,} two-variable steps)",
        "objective": f"{last.objective:.8g}",
        "duality gap": "unknown" if np.isnan(last.gap) else f"{last.gap:.3g}",
        "violation": f"{last.violation:.3g}",
        "support vectors": support_vectors(last),
    }


class ViolationProgress(Progress):
    """How far the violation has come down, on a log scale, from its first value to tol."""

    unnamed = ("optimise",)  # its iterations say more

    def __init__(self) -> None:
        self._first, self._tol = 0.0, 1.0

    def read(self, event: Event) -> Done | None:
        """How much of the way to tol is done after an iteration."""
        if isinstance(event, Started):
            self._first, self._tol = 0.0, event.tol
        if not isinstance(event, Iteration):
            return None
        first = self._first = self._first or max(event.violation, self._tol)
        left = max(event.violation, self._tol)
        return Done(
            math.log(first / left) / math.log(first / self._tol) if first > self._tol else 1.0,
            f"iteration {event.iteration}, violation {event.violation:.2g}, "
            f"{event.n_free + event.n_bound:,} SVs, objective {event.objective:.6g}",
        )


KERNEL_SVM = System(
    "kernel-svm",
    "Kernel SVM",
    KernelSVMSettings,
    train_kernel_svm,
    events=EVENTS,
    summary=dual_summary,
    progress=ViolationProgress,
    warm_up=({"bias": True}, {"bias": False}),
    estimator="engine.systems.kernel_svm.estimator:KernelSVC",
)
SYSTEMS = (KERNEL_SVM,)
