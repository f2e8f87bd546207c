"""The scene: the data in the plane, with what the solver makes of them at the cursor."""

from typing import Any

import contourpy
import numpy as np
from bokeh.models import ColumnDataSource, CustomJS, HoverTool, LinearColorMapper, Range1d

from engine.events import Array
from explorer.replay import Frame, Replay
from explorer.theme import AMBER, BOUND_MARKERS, MARKERS, NEGATIVE, POSITIVE, plain_figure, ramp, style, tone

GRID = (130, 80)  # places across and up of the decision field
WIDER = 1.6  # the field reaches so far beyond the square of the data, for frames wider than high
MOST_POINTS = 5000
POINTS = ("x", "y", "marker", "colour", "label", "index", "alpha", "margin")
SUPPORT = ("x", "y", "size", "marker", "colour", "edge", "index", "label", "alpha", "margin")
LAYERS = ("field", "margins", "points", "support vectors", "working set", "misses")
# A unit is as long across as it is up: the square of the data fills the frame, whatever its shape.
KEEP_ASPECT = """
const [w, h] = [plot.inner_width, plot.inner_height]
if (w > 0 && h > 0) {
  const half = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2]
  const stretch = [Math.max(1, w / h), Math.max(1, h / w)]
  const ranges = [plot.x_range, plot.y_range]
  ranges.forEach((range, k) => {
    const middle = (low[k] + high[k]) / 2
    range.setv({start: middle - half[k] * stretch[k], end: middle + half[k] * stretch[k]})
  })
}
"""
MARGIN_COLOURS = {-1.0: NEGATIVE, 0.0: "", 1.0: POSITIVE}


class Scene:
    """One Bokeh figure, updated in place."""

    def __init__(self, dark: bool = False) -> None:
        self.dark = dark
        self.plot = plain_figure(
            x_range=Range1d(),
            y_range=Range1d(),
            tools="pan,wheel_zoom,tap,reset",
            active_scroll=None,
            height=500,
            min_height=340,
        )
        self.note = ""
        self._colours = LinearColorMapper(palette=["#ffffff"], low=-2, high=2)
        self._field = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self._lines = {level: ColumnDataSource({"xs": [], "ys": []}) for level in MARGIN_COLOURS}
        self._points = ColumnDataSource({name: [] for name in POINTS})
        self._support = ColumnDataSource({name: [] for name in SUPPORT})
        self._working = ColumnDataSource({"x": [], "y": []})
        self._misses = ColumnDataSource({"x": [], "y": [], "edge": []})
        self._build()
        self.restyle(dark)

    def _build(self) -> None:
        plot = self.plot
        field = plot.image(
            image="image", x="x", y="y", dw="dw", dh="dh", source=self._field, color_mapper=self._colours, level="image"
        )
        self._line_glyphs = {
            level: plot.multi_line(
                "xs",
                "ys",
                source=source,
                line_width=2.2 if level == 0 else 1.4,
                line_dash="solid" if level == 0 else "dashed",
            )
            for level, source in self._lines.items()
        }
        points = plot.scatter(
            "x",
            "y",
            source=self._points,
            marker="marker",
            size=6,
            fill_color="colour",
            line_color=None,
            fill_alpha=0.55,
        )
        support = plot.scatter(
            "x", "y", source=self._support, marker="marker", size="size", fill_color="colour", line_color="edge",
            line_width=1.3, fill_alpha=0.95,
        )  # fmt: skip
        working = plot.scatter(
            "x", "y", source=self._working, marker="circle", size=17, fill_color=None, line_color=AMBER, line_width=2.2
        )
        misses = plot.scatter("x", "y", source=self._misses, marker="x", size=11, line_width=1.8, line_color="edge")
        hover = HoverTool(
            renderers=[points, support],
            tooltips=[("point", "@index"), ("label", "@label"), ("α", "@alpha{0.000a}"), ("y f(x)", "@margin{0.00}")],
        )
        plot.add_tools(hover)
        plot.grid.visible = False
        self._frame = CustomJS(args={"plot": plot, "low": [0, 0], "high": [1, 1]}, code=KEEP_ASPECT)
        for size in ("inner_width", "inner_height"):
            plot.js_on_change(size, self._frame)
        self._frame.js_on_change("tags", CustomJS(args={"frame": self._frame}, code="frame.execute(frame)"))
        self._layers: dict[str, list[Any]] = {
            "field": [field],
            "margins": list(self._line_glyphs.values()),
            "points": [points],
            "support vectors": [support],
            "working set": [working],
            "misses": [misses],
        }

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        style(self.plot, dark)
        self._colours.palette = ramp(tone(dark).field)
        for level, glyph in self._line_glyphs.items():
            glyph.glyph.line_color = MARGIN_COLOURS[level] or tone(dark).text

    def show(self, layers: list[str]) -> None:
        """Show these layers and no others."""
        for name, renderers in self._layers.items():
            for renderer in renderers:
                renderer.visible = name in layers

    def load(self, replay: Replay) -> None:
        """Put the points of a new recording in place."""
        places, n = replay.places, len(replay.places)
        self._shown = np.arange(n)
        if n > MOST_POINTS:
            self._shown = np.sort(np.random.default_rng(0).permutation(n)[:MOST_POINTS])
        shown = self._shown
        labels = replay.labels[shown]
        palette = np.array([NEGATIVE, POSITIVE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000"])
        shapes = np.array([*MARKERS, "square", "diamond", "inverted_triangle", "hex", "star", "plus"])
        self._points.data = {
            "x": places[shown, 0],
            "y": places[shown, 1],
            "marker": shapes[labels % len(shapes)],
            "colour": palette[labels % len(palette)],
            "label": replay.classes[labels].astype(str),
            "index": shown,
            "alpha": np.zeros(len(shown)),
            "margin": np.zeros(len(shown)),
        }
        low, high = places.min(axis=0), places.max(axis=0)
        side = 1.12 * max((high - low).max(), 1e-9)
        self._low, self._high = (low + high - side) / 2, (low + high + side) / 2
        self._frame.args = {**self._frame.args, "low": self._low.tolist(), "high": self._high.tolist()}
        self._frame.tags = [*self._low, *self._high]
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = replay.plane.labels
        self.note = "" if replay.plane.kept > 0.999 else f"plane of {100 * replay.plane.kept:.0f} % of the variance"
        if n > MOST_POINTS:
            self.note += f"{' · ' if self.note else ''}{MOST_POINTS:,} of {n:,} points drawn"
        self.clear()

    def clear(self) -> None:
        """Nothing but the points."""
        for source in (self._support, self._working, self._misses):
            source.data = {name: [] for name in source.data}
        for source in self._lines.values():
            source.data = {"xs": [], "ys": []}
        self._field.data = {name: [] for name in self._field.data}

    def draw(self, replay: Replay, frame: Frame) -> None:
        """Show a frame."""
        self._draw_points(replay, frame)
        self._draw_field(replay, frame)

    def _draw_points(self, replay: Replay, frame: Frame) -> None:
        event, places = frame.event, replay.places[frame.members]
        margins = replay.margins(frame)
        support = np.flatnonzero(event.alpha)
        upper = event.alpha.max(initial=0.0) or 1.0
        bound = event.alpha[support] >= replay.settings.C * (1 - 1e-12)
        side = (frame.signs[support] > 0).astype(int)
        colours, edge = np.array([NEGATIVE, POSITIVE]), tone(self.dark).text
        self._support.data = {
            "x": places[support, 0],
            "y": places[support, 1],
            "size": 7 + 8 * np.sqrt(event.alpha[support] / upper),
            "marker": np.where(bound, np.array(BOUND_MARKERS)[side], np.array(MARKERS)[side]),
            "colour": colours[side],
            "edge": np.full(len(support), edge),
            "index": frame.members[support],
            "label": replay.classes[replay.labels[frame.members[support]]].astype(str),
            "alpha": event.alpha[support],
            "margin": margins[support],
        }
        working = event.working_set
        self._working.data = {"x": places[working, 0], "y": places[working, 1]}
        wrong = np.flatnonzero(margins <= 0)[:MOST_POINTS]
        self._misses.data = {
            "x": places[wrong, 0], "y": places[wrong, 1], "edge": np.full(len(wrong), edge),
        }  # fmt: skip
        self._update_hover(frame, margins)

    def _update_hover(self, frame: Frame, margins: Array) -> None:
        alpha, margin = (np.full(int(self._shown.max()) + 1, np.nan) for _ in range(2))
        inside = frame.members < len(alpha)
        alpha[frame.members[inside]] = frame.event.alpha[inside]
        margin[frame.members[inside]] = margins[inside]
        self._points.data.update(alpha=alpha[self._shown], margin=margin[self._shown])

    def _draw_field(self, replay: Replay, frame: Frame) -> None:
        low, high = self._low.copy(), self._high.copy()
        low[0], high[0] = (low[0] + high[0]) / 2 + WIDER * (high[0] - low[0]) / 2 * np.array([-1, 1])
        xs, ys = (np.linspace(low[k], high[k], GRID[k]) for k in (0, 1))
        grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        values = replay.field(frame, grid).reshape(len(ys), len(xs))
        self._field.data = {
            "image": [np.clip(values, -2, 2).astype(np.float32)],
            "x": [low[0]], "y": [low[1]], "dw": [high[0] - low[0]], "dh": [high[1] - low[1]],
        }  # fmt: skip
        lines = contourpy.contour_generator(xs, ys, values)
        for level, source in self._lines.items():
            found: Any = lines.lines(level)
            source.data = {"xs": [line[:, 0] for line in found], "ys": [line[:, 1] for line in found]}
