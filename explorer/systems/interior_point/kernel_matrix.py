"""The kernel matrix, what stands for it in the interior-point method, and what that leaves of it."""

import numpy as np

from engine.runtime.events import Event
from engine.systems.interior_point.events import Factorised
from explorer.figures.matrix_image import SIDE, Squares
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.number_format import number


class Matrices:
    """Two figures: what stands for K, and what it leaves."""

    def __init__(self) -> None:
        self.parts, self.rest = Squares("interior-matrix", errors=False), Squares("interior-error", errors=True)
        self.plots = [self.parts.plot, self.rest.plot]
        self._drawn: Factorised | None = None
        self.clear()

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self.parts.restyle(dark)
        self.rest.restyle(dark)

    def clear(self) -> None:
        """Show nothing."""
        self._drawn = None
        self.parts.show("What stands for K", [])
        self.rest.show("What it leaves of K", [])

    def draw(self, replay: Replay, past: list[Event], frame: Frame) -> None:
        """Show the factorisation in force."""
        ready = [event for event in past if isinstance(event, Factorised)]
        if not ready:
            self.clear()
        elif ready[-1] is not self._drawn:
            self._drawn = ready[-1]
            self._draw(replay, frame, ready[-1])

    def _draw(self, replay: Replay, frame: Frame, event: Factorised) -> None:
        difference = event.difference
        if event.kind == "kronecker":
            sides = f"{len(event.left)} × {len(event.left)}, {len(event.right)} × {len(event.right)}"
            self.parts.show(f"B and C, {sides}", [event.left, event.right])
        else:
            # A sample, by class and from left to right: neighbours are beside one another.
            some = np.linspace(0, len(frame.members) - 1, len(difference) or min(SIDE, len(frame.members))).astype(int)
            order = np.lexsort((replay.places[frame.members[some], 0], frame.signs[some]))
            points = replay.points[frame.members[some[order]]]
            self.parts.show("K, by class and place", [replay.kernel.block(points, points)])
            difference = difference[np.ix_(order, order)] if difference.size else difference
        size = float(np.abs(difference).max(initial=0.0))
        name = {"kronecker": "K − B ⊗ C", "icf": "K − HHᵀ"}.get(event.kind)
        self.rest.show("Nothing is left out" if name is None else f"{name}, up to {number(size, 2)}", [difference])
