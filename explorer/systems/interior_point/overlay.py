"""Pivots of an incomplete factorisation in the scene, and what they leave of the kernel at every point."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from engine.systems.interior_point.events import Factorised, PivotsChosen
from explorer.figures.annotation import Annotation
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.overlay import Overlay
from explorer.figures.scene import HEIGHT
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, tone
from explorer.systems.interior_point.reader import Factor, FactorFrame

LAYERS = ("pivots", "residual")
LEVELS = 5  # sizes of a halo
LEAST = 0.01  # part of the largest diagonal below which a residual is not seen
RADII = 3.0, 12.0  # pixels of the halo of a point of which nothing is left, and everything
BLUR = 2  # pixels along each side that have the same colour: large halos are dear
HALO = "#CC79A7"
PICTURE = ("image", "x", "y", "dw", "dh")


class Pivots(Overlay):
    """Glyphs on the scene's figure."""

    def __init__(self, plot: Any) -> None:
        super().__init__()
        self._plot = plot
        self._halos = ColumnDataSource({name: [] for name in PICTURE})
        self._chosen = ColumnDataSource({"x": [], "y": []})
        self._fresh = ColumnDataSource({"x": [], "y": []})
        halos = plot.image_rgba(
            image="image", x="x", y="y", dw="dw", dh="dh", source=self._halos, level="image", global_alpha=0.75
        )
        self._diamonds = plot.scatter(
            "x", "y", source=self._chosen, marker="diamond", size=11, fill_color=AMBER, line_width=1.2
        )
        fresh = plot.scatter(
            "x", "y", source=self._fresh, marker="diamond", size=21, fill_color=None, line_color=AMBER, line_width=3
        )
        self.annotation = Annotation(plot, above=16)
        self.layers: dict[str, list[Any]] = {
            "pivots": [self._diamonds, fresh, self.annotation.glyph],
            "residual": [halos],
        }
        self.sources = (self._halos, self._chosen, self._fresh, self.annotation.source)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._diamonds.glyph.line_color = tone(dark).text

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show the pivots so far, the newest of them, and what is left elsewhere."""
        if not isinstance(frame, FactorFrame) or not len(frame.factor.pivots):
            self.clear()
            return
        if not self._is_new("pivots", frame.event, window, size_of(self._plot, HEIGHT)):
            return
        factor = frame.factor
        places = replay.places[frame.members[factor.pivots]]
        building = isinstance(frame.event, PivotsChosen | Factorised)  # later they only remind of it
        self._diamonds.glyph.update(size=11 if building else 6, fill_alpha=0.95 if building else 0.5)
        self._chosen.data = {"x": places[:, 0].astype(np.float32), "y": places[:, 1].astype(np.float32)}
        new = places[len(places) - factor.fresh :]
        self._fresh.data = {"x": new[:, 0].tolist(), "y": new[:, 1].tolist()}
        if factor.fresh:
            self.annotation.say(f"pivot {len(places):,}", new[-1], window)
        else:
            self.annotation.clear()
        self._draw_halos(replay, frame, factor, window)

    def _draw_halos(self, replay: Replay, frame: Frame, factor: Factor, window: tuple[float, ...]) -> None:
        """The more of the kernel is left at a point, the larger its halo."""
        left, right, bottom, top = window
        (width, height), ratio = size_of(self._plot, HEIGHT)
        size, ratio = (width // BLUR, height // BLUR), ratio / BLUR
        picture: dict[str, Any] = {name: [] for name in PICTURE}
        if len(factor.residual):
            share = factor.residual / factor.largest
            places = replay.places[frame.members]
            level = np.ceil(LEVELS * np.sqrt(np.clip(share, 0, 1))).astype(int)
            level[share < LEAST] = 0
            radii = np.linspace(*RADII, LEVELS + 1).tolist()
            images = []
            for k in np.unique(level[level > 0]):
                images.append(draw_marks([(places[level == k], "circle", HALO)], window, size, ratio * radii[k]))
                opacity = images[-1].view(np.uint8)[:, 3::4]
                opacity[:] = opacity * (k / LEVELS)
            if images:
                whole = np.maximum.reduce(images)  # of the same colour: the most opaque one
                picture = {"image": [whole], "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]}
        self._halos.data = picture
