"""The interior-point method on the stage: its story, its listing, its charts, its presets."""

import numpy as np

from engine.runtime.events import Event, PhaseBegan
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.charts import ACCURACY, Chart, Curves, IterationAxis
from explorer.figures.scene import LAYERS, SHOWN
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE, PURPLE
from explorer.systems.interior_point.overlay import LAYERS as PIVOT_LAYERS
from explorer.systems.interior_point.overlay import Pivots
from explorer.systems.interior_point.reader import FactorFrame, FactorReader
from explorer.systems.interior_point.story import story
from explorer.systems.interior_point.view import CentralPathView
from explorer.systems.kernel_svm.curves import objective_of

LEAST = 1e-8  # of what a chart shows
CHARTS = (
    Chart(
        "residuals",
        "How near to the end of the path?",
        "log",
        {
            "relative_gap": (NEGATIVE, "relative gap"),
            "dual_residual": (POSITIVE, "dual"),
            "primal_residual": (GREEN, "primal"),
        },
    ),
    Chart(
        "gaps",
        "Gaps, and objectives apart",
        "log",
        {
            "gap_instead": (NEGATIVE, "approximate"),
            "gap_exact": (POSITIVE, "exact"),
            "apart": (PURPLE, "apart"),
        },
    ),
    ACCURACY,
)


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    if isinstance(event, InteriorIteration):
        curves = {
            "relative_gap": event.relative_gap, "dual_residual": event.dual_residual,
            "primal_residual": event.primal_residual, "gap_instead": event.gap, "gap_exact": event.exact_gap,
            "apart": abs(event.exact_objective - event.objective),
        }  # fmt: skip
        return {name: max(value, LEAST) for name, value in curves.items()}
    if isinstance(event, InteriorFinished):
        return {"gap_exact": max(event.gap, LEAST)}
    return {}


class _Axis(IterationAxis):
    """The iterations of the interior-point method, and those of a decomposition after them."""

    def __init__(self) -> None:
        super().__init__()
        self._inside = 0

    def read(self, event: Event) -> None:
        """Move on to an iteration."""
        if isinstance(event, InteriorIteration):
            self.place = self._inside = event.iteration
        elif isinstance(event, Iteration):
            self.place = self._inside + event.iteration


def _line(event: Event | None) -> str:
    match event:
        case PivotsChosen():
            return "pivot"
        case Factorised():
            return "factor"
        case PhaseBegan() if event.name.startswith("factorise"):
            return "pivot"
        case PhaseBegan() if event.name.startswith("interior"):
            return "path"
        case InteriorIteration():
            return "path predict correct" if event.of_phase else "path"
        case SchemeSwitched() | ColdStart():
            return "switch"
        case PhaseBegan() | Iteration() | InteriorFinished():
            return "done"
        case _:
            return "start"


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    frame = replay.frame(cursor)
    if frame is None:
        return {}
    numbers: dict[str, str] = {}
    if isinstance(frame, FactorFrame) and frame.alpha.any():
        bound = int(np.count_nonzero(frame.at_bound))
        numbers = {"free α": count(int(np.count_nonzero(frame.support)) - bound), "α at C": count(bound)}
    match frame.event:
        case PivotsChosen():
            left = 100 * float(frame.event.traces[-1]) / frame.event.total
            numbers |= {"columns": f"{frame.event.rank:,}", "trace left": f"{number(left, 3)} %"}
        case Factorised():
            numbers |= {"rank": f"{frame.event.rank:,}", "error": f"{number(100 * frame.event.error, 3)} %"}
        case InteriorIteration():
            numbers |= {
                "objective": number(frame.event.objective, 6),
                "exact objective": number(frame.event.exact_objective, 6),
                "μ": number(frame.event.mu, 3),
                "refinements": count(frame.event.refinements),
            }
        case InteriorFinished():
            numbers |= {
                "exact objective": number(frame.event.objective, 6), "exact gap": number(frame.event.gap, 3),
                "rank": f"{frame.event.rank:,}", "error": f"{number(100 * frame.event.error, 3)} %",
            }  # fmt: skip
        case Iteration():
            numbers |= {"objective": number(frame.event.objective, 6), "violation": number(frame.event.violation, 3)}
    return numbers | spent(replay, cursor)


LISTING = (
    ("start", 0, r"$H \leftarrow (\;),\quad v \leftarrow \mathrm{diag}(K)$"),
    (
        "pivot", 0,
        r"pivot $i$: the largest $v_i$; $h \leftarrow \frac{1}{\sqrt{v_i}}(K_{:i} - HH_{i:}^T),\ v \leftarrow v - h^2$",
    ),
    ("factor", 0, r"… until little is left of $\sum v$: $K \approx HH^T$, or else $K \approx B \otimes C$"),
    ("path", 0, r"repeat, with $D \leftarrow \frac{z}{\alpha} + \frac{w}{C - \alpha},\ E \leftarrow I + H^T D^{-1} H$"),
    ("predict", 1, r"$(Q + D)\,\Delta\alpha + y\,\Delta\nu = r$, $\mu = 0$ predicts $\sigma \leftarrow (\mu'/\mu)^3$"),
    ("correct", 1, r"the same for $\sigma\mu$ corrects; a step, 0.99 of the way to a bound"),
    ("switch", 0, r"coarse → fine: more columns; $\alpha, z, w$ off their bounds, and repeat"),
    ("done", 0, r"$\alpha$ onto its bounds; bias from $K$, or on to decomposition"),
)  # fmt: skip

PRESENTATION = Presentation(
    solver="interior-point",
    summary="Pivot by pivot, a smaller matrix comes to stand for the kernel's; then straight between all bounds, along "
    "the central path: coarse first, then fine.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=CentralPathView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "bias", "scheme", "rank", "pivots", "coarse_rank", "coarse_iter",
        "tol", "instruments", "seed",
    ),
    labels={"coarse_rank": "coarse rank", "coarse_iter": "coarse iterations"},
    charts=CHARTS,
    reader=FactorReader,
    curves=Curves((InteriorIteration, InteriorFinished, Iteration), _curves, objective_of, _Axis),
    overlay=Pivots,
    layers=(*LAYERS, *PIVOT_LAYERS),
    layers_shown=(*(name for name in SHOWN if name != "working set"), *PIVOT_LAYERS),
    files=__package__ or "",
)  # fmt: skip
PRESENTATIONS = (PRESENTATION,)
