"""All cores for one computation: tiles handed to threads that run serial numba kernels without the GIL.

The bounds of the tiles do not depend on the number of threads, so a result is the same bit for bit however many threads
work on it.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import LibController, ThreadpoolController

from engine.runtime.errors import invalid
from engine.runtime.events import Result, Steps, Stop

SPREAD = 10_000  # numbers whose sum BLAS might spread over threads, which wait for each other by spinning

T = TypeVar("T")
_pool = ThreadPoolExecutor(max_workers=os.cpu_count(), thread_name_prefix="engine")


def thread_count(n_jobs: int | None) -> int:
    """Threads for scikit-learn's `n_jobs`: None is all cores, -1 as well, -2 all but one, and so on."""
    cores = os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if n_jobs == 0:
        raise invalid("n_jobs", n_jobs, "None, a number of threads, or a negative number counted from all cores")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def for_each(work: Callable[[T], None], items: Sequence[T], threads: int) -> None:
    """Call `work` on every item, on up to `threads` threads, the calling one among them."""
    if min(threads, len(items)) <= 1:
        for item in items:
            work(item)
        return
    position = iter(items)
    lock = threading.Lock()

    def drain() -> None:
        while True:
            with lock:
                item = next(position, None)
            if item is None:
                return
            work(item)

    helpers = [_pool.submit(drain) for _ in range(min(threads, len(items)) - 1)]
    try:
        drain()
    finally:
        for helper in helpers:
            if not helper.cancel():
                helper.result()


def run_in_thread(work: Callable[[], T]) -> Steps[T]:
    """Do `work` in another thread and return its result, breathing meanwhile: for work that cannot be sliced."""
    future = _pool.submit(work)
    while True:
        try:
            return future.result(timeout=0.01)
        except TimeoutError:
            yield None


class _SerialBlas:
    """Limits BLAS to one thread while tiles are computed: the tiles are what runs in parallel.

    The limit belongs to the whole process, so the first to enter sets it and the last to leave lifts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._libraries: list[LibController] | None = None
        self._before: list[int] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._users == 0:
                if self._libraries is None:
                    self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
                self._before = [library.get_num_threads() for library in self._libraries]
                self._set_threads([1] * len(self._libraries))
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._set_threads(self._before)

    def _set_threads(self, counts: list[int]) -> None:
        # The controller's own `limit` looks at far more, and takes as long as a small kernel block.
        assert self._libraries is not None
        for library, count in zip(self._libraries, counts, strict=True):
            library.set_num_threads(count)


serial_blas = _SerialBlas()


def with_serial_blas(steps: Steps[Result], length: int) -> Steps[Result]:
    """Pass on steps that are taken while BLAS keeps to one thread, if vectors are so long that it would take more."""
    if length < SPREAD:
        return (yield from steps)
    stop: Stop | None = None
    while True:
        with serial_blas():
            try:
                item = next(steps) if stop is None else steps.throw(stop)
            except StopIteration as end:
                return end.value
        stop = None
        try:
            yield item
        except Stop as said:
            stop = said
