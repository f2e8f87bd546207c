"""Compiles the kernels of all systems in the background, before anybody waits for them."""

import threading
from contextlib import suppress

import numpy as np

from engine.registry import SOLVERS

_started = threading.Lock()
_done = threading.Event()


def start(after: float = 8.0) -> None:
    """Compile, once in a process; with a full cache on disk that takes a moment, without one some seconds.

    It waits a little: whoever starts a process wants to see something first, and the first run compiles what it needs.
    """
    if _started.acquire(blocking=False):
        timer = threading.Timer(after, _compile)
        timer.daemon = True
        timer.start()


def compiled() -> bool:
    """Whether it is done."""
    return _done.is_set()


def _compile() -> None:
    rng = np.random.default_rng(0)
    try:
        for n in (100, 2000):  # both precisions
            X = rng.normal(size=(n, 2))
            y = (X[:, 0] > 0).astype(int)
            for system in SOLVERS.values():
                for values in system.warm_up:
                    with suppress(Exception):  # of another package: its own run shows what is wrong
                        system.recorded_run(X, y, system.settings.checked(values)).result()
    finally:
        _done.set()
