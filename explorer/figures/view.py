"""TODO: what this is."""

from collections.abc import Mapping
from typing import Any, Protocol

from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay


class OwnView(Protocol):
    """The picture that only one solver has."""

    plots: list[Any]

    @property
    def widgets(self) -> Mapping[str, list[Any]]:
        """What stands below the plot of a name."""

    @property
    def restless(self) -> bool:
        """Whether it is to be drawn again though nothing happens."""

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show what is known at a cursor, with a point that is to be told from the others."""

    def clear(self) -> None:
        """There is nothing at the cursor."""

    def forget(self) -> None:
        """There will be another run: what was learnt of this one is gone."""

    def end(self) -> None:
        """End what works in the background."""

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
