"""TODO: what this is."""

import numpy as np

from engine.learning.system import Solver
from engine.runtime.events import Finished
from engine.systems.interior_point.events import InteriorFinished
from engine.systems.interior_point.settings import InteriorPointSettings
from engine.systems.interior_point.training import train_interior_point
from engine.systems.kernel_svm.system import _dual_summary


def _interior_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, InteriorFinished)
    known = not np.isnan(last.gap)
    told = {
        "iterations": f"{last.iterations:,}" + (f" ({last.inner_steps:,} two-variable steps)" * (last.inner_steps > 0)),
        "factorisation": f"{last.scheme}, rank {last.rank:,}, relative error {last.error:.3g}",
        "approximate problem": f"objective {last.approximate_objective:.8g}, gap {last.approximate_gap:.3g}",
        "exact problem": f"objective {last.objective:.8g}, gap {last.gap:.3g}" if known else "not measured: too dear",
        "support vectors": _dual_summary(last)["support vectors"],
    }
    return {**told, "stalled because": last.reason} if last.reason else told


INTERIOR_POINT = Solver(
    "interior-point", "Interior point", InteriorPointSettings, train_interior_point, summary=_interior_summary
)
