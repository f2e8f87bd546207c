"""All solvers by name: what a page, the command line and a recording know of each. No estimator is needed for a run."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.datasets.dataset import Task
from engine.learning.model import Trained, tasks
from engine.learning.settings import Settings
from engine.learning.validation import check_data, check_targets
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Finished, Steps
from engine.runtime.recording import LIMIT_MB, Header, Recording
from engine.runtime.run import Run
from engine.systems.kernel_svm.system import _dual_summary


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
