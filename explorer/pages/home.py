"""The home page: a card for each system of the registry, and a line about packages that could not be loaded."""

import base64
import html
from functools import cache
from importlib.resources import files
from typing import Any

import panel_material_ui as pmui

from engine import SOLVERS
from explorer.pages.shell import address_of, plain_page
from explorer.registry import presentations, problems
from explorer.stage.browser_window import Window
from explorer.stage.presentation import Presentation
from explorer.style.layout import card, column, words
from explorer.style.theme import FONT

CARDS = ":host { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 18px; }"


def home_page() -> Any:
    """A card for each system, with the way to its page."""
    title = (
        f'<h1 style="font: 600 32px/1.3 {FONT}; color: var(--mui-palette-text-primary)">See kernel machines train</h1>'
    )
    purpose = (
        "Published solvers for large-scale support vector machines, step by step: pause, go back, change the data, "
        "and see why."
    )
    cards = [_card(shown) for shown in presentations().values()]
    window = Window(narrow=0)
    parts = [words(title + purpose, 15, (10, 14)), column(*cards, stylesheets=[CARDS], margin=(0, 14))]
    if broken := problems():
        reasons = "; ".join(f"{name} ({reason})" for name, reason in broken.items())
        parts.append(words(f"Not loaded: {html.escape(reasons)}", 12, (18, 14)))
    return plain_page(window, main=[column(*parts, window)])


def _card(shown: Presentation) -> Any:
    title = SOLVERS[shown.solver].title
    heading = f'<b style="font-size: 18px; color: var(--mui-palette-text-primary)">{html.escape(title)}</b>'
    return card(
        words(_picture(shown.solver, shown.files), 14, 0),
        words(heading),
        words(html.escape(shown.summary, quote=False), 14, (4, 10)),
        pmui.Button(label=f"Open {title}", href=address_of(shown.solver), variant="contained", margin=10),
    )


@cache
def _picture(solver: str, package: str) -> str:
    """The stage of a solver in small, in the page itself; nothing if its package has no picture.

    A package with several systems may have a `thumbnail-<solver>.png` for each beside the `thumbnail.png` of the first.
    """
    folder = files(package) if package else None
    names = (f"thumbnail-{solver}.png", "thumbnail.png")
    path = next((folder / name for name in names if (folder / name).is_file()), None) if folder is not None else None
    if path is None:
        return ""
    content = base64.b64encode(path.read_bytes()).decode()
    look = "width: 100%; aspect-ratio: 16 / 9; object-fit: cover; border-radius: 6px; display: block"
    return f'<img alt="" style="{look}" src="data:image/png;base64,{content}">'
