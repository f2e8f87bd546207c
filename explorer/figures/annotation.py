"""An annotation in the scene: a few words at a place, which keep inside what is in view."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from explorer.figures.marks import size_of
from explorer.figures.scene import HEIGHT
from explorer.style.theme import AMBER

LETTER = 6.4  # pixels, on average
RIM = 0.1  # of the window, which the words keep away from its top
NOTHING: dict[str, Any] = {"x": [], "y": [], "text": []}


class Annotation:
    """Words on the scene's figure, so many pixels above their place."""

    def __init__(self, plot: Any, above: int) -> None:
        self.source, self._plot = ColumnDataSource(NOTHING), plot
        self.glyph = plot.text(
            "x", "y", text="text", source=self.source, text_font_size="12px", text_color="#1f2933", y_offset=-above,
            background_fill_color=AMBER, background_fill_alpha=0.95, padding=4, border_radius=3, text_align="center",
        )  # fmt: skip

    def say(self, text: str, place: Any, window: tuple[float, ...]) -> None:
        """Show words at a place, or as near as they fit into a window: left, right, bottom, top."""
        left, right, bottom, top = window
        (width, _), ratio = size_of(self._plot, HEIGHT)
        half = min(0.5, (len(text) / 2 + 1) * LETTER * ratio / width) * (right - left)
        x, y = np.clip(place[0], left + half, right - half), np.clip(place[1], bottom, top - RIM * (top - bottom))
        self.source.data = {"x": [float(x)], "y": [float(y)], "text": [text]}

    def clear(self) -> None:
        """Say nothing."""
        if self.source.data["text"]:
            self.source.data = NOTHING
