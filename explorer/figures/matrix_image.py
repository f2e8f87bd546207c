"""Matrices as pictures: what stands for K (a few small factors, or K itself) and what is wrong with it."""

import numpy as np
from bokeh.models import ColumnDataSource, CustomJS, LinearColorMapper

from engine.runtime.events import Array
from explorer.figures.tile import tile
from explorer.style.theme import NEGATIVE, POSITIVE, SKY, ramp, tone

SIDE = 200  # rows of a picture, at most
STRONG = 0.99  # part of the entries that are not of the strongest colour
GAP = 0.06  # between two pictures, as a part of a side
# Squares are squares, and as large as there is room for.
SQUARE = """
const [w, h] = [plot.inner_width, plot.inner_height]
if (w > 0 && h > 0) {
  const unit = Math.max(plot.tags[0] / w, 1 / h)
  plot.x_range.setv({start: (plot.tags[0] - unit * w) / 2, end: (plot.tags[0] + unit * w) / 2})
  plot.y_range.setv({start: (1 - unit * h) / 2, end: (1 + unit * h) / 2})
}
"""


class Squares:
    """A figure with square pictures of matrices, side by side: of sizes, or of errors of both signs.

    Sizes are from 0 to `most`, for matrices that are to be compared; else each has a scale of its own.
    """

    def __init__(self, name: str, errors: bool, most: float | None = None) -> None:
        self._errors = errors
        self.source = ColumnDataSource({"image": [], "x": [], "middle": []})
        self._colours = LinearColorMapper(palette=["#ffffff"], low=None if most is None else 0.0, high=most)
        self.plot = tile(name, "")
        self.plot.image(image="image", x="x", y=0, dw=1, dh=1, source=self.source, color_mapper=self._colours)
        self._edges = self.plot.rect(
            x="middle", y=0.5, width=1, height=1, source=self.source, fill_color=None, line_width=1
        )
        self.plot.axis.visible = False
        self.plot.grid.visible = False
        self.plot.tags = [1.0]
        fit = CustomJS(args={"plot": self.plot}, code=SQUARE)
        for change in ("inner_width", "inner_height", "tags"):
            self.plot.js_on_change(change, fit)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        shade = tone(dark)
        self._edges.glyph.line_color = shade.line
        sizes = (shade.paper, NEGATIVE, SKY if dark else shade.text)
        self._colours.palette = ramp((NEGATIVE, shade.paper, POSITIVE) if self._errors else sizes)

    def show(self, title: str, matrices: list[Array]) -> None:
        """Show these, of errors the strong ones in the strongest colour."""
        if self._errors:
            sizes = np.abs(np.concatenate([np.zeros(0), *(matrix.ravel() for matrix in matrices)]))
            size = float(sizes.max(initial=0.0))
            # A few large ones would leave the others no colour.
            strong = (float(np.quantile(sizes, STRONG)) or size) if size else 1.0
            self._colours.update(low=-strong, high=strong)
        shown = [_thinned(matrix)[::-1].astype(np.float32) for matrix in matrices if matrix.size]
        left = GAP * np.arange(len(shown)) + np.arange(len(shown))
        self.source.data = {"image": shown, "x": left, "middle": left + 0.5}
        self.plot.title.text = title
        wide = max(1, len(shown)) * (1 + GAP) - GAP
        if self.plot.tags != [wide]:
            self.plot.tags = [wide]


def _thinned(matrix: Array) -> Array:
    step = -(-len(matrix) // SIDE)
    return matrix[::step, ::step]
