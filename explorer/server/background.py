"""Work in the background: runs beside the one that a page shows, through the pool and with a time limit."""

import threading
from collections.abc import Callable
from typing import Any

from engine import Run
from explorer.server.pool import SERVER

LONGEST = 20.0  # seconds that it may take, if the server allows as much


class Background:
    """Work of one or several runs, in a thread of its own, that may be held up and ended at any time.

    A subclass calls `begin` once it is ready, and hands each of its runs to `watched` before it drives it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.ended = False  # whether it was told to end
        self._allowed = False
        self._run: Run[Any] | None = None
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._lock = threading.RLock()

    @property
    def limit(self) -> float:
        """How many seconds the work may take."""
        return min(LONGEST, SERVER.limits.max_seconds)

    @property
    def done(self) -> bool:
        """Whether there is nothing more to come."""
        return self._done.is_set()

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return not self.done

    def begin(self, work: Callable[..., None], *about: Any) -> None:
        """Start the work as soon as the pool has a place for it."""
        self._thread = threading.Thread(target=self._do, args=(work, *about), name=self._name, daemon=True)
        SERVER.pool.enter_behind(self)

    def allow(self, allowed: bool) -> None:
        """Start or go on, or hold until there is a place: the pool says which."""
        with self._lock:
            self._allowed = allowed
            if allowed and self._thread is not None and self._thread.ident is None and not self.ended:
                self._thread.start()
            self._hold_or_resume()

    def watched(self, run: Run[Any]) -> Run[Any]:
        """A run of this work, which is held up and ends with it."""
        with self._lock:
            self._run = run
            self._hold_or_resume()
        if self.ended:
            run.cancel()
        return run

    def _hold_or_resume(self) -> None:
        if self._run is not None and self._allowed:
            self._run.resume()
        elif self._run is not None:
            self._run.pause()

    def end(self) -> None:
        """Stop where it is."""
        self.ended = True
        if self._run is not None:
            self._run.cancel()
        if self._thread is None or self._thread.ident is None:
            self._done.set()

    def wait(self, timeout: float) -> None:
        """Wait until the work is done, or for so many seconds."""
        self._done.wait(timeout)

    def _do(self, work: Callable[..., None], *about: Any) -> None:
        try:
            work(*about)
        except RuntimeError:  # a run that was cancelled before it had a result
            if not self.ended:
                raise
        finally:
            self._done.set()
            SERVER.pool.admit()
