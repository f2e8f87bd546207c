"""Looks up the frame at any cursor of a recording; what a frame stands for, its system's reader knows."""

from functools import lru_cache
from typing import TypeVar

import numpy as np

from engine import Recording
from engine.runtime.events import Array, Event
from explorer import registry
from explorer.replay.context import RunContext
from explorer.replay.frame import Frame
from explorer.replay.reader import Reader

Own = TypeVar("Own", bound=Reader)


class Replay(RunContext):
    """A recording, which may still be growing, as views see it."""

    def __init__(self, recording: Recording, X_test: Array | None = None, y_test: Array | None = None) -> None:
        super().__init__(recording, X_test, y_test)
        self.reader: Reader = registry.reader(recording.header.solver)(self)
        self.frame_of = lru_cache(16)(self.reader.read)

    def reader_as(self, kind: type[Own]) -> Own:
        """The reader, for the views of its own system."""
        assert isinstance(self.reader, kind)
        return self.reader

    def frame(self, cursor: int) -> Frame | None:
        """The newest state at or before the cursor, if there was one."""
        for event in reversed(self.recording[: max(0, cursor + 1)]):
            if self.reader.is_state(event):
                return self.frame_of(event)
        return None

    def alpha_of(self, point: int, event: Event) -> float:
        """The alpha of a point in a frame; NaN if it has no part in that task."""
        frame = self.frame_of(event)
        row = int(np.searchsorted(frame.members, point))
        return float(frame.alpha[row]) if row < len(frame.members) and frame.members[row] == point else np.nan
