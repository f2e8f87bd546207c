"""TODO: what this is."""

import base64
from functools import cache
from typing import Any

import panel_material_ui as pmui

from engine import SOLVERS
from explorer.pages.shell import PICTURES, plain_page
from explorer.registry import acts
from explorer.stage.browser import Browser
from explorer.style.layout import card, column, words
from explorer.style.theme import FONT

CARDS = ":host { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 18px; }"


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
