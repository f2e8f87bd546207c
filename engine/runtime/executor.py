"""TODO: what this is."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Event, Steps
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.subproblems import Solved, Subproblem, solve_subproblem

WAIT = 0.02  # seconds between two breaths while others work


class Gate:
    """Lets workers through, holds them, or sends them home."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self.stop: str | None = None

    @contextmanager
    def closed(self) -> Iterator[None]:
        """While the solver is suspended."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def leave(self, reason: str) -> None:
        """Everybody winds up at their next breath."""
        self.stop = reason
        self._open.set()

    def pass_through(self) -> str | None:
        """Wait while it is closed; the reason to stop, if there is one."""
        self._open.wait()
        return self.stop


class Crew:
    """Solves subproblems of one problem side by side; use it as a context manager."""

    def __init__(self, problem: Problem, settings: DualSettings, executor: Executor | None) -> None:
        self._problem = problem
        self._threads = problem.threads
        self._own = ThreadPoolExecutor(self._threads, thread_name_prefix="crew") if executor is None else None
        self._executor = executor or self._own
        self._gate = Gate() if executor is None else None
        self._shared = _share((problem, settings), executor)

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None and self._gate is not None:
            self._gate.leave("cancelled")
            self._own.shutdown(cancel_futures=True)

    def hand_out(self, subproblems: Sequence[Subproblem]) -> "list[Future[Solved]]":
        """Give all subproblems to the executor, the large ones first."""
        threads = self._threads_for(subproblems)
        futures: dict[int, Future[Solved]] = {}
        for i in sorted(range(len(subproblems)), key=lambda i: threads[i] == 1):
            work = subproblems[i]
            futures[i] = self._executor.submit(  # type: ignore[union-attr]
                solve_subproblem, self._shared, work.members, work.alpha, threads[i], self._gate
            )
        return [futures[i] for i in range(len(subproblems))]

    def wait_for(self, future: "Future[Solved]") -> Steps[Solved]:
        """The result of a subproblem; breathes while it is worked on."""
        while not wait([future], timeout=WAIT).done:
            yield from self.suspended(None)
        solved = future.result()
        self._problem.kernel.counter.add(solved.evaluations)
        return solved

    def suspended(self, item: Event | None) -> Steps[None]:
        """Yield, with the workers held until the solver goes on."""
        if self._gate is None:
            yield item
        else:
            with self._gate.closed():
                yield item

    def wind_up(self, futures: "Sequence[Future[Solved]]", reason: str) -> list[Solved | None]:
        """Stop early: what every subproblem has come to, None where it was not begun or is out of reach."""
        if self._gate is not None:
            self._gate.leave(reason)
        results: list[Solved | None] = []
        for future in futures:
            reached = not future.cancel() and (self._gate is not None or future.done())
            try:
                results.append(future.result() if reached else None)
            except CancelledError:
                results.append(None)
        return results

    def _threads_for(self, subproblems: Sequence[Subproblem]) -> list[int]:
        """One thread each, but all of ours for a subproblem that would take longer than a fair share of the work."""
        if self._own is None:
            return [1] * len(subproblems)
        work = np.array([len(item.members) ** 2 for item in subproblems], float)
        large = work > work.sum() / self._threads
        return [self._threads if it else 1 for it in large]


def _share(value: Any, executor: Executor | None) -> Any:
    """The value as a task may carry it: on a Dask cluster it goes to every worker once, and tasks carry its name."""
    client = getattr(executor, "_client", None)
    return value if client is None else client.scatter(value, broadcast=True, hash=False)
