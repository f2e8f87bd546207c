"""The pages: bar, ways to the other apps, light and dark; the home page, and the page of a solver, alive."""

import base64
from functools import cache
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from engine import SOLVERS
from explorer.browser import Browser
from explorer.layout import Text, card, column, words
from explorer.solvers import acts
from explorer.stage import PERIOD, Stage
from explorer.theme import FONT, THEMES

CARDS = ":host { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 18px; }"
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


@cache
def _picture(solver: str) -> str:
    """What the stage of a solver looks like, in the page itself; nothing where there is no picture."""
    path = PICTURES / f"{solver}.png"
    if not path.is_file():
        return ""
    content = base64.b64encode(path.read_bytes()).decode()
    look = "width: 100%; aspect-ratio: 16 / 9; object-fit: cover; border-radius: 6px; display: block"
    return f'<img alt="" style="{look}" src="data:image/png;base64,{content}">'


def home_page() -> Any:
    """A card for each app."""
    title = (
        f'<h1 style="font: 600 32px/1.3 {FONT}; color: var(--mui-palette-text-primary)">See kernel machines train</h1>'
    )
    cards = [
        card(
            words(_picture(name), 14, 0),
            words(f'<b style="font-size: 18px; color: var(--mui-palette-text-primary)">{SOLVERS[name].title}</b>'),
            words(act.summary, 14, (4, 10)),
            pmui.Button(label=f"Open {SOLVERS[name].title}", href=f"./{name}", variant="contained", margin=10),
        )
        for name, act in acts().items()
    ]
    purpose = (
        "Published solvers for large-scale support vector machines, step by step: pause, go back, change the data, "
        "and see why."
    )
    browser = Browser({}, narrow=0)
    return plain_page(
        browser,
        main=[
            column(words(title + purpose, 15, (10, 14)), column(*cards, stylesheets=[CARDS], margin=(0, 14)), browser)
        ],
    )


def stage_page(solver: str) -> Any:
    """The page of a solver."""
    stage = Stage(solver, dark=_prefers_dark())
    stage.restore(pn.state.location.search if pn.state.location is not None else "")
    page = plain_page(stage.browser, solver, sidebar=stage.sidebar(), main=[stage.main()], sidebar_width=300)
    page.param.watch(lambda event: stage.restyle(event.new), "dark_theme")
    pn.state.on_session_destroyed(lambda context: stage.close())

    def wake() -> None:  # what is sent before the page is there would only pile up
        document = pn.state.curdoc
        if document is None:
            return

        def tick() -> None:
            session = getattr(document.session_context, "session", None)
            if session is None or session.connection_count:  # nobody sees a page that was left
                stage.tick()

        # Bokeh's own clock: Panel's keeps a count of what is busy, at a fifth of the cost of a tick.
        document.add_periodic_callback(tick, PERIOD)

    pn.state.onload(wake)
    return page
