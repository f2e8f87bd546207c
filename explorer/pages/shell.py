"""The pages: bar, ways to the other apps, light and dark; the home page, and the page of a solver, alive."""

from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from engine import SOLVERS
from explorer.registry import acts
from explorer.stage.browser import Browser
from explorer.style.layout import Text
from explorer.style.theme import FONT, THEMES

PICTURES = Path(__file__).parent / "pictures"


def _prefers_dark() -> bool:
    """What the visitor chose last."""
    return bool(pn.state.cookies.get("theme") == "dark")


def _links(here: str) -> Any:
    """The ways to all pages. Plain links: a browser builds them much sooner than as many buttons."""
    look = "color: #ffffff; text-decoration: none; padding: 6px 10px; white-space: nowrap; display: inline-block"
    mine = (
        "border-bottom: 2px solid; scroll-initial-target: nearest"  # on a phone they do not all fit: this one is seen
    )
    links = [
        f'<a href="./{name}" style="{look}; {mine if name == here else "opacity: 0.75"}">{SOLVERS[name].title}</a>'
        for name in acts()
    ]
    style = f"font: 500 13px/1.5 {FONT}; letter-spacing: .03em; overflow-x: auto; white-space: nowrap; padding: 0 9px"
    return Text(f'<nav style="{style}; max-width: calc(100vw - 250px)">{"".join(links)}</nav>', margin=0)


def plain_page(browser: Browser, here: str = "", **parts: Any) -> Any:
    """A page with the bar and its links, in the colours that the visitor last chose."""
    page = pmui.Page(
        title="SVM Explorer",
        header=[_links(here)],
        dark_theme=_prefers_dark(),
        sidebar_open="Mobi" not in (pn.state.headers.get("User-Agent") or ""),  # a phone has no room for it
        theme_config=THEMES,
        busy_indicator=None,
        **parts,
    )
    # The figures have a style of their own; another one on top would lay all of them out anew, several times.
    page._custom_theme = ["Axis", "Figure", "Grid", "Title"]
    # It would tell the browser of each tick that the server is busy, and look through all its models to do so; and the
    # server, which it listens to for that, would keep the page and its session for good.
    page.param._update_ref("busy", False)
    with edit_readonly(page):
        page.busy = False
    page.param.watch(lambda event: setattr(browser, "dark", event.new), "dark_theme")
    return page
