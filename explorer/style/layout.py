"""How parts are put together: cards, headings, the grid of the stage.

Plain Panel boxes, styled by the variables of the Material theme: a browser builds them several times faster than
Material boxes, and a page has dozens.
"""

import html
from typing import Any

import panel as pn

from explorer.style.theme import FONT, TILE_HEIGHT, set_font_size

CARD = """
:host { border: 1px solid var(--mui-palette-divider, #8883); border-radius: 10px; box-sizing: border-box; padding: 8px;
  background: var(--mui-palette-background-paper, transparent); color: var(--mui-palette-text-primary, inherit); }
"""
# The grid suits itself to the room it has, which in a notebook is a cell and not the window.
ROOM = ":host { container-type: inline-size; }"
GRID = """
:host { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); gap: 10px;
  grid-auto-rows: max-content; align-items: stretch; }
@container (max-width: 660px) { :host { grid-template-columns: minmax(0, 1fr); } }
"""
TILES = """
:host { display: grid; grid-template-columns: repeat(auto-fit, minmax(%dpx, 1fr)); gap: 10px; }
.scroll-button { display: none !important; }
"""
BESIDE = """
:host { display: grid; grid-template-columns: 230px minmax(0, 1fr); gap: 8px; align-items: start; }
@container (max-width: 760px) { :host { grid-template-columns: minmax(0, 1fr); } }
"""
ROOMY = (1200, 900)  # pixels of a window that has room for figures as they are; a larger one makes them grow
NARROW = 600  # pixels of a window in which a scene is as high as it is wide


def column(*parts: Any, margin: Any = 0, **options: Any) -> Any:
    """Parts below one another, as high as they are."""
    styles = {"height": "max-content", "max-height": "none"} | options.pop("styles", {})
    return pn.Column(*parts, sizing_mode="stretch_width", margin=margin, styles=styles, **options)


def row(*parts: Any, align_items: str = "center", **options: Any) -> Any:
    """Parts beside one another, as many as there is room for."""
    return pn.FlexBox(*parts, sizing_mode="stretch_width", margin=0, align_items=align_items, **options)


def card(*parts: Any, **options: Any) -> Any:
    """Parts that belong together."""
    return column(*parts, stylesheets=[CARD], styles={"height": "auto"}, **options)


def grid(*parts: Any) -> Any:
    """Two columns where there is room for them."""
    return column(column(*parts, stylesheets=[GRID]), stylesheets=[ROOM])


def beside(side: Any, main: Any) -> Any:
    """A sidebar and what it belongs to; above it where there is no room."""
    return column(column(side, main, stylesheets=[BESIDE]), stylesheets=[ROOM])


def tiles(count: int) -> Any:
    """A place for so many tiles: as many columns of one width as there is room for, narrow if one row may do."""
    return column(stylesheets=[TILES % (205 if count <= 5 else 255)], min_height=TILE_HEIGHT + 18)


class Text(pn.pane.HTML):
    """HTML that changes often. Only the text is sent: Panel would send the style sheets with it, each time."""

    def _update(self, ref: str, model: Any) -> None:
        model.text = self._get_properties(model.document)["text"]


class Notice(Text):
    """A message that stands out. It may quote what anybody typed, so it is text and never HTML."""

    def __init__(self) -> None:
        super().__init__("", visible=False, sizing_mode="stretch_width", margin=0)

    def say(self, text: str, colour: str) -> None:
        """Show a message."""
        look = f"border-left: 4px solid {colour}; background: color-mix(in srgb, {colour} 12%, transparent)"
        look += f"; border-radius: 6px; padding: 8px 14px; font: 14px/1.5 {FONT}; overflow-wrap: anywhere"
        look += "; color: var(--mui-palette-text-primary, inherit)"
        said = f'<div role="alert" style="{look}">{html.escape(text, quote=False)}</div>'
        self.param.update(object=said, visible=True)


def words(text: str, size: int = 13, margin: Any = (0, 10), **options: Any) -> Any:
    """A line of text."""
    look = {"font": f"{size}px/1.5 {FONT}", "color": "var(--mui-palette-text-secondary, inherit)"}
    return Text(text, styles=look, sizing_mode="stretch_width", margin=margin, **options)


def heading(text: str) -> Any:
    """What a part of the sidebar is about."""
    label = f'<span style="letter-spacing: .08em; font-weight: 500">{text.upper()}</span>'
    return words(label, 12, (12, 10, 2, 10))


class Pictures:
    """The figures of a page: as wide as there is room, and of a height that suits the window."""

    def __init__(self) -> None:
        self._all: list[tuple[Any, Any, int]] = []

    def add(self, plot: Any) -> Any:
        """A pane for a figure."""
        pane = pn.pane.Bokeh(plot, sizing_mode="stretch_width", height=plot.height, margin=0, autodispatch=False)
        self._all.append((pane, plot, plot.height))
        return pane

    def fit(self, width: int, height: int) -> None:
        """Suit all figures to a window of this size; the first one is the scene."""
        room = height - ROOMY[1]
        for k, (pane, plot, usual) in enumerate(self._all):
            wanted = usual
            if width < NARROW and k == 0:
                wanted = min(usual, width)
            elif width >= ROOMY[0] and room > 0:
                wanted = round(usual * min(1.7, 1 + room / self._all[0][2]))
            if wanted != plot.height:
                pane.height = plot.height = wanted
            set_font_size(plot, 11 if wanted <= 1.2 * usual else 13)
