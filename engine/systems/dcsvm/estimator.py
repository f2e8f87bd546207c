"""The scikit-learn estimator of DC-SVM."""

from concurrent.futures import Executor
from typing import Any

from engine.learning.estimator import KernelClassifier
from engine.learning.model import Trained
from engine.runtime.events import Array
from engine.runtime.threads import thread_count
from engine.systems.dcsvm.early_prediction import EarlyModel, TrainedEarly
from engine.systems.dcsvm.system import DCSVM
from engine.systems.kernel_svm.estimator import HISTORY
from engine.systems.kernel_svm.events import Iteration


class DCSVC(KernelClassifier):
    """Kernel SVM classifier by DC-SVM: divide the data, solve the parts, conquer the whole. It has no bias.

    `levels=4` with `k=4` is the paper's setting, "auto" the fastest. `stop_level=0` gives the exact answer; another
    value stops at that level, with k**stop_level cells, and `predict` sends each point to the model of its cell (early
    prediction). `partition` is "kernel-kmeans", "kmeans", "random" or "auto". The cells' problems are solved by
    `n_jobs` threads (None is all cores) or by an `executor`, such as `distributed.Client(...).get_executor()`; the
    answer is the same. Other parameters are those of `KernelSVC`.

    After fitting: as in `KernelSVC`, with `n_iter_` and `history_` those of the refinement and the whole problem;
    `stop_reason_` is "early" if it stopped at a level, and `early_` predicts with the cells' models then.
    """

    solver = DCSVM
    history_event = Iteration
    history_columns = HISTORY

    def __init__(
        self,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        k: int = 4,
        levels: int | str = "auto",
        sample_size: int = 1000,
        stop_level: int = 0,
        adaptive: bool = True,
        refine: bool = True,
        partition: str = "auto",
        tol: float = 1e-3,
        cache_mb: float = 1000,
        n_jobs: int | None = None,
        executor: Executor | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def predict(self, X: Any) -> Array:
        """Class labels; of several classes with equal votes, which cells give more often, the surest wins."""
        decision = self.decision_function(X)
        chosen = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return self.classes_[chosen]

    def _values(self, X: Any) -> Array:
        early: EarlyModel | None = getattr(self, "early_", None)
        if early is None:
            return super()._values(X)
        return early.task_values(self._dense(X), thread_count(self.n_jobs))

    def _adopt(self, trained: Trained) -> None:
        self.early_ = trained.early if isinstance(trained, TrainedEarly) else None
        super()._adopt(trained)

    def _extra(self) -> dict[str, Any]:
        return {**super()._extra(), "early": None if self.early_ is None else self.early_.tables()}

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        super()._adopt_extra(extra)
        self.early_ = None if extra["early"] is None else EarlyModel.from_tables(self.model_, extra["early"])
