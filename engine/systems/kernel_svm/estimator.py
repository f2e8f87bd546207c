"""The scikit-learn estimator of the kernel SVM."""

from collections.abc import Mapping
from typing import Any

from engine.learning.estimator import KernelClassifier
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.system import KERNEL_SVM

HISTORY = ("iteration", "objective", "violation", "n_free", "n_bound", "n_active")


class KernelSVC(KernelClassifier):
    """Kernel SVM classifier by the dual solver: LIBSVM's solution, in less time, with an event for every iteration.

    Parameters are those of scikit-learn's SVC where the names agree. `bias=False` leaves out the bias; `multiclass` is
    "ovo", with SVC's votes, or "ovr"; `n_jobs=None` is all cores; one `random_state` (None is 0), one fit.

    After fitting: `support_`, `support_vectors_`, `n_support_`, `dual_coef_`, `intercept_` as in SVC; `objective_` (of
    each task, if several); `n_iter_` outer iterations and `n_steps_` two-variable steps of each task; `stop_reason_`
    ("converged", "max_iter", "stalled"); `history_`, a table of the iterations.
    """

    solver = KERNEL_SVM
    history_event = Iteration
    history_columns = HISTORY

    def __init__(
        self,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: bool = True,
        tol: float = 1e-3,
        cache_mb: float = 1000,
        max_iter: int = -1,
        class_weight: Mapping[Any, float] | str | None = None,
        multiclass: str = "ovo",
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())
