"""The bounded pool: everything that computes goes through it, so many at a time; the others wait in line and see where.

`SERVER` is what the sessions of a process share.
"""

import threading
from concurrent.futures import Executor
from typing import Any, Protocol

from engine import Run
from explorer.server.limits import Limits, limits_of_environment


class Job(Protocol):
    """Work in the background that can be held up and cancelled."""

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""

    def allow(self, allowed: bool) -> None:
        """Start or go on, or hold until there is a place."""


class Pool:
    """Starts runs as places become free, first come, first served; background work has what places they leave."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._lock = threading.RLock()
        self._running: list[Run[Any]] = []
        self._waiting: list[Run[Any]] = []
        self._behind: list[Job] = []

    @property
    def waiting(self) -> int:
        """How many runs are in line."""
        return len(self._waiting)

    def enter(self, run: Run[Any]) -> None:
        """Start a run that somebody watches, paused, now or when its turn comes."""
        with self._lock:
            self._waiting.append(run)
        self.admit()

    def enter_behind(self, job: Job) -> None:
        """Do work in the background while runs that somebody watches leave a place for it."""
        with self._lock:
            self._behind.append(job)
        self.admit()

    def leave(self, run: Run[Any] | None) -> None:
        """Cancel a run that nobody watches any more; its place becomes free."""
        if run is None:
            return
        run.cancel()
        with self._lock:
            self._waiting = [other for other in self._waiting if other is not run]
            self._running = [other for other in self._running if other is not run]
        self.admit()

    def ahead(self, run: Run[Any]) -> int:
        """How many must be through before this run starts; 0 once it has its place."""
        self.admit()
        with self._lock:
            return self._waiting.index(run) + 1 if run in self._waiting else 0

    def admit(self) -> None:
        """Give away the places that are free: work in the background gives up its own if a run comes."""
        with self._lock:
            self._running = [run for run in self._running if run.state != "done"]
            while self._waiting and len(self._running) < self.places:
                run = self._waiting.pop(0)
                run.start(paused=True)
                self._running.append(run)
            self._behind = [job for job in self._behind if not job.done]
            left = self.places - len(self._running)
            for number, job in enumerate(self._behind):
                job.allow(number < left)


class Server:
    """What all sessions of one process share: limits, the pool, who solves subproblems, and which pages there are."""

    def __init__(self) -> None:
        self.executor: Executor | None = None  # threads of this process
        self.pages: frozenset[str] = frozenset()  # systems with a page of their name, beside the built-in ones
        self.set(Limits.checked(limits_of_environment()))

    def set(self, limits: Any) -> None:
        """Take other limits, before anybody has come."""
        self.limits = limits
        self.pool = Pool(limits.max_runs)


SERVER = Server()
