"""`Overlay`: what a system adds to the scene. Its own is in `explorer/systems/<system>/overlay.py`."""

from collections.abc import Iterable
from typing import Any, ClassVar

from bokeh.models import ColumnDataSource

from explorer.figures.sources import empty
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay


class Overlay:
    """Glyphs on the scene's figure; a subclass makes them from the figure that its constructor gets."""

    layers: dict[str, list[Any]]  # renderers by the name of their layer
    local_layers: ClassVar[tuple[str, ...]] = ()  # while one is shown, fields are those of the model of each part

    def __init__(self) -> None:
        self.sources: Iterable[ColumnDataSource] = ()  # what `clear` empties
        self._drawn: dict[str, tuple[Any, ...]] = {}  # what each part was last drawn for

    @property
    def needs_redraw(self) -> bool:
        """Whether the next frame differs though nothing happens."""
        return False

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show a frame in a part of the plane: left, right, bottom, top; and what concerns a pinned point."""

    def clear(self) -> None:
        """Show nothing."""
        self._drawn = {}
        empty(*self.sources)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""

    def _is_new(self, part: str, *about: Any) -> bool:
        """Whether a part was last drawn for something else; it is sent to the browser only then."""
        new = self._drawn.get(part) != about
        self._drawn[part] = about
        return new
