"""Pieces of work in parallel: on threads of this process, or on any `concurrent.futures` executor, such as Dask's.

Results come in the order of the work, each with its own count of kernel evaluations, so that a run is the same however
many workers there are. Threads of our own wait while the solver that asked for the work is paused.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from engine.runtime.counter import Counter
from engine.runtime.events import Event, Steps

WAIT = 0.02  # seconds between two breaths of a solver that waits for workers


class Counted(Protocol):
    """A result that knows how many kernel evaluations it took."""

    @property
    def evaluations(self) -> int:
        """Kernel evaluations of the worker."""


Done = TypeVar("Done", bound=Counted)


class PauseGate:
    """Lets workers pass, holds them while the solver is paused, or tells them to stop."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self._reason: str | None = None

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Hold the workers."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def stop(self, reason: str) -> None:
        """Tell every worker to stop at its next breath."""
        self._reason = reason
        self._open.set()

    def pass_through(self) -> str | None:
        """Wait while the gate is closed; return the reason to stop, if there is one."""
        self._open.wait()
        return self._reason


class WorkQueue(Generic[Done]):
    """Does many pieces of work side by side, for one solver; use it as a context manager.

    `work(shared, item, threads, gate)` does one piece; `shared` is what all pieces have in common.
    """

    def __init__(
        self,
        work: Callable[[Any, Any, int, PauseGate | None], Done],
        shared: Any,
        threads: int,
        counter: Counter,
        executor: Executor | None = None,
    ) -> None:
        self._work, self._threads, self._counter = work, threads, counter
        self._own = ThreadPoolExecutor(threads, thread_name_prefix="work-queue") if executor is None else None
        self._executor = executor or self._own
        self._gate = PauseGate() if executor is None else None
        self._shared = _sent_once(shared, executor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None and self._gate is not None:
            self._gate.stop("cancelled")
            self._own.shutdown(cancel_futures=True)

    def submit(self, items: Sequence[Any], sizes: Sequence[float]) -> "list[Future[Done]]":
        """Hand all pieces to the executor, the large ones first; `sizes` are proportional to their work."""
        threads = self._threads_for(np.asarray(sizes, float))
        futures: dict[int, Future[Done]] = {}
        for i in sorted(range(len(items)), key=lambda i: threads[i] == 1):
            futures[i] = self._executor.submit(  # type: ignore[union-attr]
                self._work, self._shared, items[i], threads[i], self._gate
            )
        return [futures[i] for i in range(len(items))]

    def wait_for(self, future: "Future[Done]") -> Steps[Done]:
        """The result of one piece; breathes while the workers work."""
        while not wait([future], timeout=WAIT).done:
            yield from self.suspended(None)
        done = future.result()
        self._counter.add(done.evaluations)
        return done

    def suspended(self, item: Event | None) -> Steps[None]:
        """Yield, with the workers held until the solver goes on."""
        if self._gate is None:
            yield item
        else:
            with self._gate.closed():
                yield item

    def stop(self, futures: "Sequence[Future[Done]]", reason: str) -> list[Done | None]:
        """Stop early: what each piece has come to, None where it was not begun or is out of reach."""
        if self._gate is not None:
            self._gate.stop(reason)
        results: list[Done | None] = []
        for future in futures:
            reached = not future.cancel() and (self._gate is not None or future.done())
            try:
                results.append(future.result() if reached else None)
            except CancelledError:
                results.append(None)
        return results

    def _threads_for(self, sizes: Any) -> list[int]:
        """One thread each, but all of ours for a piece that would take longer than a fair share of the work."""
        if self._own is None:
            return [1] * len(sizes)
        large = sizes > sizes.sum() / self._threads
        return [self._threads if it else 1 for it in large]


def _sent_once(value: Any, executor: Executor | None) -> Any:
    """The value as a task may carry it: a Dask cluster gets it once for every worker, and tasks carry its name."""
    client = getattr(executor, "_client", None)
    return value if client is None else client.scatter(value, broadcast=True, hash=False)
