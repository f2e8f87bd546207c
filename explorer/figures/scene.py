"""The scene: the data in the plane, with what the solver makes of them at the cursor."""

from collections.abc import Callable, Iterable
from typing import Any

import contourpy
import numpy as np
from bokeh.events import DoubleTap, Pan, PanEnd, PanStart, Tap
from bokeh.models import ColumnDataSource, CustomJS, CustomJSHover, HoverTool, LinearColorMapper, Range1d

from engine.runtime.events import Array
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.overlay import Overlay
from explorer.replay.decision_field import grid
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import (
    AMBER,
    BOUND_MARKERS,
    MARKERS,
    NEGATIVE,
    PALETTE,
    POSITIVE,
    plain_figure,
    ramp,
    style,
    tone,
)

HEIGHT = 412  # pixels of the frame, more or less
CELLS = 10_000  # places of the decision field
CURVE = 400  # places of the curve of a regression
MOST_EVALUATIONS = 3e7  # kernel evaluations that one field may cost; beyond, it has fewer places
MOST_POINTS = 5000
REACH = 0.03  # of the window, between a tap and the point it means
MOST_SUPPORT = 1500
LAYERS = ("field", "margins", "points", "support vectors", "working set", "misses")
SHOWN = ("field", "margins", "points", "support vectors", "working set")
POINTS = ("x", "y", "kind", "label", "index", "alpha", "margin")
SUPPORT = ("x", "y", "size", "marker", "colour")
# A unit is as long across as it is up: the square of the data fills the frame, whatever its shape. Targets are free.
KEEP_ASPECT = """
const [w, h] = [plot.inner_width, plot.inner_height]
if (w > 0 && h > 0) {
  plot.tags = [w, h, window.devicePixelRatio]
  const half = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2]
  const stretch = free ? [1, 1] : [Math.max(1, w / h), Math.max(1, h / w)]
  const ranges = [plot.x_range, plot.y_range]
  ranges.forEach((range, k) => {
    const middle = (low[k] + high[k]) / 2
    range.setv({start: middle - half[k] * stretch[k], end: middle + half[k] * stretch[k]})
  })
}
"""
# Of each contour: colour (the text's, if none is given), width, dashes.
MARGINS = {-1: (NEGATIVE, 1.4, "dashed"), 0: ("", 2.2, "solid"), 1: (POSITIVE, 1.4, "dashed")}
TIPS: Any = [("point", "@index"), ("label", "@label"), ("α", "@alpha{custom}"), ("y f(x)", "@margin{custom}")]
TARGET_TIPS: Any = [("point", "@index"), ("target", "@label"), ("α", "@alpha{custom}"), ("f(x)", "@margin{custom}")]
Touched = Callable[[str, float, float], None]


class Scene:
    """One Bokeh figure, updated in place. Tells of taps and strokes: a kind and a place in the plane."""

    def __init__(self, touched: Touched, dark: bool = False, overlay: Callable[[Any], Overlay] | None = None) -> None:
        self.dark = dark
        self.layers: tuple[str, ...] = SHOWN
        self.note = ""
        self.left_out = 0  # support vectors that are not drawn
        self.side = 1.0  # of the square of the data
        self.plot = plain_figure(
            "scene",
            x_range=Range1d(start=0, end=1),
            y_range=Range1d(start=0, end=1),
            tools="pan,wheel_zoom",
            active_scroll=None,
            height=HEIGHT + 60,
        )
        self._shown = np.zeros(0, int)
        # What the field and the points were last drawn for.
        self._window: tuple[float, ...] = ()
        self._marked: tuple[Any, ...] = ()
        self._drawn: tuple[Any, ...] = ()
        self._colours = LinearColorMapper(palette=["#ffffff"], low=-2, high=2)
        self._field = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self._lines = ColumnDataSource({f"{axis}{level}": [] for level in MARGINS for axis in "xy"})
        self._points = ColumnDataSource({name: [] for name in POINTS})
        self._marks = ColumnDataSource({name: [] for name in self._field.data})
        # What changes with each frame is apart from where the points are: those need not be laid out anew for it.
        self._now = ColumnDataSource({"alpha": [], "margin": []})
        self._support = ColumnDataSource({name: [] for name in SUPPORT})
        self._working = ColumnDataSource({"x": [], "y": []})
        self._curve = ColumnDataSource({"x": [], "y": []})
        self._misses = ColumnDataSource({"x": [], "y": []})
        self._pinned = ColumnDataSource({"x": [], "y": []})
        self._build()
        self.overlay = None if overlay is None else overlay(self.plot)
        if self.overlay is not None:
            self._layers |= self.overlay.layers
        self.restyle(dark)
        self.show(SHOWN)
        for event in (Tap, DoubleTap, PanStart, Pan, PanEnd):
            self.plot.on_event(event, lambda found: touched(found.event_name, found.x, found.y))

    def _build(self) -> None:
        plot = self.plot
        field = plot.image(
            image="image", x="x", y="y", dw="dw", dh="dh", source=self._field, color_mapper=self._colours, level="image"
        )
        self._line_glyphs = {
            level: plot.line(f"x{level}", f"y{level}", source=self._lines, line_width=width, line_dash=dash)
            for level, (_, width, dash) in MARGINS.items()
        }
        self._curve_glyph = plot.line("x", "y", source=self._curve, line_width=3)
        points = plot.image_rgba(image="image", x="x", y="y", dw="dw", dh="dh", source=self._marks)
        # What the pointer is over; without an angle a mark is found there, but not drawn.
        under = plot.scatter("x", "y", source=self._points, size=9, angle=float("nan"))
        self._support_glyph = support = plot.scatter(
            "x", "y", source=self._support, marker="marker", size="size", fill_color="colour", line_width=1.3,
            fill_alpha=0.95,
        )  # fmt: skip
        working = plot.scatter(
            "x", "y", source=self._working, marker="circle", size=17, fill_color=None, line_color=AMBER, line_width=2.2
        )
        self._miss_glyph = plot.scatter("x", "y", source=self._misses, marker="x", size=11, line_width=1.8)
        self._pin_glyph = plot.scatter(
            "x", "y", source=self._pinned, marker="circle_cross", size=26, fill_color=None, line_width=1.6
        )
        number = "const v = now.get_array('{}')[value]; return v === undefined || isNaN(v) ? '–' : v.toPrecision(3)"
        formats: Any = {
            f"@{name}": CustomJSHover(args={"now": self._now}, code=number.replace("{}", name))
            for name in ("alpha", "margin")
        }
        self._hover = HoverTool(renderers=[under], tooltips=TIPS, formatters=formats, visible=False)
        plot.add_tools(self._hover)
        plot.grid.visible = False
        self._frame = CustomJS(args={"plot": plot, "low": [0, 0], "high": [1, 1], "free": False}, code=KEEP_ASPECT)
        for size in ("inner_width", "inner_height"):
            plot.js_on_change(size, self._frame)
        self._frame.js_on_change("tags", CustomJS(args={"frame": self._frame}, code="frame.execute(frame)"))
        self._layers: dict[str, list[Any]] = {
            "field": [field],
            "margins": list(self._line_glyphs.values()),
            "points": [points],
            "support vectors": [support],
            "working set": [working],
            "misses": [self._miss_glyph],
        }

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.dark = dark
        style(self.plot, dark)
        self._colours.palette = ramp(tone(dark).field)
        for level, line in self._line_glyphs.items():
            line.glyph.line_color = MARGINS[level][0] or tone(dark).text
        for glyph in (self._support_glyph, self._miss_glyph, self._pin_glyph, self._curve_glyph):
            glyph.glyph.line_color = tone(dark).text
        if self.overlay is not None:
            self.overlay.restyle(dark)

    def show(self, layers: Iterable[str]) -> None:
        """Show these layers and no others."""
        self.layers = tuple(layers)
        for name, renderers in self._layers.items():
            for renderer in renderers:
                renderer.visible = name in layers

    @property
    def local(self) -> bool:
        """Whether the field shows the model of each part (a cell, a leaf) by itself."""
        return self.overlay is not None and not set(self.overlay.local_layers).isdisjoint(self.layers)

    def let_draw(self, drawing: bool) -> None:
        """Whether a stroke draws, or moves the plane."""
        wanted = None if drawing else "auto"
        if self.plot.toolbar.active_drag != wanted:
            self.plot.toolbar.active_drag = wanted

    # ---- the data ----

    def load(self, replay: Replay) -> None:
        """Put the points of a new recording in place."""
        places, n = replay.places, len(replay.places)
        shown = np.arange(n)
        if n > MOST_POINTS:
            shown = np.sort(np.random.default_rng(0).permutation(n)[:MOST_POINTS])
        frame = self._frame_targets if replay.regression else self._frame_square
        frame(places.min(axis=0), places.max(axis=0))
        self._put(places, replay.labels, replay.label_names, shown)
        self._hover.tooltips = TARGET_TIPS if replay.regression else TIPS
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = replay.plane.labels
        self.note = "" if replay.plane.kept > 0.999 else f"plane of {100 * replay.plane.kept:.0f} % of the variance"
        if n > MOST_POINTS:
            self.note += f"{' · ' if self.note else ''}{MOST_POINTS:,} of {n:,} points drawn"
        self.clear()

    def load_sketch(self, places: Array, labels: Array, reach: float, anew: bool) -> None:
        """Put points that are being drawn in place; `anew` also shows the whole sheet."""
        if anew:
            self._frame_square(np.full(2, -reach), np.full(2, reach))
            self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = "x₁", "x₂"
        self._put(places, labels, np.array(["-1", "1"])[labels], np.arange(len(places)))
        self.note = "tap to put a point, drag to put many"
        self.clear()

    def _put(self, places: Array, labels: Array, names: Array, shown: Array) -> None:
        self._shown = shown
        row = np.arange(len(shown))
        self._points.data = {
            "x": places[shown, 0], "y": places[shown, 1], "kind": labels[shown] % len(PALETTE),
            "label": names[shown], "index": shown, "alpha": row, "margin": row,
        }  # fmt: skip
        self._draw_marks()

    def _draw_marks(self) -> None:
        """Draw the points for the part of the plane in view."""
        size, ratio = size_of(self.plot, HEIGHT)
        self._marked = (self.window(), size)
        left, right, bottom, top = self.window()
        data = self._points.data
        places, kinds = np.column_stack([data["x"], data["y"]]), np.asarray(data["kind"])
        groups = [(places[kinds == k], shape, colour) for k, (colour, shape) in enumerate(PALETTE) if k in kinds]
        self._marks.data = {
            "image": [draw_marks(groups, (left, right, bottom, top), size, 3 * ratio)],
            "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom],
        }  # fmt: skip

    def _frame_square(self, low: Array, high: Array) -> None:
        self.side = 1.12 * max(float((high - low).max()), 1e-9)
        self._set_frame((low + high - self.side) / 2, (low + high + self.side) / 2, free=False)

    def _frame_targets(self, low: Array, high: Array) -> None:
        """Targets have a scale of their own, with room for words."""
        size = np.maximum(high - low, 1e-9)
        self._set_frame(low - size * (0.03, 0.14), high + size * (0.03, 0.1), free=True)

    def _set_frame(self, low: Array, high: Array, free: bool) -> None:
        self.plot.x_range.update(start=low[0], end=high[0])
        self.plot.y_range.update(start=low[1], end=high[1])
        self._frame.args = {**self._frame.args, "low": low.tolist(), "high": high.tolist(), "free": free}
        self._frame.tags = [*low, *high]

    def nearest(self, x: float, y: float) -> int | None:
        """The index of the point that a tap meant, if it is near one."""
        if not len(self._shown):
            return None
        left, right, bottom, top = self.window()
        across, up = right - left, top - bottom
        if not self._frame.args["free"]:
            across = up = max(across, up)
        away = (np.asarray(self._points.data["x"]) - x) / across, (np.asarray(self._points.data["y"]) - y) / up
        far = np.hypot(*away)
        best = int(far.argmin())
        return int(self._shown[best]) if far[best] <= REACH else None

    def window(self) -> tuple[float, ...]:
        """The part of the plane in view: left, right, bottom, top."""
        ranges = (self.plot.x_range, self.plot.y_range)
        return tuple(float(end) for one in ranges for end in (one.start, one.end))

    @property
    def moved(self) -> bool:
        """Whether another part of the plane is in view than the field was drawn for."""
        return bool(self._window) and self.window() != self._window

    # ---- a frame ----

    def clear(self) -> None:
        """Nothing but the points."""
        for source in (
            self._field, self._lines, self._support, self._working, self._misses, self._pinned, self._now, self._curve,
        ):  # fmt: skip
            if any(map(len, source.data.values())):
                source.data = {name: [] for name in source.data}
        if self.overlay is not None:
            self.overlay.clear()
        self._window = self._drawn = ()

    def draw(self, replay: Replay, frame: Frame, pinned: int | None = None) -> None:
        """Show a frame, with a point that is to be told from the others."""
        if (self.window(), size_of(self.plot, HEIGHT)[0]) != self._marked:
            self._draw_marks()
        drawn = (frame, self.window(), self.layers)
        if drawn != self._drawn:  # or an overlay moves, and nothing else
            self._drawn = drawn
            if replay.regression:
                self._window = self.window()
                if self.overlay is None:
                    self._draw_curve(replay, frame)
            else:
                self._draw_points(replay, frame)
                self._draw_field(replay, frame)
        if self.overlay is not None:
            self.overlay.draw(replay, frame, self._window, pinned)
        place = replay.places[[] if pinned is None else [pinned]]
        if list(self._pinned.data["x"]) != list(place[:, 0]):
            self._pinned.data = {"x": place[:, 0].tolist(), "y": place[:, 1].tolist()}

    def tell(self, replay: Replay, frame: Frame) -> None:
        """Bring what is said of the point under the pointer up to date."""
        rows, mine = self._drawn_members(frame)
        alpha, margin = (np.full(len(self._shown), np.nan, np.float32) for _ in range(2))
        alpha[mine], margin[mine] = frame.alpha[rows], replay.reader.margins(frame, rows, self.local)
        self._now.data = {"alpha": alpha, "margin": margin}

    def _drawn_members(self, frame: Frame) -> tuple[Array, Array]:
        """Which of the task's points are drawn, and which of those drawn they are."""
        _, rows, mine = np.intersect1d(frame.members, self._shown, assume_unique=True, return_indices=True)
        return rows, mine

    def _draw_points(self, replay: Replay, frame: Frame) -> None:
        support, places = replay.reader.drawn(frame), replay.places[frame.members]
        sizes, some = abs(support.weights), slice(None)
        self.left_out = max(0, len(sizes) - MOST_SUPPORT)
        if self.left_out:
            some = np.linspace(0, len(sizes) - 1, MOST_SUPPORT).astype(int)  # type: ignore[assignment]
        side = (support.weights[some] > 0).astype(int)
        self._support.data = {
            "x": support.places[some, 0].astype(np.float32),
            "y": support.places[some, 1].astype(np.float32),
            "size": (7 + 8 * np.sqrt(sizes[some] / (sizes.max(initial=0.0) or 1.0))).astype(np.float32),
            "marker": np.where(support.marked[some], np.array(BOUND_MARKERS)[side], np.array(MARKERS)[side]),
            "colour": np.array([NEGATIVE, POSITIVE])[side],
        }
        working = frame.working_set
        self._working.data = {"x": places[working, 0].tolist(), "y": places[working, 1].tolist()}
        if self._miss_glyph.visible:
            rows, _ = self._drawn_members(frame)
            wrong = rows[replay.reader.margins(frame, rows, self.local) <= 0]
            self._misses.data = {"x": places[wrong, 0], "y": places[wrong, 1]}

    def _draw_curve(self, replay: Replay, frame: Frame) -> None:
        """The decision function of a regression along the first axis, where no overlay draws one."""
        left, right, _, _ = self._window
        xs = np.linspace(left, right, CURVE)
        values = replay.reader.decision(frame, grid(replay, xs, [0.0]), self.local)
        self._curve.data = {"x": xs.astype(np.float32), "y": values.astype(np.float32)}

    def _draw_field(self, replay: Replay, frame: Frame) -> None:
        self._window = left, right, bottom, top = self.window()
        cells = min(CELLS, MOST_EVALUATIONS / (1 + replay.reader.cost_per_value(frame, on_grid=True)))
        across = int(np.clip(np.sqrt(cells * (right - left) / (top - bottom)), 16, CELLS / 16))
        xs, ys = np.linspace(left, right, across), np.linspace(bottom, top, max(16, int(cells / across)))
        values = replay.reader.field(frame, xs, ys, self.local)
        self._field.data = {
            "image": [np.clip(values, -2, 2).astype(np.float32)],
            "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom],
        }  # fmt: skip
        lines = contourpy.contour_generator(xs, ys, values)
        # All lines of a level are one, with gaps: an array is a message of its own on the way to the browser.
        columns = {}
        for level in MARGINS:
            found: Any = lines.lines(level)
            whole = np.concatenate([np.vstack([line, (np.nan, np.nan)]) for line in found] or [np.zeros((0, 2))])
            columns[f"x{level}"], columns[f"y{level}"] = whole.T.astype(np.float32)
        longest = max(map(len, columns.values()))
        self._lines.data = {
            name: np.concatenate([column, np.full(longest - len(column), np.nan, np.float32)])
            for name, column in columns.items()
        }
