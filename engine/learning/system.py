"""`System`: the one object that a system registers: how it trains, and what command, pages and files need to know."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.datasets.dataset import Task
from engine.learning.common_settings import SolverSettings
from engine.learning.model import Trained, tasks
from engine.learning.validation import check_data, check_targets
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Event, Finished, Steps
from engine.runtime.progress import Progress
from engine.runtime.recording import LIMIT_MB, Header, Recording
from engine.runtime.run import Run


def common_summary(last: Finished) -> dict[str, str]:
    """How any run ended, in words by name."""
    return {
        "iterations": f"{last.iterations:,}",
        "objective": "unknown" if np.isnan(last.objective) else f"{last.objective:.8g}",
        "support vectors": f"{last.n_free + last.n_bound:,}",
    }


@dataclass(frozen=True)
class System:
    """A way to train: its name and title, its settings, its training, and what others need to know of its runs."""

    name: str  # in recordings, links, the command and the registry
    title: str  # on pages, in the command's help and its progress bar
    settings: type[SolverSettings]
    train: Callable[..., Steps[Trained]]  # (X, y, settings, counter), and the executor if it has subproblems
    events: tuple[type[Event], ...] = ()  # the kinds of events that it emits, beside those of every run
    summary: Callable[[Finished], dict[str, str]] = common_summary  # how a run ended, in words by name
    progress: type[Progress] = Progress  # the part of a run that is done, from its events
    task: Task = "classification"
    by_tasks: bool = True  # whether more than two classes are binary problems, one after the other
    subproblems: bool = False  # whether it takes an executor for its subproblems
    warm_up: tuple[Mapping[str, Any], ...] = ({},)  # settings whose runs compile all its kernels
    estimator: str = ""  # "package.module:Class", by name: scikit-learn loads late
    paper: str = ""  # "package.module:PAPER", likewise

    def __post_init__(self) -> None:
        if not (isinstance(self.settings, type) and issubclass(self.settings, SolverSettings)):
            accepted = f"a subclass of {SolverSettings.__module__}.{SolverSettings.__name__}, a class"
            raise TypeError(f"settings of the system {self.name!r} must be {accepted}; got {self.settings!r}")

    def recorded_run(
        self,
        X: Any,
        y: Any,
        settings: SolverSettings,
        *,
        source: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        recording_mb: float = LIMIT_MB,
        executor: Executor | None = None,
    ) -> Run[Trained]:
        """A recorded run on these data, not yet started; a system with subproblems hands them to the executor."""
        X, y = check_data(X, y) if self.task == "classification" else check_targets(X, y)
        counter = Counter()
        header = Header(self.name, settings.values_by_name(), X, y, source or {})
        steps = self.steps(X, y, settings, counter, executor)
        return Run(steps, counter, Recording(header, recording_mb), time_limit)

    def parts(self, y: Array, settings: SolverSettings) -> int:
        """How many tasks, one after the other, a training on these labels has."""
        if self.task != "classification" or not self.by_tasks:
            return 1
        return len(tasks(np.unique(y), settings.multiclass))

    def steps(
        self, X: Array, y: Array, settings: SolverSettings, counter: Counter, executor: Executor | None = None
    ) -> Steps[Trained]:
        """The steps of a training on checked data."""
        how = {"executor": executor} if self.subproblems else {}
        return self.train(X, y, settings, counter, **how)
