"""A race of Budgeted SGD's strategies: each on the stream of a recording, one after the other, in the background."""

import threading
from typing import Any

from engine import SOLVERS, Run
from engine.runtime.events import Finished
from engine.systems.budgeted_sgd.merging import STRATEGIES
from explorer.replay.lookup import Replay
from explorer.server.pool import SERVER
from explorer.style.number_format import seconds

LONGEST = 20.0  # seconds of solver time for each strategy, if the server allows as much
WARM_ROWS = 40  # that each strategy goes through before its time is taken: the first steps of all load their kernels


class StrategyComparison:
    """Begins when it is made. `results` has, by strategy, the per cent right and the time in words."""

    def __init__(self, replay: Replay) -> None:
        self.results: dict[str, tuple[float, str]] = {}
        self._run: Run[Any] | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._go, args=(replay,), name="race", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether some are still on their way."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Stop where it is."""
        self._ended = True
        if self._run is not None:
            self._run.cancel()

    def wait(self, timeout: float) -> None:
        """Until all are there."""
        self._thread.join(timeout)

    def _go(self, replay: Replay) -> None:
        header = replay.recording.header
        few = slice(None, None, max(1, len(header.y) // WARM_ROWS))
        for name in STRATEGIES:
            try:
                self._one(replay, name, header.X[few], header.y[few])
                run = self._one(replay, name, header.X, header.y)
                model = run.result().model
            except (ValueError, RuntimeError):
                continue  # a strategy that cannot take so large a budget, or was stopped
            if self._ended:
                return
            X, y = replay.test_data
            right = model.predict(model.task_values(X, 1)) == y
            cut = isinstance(run.latest, Finished) and run.latest.stop_reason == "time"
            self.results[name] = (100 * float(right.mean()), "cut" if cut else seconds(run.seconds, 2))

    def _one(self, replay: Replay, name: str, X: Any, y: Any) -> Run[Any]:
        solver, values = SOLVERS["budgeted-sgd"], dict(replay.recording.header.settings)
        settings = solver.settings.checked({**values, "maintenance": name, "instruments": "none"})
        limit = min(LONGEST, SERVER.limits.max_seconds or LONGEST)
        self._run = run = solver.recorded_run(X, y, settings, time_limit=limit)
        if self._ended:
            run.cancel()
        run.result()
        return run
