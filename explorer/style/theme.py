"""Colours and figure style: Okabe-Ito, readable by the colour-blind, in light and in dark."""

import math
from dataclasses import dataclass
from typing import Any

from bokeh.models import GlyphRenderer, Label  # type: ignore[attr-defined]
from bokeh.plotting import figure

NEGATIVE, POSITIVE = "#0072B2", "#D55E00"  # blue circles and vermilion triangles
GREEN, AMBER, PURPLE, SKY = "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
ON_DARK = "#4BA3D9"  # in place of the blue, for lines and words: on dark paper it would hardly be read
MARKERS = ("circle", "triangle")
PALETTE = (
    (NEGATIVE, "circle"), (POSITIVE, "triangle"), (GREEN, "square"), (PURPLE, "diamond"),
    (AMBER, "inverted_triangle"), (SKY, "hex"), ("#F0E442", "star"), ("#888888", "square_pin"),
)  # of classes: colour and shape  # fmt: skip
BOUND_MARKERS = ("circle_x", "triangle_dot")  # hatched ones took the browser most of its drawing time

TILE_HEIGHT = 200  # pixels of a small figure below the stage
FONT = "Inter, Roboto, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Tone:
    """What differs between light and dark."""

    text: str
    faint: str
    line: str
    paper: str
    desk: str  # what the papers lie on
    bar: str
    blue: str  # of lines and words
    field: tuple[str, str, str]  # from the negative side over the boundary to the positive side


LIGHT = Tone(
    "#1f2933", "#64748b", "#e2e8f0", "#ffffff", "#f4f6f9", "#013f63", NEGATIVE, ("#9fc9e6", "#fdfdfd", "#f3bf9b")
)
DARK = Tone(
    "#e6edf3", "#93a4b8", "#2c3a4a", "#121a23", "#0b1118", "#0b1118", ON_DARK, ("#134a6e", "#141c25", "#6e3410")
)


def _palette(tone: Tone) -> dict[str, Any]:
    text = {"primary": tone.text, "secondary": tone.faint}
    background = {"default": tone.desk, "paper": tone.paper}
    bar = {"background": f"{tone.bar} !important", "boxShadow": "none", "borderBottom": f"1px solid {tone.line}"}
    title = {"whiteSpace": "nowrap", "@media (max-width: 600px)": {"fontSize": "1.05rem !important"}}
    words = {"&.MuiButton-outlined, &.MuiButton-text": {"color": tone.blue}}
    return {
        "components": {
            "MuiToolbar": {"defaultProps": {"variant": "dense"}},
            "MuiAppBar": {"styleOverrides": {"root": {**bar, "& .title": title}}},
            "MuiButton": {"styleOverrides": {"root": words}},
        },
        "palette": {"primary": {"main": NEGATIVE}, "text": text, "background": background, "divider": tone.line},
    }


THEMES = {"light": _palette(LIGHT), "dark": _palette(DARK)}  # of the Material widgets


def tone(dark: bool) -> Tone:
    """The tone of a page."""
    return DARK if dark else LIGHT


def ramp(colours: tuple[str, str, str], steps: int = 128) -> list[str]:
    """A palette through three colours."""
    points = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]
    palette = []
    for k in range(2 * steps):
        left, right = (points[0], points[1]) if k < steps else (points[1], points[2])
        part = (k % steps) / (steps - 1)
        palette.append("#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(left, right, strict=True)))
    return palette


def plain_figure(name: str, **options: Any) -> Any:
    """A figure in the house style: no box, faint grid, no toolbar."""
    plot = figure(
        name=name, sizing_mode="stretch_width", toolbar_location=None, outline_line_color=None, min_border=4, **options
    )
    set_font_size(plot, 11)
    return plot


def words_inside(text: str, **look: Any) -> Any:
    """Words in a figure, so many pixels from its left edge. A legend would be an element of the page, and slow."""
    return Label(text=text, text_font=FONT, text_font_size="11px", x_units="screen", **look)


def set_font_size(plot: Any, pixels: int) -> None:
    """How large the words of a figure are: those at its axes and in it; its title is larger."""
    plot.title.text_font_size = f"{pixels + 2}px"
    for axis in plot.axis:
        axis.major_label_text_font_size = axis.axis_label_text_font_size = f"{pixels}px"
    for label in plot.select(Label):
        label.text_font_size = f"{pixels}px"


def decades(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: a few powers of ten, or numbers between them where there are not two."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    if last > first:
        return [10.0**power for power in range(first, last + 1, max(1, (last - first) // 3))]
    ticks = [digit * 10.0**power for power in range(first - 1, last + 2) for digit in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]


def style(plot: Any, dark: bool) -> None:
    """Give a figure the colours of the page."""
    shade = tone(dark)
    plot.background_fill_color = plot.border_fill_color = shade.paper
    plot.title.text_color = shade.text
    plot.title.text_font = FONT
    for axis in plot.axis:
        axis.axis_line_color = shade.line
        axis.major_tick_line_color = shade.line
        axis.minor_tick_line_color = None
        axis.major_label_text_color = shade.faint
        axis.axis_label_text_color = shade.faint
        axis.major_label_text_font = axis.axis_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
    for grid in plot.grid:
        grid.grid_line_color = shade.line
    painted = [(renderer.glyph, ("line_color", "fill_color")) for renderer in plot.select(GlyphRenderer)]
    for thing, places in (*painted, *((label, ("text_color",)) for label in plot.select(Label))):
        for place in places:
            if getattr(thing, place, None) in (NEGATIVE, ON_DARK):
                setattr(thing, place, shade.blue)
