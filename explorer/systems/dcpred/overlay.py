"""DC-Pred++ in the plane: the cells of the tree, landmarks of the leaves, where exact and fast machines disagree."""

from typing import Any

import contourpy
import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper

from engine.runtime.events import Array
from engine.systems.dcpred.events import LeafTrained, TreeSplit
from explorer.figures.annotation import Annotation
from explorer.figures.overlay import Overlay
from explorer.figures.scene import MOST_EVALUATIONS
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, GREEN, tone
from explorer.systems.dcpred import overlay_landmarks
from explorer.systems.dcpred.overlay_landmarks import Marks, leaf_in_question, price_of, words_of
from explorer.systems.dcpred.reader import LeafFrame, Leaves, cells_of

FAST = "fast field"  # what the compressed models of the leaves say, not the exact ones
LAYERS = ("cells", *overlay_landmarks.LAYERS, "exact border", "disagreement")
ACROSS = 120  # places of the grid that exact and fast are compared on, along the longer side


class Compression(Overlay):
    """Glyphs on the scene's figure. In more than two dimensions seams are those of a cut along the plane."""

    local_layers = (FAST,)

    def __init__(self, plot: Any) -> None:
        super().__init__()
        lines: dict[str, Any] = {"x": [], "y": []}
        self._seams, self._around, self._border, self._centres = (ColumnDataSource(lines) for _ in range(4))
        self._apart = ColumnDataSource({name: [] for name in ("image", "x", "y", "dw", "dh")})
        amber = LinearColorMapper(palette=[AMBER], low=0.5, high=1.5, low_color="#00000000")
        apart = plot.image(
            image="image", x="x", y="y", dw="dw", dh="dh", source=self._apart, color_mapper=amber, global_alpha=0.6,
            level="image",
        )  # fmt: skip
        self._line = plot.line("x", "y", source=self._seams, line_width=1.4, line_alpha=0.6)
        around = plot.line("x", "y", source=self._around, line_color=AMBER, line_width=3)
        border = plot.line("x", "y", source=self._border, line_color=GREEN, line_width=2.4, line_dash="dashed")
        self.marks = Marks(plot)
        centres = plot.scatter(
            "x", "y", source=self._centres, marker="cross", size=18, line_color=AMBER, line_width=3.4
        )
        self.annotation = Annotation(plot, above=8)
        self.layers: dict[str, list[Any]] = {
            "cells": [self._line, around, centres, self.annotation.glyph], "exact border": [border],
            "disagreement": [apart], **self.marks.layers,
        }  # fmt: skip
        self.sources = (
            self._seams, self._around, self._border, self._centres, self._apart, self.annotation.source,
            *self.marks.sources,
        )  # fmt: skip
        self._cells: dict[int, Array] = {}

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._line.glyph.line_color = tone(dark).text
        self.marks.restyle(dark)

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show the tree so far, what its leaves have, and what the frame, or the point, is about."""
        if not isinstance(frame, LeafFrame):
            self.clear()
            return
        leaves = frame.leaves
        if self._is_new("seams", len(leaves.splits), window):
            self._cells = cells_of(leaves.splits, window, replay.plane)
            self._seams.data = _outlines(list(self._cells.values()))
        if self._is_new("marks", frame, window, pinned):
            self.marks.draw(replay, frame, leaves, pinned, replay.plane.project)
            self._draw_what_is_meant(replay, frame, leaves, window, pinned)
        if self._is_new("apart", len(leaves.compressed), frame.task, window):
            self._draw_apart(replay, frame, leaves, window)

    def _draw_what_is_meant(
        self, replay: Replay, frame: Frame, leaves: Leaves, window: tuple[float, ...], pinned: int | None
    ) -> None:
        event = frame.event
        meant = cells_in_question(frame, leaves, pinned).tolist()
        around = self._around.data = _outlines([self._cells[cell] for cell in meant])
        centres = replay.plane.project(event.centres) if isinstance(event, TreeSplit) else np.zeros((0, 2))
        self._centres.data = {"x": centres[:, 0].tolist(), "y": centres[:, 1].tolist()}
        text = words_of(event) if pinned is None else price_of(leaves, replay.X[pinned])
        if text and np.isfinite(around["x"]).any():
            middle = (float(np.nanmin(around["x"])) + float(np.nanmax(around["x"]))) / 2
            self.annotation.say(text, (middle, float(np.nanmax(around["y"]))), window)
        else:
            self.annotation.clear()

    def _draw_apart(self, replay: Replay, frame: Frame, leaves: Leaves, window: tuple[float, ...]) -> None:
        """Where the exact machines change their mind, and where the fast ones do not agree with them."""
        border, image = np.zeros((0, 2)), []
        left, right, bottom, top = window
        if leaves.compressed:  # before, all are exact
            xs, ys = _grid(window, replay.reader.cost_per_value(frame))
            exact, fast = (replay.reader.field(frame, xs, ys, local) for local in (False, True))
            found: Any = contourpy.contour_generator(xs, ys, exact).lines(0)
            border = np.concatenate([border, *(np.vstack([line, (np.nan, np.nan)]) for line in found)])
            image = [((exact > 0) != (fast > 0)).astype(np.float32)]
        self._border.data = {"x": border[:, 0].astype(np.float32), "y": border[:, 1].astype(np.float32)}
        self._apart.data = {
            "image": image, "x": [left] * len(image), "y": [bottom] * len(image),
            "dw": [right - left] * len(image), "dh": [top - bottom] * len(image),
        }  # fmt: skip


def cells_in_question(frame: Frame, leaves: Leaves, pinned: int | None) -> Array:
    """The cells of the tree that an event, or a pinned point, is about."""
    event, leaf = frame.event, leaf_in_question(leaves, pinned)
    if pinned is None and isinstance(event, TreeSplit):
        return event.children
    if not leaves.grown:
        return np.zeros(0, int)
    if pinned is None and isinstance(event, LeafTrained):
        return leaves.grown[0].leaves[event.leaves]
    return leaves.grown[0].leaves[[] if leaf is None else [leaf]]


def _outlines(cells: list[Array]) -> dict[str, Array]:
    """The lines around cells, given by their corners, as one with gaps."""
    closed = [np.vstack([corners, corners[:1], (np.nan, np.nan)]) for corners in cells]
    whole = np.concatenate([np.zeros((0, 2)), *closed]).astype(np.float32)
    return {"x": whole[:, 0], "y": whole[:, 1]}


def _grid(window: tuple[float, ...], cost: float) -> tuple[Array, Array]:
    left, right, bottom, top = window
    longer = max(right - left, top - bottom)
    finest = min(ACROSS, int(np.sqrt(MOST_EVALUATIONS / (1 + cost))))
    across, up = (max(2, round(finest * side / longer)) for side in (right - left, top - bottom))
    return np.linspace(left, right, across), np.linspace(bottom, top, up)
