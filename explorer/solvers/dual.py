"""The dual solver on the stage: the KKT picture, the violations, and its story."""

import html
from typing import Any, ClassVar

import numpy as np
from bokeh.models import ColumnDataSource, Range1d, Span  # type: ignore[attr-defined]

from engine.events import ActiveSetChanged, Event, Failed, Finished, Iteration, PhaseBegan, Started
from explorer.frame import Frame
from explorer.marks import draw_marks, size_of
from explorer.replay import Replay
from explorer.solvers import Act
from explorer.theme import AMBER, GREEN, MARKERS, NEGATIVE, POSITIVE, style, tone
from explorer.tile import tell_size, tile
from explorer.units import count, number, seconds

BINS = 30
MOST_POINTS = 1500  # in the KKT picture
SIDES = {-1.0: (MARKERS[0], NEGATIVE), 1.0: (MARKERS[1], POSITIVE)}
GRADIENTS, DECADES = (-3.0, 5.0), (-6.0, 1.0)  # what the axes show
STOPS = {
    "converged": "no point violates its conditions by more than the tolerance",
    "max_iter": "the limit of iterations was reached",
    "stalled": "rounding leaves nothing more to gain",
    "cancelled": "it was cancelled",
    "time": "its time was up",
}


class KktView:
    """Gradient against alpha, with the working set marked; how the violations are spread; what the row cache saved."""

    widgets: ClassVar[dict[str, list[Any]]] = {}
    restless = False

    def __init__(self, dark: bool) -> None:
        self._points = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        self._working = ColumnDataSource({"alpha": [], "gradient": []})
        self._pinned = ColumnDataSource({"alpha": [], "gradient": []})
        self._bars = ColumnDataSource({"left": [], "right": [], "top": []})
        self._cache = ColumnDataSource({"iteration": [], "hits": []})
        self.kkt = tile("kkt", "Optimal? Gradient against α", GRADIENTS)
        self.kkt.image_rgba(image="image", x="x", y="y", dw="dw", dh="dh", source=self._points)
        tell_size(self.kkt)
        self.kkt.scatter(
            "alpha", "gradient", source=self._working, marker="circle", size=11, fill_color=None, line_color=AMBER,
            line_width=1.8,
        )  # fmt: skip
        self._pin = self.kkt.scatter(
            "alpha", "gradient", source=self._pinned, marker="circle_cross", size=22, fill_color=None, line_width=1.6
        )
        self._zero = Span(dimension="width", location=0, line_width=1.2)
        self.kkt.add_layout(self._zero)
        self.kkt.xaxis.axis_label, self.kkt.yaxis.axis_label = "α", "gradient"
        decades = Range1d(start=DECADES[0], end=DECADES[1])
        self.spread = tile("violations", "Points by violation, log₁₀", x_range=decades)
        self.spread.quad(left="left", right="right", bottom=0, top="top", source=self._bars, color=NEGATIVE, alpha=0.75)
        self.cache = tile("cache", "Kernel rows from the cache, %", (0, 101))
        self.cache.line("iteration", "hits", source=self._cache, color=GREEN, line_width=2)
        self.plots = [self.kkt, self.spread, self.cache]
        self.restyle(dark)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        for plot in self.plots:
            style(plot, dark)
        self._zero.line_color = self._pin.glyph.line_color = tone(dark).text

    def clear(self) -> None:
        """Show nothing."""
        for source in (self._points, self._working, self._pinned, self._bars, self._cache):
            source.data = {name: [] for name in source.data}

    def end(self) -> None:
        """Nothing works in the background."""

    def forget(self) -> None:
        """Nothing is kept from run to run."""
        self.clear()

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show a frame: an optimal point has gradient 0, or sits at a bound that its gradient pushes against."""
        event, upper = frame.event, float(frame.upper.max())
        assert isinstance(event, Iteration)
        gradient = event.gradient + frame.signs * event.intercept
        height = np.clip(gradient, *GRADIENTS)
        some = np.arange(len(gradient))[:: max(1, len(gradient) // MOST_POINTS)]
        places, signs = np.column_stack([event.alpha, height])[some], frame.signs[some]
        left, right, bottom, top = window = (-0.03 * upper, 1.03 * upper, *GRADIENTS)
        size, ratio = size_of(self.kkt, 160)
        groups = [(places[signs == sign], *look) for sign, look in SIDES.items()]
        self._points.data = {
            "image": [draw_marks(groups, window, size, 2.5 * ratio)],
            "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom],
        }  # fmt: skip
        for source, rows in (
            (self._working, event.working_set),
            (self._pinned, np.flatnonzero(frame.members == pinned)),
        ):
            source.data = {"alpha": event.alpha[rows].tolist(), "gradient": height[rows].tolist()}
        self.kkt.x_range.update(start=left, end=right)
        wrong = np.maximum(np.where(event.alpha < frame.upper, -gradient, 0), np.where(event.alpha > 0, gradient, 0))
        wrong = wrong[event.active & (wrong > 1e-8)]
        counts, edges = np.histogram(np.log10(wrong), BINS, DECADES) if len(wrong) else (np.zeros(0), np.zeros(1))
        self._bars.data = {"left": edges[:-1].tolist(), "right": edges[1:].tolist(), "top": counts.tolist()}
        self.spread.y_range.end = 1.05 * max(1, counts.max(initial=1))
        self._draw_cache(replay, event)

    def _draw_cache(self, replay: Replay, now: Iteration) -> None:
        """How many of the rows needed so far in this task came from the cache."""
        task = [
            event
            for event in replay.recording
            if isinstance(event, Iteration) and event.stamp.path == now.stamp.path and event.iteration <= now.iteration
        ] or [now]
        task = [*task[: -1 : max(1, len(task) // 200)], task[-1]]
        rows = np.array([(event.iteration, event.cache_hits, event.rows_computed) for event in task], float)
        self._cache.data = {
            "iteration": rows[:, 0], "hits": 100 * rows[:, 1] / np.maximum(1, rows[:, 1] + rows[:, 2]),
        }  # fmt: skip
        self.cache.x_range.end = max(1.0, rows[-1, 0])


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan(name="look at all") | ActiveSetChanged():
            return "look"
        case PhaseBegan(name="gradient"):
            return "start"
        case Iteration():
            return "solve update"
        case Finished():
            return "done"
        case _:
            return "start"


def story(replay: Replay, cursor: int) -> str:
    """What just happened in a solver of the dual problem."""
    event = replay.event(cursor)
    match event:
        case None:
            return "Nothing has happened yet."
        case Started():
            form = "with" if event.bias else "without"
            width = "" if event.kernel == "linear" else f" with γ = {number(event.gamma)}"
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {html.escape(event.kernel)} kernel{width}, "
                f"{form} bias. All α are 0, so every point violates its condition by 1."
            )
        case PhaseBegan(name="look at all"):
            return (
                f"<b>Look at all points.</b> The active ones are optimal; the gradients of those set aside are brought "
                f"up to date before anything is claimed for all {event.size:,}."
            )
        case PhaseBegan():
            return f"<b>{html.escape(event.name.capitalize())}.</b> {event.size:,} points."
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
                f"<b>Finished: {html.escape(event.stop_reason)}</b>, {STOPS.get(event.stop_reason, '')}. "
                f"{event.iterations:,} iterations, {event.inner_steps:,} two-variable steps and "
                f"{count(event.stamp.evaluations)} kernel evaluations took {seconds(event.stamp.seconds)}. Objective "
                f"{number(event.objective, 6)}; {event.n_free:,} free support vectors, {event.n_bound:,} bound ones."
            )
        case Failed():
            return f"<b>Failed.</b> {html.escape(f'{event.error}: {event.message}')}"
        case _:
            return ""


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


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None:
        return {}
    now = frame.event
    assert isinstance(now, Iteration)
    return {
        "objective": number(now.objective, 6),
        "violation": number(now.violation, 3),
        "free SVs": count(now.n_free),
        "bound SVs": count(now.n_bound),
        "active points": count(now.n_active),
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds),
    }


LISTING = (
    ("start", 0, r"$\alpha \leftarrow 0,\quad G \leftarrow Q\alpha - e = -e$"),
    ("repeat", 0, "repeat"),
    ("choose", 1, r"working set $B \leftarrow$ half of the last one and the worst violators by $-y_i G_i$"),
    (
        "solve",
        1,
        r"$\min_{\alpha_B} \frac{1}{2}\alpha^T Q \alpha - e^T\alpha,\ 0 \le \alpha \le C$, two variables at a time",
    ),
    ("update", 1, r"$G \leftarrow G + Q_{:B}\,\Delta\alpha_B$, with rows of $Q$ from the cache"),
    ("look", 1, "set aside what a bound holds firmly; in the end look at all"),
    ("done", 0, r"until $\max_{i \in I_{up}} -y_i G_i - \min_{j \in I_{low}} -y_j G_j \le \varepsilon$"),
)

ACT = Act(
    solver="kernel-svm",
    summary="The dual problem by decomposition: working sets, two-variable steps, shrinking; LIBSVM's answer, in view.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=KktView,
    shown=("kernel", "C", "gamma", "degree", "coef0", "bias", "working_set", "tol", "seed"),
)
