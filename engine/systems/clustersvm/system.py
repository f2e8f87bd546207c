"""TODO: what this is."""

from engine.learning.system import Solver
from engine.runtime.events import Finished
from engine.systems.clustersvm.events import ClusterFinished
from engine.systems.clustersvm.settings import ClusterSVMSettings
from engine.systems.clustersvm.training import train_clustersvm
from engine.systems.kernel_svm.system import _dual_summary


def _cluster_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, ClusterFinished)
    exact = "yes" if last.exact else "no: a reduced set stands for the data"
    return {
        **_dual_summary(last),
        "passes": f"{last.passes}",
        "reduced set": f"{last.size:,} of {last.n:,} points, from {last.n_clusters:,} clusters",
        "exact": exact,
    }


CLUSTERSVM = Solver("clustersvm", "ClusterSVM", ClusterSVMSettings, train_clustersvm, summary=_cluster_summary)
