"""How parts are put together: cards, headings, the grid of the stage.

Plain Panel boxes, styled by the variables of the Material theme: a browser builds them several times faster than
Material boxes, and a page has dozens.
"""

from typing import Any

import panel as pn

from explorer.theme import FONT

CARD = """
:host { border: 1px solid var(--mui-palette-divider, #8883); border-radius: 10px; box-sizing: border-box; padding: 8px;
  background: var(--mui-palette-background-paper, transparent); color: var(--mui-palette-text-primary, inherit); }
"""
# The grid suits itself to the room it has, which in a notebook is a cell and not the window.
ROOM = ":host { container-type: inline-size; }"
GRID = """
:host { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); gap: 10px;
  grid-auto-rows: max-content; align-items: stretch; }
@container (max-width: 820px) { :host { grid-template-columns: minmax(0, 1fr); } }
"""
PAIR = ":host { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 4px; }"


def column(*parts: Any, margin: Any = 0, **options: Any) -> Any:
    """Parts below one another, as high as they are."""
    styles = {"height": "max-content", "max-height": "none"} | options.pop("styles", {})
    return pn.Column(*parts, sizing_mode="stretch_width", margin=margin, styles=styles, **options)


def row(*parts: Any, **options: Any) -> Any:
    """Parts beside one another, as many as there is room for."""
    return pn.FlexBox(*parts, sizing_mode="stretch_width", margin=0, align_items="center", **options)


def card(*parts: Any) -> Any:
    """Parts that belong together."""
    return column(*parts, stylesheets=[CARD], styles={"height": "auto"})


def grid(*parts: Any) -> Any:
    """Two columns where there is room for them."""
    return column(column(*parts, stylesheets=[GRID]), stylesheets=[ROOM])


def pair(*parts: Any) -> Any:
    """Two columns always."""
    return column(*parts, stylesheets=[PAIR])


def words(text: str, size: int = 13, margin: Any = (0, 10), **options: Any) -> Any:
    """A line of text."""
    look = {"font": f"{size}px/1.5 {FONT}", "color": "var(--mui-palette-text-secondary, inherit)"}
    return pn.pane.HTML(text, styles=look, sizing_mode="stretch_width", margin=margin, **options)


def heading(text: str) -> Any:
    """What a part of the sidebar is about."""
    label = f'<span style="letter-spacing: .08em; font-weight: 500">{text.upper()}</span>'
    return words(label, 12, (12, 10, 2, 10))


def picture(plot: Any) -> Any:
    """A figure, as high as it says and as wide as there is room."""
    return pn.pane.Bokeh(plot, sizing_mode="stretch_width", height=plot.height, margin=0, autodispatch=False)
