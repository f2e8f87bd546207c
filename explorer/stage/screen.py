"""The widgets of the stage, and where everything stands on the page; what is not seen first joins it later."""

from collections.abc import Sequence
from typing import Any

import panel_material_ui as pmui

from explorer.figures.charts import AXES, Charts
from explorer.figures.view import View
from explorer.stage.controls import COMPACT, SMALL
from explorer.stage.presentation import Presentation
from explorer.stage.story import listing, story_card
from explorer.style.icons import icon
from explorer.style.layout import Notice, Pictures, Text, card, column, grid, heading, row, tiles, words
from explorer.style.theme import NEGATIVE, POSITIVE

BAR = 30  # pixels of a row of small buttons: kept free for it, so that nothing moves when it comes


class Screen:
    """What a person sees and presses, apart from transport, figures, data and settings, which know themselves."""

    def __init__(self, presentation: Presentation, presets: Sequence[str]) -> None:
        self.presentation = presentation
        self.presets = pmui.Select(
            label="Preset", options={title: k for k, title in enumerate(presets)}, value=0, **SMALL
        )
        self.look = words("", 12, (0, 10, 4, 10))
        self.run_button = pmui.Button(label="Run", icon=icon("play"), color="primary", variant="contained", margin=8)
        self.reset_button = pmui.Button(label="Reset", icon=icon("reset"), variant="outlined", margin=8)
        self.message = Notice()
        self.layers = pmui.CheckButtonGroup(
            label="", options=list(presentation.layers), value=list(presentation.layers_shown), size="small",
            margin=(2, 6), color="primary", sx=COMPACT, min_height=BAR,
        )  # fmt: skip
        self.axis = pmui.RadioButtonGroup(
            label="", options=list(AXES), value="iterations", size="small", margin=(2, 6), sx=COMPACT, min_height=BAR
        )
        self.note = words("", 12)
        self.story = Text("", sizing_mode="stretch_width", margin=(2, 8))
        self.listing = Text("", sizing_mode="stretch_width", margin=(2, 4))
        self.pictures = Pictures()
        self._later: list[tuple[Any, list[Any]]] = []  # parts of the page that are still to come, and where

    def sidebar(self, data: Any, settings: Any) -> list[Any]:
        """What stands beside the stage."""
        return [
            row(self.run_button, self.reset_button),
            self._join_later(column(), [heading("Presets"), self.presets, self.look, heading("Data"), data]),
            self._join_later(column(), [heading("Problem and solver"), settings]),
        ]

    def main(self, transport: Any, scene: Any, charts: Charts, view: View, below: Any, unseen: Sequence[Any]) -> Any:
        """The stage itself; `unseen` are parts without a size."""
        scene, *curves = [self.pictures.add(plot) for plot in (scene, *charts.plots.values())]
        *curves, alpha = curves
        views = [(self.pictures.add(plot), *view.widgets.get(plot.name, ())) for plot in view.plots]
        return column(
            self.message,
            card(transport),
            grid(
                card(self.layers, scene, self.note),
                self._join_later(card(min_height=BAR + sum(pane.height for pane in curves)), [self.axis, *curves]),
                card(self.story),
                card(self.listing),
            ),
            self._join_later(tiles(len(views) + 1), [card(*tile) for tile in (*views, (alpha,))]),
            self._join_later(column(), [card(below)]),
            column(*unseen),
            margin=(8, 12),
            styles={"gap": "10px"},
        )

    def _join_later(self, place: Any, parts: list[Any]) -> Any:
        """Keep a place for parts that are not seen first: the page is there sooner without them."""
        self._later.append((place, parts))
        return place

    @property
    def waiting(self) -> bool:
        """Whether there are parts still to come."""
        return bool(self._later)

    def join_next(self) -> None:
        """Put the next part in its place."""
        place, parts = self._later.pop(0)
        place.objects = parts

    def tell(self, story: str, lines: str, numbers: dict[str, str] | None = None, keys: bool = True) -> None:
        """Say what just happened and where the solver stands, and light lines of the listing."""
        self.story.object = story_card(story, numbers or {}, self.presentation.hint, keys)
        self.listing.object = listing(self.presentation.listing, lines.split())

    def complain(self, text: str) -> None:
        """Say what is wrong."""
        self.message.say(text, POSITIVE)

    def inform(self, text: str) -> None:
        """Say what a person should know."""
        self.message.say(text, NEGATIVE)
