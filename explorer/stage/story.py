"""Words on the stage: what is said of every system, and the HTML of the story, its numbers and the listing.

A system's own story is in `explorer/systems/<system>/story.py`; it leaves to `common_story` what holds of any run.
"""

import html
from collections.abc import Mapping

import numpy as np

from engine.runtime.events import Failed, Finished, PhaseBegan, Started
from explorer.replay.lookup import Replay
from explorer.style.formulas import with_formulas
from explorer.style.number_format import count, number, seconds
from explorer.style.theme import FONT, NEGATIVE

LIT = (f"color-mix(in srgb, {NEGATIVE} 16%, transparent)", NEGATIVE)  # background and edge of a line of the listing
KEYS_HINT = " · Space plays and pauses · ← → step · Home, End jump"  # a notebook has keys of its own
STOPS = {
    "converged": "the stopping rule is met",
    "max_iter": "the limit of iterations was reached",
    "stalled": "rounding leaves nothing more to gain",
    "passes": "all passes are done",
    "approximate": "the approximate problem converged, and the exact one did not",
    "cancelled": "it was cancelled",
    "time": "its time was up",
}  # why a run stopped


# ---- what holds of every system ----


def common_story(replay: Replay, cursor: int) -> str:
    """What just happened, as far as it is the same in any run: the start, a phase, the end, a failure; else nothing."""
    event = replay.event(cursor)
    match event:
        case None:
            return "Nothing has happened yet."
        case Started():
            return started(event)
        case PhaseBegan():
            return f"<b>{html.escape(event.name.capitalize())}.</b> {event.size:,} points."
        case Finished():
            return (
                f"{finished(event)} {event.iterations:,} iterations and {count(event.stamp.evaluations)} kernel "
                f"evaluations took {seconds(event.stamp.seconds)}."
            )
        case Failed():
            return f"<b>Failed.</b> {html.escape(f'{event.error}: {event.message}')}"
        case _:
            return ""


def started(event: Started, with_gamma: bool = True) -> str:
    """What the run is about: points, kernel, bias."""
    form = "with" if event.bias else "without"
    width = f" with γ = {number(event.gamma)}" if with_gamma and event.kernel != "linear" else ""
    return (
        f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {html.escape(event.kernel)} kernel{width}, "
        f"{form} bias."
    )


def finished(event: Finished, reasons: Mapping[str, str] = STOPS) -> str:
    """That the run is over, and why."""
    why = reasons.get(event.stop_reason)
    return f"<b>Finished: {html.escape(event.stop_reason)}</b>{'' if why is None else f', {why}'}."


def common_numbers(replay: Replay, cursor: int) -> dict[str, str]:
    """Where any solver stands, by name: objective (if it is told), support vectors, kernel evaluations, time."""
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None:
        return {}
    numbers = {}
    objectives = [getattr(told, "objective", None) for told in (event, None if frame is None else frame.event)]
    known = [value for value in objectives if isinstance(value, int | float) and np.isfinite(value)]
    if known:
        numbers["objective"] = number(known[0], 6)
    if frame is not None:
        numbers["support vectors"] = count(int(np.count_nonzero(frame.support)))
    return numbers | spent(replay, cursor)


def spent(replay: Replay, cursor: int) -> dict[str, str]:
    """What the run has cost up to the cursor: kernel evaluations and the solver's time."""
    event = replay.event(cursor)
    if event is None:
        return {}
    return {"kernel evaluations": count(event.stamp.evaluations), "solver time": seconds(event.stamp.seconds)}


# ---- as HTML ----


def story_card(story: str, numbers: dict[str, str], hint: str, keys: bool) -> str:
    """What just happened, where the solver stands, and what can be done: with keys, too, on a page of its own."""
    faint = "color: var(--mui-palette-text-secondary, inherit); font-size: 12px"
    figures = "".join(
        f'<div><div style="{faint}">{name}</div><div style="font-variant-numeric: tabular-nums">{value}</div></div>'
        for name, value in numbers.items()
    )
    grid = "display: grid; grid-template-columns: repeat(auto-fill, minmax(118px, 1fr)); gap: 6px 12px; margin: 10px 0"
    look = f"font: 15px/1.45 {FONT}; color: var(--mui-palette-text-primary, inherit)"
    return (
        f'<div style="{look}"><div style="min-height: 66px">{story}</div><div style="{grid}">{figures}</div>'
        f'<div style="{faint}">{hint + KEYS_HINT * keys}</div></div>'
    )


def listing(lines: tuple[tuple[str, int, str], ...], lit: list[str]) -> str:
    """The algorithm, with some lines lit."""
    parts = []
    for name, depth, text in lines:
        shade, edge = LIT if name in lit else ("none", "transparent")
        look = f"background: {shade}; border-left: 3px solid {edge}; padding: 2px 8px 2px {10 + 20 * depth}px"
        current = ' aria-current="step"' if name in lit else ""
        parts.append(f'<div style="{look}"{current}>{with_formulas(text)}</div>')
    look = f"font: 14px/1.6 {FONT}; color: var(--mui-palette-text-primary, inherit)"
    return f'<div style="{look}">{"".join(parts)}</div>'
