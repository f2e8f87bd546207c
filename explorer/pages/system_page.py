"""The page of a system: its stage, alive as long as somebody sees it."""

import html
from typing import Any
from urllib.parse import parse_qsl, urlencode

import panel as pn

from engine import SOLVERS
from engine.runtime.errors import invalid
from explorer.pages.shell import plain_page, prefers_dark
from explorer.stage.actions import Stage
from explorer.stage.browser_window import Window
from explorer.stage.refresh import PERIOD
from explorer.style.layout import column, words


def stage_page(solver: str) -> Any:
    """The page of a system at an address of its own."""
    return _live(Stage(solver, dark=prefers_dark()), _search())


def any_stage_page() -> Any:
    """The page of the system that the address names, as ?solver=NAME; for another name, a line with those there are."""
    fields = parse_qsl(_search().lstrip("?"), keep_blank_values=True)
    solver = dict(fields).get("solver", "")
    if solver not in SOLVERS:
        window = Window(narrow=0)
        wrong = str(invalid("solver", solver, f"one of {', '.join(SOLVERS)}"))
        return plain_page(window, main=[column(words(html.escape(wrong), 15, (10, 14)), window)])
    stage = Stage(solver, dark=prefers_dark(), page_query=urlencode({"solver": solver}))
    return _live(stage, "?" + urlencode([(key, value) for key, value in fields if key != "solver"]))


def _search() -> str:
    return str(pn.state.location.search) if pn.state.location is not None else ""


def _live(stage: Stage, search: str) -> Any:
    """A page with this stage, which starts from a link and ends with its session."""
    stage.restore(search)
    page = plain_page(stage.window, stage.solver.name, sidebar=stage.sidebar(), main=[stage.main()], sidebar_width=300)
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
