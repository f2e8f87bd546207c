"""What is on the stage: a recording, its cursor, and the run that may still add to it, with its place in the pool.

`Stage` puts something here when a person asks for it; `Refresh` lets time pass for it and draws it.
"""

import time
from collections.abc import Mapping
from typing import Any

from engine import Run, compile_ahead
from engine.runtime.events import Event
from explorer.replay.lookup import Replay
from explorer.replay.playback import Playback
from explorer.server.pool import SERVER


class CurrentRun:
    """One recording at a time; none at first, and while points are drawn."""

    def __init__(self, step_sizes: Mapping[str, tuple[type[Event], ...]]) -> None:
        self.run: Run[Any] | None = None
        self.replay: Replay | None = None
        self.playback: Playback | None = None
        self.pinned: int | None = None  # the point that is followed
        self._step_sizes = step_sizes
        self._entered: Run[Any] | None = None  # the run in the pool that this stage answers for
        self._timed_out: Run[Any] | None = None  # the run whose end by the clock was told
        self._idle_since = time.monotonic()

    def show(self, run: Run[Any] | None, replay: Replay) -> Playback:
        """Take another recording, and the run that may still add to it; the run before it is left."""
        self.leave()
        self.run, self.replay, self.pinned = run, replay, None
        self.playback = Playback(replay, run, self._step_sizes)
        self._idle_since = time.monotonic()
        return self.playback

    def enter(self) -> None:
        """Let the pool start the run, now or when its turn comes."""
        if self.run is not None:
            self._entered = self.run
            SERVER.pool.enter(self.run)

    def leave(self) -> None:
        """Cancel the run that was entered, and what its reader does beside it; what was done can still be played."""
        SERVER.pool.leave(self._entered)
        self._entered = None
        if self.replay is not None:
            self.replay.reader.end()

    def clear(self) -> None:
        """Show nothing."""
        self.leave()
        self.run = self.replay = self.playback = self.pinned = None

    def status(self) -> str:
        """What holds the run up, in words; empty if nothing does."""
        if self.run is not None and (ahead := SERVER.pool.ahead(self.run)):
            return f"<b>Waiting.</b> All places are taken; {ahead} in line up to and with this run."
        if self.replay is None or self.replay.frame(len(self.replay) - 1) is None:
            if not compile_ahead.compiled():
                return "<b>Compiling.</b> The kernels are being made for this computer, once: some ten seconds."
            if not len(self.replay or ()):
                return "<b>Getting ready.</b>"
        return ""

    def enforce_limits(self, now: float) -> str:
        """Give up a place in the pool that is not used while others wait; what the person must be told, if anything."""
        said = ""
        if self.run is None or self.playback is None:
            return said
        if self.run.stopping == "time" and self._timed_out is not self.run:
            self._timed_out = self.run
            said = f"This server ends a run after {SERVER.limits.max_seconds:g} s of solver time."
        if self.playback.playing:
            self._idle_since = now
        elif (
            self.run is self._entered
            and self.run.state != "done"
            and SERVER.pool.waiting
            and now - self._idle_since > SERVER.limits.max_idle
        ):
            SERVER.pool.leave(self._entered)
            said = "Others were waiting, so the paused run has ended. What it did can be played; Run starts anew."
        return said
