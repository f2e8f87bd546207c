"""How good against how dear: the exact machines of a recording compressed again and again, with ever more landmarks."""

import threading
import time
from typing import Any

import numpy as np

from engine import SOLVERS, Run
from engine.runtime.counter import Counter
from engine.systems.dcpred.events import FastFinished
from engine.systems.dcpred.learners import ExactLeaves
from engine.systems.dcpred.training import compress_ridge, compress_svm
from explorer.replay.lookup import Replay
from explorer.server.pool import SERVER
from explorer.systems.dcpred.reader import LeafReader, Leaves

RATIOS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # landmarks for each support vector
LONGEST = 20.0  # seconds for all, if the server allows as much
WITHOUT = "none"  # pseudo-landmarks


class CostSweep:
    """Begins when it is made. `results` has, by kind of pseudo-landmarks, cost and quality on the test data."""

    def __init__(self, replay: Replay, leaves: Leaves, last: FastFinished) -> None:
        chosen = replay.settings.pseudo
        self.results: dict[str, list[tuple[float, float]]] = {
            pseudo: [] for pseudo in (chosen if chosen != WITHOUT else "products", WITHOUT)
        }
        self.exact = (last.exact_cost, self._quality(replay, leaves.exact))
        self._run: Run[Any] | None = None
        self._ended = False
        exact = ExactLeaves(last.alpha**2, leaves.values(replay.X, fast=False), np.nan)
        self._thread = threading.Thread(target=self._go, args=(replay, exact), name="sweep", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Stop where it is."""
        self._ended = True
        if self._run is not None:
            self._run.cancel()

    def wait(self, timeout: float) -> None:
        """Until all are there."""
        self._thread.join(timeout)

    def _go(self, replay: Replay, exact: ExactLeaves) -> None:
        until = time.monotonic() + min(LONGEST, SERVER.limits.max_seconds)
        for ratio in RATIOS:
            for pseudo, found in self.results.items():
                if self._ended or time.monotonic() > until:
                    return
                fast = self._compressed(replay, exact, landmark_ratio=ratio, pseudo=pseudo)
                if not self._ended:
                    X, _ = replay.test_data
                    found.append((fast.cost(X), self._quality(replay, fast)))

    def _compressed(self, replay: Replay, exact: ExactLeaves, **settings: Any) -> Any:
        header, counter = replay.recording.header, Counter()
        values = {**header.settings, "instruments": "none", **settings}
        table = SOLVERS[header.solver].settings.checked(values)
        compress: Any = compress_ridge if replay.regression else compress_svm
        self._run = run = Run(compress(replay.X, header.y, table, exact, counter), counter)
        return run.result().model.fast

    def _quality(self, replay: Replay, fast: Any) -> float:
        X, y = replay.test_data
        reader = replay.reader_as(LeafReader)
        return reader.training.quality(fast.values(np.ascontiguousarray(X, float)), reader.targets(y))
