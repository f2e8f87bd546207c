"""A merge in the scene: two vectors of the budget slide into one, and what is lost is said."""

import time
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from engine.systems.budgeted_sgd.events import BudgetMaintained
from explorer.figures.annotation import Annotation
from explorer.figures.overlay import Overlay
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.number_format import number
from explorer.style.theme import AMBER, NEGATIVE, POSITIVE

LAYERS = ("merges",)
DURATION = (0.1, 0.7)  # seconds that the two are on their way, shorter if merges follow one another
NOTHING: dict[str, Any] = {"x": [], "y": []}


class Merges(Overlay):
    """Glyphs on the scene's figure."""

    def __init__(self, plot: Any) -> None:
        super().__init__()
        self._ways = ColumnDataSource({"xs": [], "ys": []})
        self._partners = ColumnDataSource({**NOTHING, "colour": [], "size": []})
        self._z = ColumnDataSource(NOTHING)
        self._candidates = ColumnDataSource(NOTHING)
        candidates = plot.scatter(
            "x", "y", source=self._candidates, marker="circle", size=15, fill_color=None, line_color=AMBER,
            line_width=1, line_alpha=0.7,
        )  # fmt: skip
        ways = plot.multi_line("xs", "ys", source=self._ways, line_color=AMBER, line_width=2.5, line_dash="dashed")
        z = plot.scatter(
            "x", "y", source=self._z, marker="circle", size=24, fill_color=None, line_color=AMBER, line_width=3
        )
        partners = plot.scatter(
            "x", "y", source=self._partners, marker="circle", size="size", fill_color="colour", line_color=AMBER,
            line_width=2.5, fill_alpha=0.9,
        )  # fmt: skip
        self.annotation = Annotation(plot, above=18)
        self.layers: dict[str, list[Any]] = {"merges": [candidates, ways, z, partners, self.annotation.glyph]}
        self.sources = (self._ways, self._partners, self._z, self._candidates, self.annotation.source)
        self._shown: BudgetMaintained | None = None
        self._since, self._duration = 0.0, DURATION[1]

    @property
    def needs_redraw(self) -> bool:
        """Whether the two are still on their way."""
        return self._shown is not None and time.monotonic() - self._since < self._duration + 0.1

    def clear(self) -> None:
        """Show nothing."""
        self._shown = None
        super().clear()

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show a merge, as far as the two have come."""
        event = frame.event
        if not isinstance(event, BudgetMaintained):
            self.clear()
            return
        if event is not self._shown:
            now = time.monotonic()
            self._duration = float(np.clip(0.8 * (now - self._since), *DURATION))
            self._shown, self._since = event, now
            self._begin(replay, event, window)
        self._slide(replay, event, min(1.0, (time.monotonic() - self._since) / self._duration))

    def _begin(self, replay: Replay, event: BudgetMaintained, window: tuple[float, ...]) -> None:
        places = replay.plane.project(np.asarray(event.vectors, float))
        first = places[event.first]
        around = places[event.candidates]
        self._candidates.data = {"x": around[:, 0].tolist(), "y": around[:, 1].tolist()}
        lost = f"lost {number(event.degradation, 3)}"
        if event.partner < 0:
            self._ways.data = {"xs": [], "ys": []}
            self._z.data = NOTHING
            end, text = first, f"{event.kind}, {lost}"
        else:
            end = replay.plane.project(np.asarray(event.z, float)[None])[0]
            ends = (first, places[event.partner])
            self._ways.data = {"xs": [[p[0], end[0]] for p in ends], "ys": [[p[1], end[1]] for p in ends]}
            self._z.data = {"x": [end[0]], "y": [end[1]]}
            text = f"h = {number(event.h, 2)}, {lost}"
        self.annotation.say(text, end, window)

    def _slide(self, replay: Replay, event: BudgetMaintained, part: float) -> None:
        rows = [event.first] if event.partner < 0 else [event.first, event.partner]
        start = replay.plane.project(np.asarray(event.vectors[rows], float))
        end = start if event.partner < 0 else replay.plane.project(np.asarray(event.z, float)[None])
        eased = part * part * (3 - 2 * part)
        places = start + eased * (end - start)
        size = 13.0 * (1 - eased) if event.partner < 0 else 13.0  # what is dropped fades away
        colours = [POSITIVE if event.coefficients[row] > 0 else NEGATIVE for row in rows]
        self._partners.data = {
            "x": places[:, 0].tolist(), "y": places[:, 1].tolist(), "colour": colours, "size": [size] * len(rows),
        }  # fmt: skip
