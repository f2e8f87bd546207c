"""The page that every app is on: bar, ways to the other apps, light and dark; and the home page."""

from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.util import edit_readonly

from engine import SOLVERS
from explorer.solvers import acts
from explorer.theme import NEGATIVE


def plain_page(**parts: Any) -> Any:
    """A page with the bar and its links."""
    links = [
        pmui.Button(
            label=SOLVERS[name].title, href=f"./{name}", variant="text", color="light", size="small", margin=(0, 4)
        )
        for name in acts()
    ]
    page = pmui.Page(
        title="SVM Explorer",
        header=[pmui.Row(*links, margin=0)],
        theme_config={"palette": {"primary": {"main": NEGATIVE}}},
        busy_indicator=None,
        **parts,
    )
    # It would tell the browser of each tick that the server is busy, and look through all its models to do so.
    with edit_readonly(page):
        page.busy = False
    return page


def home_page() -> Any:
    """A card for each app."""
    cards = [
        pmui.Paper(
            pmui.Typography(SOLVERS[name].title, variant="h6", margin=(8, 12, 0, 12)),
            pmui.Typography(act.summary, variant="body2", margin=(4, 12)),
            pmui.Button(label=f"Open {SOLVERS[name].title}", href=f"./{name}", variant="contained", margin=12),
            variant="outlined",
            width=330,
            margin=10,
        )
        for name, act in acts().items()
    ]
    words = pn.pane.Markdown(
        "# See kernel machines train\n\nPublished solvers for large-scale support vector machines, step by step: "
        "pause, go back, change the data, and see why.",
        margin=(10, 14),
    )
    return plain_page(main=[pmui.Column(words, pmui.FlexBox(*cards), margin=10)])
