"""Playback: where the cursor is, whether it follows the run, and how it moves. It pauses the cursor; a `Run` pauses the
solver. Knows no widget."""

from collections.abc import Callable, Mapping
from typing import Any

import param

from engine import Run
from engine.runtime.events import Event, Finished, PhaseBegan
from explorer.replay.lookup import Replay

SPEEDS = {f"{speed} / s": float(speed) for speed in (1, 2, 5, 10, 25, 100)} | {"full speed": 0.0}
FIRST_EVENTS = 4.0  # of a run come at once: until the first iteration there is nothing to see
AT_ONCE = 20  # events that a run goes on by while a longer step looks for its end
STEP_SIZES = ("event", "iteration", "phase")  # of every solver


class Playback(param.Parameterized):
    """Plays a replay: live at its end, where it lets the solver go on at the chosen speed, or anywhere before it.

    Speed is in events a second, for a replay and for a live run alike; a paused player pauses the solver too.
    """

    cursor = param.Integer(0, bounds=(0, None), doc="Position in the recording.")
    live = param.Boolean(True, doc="Pinned to the end: new events move the cursor.")
    playing = param.Boolean(True)
    speed: Any = param.Selector(default=10.0, objects=SPEEDS)
    step_size: Any = param.Selector(default="event", objects=list(STEP_SIZES), check_on_set=False)

    def __init__(
        self,
        replay: Replay,
        run: Run[Any] | None = None,
        step_sizes: Mapping[str, tuple[type[Event], ...]] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.replay, self.run = replay, run
        self._step_sizes: dict[str, tuple[type[Event], ...]] = {  # the events where a step of each size ends
            "event": (Event,),
            "iteration": (*replay.reader.kinds, Finished),
            "phase": (PhaseBegan, Finished),
            **(step_sizes or {}),
        }
        self._credit = 0.0 if run is None else FIRST_EVENTS  # events that may still happen
        self._goal: int | None = None  # the number of the event to stop at on the way
        self._looking: str | None = None  # the size of a step whose end the run has not come to yet
        self._let_go = False  # whether the solver goes on by itself

    @property
    def end(self) -> int:
        """The last position there is."""
        return max(0, len(self.replay) - 1)

    @property
    def running(self) -> bool:
        """Whether the solver has more to say."""
        return self.run is not None and self.run.state != "done"

    def tick(self, seconds: float) -> None:
        """Let so much time pass."""
        if self._goal is not None and not self._arrive(self._goal):
            return
        if self._looking is not None:
            self._look_for(self._looking)
        if self.playing:
            self._credit = min(self._credit + seconds * self.speed, max(FIRST_EVENTS, self.speed))
            due = int(self._credit) if self.speed else self.end + 1
            if not self.live and due:
                self.cursor = min(self.end, self.cursor + due)
                self._credit -= int(self._credit)
                self.live = self.cursor == self.end and self.running
                self.playing = self.cursor < self.end or self.running
            elif self.running and self.run is not None:
                if not self.speed:
                    self.run.resume()
                    self._let_go = True
                elif self._let_go:
                    self.run.pause()
                    self._let_go = False
                elif due and self.run.state == "paused":
                    self.run.step(due)
                    self._credit -= due
            elif self.cursor == self.end:
                self.playing = False
        if self.live:
            self.cursor = self.end

    def act(self, name: str) -> None:
        """What a button or a key does, by name; any other name does nothing."""
        acts: dict[str, Callable[[], None]] = {
            "toggle": self.toggle, "back": lambda: self.step(-1), "forward": lambda: self.step(1),
            "to_start": self.to_start, "to_end": self.to_end,
        }  # fmt: skip
        if name in acts:
            self._goal = self._looking = None
            acts[name]()

    def play(self) -> None:
        """Go on; from the beginning, if all was seen."""
        if self.cursor == self.end and not self.running:
            self.cursor = 0
        self.live = self.cursor == self.end and self.running
        self.playing = True

    def pause(self) -> None:
        """Hold everything, at the newest event if that is where it was."""
        self.playing = False
        if self.run is not None and self.running:
            self.run.pause()
        if self.live:
            self.cursor = self.end

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def step(self, direction: int) -> None:
        """To the next or the last stop of the chosen size; beyond the end of a live run, as far as it takes."""
        self.pause()
        stops = self.replay.stops(self._step_sizes[self.step_size])
        ahead = [stop for stop in stops if (stop - self.cursor) * direction > 0]
        if ahead:
            self.go(min(ahead) if direction > 0 else max(ahead))
        elif direction > 0 and self.running and self.run is not None:
            self.live = True
            self._looking = self.step_size
            self._look_for(self._looking)
        else:
            self.go(self.end if direction > 0 else 0)

    def _look_for(self, size: str) -> None:
        """Let the solver go on until there is a stop of this size."""
        ahead = [stop for stop in self.replay.stops(self._step_sizes[size]) if stop > self.cursor]
        if ahead:
            self._looking = None
            self.pause()
            self.param.update(cursor=ahead[0], live=self.running and ahead[0] == self.end)
        elif self.run is not None and self.running:
            if self.run.state == "paused":
                self.run.step(1 if size == "event" else AT_ONCE)
        else:
            self._looking = None

    def go(self, position: int) -> None:
        """Put the cursor somewhere; the run no longer moves it."""
        self.live = False
        self.cursor = min(max(0, position), self.end)

    def seek(self, sequence: int) -> None:
        """Go to the event of this number, even one that has not happened yet: the run is let go until it has.

        A long recording leaves some events out, so that the number of an event is not its position.
        """
        self._goal = max(0, sequence)
        self.param.update(live=False, playing=False)

    def _arrive(self, goal: int) -> bool:
        """Whether there is nothing to wait for any more; then the cursor is there."""
        if self.running and self.replay.last_sequence < goal and self.run is not None:
            self.run.resume()
            return False
        self._goal = None
        self.pause()
        self.go(self.replay.position_of(goal))
        return True

    def to_start(self) -> None:
        """To the first event; at full speed the next moment would be the end again, so it stays there."""
        if not self.speed:
            self.pause()
        self.go(0)

    def to_end(self) -> None:
        """To the newest event, pinned to it while there may be more."""
        self.cursor = self.end
        self.live = self.running
