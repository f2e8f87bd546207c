"""The bounded pool: so many runs at a time, the others wait in line and see where. `SERVER` is what sessions share."""

import threading
from concurrent.futures import Executor
from typing import Any

from engine import Run
from explorer.server.limits import Limits, limits_of_environment


class Pool:
    """Starts runs as places become free, first come, first served."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._lock = threading.Lock()
        self._running: list[Run[Any]] = []
        self._waiting: list[Run[Any]] = []

    @property
    def waiting(self) -> int:
        """How many runs are in line."""
        return len(self._waiting)

    def enter(self, run: Run[Any]) -> None:
        """Start a run, paused, now or when its turn comes."""
        with self._lock:
            self._waiting.append(run)
        self._admit()

    def leave(self, run: Run[Any] | None) -> None:
        """Cancel a run that nobody watches any more; its place becomes free."""
        if run is None:
            return
        run.cancel()
        with self._lock:
            self._waiting = [other for other in self._waiting if other is not run]
        self._admit()

    def ahead(self, run: Run[Any]) -> int:
        """How many must be through before this run starts; 0 once it has its place."""
        self._admit()
        with self._lock:
            return self._waiting.index(run) + 1 if run in self._waiting else 0

    def _admit(self) -> None:
        with self._lock:
            self._running = [run for run in self._running if run.state != "done"]
            while self._waiting and len(self._running) < self.places:
                run = self._waiting.pop(0)
                run.start(paused=True)
                self._running.append(run)


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
