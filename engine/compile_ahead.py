"""Compile the numba kernels of all systems in the background, by the warm-up settings that each system declares."""

import threading
from contextlib import suppress

import numpy as np

from engine.registry import SOLVERS

_started = threading.Lock()
_done = threading.Event()


def start(after: float = 8.0) -> None:
    """Compile, once per process, `after` so many seconds: loading a page and a first run come first.

    With a full cache on disk this takes a moment, without one some seconds.
    """
    if _started.acquire(blocking=False):
        timer = threading.Timer(after, _compile)
        timer.daemon = True
        timer.start()


def compiled() -> bool:
    """Whether all kernels are compiled."""
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
