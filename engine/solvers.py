"""All solvers by name: what a page, the command line and a recording know of each. No estimator is needed for a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.classify import check_data, train_kernel_svm
from engine.events import Array, Steps
from engine.kernels import Counter
from engine.model import Trained
from engine.recording import LIMIT_MB, Header, Recording
from engine.run import Run
from engine.settings import KernelSVMSettings, Settings


@dataclass(frozen=True)
class Solver:
    """A way to train: its name and title, its settings, and its steps on checked data."""

    name: str
    title: str
    settings: type[Settings]
    train: Callable[[Array, Array, Any, Counter], Steps[Trained]]

    def recorded_run(
        self,
        X: Any,
        y: Any,
        settings: Settings,
        *,
        source: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        recording_mb: float = LIMIT_MB,
    ) -> Run[Trained]:
        """A recorded run on these data, not yet begun."""
        X, y = check_data(X, y)
        counter = Counter()
        header = Header(self.name, settings.values_by_name(), X, y, source or {})
        return Run(self.train(X, y, settings, counter), counter, Recording(header, recording_mb), time_limit)


KERNEL_SVM = Solver("kernel-svm", "Kernel SVM", KernelSVMSettings, train_kernel_svm)

SOLVERS = {solver.name: solver for solver in (KERNEL_SVM,)}
