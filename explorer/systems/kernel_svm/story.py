"""The story of a solver of the dual problem; the systems that build on it fall back on this."""

import numpy as np

from engine.runtime.events import Finished, PhaseBegan, Started
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from explorer.replay.lookup import Replay
from explorer.stage.story import STOPS as COMMON_STOPS
from explorer.stage.story import common_story, finished, started
from explorer.style.number_format import count, number, seconds

STOPS = {**COMMON_STOPS, "converged": "no point violates its conditions by more than the tolerance"}


def story(replay: Replay, cursor: int) -> str:
    """What just happened in a solver of the dual problem."""
    event = replay.event(cursor)
    match event:
        case Started():
            return f"{started(event)} All α are 0, so every point violates its condition by 1."
        case PhaseBegan(name="correct rounding"):
            return (
                f"<b>Correct rounding.</b> Kernel values in single precision may hide a violation. The gradients of "
                f"{event.size:,} points, those near the margin, are computed anew from exact distances."
            )
        case PhaseBegan(name="double precision"):
            return (
                "<b>Double precision.</b> With so large an α, kernel values in single precision hide violations above "
                "the tolerance. From here on all of them are computed in double precision."
            )
        case PhaseBegan(name="look at all"):
            return (
                f"<b>Look at all points.</b> The active ones are optimal; the gradients of those set aside are brought "
                f"up to date before anything is claimed for all {event.size:,}."
            )
        case Iteration():
            return _iteration(replay, cursor, event)
        case ActiveSetChanged() if event.n_after < event.n_before:
            return (
                f"<b>Shrink.</b> {event.n_before - event.n_after:,} points sit so firmly at a bound that no violation "
                f"({event.violation:.3g} at most) can pull them off: set aside, {event.n_after:,} stay active."
            )
        case ActiveSetChanged():
            return (
                f"<b>Take back.</b> Some points set aside do violate their conditions, by up to {event.violation:.3g}: "
                f"{event.n_after:,} are active again."
            )
        case Finished():
            return (
                f"{finished(event, STOPS)} {event.iterations:,} iterations, {event.inner_steps:,} two-variable steps "
                f"and {count(event.stamp.evaluations)} kernel evaluations took {seconds(event.stamp.seconds)}. "
                f"Objective {number(event.objective, 6)}; {event.n_free:,} free support vectors, {event.n_bound:,} "
                "bound ones."
            )
        case _:
            return common_story(replay, cursor)


def _iteration(replay: Replay, cursor: int, event: Iteration) -> str:
    before = replay.frame(cursor - 1)
    size = len(event.working_set)
    text = f"<b>Iteration {event.iteration}.</b> {event.inner_steps:,} two-variable steps on {size} points"
    if before is not None and isinstance(before.event, Iteration) and before.event.stamp.path == event.stamp.path:
        entered = int(np.sum((before.alpha == 0) & (event.alpha > 0)))
        left = int(np.sum((before.alpha > 0) & (event.alpha == 0)))
        gained = before.event.objective - event.objective
        text += f" lowered the objective by {number(gained)} to {number(event.objective, 6)}. "
        text += f"Support vectors: {entered} came in, {left} dropped out. "
    else:
        text += f" brought the objective to {number(event.objective, 6)}. "
    hits = event.cache_hits / max(1, event.cache_hits + event.rows_computed)
    return text + (
        f"The worst violation left is {event.violation:.3g} (tolerance {replay.settings.tol:g}); "
        f"{100 * hits:.0f} % of all kernel rows came from the cache."
    )
