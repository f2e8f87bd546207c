"""The tables of Budgeted SGD's lookup: h and WD over m and kappa, computed once, kept on disk, shared by all runs.

m runs over [0, 1/2] down the rows, so that no cell lies across the jump of h, and kappa over [0, 1] along the columns.
What is kept of WD is its root. WD itself falls to zero like a square towards m = 0 and kappa = 1, where the best merges
are, and between two points of the grid a straight line is far off it.
"""

import contextlib
import os
import secrets
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from engine.runtime.cache_folder import cache_folder
from engine.runtime.events import Array, Steps
from engine.systems.budgeted_sgd.merging import PRECISE, degradation, golden_section

VERSION = 1  # of what is kept on disk
SLICE = 10_000  # entries computed between two breaths: some 20 ms

_known: dict[int, "Tables"] = {}
_lock = threading.Lock()


class Tables(NamedTuple):
    """h and the root of WD / (a_i + a_j)^2, each size x size."""

    h: Array
    roots: Array


def _tables(both: Array) -> Tables:
    both.flags.writeable = False
    return Tables(both[0], both[1])


NO_TABLES = _tables(np.zeros((2, 2, 2), np.float32))  # for those who look nothing up


def tables_steps(size: int) -> Steps[Tables]:
    """The tables of this size: from memory, from disk, or computed."""
    if size in _known:
        return _known[size]
    path = cache_folder() / f"merging-{VERSION}-{size}.npy"
    both = _read(path, size)
    if both is None:
        both = np.empty((2, size, size), np.float32)
        rows = max(1, SLICE // size)
        for top in range(0, size, rows):
            _fill(both[0], both[1], top, min(top + rows, size))
            yield None
        _write(path, both)
    with _lock:
        return _known.setdefault(size, _tables(both))


@njit(nogil=True, cache=True)
def _fill(h, roots, top, bottom):  # type: ignore[no-untyped-def]
    last = h.shape[0] - 1
    for i in range(top, bottom):
        m = 0.5 * i / last
        for j in range(h.shape[1]):
            kappa = j / last
            best = golden_section(m, kappa, PRECISE)
            h[i, j] = best
            roots[i, j] = np.sqrt(degradation(m, 1 - m, kappa, best))


def _read(path: Path, size: int) -> Array | None:
    """What was kept, if it is whole."""
    try:
        with path.open("rb") as file:
            both = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    sound = isinstance(both, np.ndarray) and both.shape == (2, size, size) and both.dtype == np.float32
    return both if sound and ((both >= 0) & (both <= 0.5)).all() else None


def _write(path: Path, both: Array) -> None:
    """Write tables to disk in one go; without a writable folder the next process computes them again."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                np.save(file, both, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
