"""Work in the background: runs beside the one that a page shows, in a thread of their own and with a time limit."""

import threading
from collections.abc import Callable
from typing import Any

from engine import Run
from explorer.server.pool import SERVER

LONGEST = 20.0  # seconds that it may take, if the server allows as much


class Background:
    """Work that a subclass begins once it is ready, and that may be ended at any time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.ended = False  # whether it was told to end
        self._run: Run[Any] | None = None
        self._thread: threading.Thread | None = None

    @property
    def limit(self) -> float:
        """How many seconds the work may take."""
        return min(LONGEST, SERVER.limits.max_seconds)

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, work: Callable[..., None], *about: Any) -> None:
        """Start the work in its thread."""
        self._thread = threading.Thread(target=self._do, args=(work, *about), name=self._name, daemon=True)
        self._thread.start()

    def watched(self, run: Run[Any]) -> Run[Any]:
        """A run of this work, which ends with it."""
        self._run = run
        if self.ended:
            run.cancel()
        return run

    def end(self) -> None:
        """Stop where it is."""
        self.ended = True
        if self._run is not None:
            self._run.cancel()

    def wait(self, timeout: float) -> None:
        """Wait until the work is done, or for so many seconds."""
        if self._thread is not None:
            self._thread.join(timeout)

    def _do(self, work: Callable[..., None], *about: Any) -> None:
        try:
            work(*about)
        except RuntimeError:  # a run that was cancelled before it had a result
            if not self.ended:
                raise
