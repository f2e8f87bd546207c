"""The solvers: numpy, numba, scipy and scikit-learn, and no knowledge of any screen.

`KernelSVC` and its kin are scikit-learn estimators. Below them a solver is a generator of events (`engine.events`),
driven by a `Run` and kept in a `Recording`; `SOLVERS` has them by name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.learning.system import Solver
from engine.registry import SOLVERS
from engine.runtime.archive import ArchiveError
from engine.runtime.recording import Recording
from engine.runtime.run import Run

if TYPE_CHECKING:
    from engine.systems.budgeted_sgd.estimator import BudgetedSVC
    from engine.systems.clustersvm.estimator import ClusterSVC
    from engine.systems.dcpred.estimator import DCPredClassifier, DCPredRegressor
    from engine.systems.dcsvm.estimator import DCSVC
    from engine.systems.interior_point.estimator import InteriorPointSVC
    from engine.systems.kernel_svm.estimator import KernelSVC

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
