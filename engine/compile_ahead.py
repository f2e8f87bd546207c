"""Compiles the kernels before anybody waits for them, in the background."""

import threading

import numpy as np

from engine.systems.budgeted_sgd.system import BUDGETED_SGD
from engine.systems.clustersvm.system import CLUSTERSVM
from engine.systems.dcpred.system import DCPRED, DCPRED_RIDGE
from engine.systems.dcsvm.system import DCSVM
from engine.systems.interior_point.system import INTERIOR_POINT
from engine.systems.kernel_svm.system import KERNEL_SVM

_begun = threading.Lock()
_done = threading.Event()


def begin(after: float = 8.0) -> None:
    """Compile, once in a process; with a full cache on disk that takes a moment, without one some seconds.

    It waits a little: whoever starts a process wants to see something first, and the first run compiles what it needs.
    """
    if _begun.acquire(blocking=False):
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
            for bias in (True, False):
                KERNEL_SVM.recorded_run(X, y, KERNEL_SVM.settings.checked({"bias": bias})).result()
            for partition in ("kernel-kmeans", "kmeans"):
                DCSVM.recorded_run(X, y, DCSVM.settings.checked({"partition": partition})).result()
            for kernel in ("rbf", "linear"):
                settings = CLUSTERSVM.settings.checked({"kernel": kernel, "collapse_bound": True})
                CLUSTERSVM.recorded_run(X, y, settings).result()
            CLUSTERSVM.recorded_run(X, y, CLUSTERSVM.settings.checked({"max_passes": None})).result()
            BUDGETED_SGD.recorded_run(X, y, BUDGETED_SGD.settings.checked({"budget": 10, "epochs": 1})).result()
            INTERIOR_POINT.recorded_run(X, y, INTERIOR_POINT.settings.checked({"rank": 20})).result()
            for fast in (DCPRED, DCPRED_RIDGE):
                fast.recorded_run(X, y, fast.settings.checked({"n_leaves": 4})).result()
    finally:
        _done.set()
