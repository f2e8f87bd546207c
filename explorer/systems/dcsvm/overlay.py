"""The cells of a divided data set in the scene: seams, a colour for each, and the one that was just solved."""

from typing import Any

import contourpy
import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper

from engine.runtime.events import Array
from engine.systems.dcsvm.events import Partitioned, SubproblemSolved
from explorer.figures.annotation import Annotation
from explorer.figures.hull import hull
from explorer.figures.overlay import Overlay
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, PALETTE, tone
from explorer.systems.dcsvm.reader import CellFrame, CellReader

ACROSS = 220  # places of the grid that seams are found on, along the longer side
EARLY = "early field"  # what each cell's model says of its own part, instead of all of them together
LAYERS = ("cells", "cell colours", EARLY)


class Cells(Overlay):
    """Glyphs on the scene's figure. In more than two dimensions seams are those of a cut along the plane."""

    local_layers = (EARLY,)

    def __init__(self, plot: Any) -> None:
        super().__init__()
        self._seams = ColumnDataSource({"x": [], "y": []})
        self._hull = ColumnDataSource({"x": [], "y": []})
        self._tint = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        colours = LinearColorMapper(palette=[colour for colour, _ in PALETTE], low=-0.5, high=len(PALETTE) - 0.5)
        tint = plot.image(
            image="image", x="x", y="y", dw="dw", dh="dh", source=self._tint, color_mapper=colours, global_alpha=0.3,
            level="image",
        )  # fmt: skip
        self._line = plot.line("x", "y", source=self._seams, line_width=1.4, line_alpha=0.6)
        hull = plot.line("x", "y", source=self._hull, line_color=AMBER, line_width=3)
        self.annotation = Annotation(plot, above=6)
        self.layers: dict[str, list[Any]] = {"cells": [self._line, hull, self.annotation.glyph], "cell colours": [tint]}
        self.sources = (self._seams, self._hull, self._tint, self.annotation.source)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._line.glyph.line_color = tone(dark).text

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show the cells in force, and the one that the frame is about."""
        if not isinstance(frame, CellFrame):
            self.clear()
            return
        if self._is_new("seams", frame.cells, window):
            self._draw_seams(replay, frame.cells, window)
        self._draw_hull(replay, frame, frame.cells, window)

    def _draw_seams(self, replay: Replay, cells: Partitioned, window: tuple[float, ...]) -> None:
        left, right, bottom, top = window
        step = max(right - left, top - bottom) / ACROSS
        xs, ys = np.arange(left, right + step, step), np.arange(bottom, top + step, step)
        routed = replay.reader_as(CellReader).seams(cells, tuple(xs), tuple(ys))
        lines = [line for cell in np.unique(routed) for line in _outline(routed == cell, xs, ys)]
        whole = np.concatenate([np.vstack([line, (np.nan, np.nan)]) for line in lines] or [np.zeros((0, 2))])
        self._seams.data = {"x": whole[:, 0].astype(np.float32), "y": whole[:, 1].astype(np.float32)}
        self._tint.data = {
            "image": [(routed % len(PALETTE)).astype(np.uint8)],
            "x": [left], "y": [bottom], "dw": [xs[-1] - left], "dh": [ys[-1] - bottom],
        }  # fmt: skip

    def _draw_hull(self, replay: Replay, frame: Frame, cells: Partitioned, window: tuple[float, ...]) -> None:
        event = frame.event
        if not isinstance(event, SubproblemSolved):
            self._hull.data = {"x": [], "y": []}
            self.annotation.clear()
            return
        places = hull(replay.places[frame.members[cells.labels == event.cluster]])
        self._hull.data = {"x": places[:, 0].tolist(), "y": places[:, 1].tolist()}
        text = f"cell {event.cluster + 1}: {event.size:,} points, {event.n_support:,} SVs"
        self.annotation.say(text, (places[:, 0].mean(), places[:, 1].max()), window)


def _outline(inside: Array, xs: Array, ys: Array) -> list[Array]:
    """The lines around a part of a grid; looked for only where it is."""
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    up = slice(max(0, rows[0] - 1), rows[-1] + 2)
    across = slice(max(0, columns[0] - 1), columns[-1] + 2)
    part = inside[up, across].astype(np.float32)
    if min(part.shape) < 2:
        return []
    found: Any = contourpy.contour_generator(xs[across], ys[up], part).lines(0.5)
    return list(found)
