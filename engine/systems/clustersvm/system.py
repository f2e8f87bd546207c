"""ClusterSVM as the registry has it: settings, training, events, summary, progress."""

from engine.learning.system import System
from engine.runtime.events import Finished
from engine.systems.clustersvm.events import (
    ClusterFinished,
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    PassFinished,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.clustersvm.settings import ClusterSVMSettings
from engine.systems.clustersvm.training import train_clustersvm
from engine.systems.kernel_svm import system as kernel_svm


def _summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, ClusterFinished)
    exact = "yes" if last.exact else "no: a reduced set stands for the data"
    return {
        **kernel_svm.dual_summary(last),
        "passes": f"{last.passes}",
        "reduced set": f"{last.size:,} of {last.n:,} points, from {last.n_clusters:,} clusters",
        "exact": exact,
    }


CLUSTERSVM = System(
    "clustersvm",
    "ClusterSVM",
    ClusterSVMSettings,
    train_clustersvm,
    events=(
        *kernel_svm.EVENTS, ClusterSplit, ClustersMade, RepresentativesChosen, ReducedSetMade, ReducedTrained,
        ClustersRevised, PassFinished, ExactnessChecked, ClusterFinished,
    ),
    summary=_summary,
    progress=kernel_svm.ViolationProgress,
    warm_up=(
        {"kernel": "rbf", "collapse_bound": True},
        {"kernel": "linear", "collapse_bound": True},
        {},
    ),
    estimator="engine.systems.clustersvm.estimator:ClusterSVC",
    paper="engine.systems.clustersvm.paper:PAPER",
)  # fmt: skip
SYSTEMS = (CLUSTERSVM,)
