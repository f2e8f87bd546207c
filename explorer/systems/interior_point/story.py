"""The story of the interior-point method: what just happened, in words."""

import html

import numpy as np

from engine.runtime.events import PhaseBegan, Started
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from explorer.replay.lookup import Replay
from explorer.stage.story import STOPS as COMMON_STOPS
from explorer.stage.story import finished, started
from explorer.style.number_format import count, number, seconds
from explorer.systems.kernel_svm.story import story as dual_story

NAMES = {
    "icf": "incomplete Cholesky", "kronecker": "a Kronecker product", "cholesky": "full Cholesky",
    "decomposition": "the decomposition solver",
}  # fmt: skip


STOPS = {
    **COMMON_STOPS,
    "converged": "gap and residuals are within the tolerance",
    "approximate": "the problem of the factorisation is solved to the tolerance, and that of K itself is not",
    "stalled": "there was no way ahead",
}


def story(replay: Replay, cursor: int) -> str:
    """What just happened, as HTML."""
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"{started(event, with_gamma=False)} The kernel matrix has {count(event.n**2)} entries: something "
                "smaller is to stand for it."
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
            return dual_story(replay, cursor)


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
    text = f"{finished(event, STOPS)} "
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
            f"The machine is a sum over the {event.rank:,} pivots, which has a lower hinge loss than the same α with K "
            f"itself: {number(100 * event.error, 2)} % of the trace is left out."
        )
    return text + f"The machine is a sum over {len(event.vectors):,} support vectors."
