"""What all pages have: the bar with links to every system, light and dark. `home` and `system_page` fill it."""

import html
from typing import Any
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from engine import SOLVERS
from engine.registry import folder_of
from explorer.server.pool import SERVER
from explorer.stage.browser_window import Window
from explorer.style.layout import Text
from explorer.style.theme import FONT, THEMES

GENERIC = "system"  # the page of any system, by the field `solver` of its address


def address_of(solver: str) -> str:
    """The address of a system's page, seen from any other page.

    A built-in system has a page of its name everywhere: a file in `apps/`. One of another package has such a page
    where the server was told of it, as `svm-explorer` does; under `panel serve apps/*.py`, where each page is a file,
    it is on the generic page, `apps/system.py`.
    """
    if folder_of(solver) is not None or solver in SERVER.pages:
        return f"./{solver}"
    return f"./{GENERIC}?{urlencode({'solver': solver})}"


def prefers_dark() -> bool:
    """What the visitor chose last."""
    return bool(pn.state.cookies.get("theme") == "dark")


def _links(here: str) -> Any:
    """The ways to all pages. Plain links: a browser builds them much sooner than as many buttons."""
    look = "color: #ffffff; text-decoration: none; padding: 6px 10px; white-space: nowrap; display: inline-block"
    mine = (
        "border-bottom: 2px solid; scroll-initial-target: nearest"  # on a phone they do not all fit: this one is seen
    )
    links = [
        f'<a href="{address_of(name)}" style="{look}; {mine if name == here else "opacity: 0.75"}">'
        f"{html.escape(system.title)}</a>"
        for name, system in SOLVERS.items()
    ]
    style = f"font: 500 13px/1.5 {FONT}; letter-spacing: .03em; overflow-x: auto; white-space: nowrap; padding: 0 9px"
    return Text(f'<nav style="{style}; max-width: calc(100vw - 250px)">{"".join(links)}</nav>', margin=0)


def plain_page(window: Window, here: str = "", **parts: Any) -> Any:
    """A page with the bar and its links, in the colours that the visitor last chose."""
    page = pmui.Page(
        title="SVM Explorer",
        header=[_links(here)],
        dark_theme=prefers_dark(),
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
    page.param.watch(lambda event: setattr(window, "dark", event.new), "dark_theme")
    return page
