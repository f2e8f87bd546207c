"""The small figures below the stage: a frame for each, and captions at its top in place of a legend."""

from collections.abc import Iterable
from typing import Any

from bokeh.models import CustomJS, FixedTicker, Range1d

from explorer.style.theme import NEGATIVE, TILE_HEIGHT, Tone, plain_figure, words_inside

LETTER = 6  # pixels of one, more or less
LINE = 14  # pixels from one line of captions to the next


def tile(
    name: str,
    title: str,
    ends: tuple[float, float] = (0.0, 1.0),
    x_range: Any = None,
    x_scale: str = "linear",
    y_scale: str = "linear",
) -> Any:
    """A small figure; on a logarithmic axis whoever draws says where the ticks are."""
    span = x_range or Range1d(start=0.5 if x_scale == "log" else 0, end=1)
    plot = plain_figure(
        name, title=title, tools="", height=TILE_HEIGHT, x_range=span, y_range=Range1d(start=ends[0], end=ends[1]),
        x_axis_type="auto" if x_range else x_scale, y_axis_type=y_scale,
    )  # fmt: skip
    plot.min_border_left = 42
    for axis, scale in ((plot.xaxis, x_scale), (plot.yaxis, y_scale)):
        if scale == "log":
            axis.ticker = FixedTicker(ticks=[])
        elif hasattr(axis.ticker, "desired_num_ticks"):
            axis.ticker.desired_num_ticks = 4
    return plot


def tell_size(plot: Any) -> None:
    """Let the browser tell the size of a figure's frame, for what is drawn in it pixel by pixel: see `size_of`."""
    told = CustomJS(args={"plot": plot}, code="plot.tags = [plot.inner_width, plot.inner_height, devicePixelRatio]")
    for size in ("inner_width", "inner_height"):
        plot.js_on_change(size, told)


class Captions:
    """Words at the top of figures: what is drawn in which colour. They stay there while the figure's range moves."""

    def __init__(self) -> None:
        self._all: list[tuple[Any, Any, str]] = []

    def add(self, plot: Any, texts: Iterable[tuple[str, str]], columns: int = 0, gap: int = 10) -> None:
        """Put words and their colours (none: that of all text) beside one another, or into so many columns."""
        x = 4
        for k, (text, colour) in enumerate(texts):
            down = k // columns if columns else 0
            label = words_inside(text, x=x, y=plot.y_range.end, text_baseline="top", y_offset=-LINE * down)
            x += gap + LETTER * len(text)
            if columns:
                x = 4 + 84 * ((k + 1) % columns)
            plot.add_layout(label)
            self.keep(plot, label, colour)

    def keep(self, plot: Any, label: Any, colour: str = "") -> None:
        """Let a label that is already in a figure be one of them."""
        self._all.append((plot, label, colour))

    def raise_all(self) -> None:
        """To the top of their figures, wherever that is now."""
        for plot, label, _ in self._all:
            label.y = plot.y_range.end

    def restyle(self, shade: Tone) -> None:
        """Take the colours of a light or a dark page."""
        for _, label, colour in self._all:
            label.text_color = shade.blue if colour == NEGATIVE else colour or shade.text
