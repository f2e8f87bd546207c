"""The stage in a notebook: `explore` data with a solver, or `watch` an estimator while it is fitted."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
from panel.viewable import Viewer

from engine import SOLVERS, Run
from engine.datasets import Dataset
from engine.datasets.dataset import Task
from engine.learning.estimator import Fit, SolverEstimator
from engine.learning.validation import check_data, check_targets
from engine.runtime.errors import invalid
from explorer.replay.lookup import Replay
from explorer.stage.actions import Stage
from explorer.stage.refresh import PERIOD
from explorer.style.layout import beside, column
from explorer.style.theme import THEMES

ABSENT = 20.0  # seconds without a word from the browser after which nobody is looking
FULL_SPEED = "full speed"


def explore(X: Any, y: Any, solver: str | None = None, **settings: Any) -> "Exploration":
    """The stage of a solver on these data, alive in the cell that shows it; settings by name, as C=10.

    Without a name it is that of the first in `SOLVERS`.
    """
    names = list(SOLVERS)
    solver = names[0] if solver is None else solver
    if solver not in names:
        raise invalid("solver", solver, f"one of {', '.join(names)}")
    SOLVERS[solver].settings.checked(settings)
    return Exploration(solver, _dataset(X, y, SOLVERS[solver].task), settings)


def watch(estimator: Any) -> "Watched":
    """An estimator whose `fit` shows itself: `watch(KernelSVC(C=10)).fit(X, y)`."""
    if not (isinstance(estimator, SolverEstimator) and estimator.solver.name in SOLVERS):
        raise invalid("estimator", estimator, "an estimator whose solver has a stage, such as KernelSVC()")
    return Watched(estimator)


def _dataset(X: Any, y: Any, task: Task) -> Dataset:
    X, y = check_targets(X, y) if task == "regression" else check_data(X, y)
    return Dataset("given", "Given", X, y, task=task)


class InCell(Viewer):
    """A stage that shows itself in a cell. Shown again, it starts anew; run again, the cell closes what it showed."""

    def __init__(self, solver: str, data: Dataset, settings: dict[str, Any]) -> None:
        super().__init__()
        self._made = solver, data, settings
        self._lock = threading.RLock()
        self._clock: Any = None
        self.stage: Stage | None = None
        _REGISTRY.add(self)

    def __panel__(self) -> Any:
        _load_extension()
        self._stop_stage()
        solver, data, settings = self._made
        with self._lock:
            stage = self.stage = Stage(solver, data=data, settings=settings, own_page=False)
            self._start(stage)
        parts = beside(column(*stage.sidebar()), stage.main())
        self._root = pmui.Column(parts, theme_config=THEMES, sizing_mode="stretch_width", margin=0)
        self._receive = self._root._on_msg
        setattr(self._root, "_on_msg", self._on_message)  # noqa: B010
        self._clock = pn.state.add_periodic_callback(self._tick, PERIOD)
        return self._root

    def _start(self, stage: Stage) -> None:
        """What happens on the stage."""
        raise NotImplementedError

    def _on_message(self, *message: Any) -> None:
        """A notebook hands messages to any of its threads: one at a time, and never amid a tick."""
        with self._lock:
            self._receive(*message)

    def _tick(self) -> None:
        stage = self.stage
        # What is sent before the cell has drawn the stage would be sent again and again, and out of order.
        if stage is None or not stage.refresh.heard_at:
            return
        with self._lock:
            if time.monotonic() - stage.refresh.heard_at > ABSENT:
                self._leave_alone(stage)
                return
            if self._root.dark_theme != stage.refresh.dark:
                self._root.dark_theme = stage.refresh.dark
            stage.tick()
            pn.io.push_notebook(self._root)

    def _leave_alone(self, stage: Stage) -> None:
        """Nobody is looking: the output was cleared, or the page closed."""

    def _stop_stage(self) -> None:
        with self._lock:
            if self._clock is not None:
                self._clock.stop()
                self._clock = None
            if self.stage is not None:
                self.stage.close()

    def close(self) -> None:
        """End what runs, and wait until it has ended."""
        self._stop_stage()
        run = None if self.stage is None else self.stage.run
        if run is not None:
            run.join(5.0)


class Exploration(InCell):
    """What `explore` returns."""

    def _start(self, stage: Stage) -> None:
        stage.begin()

    def _leave_alone(self, stage: Stage) -> None:
        if stage.playback is not None and stage.playback.playing:
            stage.playback.pause()
        stage.refresh.enforce_limits(time.monotonic())


class Watched(InCell):
    """An estimator on its way: `fit` begins in a thread, `result()` or `await` gives the fitted estimator."""

    def __init__(self, estimator: SolverEstimator) -> None:
        empty = Dataset("given", "Given", np.zeros((2, 1)), np.arange(2))
        super().__init__(estimator.solver.name, empty, {})
        self.estimator = estimator
        self.run: Run[Any] | None = None
        self._done: Future[SolverEstimator] = Future()
        self._thread: threading.Thread | None = None

    def fit(self, X: Any, y: Any) -> "Watched":
        """Begin to fit, and return at once; what this returns shows the fit in the cell."""
        self.close()
        fit = self.estimator.begin_fit(X, y, recorded=True)
        self.run = fit.run
        header = fit.run.recorded.header
        data = Dataset("given", "Given", header.X, header.y, task=self.estimator.solver.task)
        self._made = (header.solver, data, dict(header.settings))
        self._done = Future()
        self._thread = threading.Thread(target=self._work, args=(fit, self._done), name="fit", daemon=True)
        self._thread.start()
        return self

    def _work(self, fit: Fit, done: "Future[SolverEstimator]") -> None:
        try:
            deque(self.estimator.follow_fit(fit, iter(fit.run)), 0)
            done.set_result(self.estimator)
        except BaseException as error:
            done.set_exception(error)

    def result(self, timeout: float | None = None) -> SolverEstimator:
        """The fitted estimator, once it is; a paused fit goes on."""
        self._go_on()
        return self._done.result(timeout)

    def __await__(self) -> Generator[Any, None, SolverEstimator]:
        self._go_on()
        return asyncio.wrap_future(self._done).__await__()

    def _go_on(self) -> None:
        if self.run is None:
            raise RuntimeError("fit has not been called yet: watch(estimator).fit(X, y)")
        self.run.resume()

    def _start(self, stage: Stage) -> None:
        if self.run is None:
            raise RuntimeError("there is nothing to show yet: watch(estimator).fit(X, y)")
        stage.transport.speed = FULL_SPEED
        stage.show_run(self.run, Replay(self.run.recorded))

    def close(self) -> None:
        """End what runs, and wait until it has ended."""
        super().close()
        if self.run is not None and self._thread is not None:
            self.run.cancel()
            self._thread.join(5.0)


# ---- cells ----


class _Registry:
    """Which cell shows what: nothing tells a stage that its cell was run again, so the next one does."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[int, list[InCell]]] = {}

    def add(self, new: InCell) -> None:
        """Note what the running cell makes; what an earlier run of the same cell made is closed."""
        cell, run = _running_cell()
        before, made = self._shown.get(cell, (run, []))
        if cell and before != run:
            for old in made:
                old.close()
            made = []
        self._shown[cell] = (run, [*made, new] if cell else [])


_REGISTRY = _Registry()


def _running_cell() -> tuple[str, int]:
    """The name of the cell that is running, and which of its runs this is; no name outside of a notebook."""
    try:
        from IPython import get_ipython
    except ImportError:
        return "", 0
    shell = get_ipython()
    if shell is None or not hasattr(shell, "get_parent"):
        return "", 0
    cell = shell.get_parent().get("metadata", {}).get("cellId", "")
    return str(cell), int(shell.execution_count)


def _load_extension() -> None:
    """Bring the page what it needs, from this computer: a notebook may be offline."""
    if not pn.extension._loaded:
        pn.extension(inline=True)
