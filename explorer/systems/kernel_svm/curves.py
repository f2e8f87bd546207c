"""TODO: what this is."""

import numpy as np

from engine.runtime.events import Event, Finished
from engine.systems.dcsvm.events import LevelFinished, LevelMeasured, SubproblemSolved
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.charts import ACCURACY, Chart
from explorer.replay.lookup import Replay
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE, PURPLE

GAP = Chart(
    "gap",
    "How far from the optimum?",
    "log",
    {"gap": (NEGATIVE, "objective − best"), "violation": (POSITIVE, "KKT violation")},
)


SUPPORT = Chart(
    "support-vectors",
    "How many support vectors?",
    "linear",
    {"free": (GREEN, "free"), "bound": (PURPLE, "at the bound")},
)


CHARTS = (GAP, SUPPORT, ACCURACY)  # of a solver of the dual problem


def objective_of(event: Event) -> float:
    """The objective of the whole problem that an event tells; NaN if it tells none."""
    if isinstance(event, Finished) and event.stop_reason == "early":
        return np.nan  # of the cells, with the kernel between them taken as zero
    told = isinstance(event, Iteration | Finished | LevelMeasured)
    return float(event.objective) if told else np.nan  # type: ignore[attr-defined]


def dual_numbers(replay: Replay, event: Event) -> dict[str, float]:
    """What the charts of the dual problem show of an event, apart from gap and accuracy."""
    if isinstance(event, Iteration):
        return {"violation": event.violation or np.nan, "free": event.n_free, "bound": event.n_bound}
    if isinstance(event, SubproblemSolved | LevelFinished):
        frame = replay.frame_of(event)
        bound = int(np.count_nonzero(frame.at_bound))
        return {"free": int(np.count_nonzero(frame.alpha)) - bound, "bound": bound}
    return {}
