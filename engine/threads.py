"""Both cores for one computation: tiles handed to threads that run serial kernels without the GIL.

Everything below a solver that is worth two cores is cut into tiles whose bounds do not depend on the number of
threads, so that a result is the same bit for bit however many work on it.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from engine.errors import invalid

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


class _SerialBlas:
    """While anyone computes tiles, BLAS keeps to one thread: the tiles are what runs in parallel.

    The limit belongs to the whole process, so the first to enter sets it and the last to leave lifts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._controller: ThreadpoolController | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._users == 0:
                self._controller = self._controller or ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")
                self._limit.__enter__()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._limit.__exit__(None, None, None)


serial_blas = _SerialBlas()
