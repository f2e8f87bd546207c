"""Run: drives a solver and stamps its events; pausing, stepping and cancelling act on the solver itself.

They take effect at the next breath of the solver. (Pausing a replay stops its cursor only, not the solver.)
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Generic, Literal

from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import Event, Failed, Result, Stamp, Steps, Stop, Within
from engine.runtime.recording import Recording

State = Literal["ready", "running", "paused", "done"]


class Run(Generic[Result]):
    """One run of a solver: iterate over it to drive it in this thread, or `start()` it in a thread of its own.

    Only time spent inside the solver counts, so a paused or closely watched run is timed fairly.
    """

    def __init__(
        self,
        steps: Steps[Result],
        counter: Counter,
        recording: Recording | None = None,
        time_limit: float | None = None,
    ) -> None:
        if time_limit is not None and not time_limit > 0:
            raise invalid("time_limit", time_limit, "a positive number of seconds or None")
        self.recording = recording
        self.time_limit = time_limit
        self.seconds = 0.0
        self.latest: Event | None = None
        self.error: Exception | None = None
        self._steps = steps
        self._counter = counter
        self._result: Result | None = None
        self._sequence = 0
        self._change = threading.Condition()
        self._state: State = "ready"
        self._allowance: int | None = None  # events until the next pause; None is no limit
        self._stop: str | None = None  # why to stop, once it is so
        self._stop_said = False
        self._claimed = False
        self._thread: threading.Thread | None = None

    # ---- controls, from any thread ----

    @property
    def state(self) -> State:
        """Whether the run is ready, running, paused or done."""
        return self._state

    @property
    def evaluations(self) -> int:
        """Kernel evaluations so far."""
        return self._counter.value

    @property
    def recorded(self) -> Recording:
        """The recording of a run that has one."""
        if self.recording is None:
            raise RuntimeError("this run is not recorded")
        return self.recording

    def start(self, paused: bool = False) -> "Run[Result]":
        """Drive the solver in a thread of its own."""
        events = iter(self)
        if paused:
            self._allow(0)
        self._thread = threading.Thread(target=deque, args=(events, 0), name="run", daemon=True)
        self._thread.start()
        return self

    def pause(self) -> None:
        """Stop at the next breath and wait."""
        self._allow(0)

    def resume(self) -> None:
        """Go on without a limit."""
        self._allow(None)

    def step(self, events: int = 1) -> None:
        """Go on for so many events, then pause."""
        if events < 1:
            raise invalid("events", events, "a whole number from 1")
        self._allow(events)

    @property
    def stopping(self) -> str | None:
        """Why the run was or is being stopped from outside, if it is."""
        return self._stop

    def cancel(self) -> None:
        """End the run at its next breath; the solver returns what it has."""
        with self._change:
            self._stop = self._stop or "cancelled"
            self._change.notify_all()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for a started run to end; False if it has not within `timeout` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self._state == "done"

    def result(self) -> Result:
        """What the solver returned; drives or waits for it as needed, and raises what it raised."""
        if not self._claimed:
            deque(self, 0)
        if not self.join():
            raise RuntimeError("the run is still being driven elsewhere")
        if self.error is not None:
            raise self.error
        if self._result is None:
            raise RuntimeError("the run was stopped before the solver had a result")
        return self._result

    # ---- the drive ----

    def __iter__(self) -> Iterator[Event]:
        """Drive the solver in this thread and yield its events."""
        with self._change:
            if self._claimed:
                raise RuntimeError("a run is driven once")
            self._claimed = True
        return self._drive()

    def _allow(self, events: int | None) -> None:
        with self._change:
            self._allowance = events
            self._change.notify_all()

    def _drive(self) -> Iterator[Event]:
        try:
            while True:
                stop = self._wait_while_paused()
                try:
                    item = self._advance(stop)
                except StopIteration as end:
                    self._result = end.value
                    return
                except Stop as passed:
                    self._result = passed.result
                    return
                except Exception as error:
                    self.error = error
                    yield self._stamped(Failed(error=type(error).__name__, message=str(error)))
                    return
                if item is not None:
                    yield self._stamped(item)
        finally:
            self._steps.close()
            with self._change:
                self._state = "done"

    def _wait_while_paused(self) -> Stop | None:
        """Wait while paused; returns the `Stop` once, when the run is to end."""
        with self._change:
            while self._allowance == 0 and self._stop is None:
                self._state = "paused"
                self._change.wait()
            self._state = "running"
            if self._stop is None and self.time_limit is not None and self.seconds >= self.time_limit:
                self._stop = "time"
            if self._stop is None or self._stop_said:
                return None
            self._stop_said = True
            return Stop(self._stop)

    def _advance(self, stop: Stop | None) -> Event | Within | None:
        began = time.perf_counter()
        try:
            return next(self._steps) if stop is None else self._steps.throw(stop)
        finally:
            self.seconds += time.perf_counter() - began

    def _stamped(self, item: Event | Within) -> Event:
        path: tuple[str, ...] = ()
        while isinstance(item, Within):
            path, item = (*path, item.task), item.event
        event = item.stamped(Stamp(self._sequence, self.seconds, self._counter.value, path))
        self._sequence += 1
        if self.recording is not None:
            self.recording.append(event)
        with self._change:
            self.latest = event
            if self._allowance:
                self._allowance -= 1
        return event
