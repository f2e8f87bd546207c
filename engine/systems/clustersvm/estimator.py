"""The scikit-learn estimator of ClusterSVM."""

from collections.abc import Mapping
from typing import Any, ClassVar

from engine.learning.estimator import KernelClassifier
from engine.systems.clustersvm.system import CLUSTERSVM
from engine.systems.kernel_svm.estimator import HISTORY
from engine.systems.kernel_svm.events import Iteration


class ClusterSVC(KernelClassifier):
    """Kernel SVM classifier by ClusterSVM: clusters without support vectors are replaced by one of their members.

    Each class is divided into `n_clusters` clusters ("sqrt" is the root of its number of points) by `clustering`,
    "pddp" or "kmeans"; an SVM is trained on their pseudo-centres, and in each pass points within its margin leave their
    cluster before the next one is trained. This continues to the exact solution of `KernelSVC`, or for `max_passes`
    passes (1 is the paper's choice). With `collapse_bound` points far within the margin are replaced by the mean of
    these members. More than two classes: each against the rest, with the same clusters. Other parameters are those of
    `KernelSVC`.

    After fitting: as in `KernelSVC`; `stop_reason_` is "converged" if the solution is exact, "passes" if the limit of
    passes was reached first; `exact_`, `n_passes_` and `n_reduced_`, the points of the last reduced set (of each task,
    if there are several).
    """

    solver = CLUSTERSVM
    history_event = Iteration
    history_columns = HISTORY
    per_task_results: ClassVar[Mapping[str, str]] = {"exact_": "exact", "n_passes_": "passes", "n_reduced_": "size"}

    def __init__(
        self,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_clusters: int | str = "sqrt",
        max_passes: int | None = None,
        collapse_bound: bool = False,
        clustering: str = "pddp",
        tol: float = 1e-3,
        cache_mb: float = 1000,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())
