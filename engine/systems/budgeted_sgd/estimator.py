"""The scikit-learn estimator of Budgeted SGD, for data as a whole and for streams."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from engine.learning.estimator import KernelClassifier
from engine.learning.model import Trained
from engine.learning.validation import dense
from engine.runtime.errors import invalid
from engine.systems.budgeted_sgd.choice import without_rows
from engine.systems.budgeted_sgd.events import BudgetChosen, StepsTaken
from engine.systems.budgeted_sgd.system import BUDGETED_SGD
from engine.systems.budgeted_sgd.training import Stream, TrainedBudgeted

WORTH_A_WARNING = 0.01  # of accuracy lost, beyond its standard error
CHOICE = ("rows", "held", "budgets", "decays", "accuracies", "accuracy", "exact", "error")


class BudgetedSVC(KernelClassifier):
    """Kernel SVM classifier with at most `budget` support vectors, by stochastic gradient descent: Gaussian, no bias.

    More than two classes are each class against the rest, with a budget for each. `budget="auto"` and `lam="auto"` are
    chosen on a quarter of at most 4,000 training rows, which is held back: lambda = 1 / (n C) (`lam=None`), or 4 or 16
    times that if it is clearly better, then the smallest budget of 100, 200, 400 and 800 that is nearly the best. It
    warns if more than a point is lost against `KernelSVC` there. `maintenance` says what happens to a vector that is
    too many: it is merged with another of its label, which is found in a table ("lookup-wd", the default, or
    "lookup-h", with `table_size` entries a side) or by golden section search ("gss", or "gss-precise"), or it goes
    ("removal", "projection"). `epochs` are the passes of `fit`, each in a random order.

    `partial_fit` goes once through a batch, in the order it has, and can go on after a `fit`. With a number for `lam`
    it is one pass of `fit` in that order, whatever the size of the batches; otherwise lambda is 1 / (n_expected C), and
    "auto" is a budget of 100. Only gamma="scale" depends on the first batch. Parameters of a stream stay as they began.

    After fitting: `budget_` and `lam_`, and in `chosen_` what was tried for them; `support_vectors_` (merged ones are
    no training points), `support_` (their index, -1 if merged, and after `partial_fit` always), `n_support_` (by label;
    of more than two classes, in each budget), `dual_coef_`; `objective_`, the primal value, estimated on a sample, not
    known of a stream; `n_iter_` passes and `n_steps_` steps of each model; `stop_reason_` ("passes", or "stream" after
    `partial_fit`); `history_`, a table of the passes, or a row on the latest batch.
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
        budget: int | str = "auto",
        lam: float | str | None = "auto",
        epochs: int = 50,
        maintenance: str = "lookup-wd",
        table_size: int = 400,
        n_expected: int = 10_000,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "BudgetedSVC":
        """Learn from one batch of a stream; the first call of an unfitted estimator says which classes there are."""
        if not isinstance(self.n_expected, int | np.integer) or self.n_expected < 1:
            raise invalid("n_expected", self.n_expected, "a whole number from 1")
        settings = without_rows(self._settings(), int(self.n_expected))
        copy = self._copy(fitted=True)
        copy._learn_batch(X, y, classes, settings)
        self._take_over(copy)
        return self

    # ---- below ----

    def _learn_batch(self, X: Any, y: Any, classes: Any, settings: Any) -> None:
        first = not hasattr(self, "stream_")
        if not first:
            self._check_whole()
            self._check_unchanged(settings)
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

    def _check_unchanged(self, settings: Any) -> None:
        """Refuse parameters that are not those of the stream: nothing of it could follow them."""
        began = self.stream_.models[0]
        asked = {name: getattr(settings, name) for name in ("C", "gamma", "budget", "maintenance", "table_size")}
        had = {name: getattr(began.settings, name) for name in asked}
        if self.budget == "auto":
            del asked["budget"]
        if isinstance(self.lam, int | float | np.number):
            asked["lam"], had["lam"] = float(self.lam), began.decay
        for name, value in asked.items():
            if value != had[name]:
                raise invalid(name, value, f"{had[name]!r}, as when the stream began: only fit begins anew")

    def _tell_of_batch(self, X: Any, y: Any) -> None:
        counts = [model.counts() for model in self.stream_.models]
        steps = np.array([int(model.budget.counts[0]) for model in self.stream_.models])
        accuracy = float(np.mean(self.model_.predict(self.model_.task_values(X[-1000:], 1)) == y[-1000:]))
        self.n_iter_, self.n_steps_ = np.ones(len(counts), int), steps
        self.objective_ = np.nan  # of data that are gone
        self.stop_reason_ = "stream"
        self._tell_of_choice(None)
        totals = {name: np.array([sum(count[name] for count in counts)]) for name in counts[0]}
        self.history_ = {"step": steps[:1], "accuracy": np.array([accuracy]), **totals}

    def _adopt(self, trained: Trained) -> None:
        assert isinstance(trained, TrainedBudgeted)
        self.stream_ = trained.stream
        super()._adopt(trained)
        self._tell_of_choice(trained.chosen)

    def _tell_of_choice(self, chosen: BudgetChosen | None) -> None:
        began = self.stream_.models[0]
        self.budget_, self.lam_ = int(began.settings.budget), float(began.decay)
        self.chosen_ = None if chosen is None else {name: getattr(chosen, name) for name in CHOICE}

    def _warn_if_unfinished(self, trained: Trained) -> None:
        super()._warn_if_unfinished(trained)
        assert isinstance(trained, TrainedBudgeted)
        chosen = trained.chosen
        if chosen is not None and chosen.exact - chosen.accuracy - chosen.error > WORTH_A_WARNING:
            warnings.warn(
                f"with budget {chosen.budget} {100 * chosen.accuracy:.1f} % of {chosen.held:,} held-back rows are "
                f"right, with the exact model {100 * chosen.exact:.1f} %: raise epochs or C, or give a larger budget",
                UserWarning,
                stacklevel=4,
            )

    def _how_far(self, trained: Trained) -> str:
        steps = sum(solution.inner_steps for solution in trained.solutions)
        passes = min(solution.iterations for solution in trained.solutions)
        return f" after {passes} of {self.epochs} passes ({steps:,} steps)"

    def _extra(self) -> dict[str, Any]:
        return {**super()._extra(), "stream": self.stream_.tables(), "chosen": self.chosen_}

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        super()._adopt_extra(extra)
        self.stream_ = Stream.from_tables(self.model_, extra["stream"])
        self._tell_of_choice(None)
        self.chosen_ = extra.get("chosen")
