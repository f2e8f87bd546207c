"""DC-Pred++ as a regression, over the first axis of the data: leaves as bands, exact and fast curves, landmarks."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from engine.runtime.events import Array
from explorer.figures.annotation import Annotation
from explorer.figures.overlay import Overlay
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, GREEN, tone
from explorer.systems.dcpred import overlay_landmarks
from explorer.systems.dcpred.overlay import cells_in_question
from explorer.systems.dcpred.overlay_landmarks import Marks, price_of, words_of
from explorer.systems.dcpred.reader import LeafFrame, Leaves, cells_of

FAST = "fast curve"  # what the compressed models of the leaves say
LAYERS = ("leaves", "exact curve", FAST, "predictions", *overlay_landmarks.LAYERS)
ACROSS = 800  # places of a curve
MOST_PREDICTIONS = 1500
THIN = 1e-6  # of the window's width: an axis, where a plane is asked for
FLOOR = 0.045  # height of the landmarks above the lower edge, as a part of the window's


class Regressors(Overlay):
    """Glyphs on the scene's figure. In more than one dimension the curves are those along the first axis."""

    local_layers = (FAST,)

    def __init__(self, plot: Any) -> None:
        super().__init__()
        lines: dict[str, Any] = {"x": [], "y": []}
        self._exact, self._fast, self._predicted = (ColumnDataSource(lines) for _ in range(3))
        self._bands = ColumnDataSource({name: [] for name in ("left", "right", "bottom", "top", "alpha", "colour")})
        bands = plot.quad(
            left="left", right="right", bottom="bottom", top="top", source=self._bands, fill_color="colour",
            fill_alpha="alpha", line_color=None, level="image",
        )  # fmt: skip
        self._dots = plot.scatter("x", "y", source=self._predicted, marker="dash", size=6, line_alpha=0.6)
        self._line = plot.line("x", "y", source=self._fast, line_width=3)
        exact = plot.line("x", "y", source=self._exact, line_color=GREEN, line_width=2.2, line_dash="dashed")
        self.marks = Marks(plot)
        self.annotation = Annotation(plot, above=0)
        self.layers: dict[str, list[Any]] = {
            "leaves": [bands, self.annotation.glyph], "exact curve": [exact], FAST: [self._line],
            "predictions": [self._dots], **self.marks.layers,
        }  # fmt: skip
        self.sources = (
            self._bands, self._exact, self._fast, self._predicted, self.annotation.source, *self.marks.sources,
        )  # fmt: skip

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._line.glyph.line_color = self._dots.glyph.line_color = tone(dark).text
        self.marks.restyle(dark)

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show the tree so far, what its leaves say, and what the frame, or the point, is about."""
        if not isinstance(frame, LeafFrame):
            self.clear()
            return
        if not self._is_new("leaves", frame, window, pinned):
            return
        leaves = frame.leaves
        left, right, bottom, top = window
        bands = _bands(replay, leaves, window)
        meant = [cell for cell in cells_in_question(frame, leaves, pinned).tolist() if cell in bands]
        self._draw_bands(bands, meant, window)
        xs = np.linspace(left, right, ACROSS)
        seams = np.searchsorted(xs, [start for start, _ in bands.values()][1:])
        X = replay.plane.lift(np.column_stack([xs, np.zeros(ACROSS)]))
        self._fast.data = _with_gaps(xs, leaves.values(X)[:, 0], seams)
        exact = leaves.values(X, fast=False)[:, 0] if leaves.trained else np.full(ACROSS, np.nan)
        self._exact.data = _with_gaps(xs, exact, seams)
        self._draw_predictions(replay, leaves)
        floor = bottom + FLOOR * (top - bottom)
        self.marks.draw(replay, frame, leaves, pinned, lambda X: _on_floor(replay, X, floor))
        text = words_of(frame.event) if pinned is None else price_of(leaves, replay.X[pinned])
        if text and meant:
            self.annotation.say(text, (float(np.mean([bands[cell] for cell in meant])), top), window)
        else:
            self.annotation.clear()

    def _draw_bands(self, bands: dict[int, tuple[float, float]], meant: list[int], window: tuple[float, ...]) -> None:
        ends, count = np.array(list(bands.values())), len(bands)
        now = np.isin(list(bands), meant)
        self._bands.data = {
            "left": ends[:, 0], "right": ends[:, 1],
            "bottom": np.full(count, window[2]), "top": np.full(count, window[3]),
            "alpha": np.where(now, 0.3, np.where(np.arange(count) % 2, 0.14, 0.05)),
            "colour": np.where(now, AMBER, "#888888"),
        }  # fmt: skip

    def _draw_predictions(self, replay: Replay, leaves: Leaves) -> None:
        """Of the points themselves, where they are not all on the axis."""
        n, d = replay.X.shape
        some = np.linspace(0, n - 1, min(n, MOST_PREDICTIONS)).astype(int) if d > 1 else np.zeros(0, int)
        values = leaves.values(replay.X[some])[:, 0]
        self._predicted.data = {"x": replay.places[some, 0], "y": values}


def _bands(replay: Replay, leaves: Leaves, window: tuple[float, ...]) -> dict[int, tuple[float, float]]:
    """From where to where each cell is on the first axis, from left to right."""
    along = (*window[:2], -THIN * (window[1] - window[0]), THIN * (window[1] - window[0]))
    cells = {cell: corners[:, 0] for cell, corners in cells_of(leaves.splits, along, replay.plane).items()}
    bands = {cell: (float(xs.min()), float(xs.max())) for cell, xs in cells.items() if len(xs)}
    return dict(sorted(bands.items(), key=lambda item: item[1]))


def _on_floor(replay: Replay, X: Array, floor: float) -> Array:
    return np.column_stack([replay.plane.project(X)[:, 0], np.full(len(X), floor)])


def _with_gaps(xs: Array, values: Array, seams: Array) -> dict[str, Array]:
    """A curve that is broken where one leaf ends and another begins."""
    return {"x": np.insert(xs, seams, np.nan), "y": np.insert(values.astype(float), seams, np.nan)}
