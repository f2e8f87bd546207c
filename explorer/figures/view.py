"""`View`: the figures that only one system has. Its own is in `explorer/systems/<system>/view.py`."""

from collections.abc import Iterable
from typing import Any

from bokeh.models import ColumnDataSource

from explorer.figures.sources import empty
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import style


class View:
    """Figures that are updated in place; one without any is the view of a system that brings none."""

    plots: list[Any]
    widgets: dict[str, list[Any]]  # what stands below the plot of a name

    def __init__(self, dark: bool) -> None:
        self.plots, self.widgets = [], {}
        self.sources: Iterable[ColumnDataSource] = ()  # what `clear` empties

    @property
    def needs_redraw(self) -> bool:
        """Whether it is to be drawn again though nothing happens."""
        return False

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show what is known at a cursor, with a point that is to be told from the others."""

    def clear(self) -> None:
        """There is nothing at the cursor."""
        empty(*self.sources)

    def forget(self) -> None:
        """There will be another run: what was learnt of this one is gone."""
        self.clear()

    def end(self) -> None:
        """End what this view does in the background; a reader is ended by the stage."""

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        for plot in self.plots:
            style(plot, dark)
