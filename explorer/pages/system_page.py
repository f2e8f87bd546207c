"""TODO: what this is."""

from typing import Any

import panel as pn

from explorer.pages.shell import _prefers_dark, plain_page
from explorer.stage.actions import PERIOD, Stage


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
