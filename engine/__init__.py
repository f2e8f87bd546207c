"""The solvers. They use numpy, numba, scipy and scikit-learn, and nothing of the explorer.

`KernelSVC` and the others are scikit-learn estimators. Below them a solver is a generator of events, driven by a `Run`
and kept in a `Recording`; `SOLVERS` has the systems by name.

The folders and modules, each importing only those before it:

    registry      the systems by name, built in or brought by other packages
    runtime       what a run is: events, Run, Recording, threads, executors
    numerics      kernels, k-means, Cholesky
    optimisation  the dual problem and how it is measured
    datasets      data by name or from files
    learning      from labelled data to a model: settings, multiclass, the base of estimators; `System`
    reproduction  shared code that measures the papers' figures and tables again
    systems       one folder for each system, all of the same shape; start with systems/kernel_svm

Beside them, `events` has the kinds of events of all systems for users, and `compile_ahead` compiles numba kernels in
the background.
"""

from typing import TYPE_CHECKING, Any

from engine import registry
from engine.learning.system import System
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

Solver = System  # the name it had first

__all__ = [
    "DCSVC", "SOLVERS", "ArchiveError", "BudgetedSVC", "ClusterSVC", "DCPredClassifier", "DCPredRegressor",
    "InteriorPointSVC", "KernelSVC", "Recording", "Run", "Solver", "System",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import an estimator when it is asked for: a server runs without scikit-learn, whose import takes seconds."""
    if name in __all__:
        return registry.estimator(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
