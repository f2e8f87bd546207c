"""The interior-point method as the registry has it: settings, training, events, summary, progress."""

import math

import numpy as np

from engine.learning.system import System
from engine.runtime.events import Event, Finished, Started
from engine.runtime.progress import Done
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from engine.systems.interior_point.settings import InteriorPointSettings
from engine.systems.interior_point.training import train_interior_point
from engine.systems.kernel_svm import system as kernel_svm


def _summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, InteriorFinished)
    known = not np.isnan(last.gap)
    lines = {
        "iterations": f"{last.iterations:,}" + (f" ({last.inner_steps:,} two-variable steps)" * (last.inner_steps > 0)),
        "factorisation": f"{last.scheme}, rank {last.rank:,}, relative error {last.error:.3g}",
        "approximate problem": f"objective {last.approximate_objective:.8g}, gap {last.approximate_gap:.3g}",
        "exact problem": f"objective {last.objective:.8g}, gap {last.gap:.3g}" if known else "not measured: too dear",
        "support vectors": kernel_svm.support_vectors(last),
    }
    return {**lines, "stalled because": last.reason} if last.reason else lines


class GapProgress(kernel_svm.ViolationProgress):
    """How far the relative gap has come down to tol, on a log scale; in decomposition, how far the violation has."""

    def __init__(self) -> None:
        super().__init__()
        self._target = 1.0

    def read(self, event: Event) -> Done | None:
        """How much of the way to tol is done after an iteration."""
        if isinstance(event, Started):
            self._target = event.tol
        if not isinstance(event, InteriorIteration):
            return super().read(event)
        left = min(max(event.relative_gap, event.dual_residual, self._target), 1.0)
        return Done(
            math.log(left) / math.log(self._target) if self._target < 1 else 1.0,
            f"{event.kind}, iteration {event.iteration}, gap {event.relative_gap:.2g}, objective {event.objective:.6g}",
        )


INTERIOR_POINT = System(
    "interior-point",
    "Interior point",
    InteriorPointSettings,
    train_interior_point,
    events=(
        *kernel_svm.EVENTS, PivotsChosen, Factorised, InteriorIteration, SchemeSwitched, ColdStart, InteriorFinished,
    ),
    summary=_summary,
    progress=GapProgress,
    warm_up=({"rank": 20},),
    estimator="engine.systems.interior_point.estimator:InteriorPointSVC",
    paper="engine.systems.interior_point.paper:PAPER",
)  # fmt: skip
SYSTEMS = (INTERIOR_POINT,)
