"""The exact answer to a problem that a run only comes near to: by the dual solver, in the background."""

from collections.abc import Mapping
from typing import Any

from engine import SOLVERS, Run
from engine.runtime.events import Finished
from engine.runtime.recording import Header
from explorer.server.background import Background

SAME = ("kernel", "C", "gamma", "degree", "coef0", "tol", "n_jobs", "seed")  # settings of both solvers


class ExactSolution(Background):
    """Begins when it is made. `found` has the ends of all tasks, by their path, that came to one."""

    def __init__(self, header: Header) -> None:
        super().__init__("exact answer")
        self.found: dict[tuple[str, ...], Finished] = {}
        solver, values = SOLVERS["kernel-svm"], _same(header.settings)
        settings = solver.settings.checked({**values, "multiclass": "ovr"})
        run = solver.recorded_run(header.X, header.y, settings, time_limit=self.limit)
        self.begin(self._go, self.watched(run))

    def _go(self, run: Run[Any]) -> None:
        for event in run:
            if isinstance(event, Finished) and event.stop_reason == "converged" and len(event.alpha):
                self.found[event.stamp.path] = event


def _same(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in SAME if name in settings}
