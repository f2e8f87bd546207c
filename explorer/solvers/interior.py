"""The interior-point method on the stage: its story, its listing, its charts, its presets."""

import html

import numpy as np

from engine.events import (
    ColdStart,
    Event,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    Iteration,
    PhaseBegan,
    PivotsChosen,
    SchemeSwitched,
    Started,
)
from explorer.central_path import CentralPathView
from explorer.charts import ACCURACY, Chart
from explorer.pivots import LAYERS as PIVOT_LAYERS
from explorer.pivots import Pivots
from explorer.replay import Replay
from explorer.scene import LAYERS, SHOWN
from explorer.solvers import Act, dual
from explorer.theme import GREEN, NEGATIVE, POSITIVE, PURPLE
from explorer.units import count, number, seconds

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
NAMES = {
    "icf": "incomplete Cholesky", "kronecker": "a Kronecker product", "cholesky": "full Cholesky",
    "decomposition": "the decomposition solver",
}  # fmt: skip
STOPS = {
    **dual.STOPS,
    "converged": "gap and residuals are within the tolerance",
    "stalled": "there was no way ahead",
}


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


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case Started():
            form = "with" if event.bias else "without"
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {html.escape(event.kernel)} kernel, {form} "
                f"bias. The kernel matrix has {count(event.n**2)} entries: something smaller is to stand for it."
            )
        case PhaseBegan() if event.name.startswith("factorise"):
            kind = event.name.partition(" · ")[2]
            return f"<b>Factorise</b> by {NAMES.get(kind, html.escape(kind))}: {event.size:,} points."
        case PhaseBegan() if event.name.startswith("interior"):
            return (
                f"<b>Along the central path.</b> {event.size:,} α start strictly between 0 and C; with μ going to 0 "
                "each of them comes close to a bound, or stays between."
            )
        case PhaseBegan(name="exact kernel"):
            return (
                f"<b>The exact kernel.</b> α was put on the bounds it came close to: {event.size:,} support vectors. "
                "The bias is the one with which the free ones have a margin of 1, by K itself."
            )
        case PivotsChosen():
            return _pivots(event)
        case Factorised():
            return _factorised(event)
        case InteriorIteration():
            return _iteration(replay, event)
        case SchemeSwitched():
            return _switched(event)
        case ColdStart():
            saved = event.iterations - event.warm
            return (
                f"<b>What did the coarse start save?</b> From the middle the fine problem takes {event.iterations} "
                f"iterations; from where the coarse one had come to it took {event.warm}. "
                + (f"Saved: {saved}, at the price of cheaper ones." if saved > 0 else "Nothing was saved.")
            )
        case InteriorFinished():
            return _finished(event)
        case _:
            return dual.story(replay, cursor)


def _pivots(event: PivotsChosen) -> str:
    latest = f"point {int(event.pivots[-1]):,}" if len(event.pivots) == 1 else f"{len(event.pivots)} more points"
    return (
        f"<b>Pivot {event.rank:,}</b> of at most {event.most:,}: {latest}, where most was left of the diagonal "
        f"({number(float(event.values[-1]), 3)}). Its row of K becomes a column of H; "
        f"{number(100 * float(event.traces[-1]) / event.total, 3)} % of the trace is left."
    )


def _factorised(event: Factorised) -> str:
    kept = f"It takes {number(event.bytes / 2**20, 3)} MiB."
    if event.kind == "cholesky":
        return f"<b>All of K</b> is kept, {event.rank:,} × {event.rank:,}: nothing is approximate. {kept}"
    if event.kind == "icf":
        return (
            f"<b>K ≈ HHᵀ</b> with {event.rank:,} columns leaves {number(100 * event.error, 3)} % of the trace. {kept} "
            "A system with HHᵀ + D becomes one of as many unknowns as there are columns."
        )
    order = len(event.order)
    sides = f"of {len(event.left)} and {len(event.right)} rows " if event.left.size else ""
    return (
        f"<b>K ≈ B ⊗ C</b>, two small matrices {sides}for {order:,} points, in groups of neighbours. The error is "
        f"{number(100 * event.error, 3)} % of the norm of K. {kept}"
    )


def _iteration(replay: Replay, event: InteriorIteration) -> str:
    share = event.alpha / replay.frame_of(event).upper
    low, high = int(np.count_nonzero(share < 0.01)), int(np.count_nonzero(share > 0.99))
    standing = f"{low:,} α are near 0, {high:,} near C, {len(share) - low - high:,} between"
    if not event.of_phase:
        return (
            f"<b>The start</b> with {NAMES.get(event.kind, html.escape(event.kind))}. μ = {number(event.mu, 3)}: the "
            f"gap is {number(event.gap, 3)}. {standing}."
        )
    text = (
        f"<b>Iteration {event.iteration}.</b> The predictor found σ = {number(event.sigma, 2)} of μ within reach; the "
        f"step goes {100 * event.step:.0f} % of the way. μ = {number(event.mu, 3)}, {standing}. "
    )
    if not np.isnan(event.exact_objective):
        text += (
            f"Objective {number(event.objective, 6)}; with K itself the same α has "
            f"{number(event.exact_objective, 6)}, and a gap of {number(event.exact_gap, 3)}."
        )
    return text


def _switched(event: SchemeSwitched) -> str:
    text = f"<b>From {NAMES.get(event.before, '')} to {NAMES.get(event.after, '')}</b> after {event.iterations} "
    text += "iterations. "
    if event.after == "decomposition":
        return text + "α was put on its bounds; from there K itself decides, row by row."
    if event.columns:
        text += f"The first {event.columns:,} columns are used again. "
    if not event.pushed:
        return text + f"α is still well inside its bounds and stays as it is: μ is {number(event.mu, 3)}."
    return text + (
        "Too much has changed for α: steps from it would be short, and every α starts inside once more. μ went from "
        f"{number(event.mu_before, 3)} to {number(event.mu, 3)}."
    )


def _finished(event: InteriorFinished) -> str:
    text = f"<b>Finished: {html.escape(event.stop_reason)}</b>, {STOPS.get(event.stop_reason, '')}. "
    if event.reason:
        text += f"{html.escape(event.reason.capitalize())}. "
    text += (
        f"{event.iterations:,} iterations and {count(event.stamp.evaluations)} kernel evaluations took "
        f"{seconds(event.stamp.seconds)}, with what was measured beside. "
    )
    if not np.isnan(event.objective):
        text += f"The exact objective is {number(event.objective, 6)}, "
        text += f"that of the factorisation was {number(event.approximate_objective, 6)}. "
    if len(event.vectors) == event.rank:
        return text + (
            f"The machine is a sum over the {event.rank:,} pivots: with {number(100 * event.error, 2)} % left out, it "
            "does better than the same α with K itself."
        )
    return text + f"The machine is a sum over {len(event.vectors):,} support vectors."


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None:
        return {}
    numbers: dict[str, str] = {}
    if frame.factor is not None and frame.alpha.any():
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
    return numbers | {
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds),
    }


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

ACT = Act(
    solver="interior-point",
    summary="Pivot by pivot, a smaller matrix comes to stand for the kernel's; then straight between all bounds, along "
    "the central path: coarse first, then fine.",
    listing=LISTING,
    line=_line,
    story=_story,
    numbers=_numbers,
    view=CentralPathView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "bias", "scheme", "rank", "coarse_rank", "coarse_iter", "tol",
        "instruments", "seed",
    ),
    charts=CHARTS,
    curves=_curves,
    overlay=Pivots,
    layers=(*LAYERS, *PIVOT_LAYERS),
    layers_shown=(*(name for name in SHOWN if name != "working set"), *PIVOT_LAYERS),
)  # fmt: skip
