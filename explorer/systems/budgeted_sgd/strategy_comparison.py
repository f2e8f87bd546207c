"""A race of Budgeted SGD's strategies: each on the stream of a recording, one after the other, in the background."""

from typing import Any

from engine import SOLVERS, Run
from engine.runtime.events import Finished
from engine.systems.budgeted_sgd.events import BudgetChosen
from engine.systems.budgeted_sgd.merging import STRATEGIES
from explorer.replay.lookup import Replay
from explorer.server.background import Background
from explorer.style.number_format import seconds

WARM_ROWS = 40  # that each strategy goes through before its time is taken: the first steps of all load their kernels


class StrategyComparison(Background):
    """Begins when it is made. `results` has, by strategy, the per cent right and the time in words.

    The time limit is for each strategy.
    """

    def __init__(self, replay: Replay) -> None:
        super().__init__("race")
        self.results: dict[str, tuple[float, str]] = {}
        self.begin(self._go, replay)

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
            if self.ended:
                return
            X, y = replay.test_data
            right = model.predict(model.task_values(X, 1)) == y
            cut = isinstance(run.latest, Finished) and run.latest.stop_reason == "time"
            self.results[name] = (100 * float(right.mean()), "cut" if cut else seconds(run.seconds, 2))

    def _one(self, replay: Replay, name: str, X: Any, y: Any) -> Run[Any]:
        solver, values = SOLVERS["budgeted-sgd"], dict(replay.recording.header.settings)
        for chosen in (event for event in replay.recording if isinstance(event, BudgetChosen)):
            values |= {"budget": chosen.budget, "lam": chosen.decay}
        settings = solver.settings.checked({**values, "maintenance": name, "instruments": "none"})
        run = self.watched(solver.recorded_run(X, y, settings, time_limit=self.limit))
        run.result()
        return run
