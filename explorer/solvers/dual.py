"""The dual solver on the stage: the KKT picture, the violations, and its story."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from engine.events import ActiveSetChanged, Event, Failed, Finished, Iteration, PhaseBegan, Started
from explorer.replay import Frame, Replay
from explorer.solvers import Act, Preset
from explorer.theme import AMBER, MARKERS, NEGATIVE, POSITIVE, plain_figure, style, tone

BINS = 30
STOPS = {
    "converged": "no point violates its conditions by more than the tolerance",
    "max_iter": "the limit of iterations was reached",
    "stalled": "rounding leaves nothing more to gain",
    "cancelled": "it was cancelled",
    "time": "its time was up",
}


class KktView:
    """Gradient against alpha, with the working set marked, and how the violations are spread."""

    def __init__(self, dark: bool = False) -> None:
        self._points = ColumnDataSource({name: [] for name in ("alpha", "gradient", "colour", "marker", "index")})
        self._working = ColumnDataSource({"alpha": [], "gradient": []})
        self._bars = ColumnDataSource({"left": [], "right": [], "top": []})
        self.kkt = plain_figure(title="Optimal? Gradient against α", tools="", height=230, min_height=180)
        self.kkt.scatter(
            "alpha",
            "gradient",
            source=self._points,
            marker="marker",
            size=5,
            color="colour",
            alpha=0.6,
            line_color=None,
        )
        self.kkt.scatter(
            "alpha", "gradient", source=self._working, marker="circle", size=11, fill_color=None, line_color=AMBER,
            line_width=1.8,
        )  # fmt: skip
        self._zero = self.kkt.ray(0, 0, length=0, angle=0, line_width=1.2)
        self.kkt.xaxis.axis_label, self.kkt.yaxis.axis_label = "α", "gradient"
        self.spread = plain_figure(title="Violations, log₁₀", tools="", height=150, min_height=120)
        self.spread.quad(left="left", right="right", bottom=0, top="top", source=self._bars, color=NEGATIVE, alpha=0.75)
        self.spread.yaxis.axis_label = "points"
        self.plots = [self.kkt, self.spread]
        self.restyle(dark)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        for plot in self.plots:
            style(plot, dark)
        self._zero.glyph.line_color = tone(dark).text

    def clear(self) -> None:
        """Show nothing."""
        for source in (self._points, self._working, self._bars):
            source.data = {name: [] for name in source.data}

    def draw(self, replay: Replay, frame: Frame) -> None:
        """Show a frame: an optimal point has gradient 0, or sits at a bound that its gradient pushes against."""
        event = frame.event
        gradient = event.gradient + frame.signs * event.intercept
        some = np.arange(len(gradient))[:: max(1, len(gradient) // 4000)]
        side = (frame.signs[some] > 0).astype(int)
        self._points.data = {
            "alpha": event.alpha[some],
            "gradient": np.clip(gradient[some], -3, 5),
            "colour": np.array([NEGATIVE, POSITIVE])[side],
            "marker": np.array(MARKERS)[side],
            "index": frame.members[some],
        }
        working = event.working_set
        self._working.data = {"alpha": event.alpha[working], "gradient": np.clip(gradient[working], -3, 5)}
        upper = replay.settings.C
        wrong = np.maximum(np.where(event.alpha < upper, -gradient, 0), np.where(event.alpha > 0, gradient, 0))
        wrong = wrong[event.active & (wrong > 1e-8)]
        counts, edges = np.histogram(np.log10(wrong), BINS, (-6, 1)) if len(wrong) else (np.zeros(0), np.zeros(1))
        self._bars.data = {"left": edges[:-1], "right": edges[1:], "top": counts}


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan(name="look at all") | ActiveSetChanged():
            return "look"
        case PhaseBegan(name="gradient"):
            return "start"
        case Iteration():
            return "solve"
        case Finished():
            return "done"
        case _:
            return "start"


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case None:
            return "Nothing has happened yet."
        case Started():
            form = "with" if event.bias else "without"
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {event.kernel} kernel with "
                f"γ = {event.gamma:.4g}, {form} bias. All α are 0, so every point violates its condition by 1."
            )
        case PhaseBegan(name="look at all"):
            return (
                f"<b>Look at all points.</b> The active ones are optimal; the gradients of those set aside are brought "
                f"up to date before anything is claimed for all {event.size:,}."
            )
        case PhaseBegan():
            return f"<b>{event.name.capitalize()}.</b> {event.size:,} points."
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
                f"<b>Finished: {event.stop_reason}</b>, {STOPS.get(event.stop_reason, '')}. "
                f"{event.iterations:,} iterations, {event.inner_steps:,} two-variable steps, "
                f"{event.stamp.evaluations:,} kernel evaluations in {event.stamp.seconds:.3g} s of solver time. "
                f"Objective {event.objective:.6g}; {event.n_free:,} free support vectors, {event.n_bound:,} bound ones."
            )
        case Failed():
            return f"<b>Failed.</b> {event.error}: {event.message}"
        case _:
            return ""


def _iteration(replay: Replay, cursor: int, event: Iteration) -> str:
    before = replay.frame(cursor - 1)
    size = len(event.working_set)
    text = f"<b>Iteration {event.iteration}.</b> {event.inner_steps:,} two-variable steps on {size} points"
    if before is not None and before.event.stamp.path == event.stamp.path:
        entered = int(np.sum((before.event.alpha == 0) & (event.alpha > 0)))
        left = int(np.sum((before.event.alpha > 0) & (event.alpha == 0)))
        gained = before.event.objective - event.objective
        text += f" lowered the objective by {gained:.4g} to {event.objective:.6g}. "
        text += f"{entered} became support vectors, {left} stopped being one. "
    else:
        text += f" brought the objective to {event.objective:.6g}. "
    hits = event.cache_hits / max(1, event.cache_hits + event.rows_computed)
    return text + (
        f"The worst violation left is {event.violation:.3g} (tolerance {replay.settings.tol:g}); "
        f"{100 * hits:.0f} % of all kernel rows came from the cache."
    )


LISTING = (
    ("start", "α ← 0, gradient G ← −1"),
    ("repeat", "repeat"),
    ("choose", "    working set ← half of the last one + the worst violators"),
    ("solve", "    solve it by two-variable steps; update G"),
    ("look", "    set aside what a bound holds firmly; in the end look at all"),
    ("done", "until no violation exceeds tol"),
)

BOARD: dict[str, Any] = {"name": "checkerboard-filled", "size": 1000}
MOONS, SPIRALS = {"name": "moons", "size": 200}, {"name": "spirals", "size": 600}
UNEQUAL = {"name": "imbalanced", "size": 600}
PRESETS = (
    Preset("Checkerboard: the boundary forms", BOARD, {"C": 10.0, "gamma": 4.0, "working_set": 16}),
    Preset("Plain SMO: two points at a time", MOONS, {"C": 10.0, "gamma": 2.0, "working_set": 2}),
    Preset("Too narrow a kernel", BOARD, {"C": 10.0, "gamma": 200.0, "working_set": 64}),
    Preset("Too wide a kernel", BOARD, {"C": 1.0, "gamma": 0.05, "working_set": 32}),
    Preset("Unequal classes, no bias", UNEQUAL, {"C": 5.0, "gamma": 1.0, "bias": False, "working_set": 16}),
    Preset("Two spirals", SPIRALS, {"C": 100.0, "gamma": 10.0, "working_set": 16}),
)

ACT = Act(
    solver="kernel-svm",
    summary="The dual problem by decomposition: working sets, two-variable steps, shrinking; LIBSVM's answer, in view.",
    listing=LISTING,
    line=_line,
    story=_story,
    view=KktView,
    presets=PRESETS,
    shown=("kernel", "C", "gamma", "degree", "coef0", "bias", "working_set", "tol", "seed"),
)
