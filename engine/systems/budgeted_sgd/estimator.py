"""The scikit-learn estimator of Budgeted SGD, for data as a whole and for streams."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from engine.learning.estimator import KernelClassifier
from engine.learning.model import Trained
from engine.learning.validation import dense
from engine.runtime.errors import invalid
from engine.systems.budgeted_sgd.events import StepsTaken
from engine.systems.budgeted_sgd.system import BUDGETED_SGD
from engine.systems.budgeted_sgd.training import Stream, TrainedBudgeted


class BudgetedSVC(KernelClassifier):
    """Kernel SVM classifier with at most `budget` support vectors, by stochastic gradient descent: Gaussian, no bias.

    More than two classes are each class against the rest, with a budget for each. `maintenance` says what happens to a
    vector that is too many: it is merged with another of its label, which is found in a table ("lookup-wd", the
    default, or "lookup-h", with `table_size` entries a side) or by golden section search ("gss", or "gss-precise"), or
    it goes ("removal", "projection"). `epochs` are the passes of `fit`, each in a random order.

    `partial_fit` goes once through a batch, in the order it has, and can go on after a `fit`. The first data decide on
    "scale", and C weighs each of their n rows: lambda = 1 / (n C) stays the same for the rest of the stream.

    After fitting: `support_vectors_` (merged ones are no training points), `support_` (their index, -1 if merged, and
    after `partial_fit` always), `n_support_` (by label; of more than two classes, in each budget), `dual_coef_`;
    `objective_`, the primal value, estimated on a sample, not known of a stream; `n_iter_` passes and `n_steps_` steps
    of each model; `stop_reason_` ("passes", or "stream" after `partial_fit`); `history_`, a table of the passes, or a
    row on the latest batch.
    """

    solver = BUDGETED_SGD
    history_event = StepsTaken
    history_columns = ("step", "epoch", "size", "violations", "maintained", "removed", "objective", "accuracy")
    n_jobs = None  # for predictions: all cores
    stream_: Stream

    def __init__(
        self,
        C: float = 1.0,
        gamma: float | str = "scale",
        budget: int = 100,
        epochs: int = 20,
        maintenance: str = "lookup-wd",
        table_size: int = 400,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "BudgetedSVC":
        """Learn from one batch of a stream; the first call of an unfitted estimator says which classes there are."""
        settings = self._settings()
        copy = self._copy(fitted=True)
        copy._learn_batch(X, y, classes, settings)
        self._take_over(copy)
        return self

    # ---- below ----

    def _learn_batch(self, X: Any, y: Any, classes: Any, settings: Any) -> None:
        first = not hasattr(self, "stream_")
        if not first:
            self._check_whole()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], reset=first)
        check_classification_targets(y)
        if first:
            if classes is None:
                raise invalid("classes", None, "all classes of the stream, at the first call of partial_fit")
            known = np.unique(classes)
            if len(known) < 2:
                raise invalid("classes", known.tolist(), "at least two classes")
        else:
            known = self.classes_
            if classes is not None and not np.array_equal(np.unique(classes), known):
                raise invalid("classes", np.unique(classes).tolist(), f"those of the first call, {known.tolist()}")
        strange = np.setdiff1d(y, known)
        if len(strange):
            raise invalid("y", strange.tolist(), f"labels among the classes {known.tolist()}")
        X = dense(X)
        self.stream_ = Stream.begin(X, known, settings) if first else self.stream_.copy()
        self.stream_.learn(X, np.searchsorted(known, y))
        self._adopt_model(self.stream_.model())
        self._tell_of_batch(X, y)

    def _tell_of_batch(self, X: Any, y: Any) -> None:
        counts = [model.counts() for model in self.stream_.models]
        steps = np.array([int(model.budget.counts[0]) for model in self.stream_.models])
        accuracy = float(np.mean(self.model_.predict(self.model_.task_values(X[-1000:], 1)) == y[-1000:]))
        self.n_iter_, self.n_steps_ = np.ones(len(counts), int), steps
        self.objective_ = np.nan  # of data that are gone
        self.stop_reason_ = "stream"
        totals = {name: np.array([sum(count[name] for count in counts)]) for name in counts[0]}
        self.history_ = {"step": steps[:1], "accuracy": np.array([accuracy]), **totals}

    def _adopt(self, trained: Trained) -> None:
        assert isinstance(trained, TrainedBudgeted)
        self.stream_ = trained.stream
        super()._adopt(trained)

    def _how_far(self, trained: Trained) -> str:
        steps = sum(solution.inner_steps for solution in trained.solutions)
        passes = min(solution.iterations for solution in trained.solutions)
        return f" after {passes} of {self.epochs} passes ({steps:,} steps)"

    def _extra(self) -> dict[str, Any]:
        return {**super()._extra(), "stream": self.stream_.tables()}

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        super()._adopt_extra(extra)
        self.stream_ = Stream.from_tables(self.model_, extra["stream"])
