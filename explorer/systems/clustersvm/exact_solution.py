"""The exact answer to a problem that a run only comes near to: by the dual solver, in the background."""

import threading
from collections.abc import Mapping
from typing import Any

from engine import SOLVERS, Run
from engine.runtime.events import Finished
from engine.runtime.recording import Header
from explorer.server.pool import SERVER

LONGEST = 20.0  # seconds of solver time, if the server allows as much
SAME = ("kernel", "C", "gamma", "degree", "coef0", "tol", "n_jobs", "seed")  # settings of both solvers


class ExactSolution:
    """Begins when it is made. `found` has the ends of all tasks, by their path, that came to one."""

    def __init__(self, header: Header) -> None:
        self.found: dict[tuple[str, ...], Finished] = {}
        solver, values = SOLVERS["kernel-svm"], _same(header.settings)
        limit = min(LONGEST, SERVER.limits.max_seconds or LONGEST)
        self._run: Run[Any] = solver.recorded_run(
            header.X, header.y, solver.settings.checked({**values, "multiclass": "ovr"}), time_limit=limit
        )
        self._thread = threading.Thread(target=self._go, name="exact answer", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop where it is."""
        self._run.cancel()

    def wait(self, timeout: float) -> None:
        """Until it is there, or will not be."""
        self._thread.join(timeout)

    def _go(self) -> None:
        for event in self._run:
            if isinstance(event, Finished) and event.stop_reason == "converged" and len(event.alpha):
                self.found[event.stamp.path] = event


def _same(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in SAME if name in settings}
