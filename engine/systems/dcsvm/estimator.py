"""The scikit-learn estimator of DC-SVM."""

import warnings
from concurrent.futures import Executor
from typing import Any

from engine.learning.estimator import KernelClassifier
from engine.learning.model import Trained
from engine.runtime.events import Array
from engine.runtime.threads import thread_count
from engine.systems.dcsvm.early_prediction import EarlyModel, TrainedEarly, surest
from engine.systems.dcsvm.system import DCSVM
from engine.systems.kernel_svm.estimator import HISTORY
from engine.systems.kernel_svm.events import Iteration

WORTH_A_WARNING = 0.01  # of accuracy, lost by early prediction


class DCSVC(KernelClassifier):
    """Kernel SVM classifier by DC-SVM: divide the data, solve the parts, conquer the whole.

    The exact answer is that of `KernelSVC`, with a bias or, as the paper has it, without (`bias=False`). With a bias
    each cell balances its own classes, and one of a single class takes part in the whole problem only.

    `levels=4` with `k=4` is the paper's setting, "auto" the fastest. `stop_level=0` gives the exact answer; another
    value stops at that level, with k**stop_level cells, and `predict` sends each point to the model of its cell (early
    prediction). `early_check` then compares with `KernelSVC`, trained on 5,000 rows at most, on a quarter of the rows
    that neither was trained on (each quarter in its turn, if there are at most 5,000 rows), and warns if more than a
    point of accuracy is lost; that takes another early fit, or four. More than 20,000 rows are not compared.
    `partition` is "kernel-kmeans", "kmeans", "random" or "auto". The cells' problems are solved by `n_jobs` threads
    (None is all cores) or by an `executor`, such as `distributed.Client(...).get_executor()`; the answer is the same.
    Other parameters are those of `KernelSVC`.

    After fitting: as in `KernelSVC`, with `n_iter_` and `history_` those of the refinement and the whole problem;
    `stop_reason_` is "early" if it stopped at a level, `early_` predicts with the cells' models then, and `early_loss_`
    is the accuracy that the comparison found lost (None without one).
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
        bias: bool = True,
        k: int = 4,
        levels: int | str = "auto",
        sample_size: int = 1000,
        stop_level: int = 0,
        early_check: bool = True,
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
        return self.classes_[surest(decision)]

    def _task_values(self, X: Array) -> Array:
        early: EarlyModel | None = getattr(self, "early_", None)
        if early is None:
            return super()._task_values(X)
        if early.model is not self.model_:
            raise ValueError("early_ is not of the fitted model")
        return early.task_values(X, thread_count(self.n_jobs))

    def _adopt(self, trained: Trained) -> None:
        early = trained if isinstance(trained, TrainedEarly) else None
        self.early_ = None if early is None else early.early
        self.early_loss_ = None if early is None or early.check is None else early.check.loss
        super()._adopt(trained)

    def _warn_if_unfinished(self, trained: Trained) -> None:
        super()._warn_if_unfinished(trained)
        check = trained.check if isinstance(trained, TrainedEarly) else None
        if check is not None and check.loss > WORTH_A_WARNING:
            warnings.warn(
                f"early prediction has {100 * check.early:.1f} % of {check.rows:,} held-out rows right, the exact "
                f"model {100 * check.exact:.1f} %: choose a lower stop_level, or stop_level=0",
                UserWarning,
                stacklevel=4,
            )

    def _extra(self) -> dict[str, Any]:
        return {
            **super()._extra(),
            "early": None if self.early_ is None else self.early_.tables(),
            "early_loss": self.early_loss_,
        }

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        super()._adopt_extra(extra)
        self.early_ = None if extra["early"] is None else EarlyModel.from_tables(self.model_, extra["early"])
        self.early_loss_ = extra.get("early_loss")
