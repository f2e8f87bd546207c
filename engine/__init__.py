"""The solvers: numpy, numba, scipy and scikit-learn, and no knowledge of any screen.

`KernelSVC` and its kin are scikit-learn estimators. Below them a solver is a generator of events (`engine.events`),
driven by a `Run` and kept in a `Recording`; `SOLVERS` has them by name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.archive import ArchiveError
from engine.recording import Recording
from engine.run import Run
from engine.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from engine.budgeted_svc import BudgetedSVC
    from engine.cluster_svc import ClusterSVC
    from engine.estimators import DCSVC, KernelSVC
    from engine.fast_estimators import DCPredClassifier, DCPredRegressor
    from engine.interior_svc import InteriorPointSVC

__all__ = [
    "DCSVC", "SOLVERS", "ArchiveError", "BudgetedSVC", "ClusterSVC", "DCPredClassifier", "DCPredRegressor",
    "InteriorPointSVC", "KernelSVC", "Recording", "Run", "Solver",
]  # fmt: skip

ESTIMATORS = {
    "BudgetedSVC": "engine.budgeted_svc",
    "ClusterSVC": "engine.cluster_svc",
    "DCPredClassifier": "engine.fast_estimators",
    "DCPredRegressor": "engine.fast_estimators",
    "DCSVC": "engine.estimators",
    "InteriorPointSVC": "engine.interior_svc",
    "KernelSVC": "engine.estimators",
}


def __getattr__(name: str) -> Any:
    """Import estimators when they are asked for: a server runs without scikit-learn, whose import takes seconds."""
    if name not in ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(ESTIMATORS[name]), name)
