"""The KKT picture: gradient against alpha, how violations are spread, what the row cache saved."""

import numpy as np
from bokeh.models import ColumnDataSource, Range1d, Span  # type: ignore[attr-defined]

from engine.systems.kernel_svm.events import Iteration
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.tile import tell_size, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, GREEN, MARKERS, NEGATIVE, POSITIVE, tone

BINS = 30


MOST_POINTS = 1500  # in the KKT picture


SIDES = {-1.0: (MARKERS[0], NEGATIVE), 1.0: (MARKERS[1], POSITIVE)}


GRADIENTS, DECADES = (-3.0, 5.0), (-6.0, 1.0)  # what the axes show


class KktView(View):
    """Gradient against alpha, with the working set marked; how the violations are spread; what the row cache saved."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._points = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        self._working = ColumnDataSource({"alpha": [], "gradient": []})
        self._pinned = ColumnDataSource({"alpha": [], "gradient": []})
        self._bars = ColumnDataSource({"left": [], "right": [], "top": []})
        self._cache = ColumnDataSource({"iteration": [], "hits": []})
        self.sources = (self._points, self._working, self._pinned, self._bars, self._cache)
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
        super().restyle(dark)
        self._zero.line_color = self._pin.glyph.line_color = tone(dark).text

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
