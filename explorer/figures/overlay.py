"""TODO: what this is."""

from typing import Any, Protocol

from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay


class Overlay(Protocol):
    """What one solver adds to the scene."""

    layers: dict[str, list[Any]]  # renderers by the name of their layer

    @property
    def moving(self) -> bool:
        """Whether the next frame differs though nothing happens."""

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show a frame in a part of the plane: left, right, bottom, top; and what concerns a pinned point."""

    def clear(self) -> None:
        """Show nothing."""

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
