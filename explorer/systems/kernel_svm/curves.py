"""The charts of a solver of the dual problem: distance from the optimum, support vectors. Others build on them."""

import numpy as np

from engine.runtime.events import Event, Finished
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.charts import ACCURACY, Chart, Curves
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
CHARTS = (GAP, SUPPORT, ACCURACY)


def objective_of(event: Event) -> float:
    """The objective of the whole problem that an event tells; NaN if it tells none."""
    return float(event.objective) if isinstance(event, Iteration | Finished) else np.nan


def dual_numbers(replay: Replay, event: Event) -> dict[str, float]:
    """The numbers of an iteration."""
    if isinstance(event, Iteration):
        return {"violation": event.violation or np.nan, "free": event.n_free, "bound": event.n_bound}
    return {}


CURVES = Curves((Iteration,), dual_numbers, objective_of)
