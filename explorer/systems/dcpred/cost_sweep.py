"""How good against how dear: the exact machines of a recording compressed again and again, with ever more landmarks."""

import time
from typing import Any

import numpy as np

from engine import SOLVERS, Run
from engine.runtime.counter import Counter
from engine.systems.dcpred.events import FastFinished
from engine.systems.dcpred.learners import ExactLeaves
from engine.systems.dcpred.training import compress_ridge, compress_svm
from explorer.replay.lookup import Replay
from explorer.server.background import Background
from explorer.systems.dcpred.reader import LeafReader, Leaves

RATIOS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # landmarks for each support vector
WITHOUT = "none"  # pseudo-landmarks


class CostSweep(Background):
    """Begins when it is made. `results` has, by kind of pseudo-landmarks, cost and quality on the test data.

    The time limit is for all of them.
    """

    def __init__(self, replay: Replay, leaves: Leaves, last: FastFinished) -> None:
        super().__init__("sweep")
        chosen = replay.settings.pseudo
        self.results: dict[str, list[tuple[float, float]]] = {
            pseudo: [] for pseudo in (chosen if chosen != WITHOUT else "products", WITHOUT)
        }
        self.exact = (last.exact_cost, self._quality(replay, leaves.exact))
        exact = ExactLeaves(last.alpha**2, leaves.values(replay.X, fast=False), np.nan)
        self.begin(self._go, replay, exact)

    def _go(self, replay: Replay, exact: ExactLeaves) -> None:
        until = time.monotonic() + self.limit
        for ratio in RATIOS:
            for pseudo, found in self.results.items():
                if self.ended or time.monotonic() > until:
                    return
                fast = self._compressed(replay, exact, landmark_ratio=ratio, pseudo=pseudo)
                if not self.ended:
                    X, _ = replay.test_data
                    found.append((fast.cost(X), self._quality(replay, fast)))

    def _compressed(self, replay: Replay, exact: ExactLeaves, **settings: Any) -> Any:
        header, counter = replay.recording.header, Counter()
        values = {**header.settings, "instruments": "none", **settings}
        table = SOLVERS[header.solver].settings.checked(values)
        compress: Any = compress_ridge if replay.regression else compress_svm
        run = self.watched(Run(compress(replay.X, header.y, table, exact, counter), counter))
        return run.result().model.fast

    def _quality(self, replay: Replay, fast: Any) -> float:
        X, y = replay.test_data
        reader = replay.reader_as(LeafReader)
        return reader.training.quality(fast.values(np.ascontiguousarray(X, float)), reader.targets(y))
