"""scikit-learn estimators, thin over the solvers: `fit` drains the events, `iter_fit` yields them."""

import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from engine.archive import ArchiveError
from engine.classify import class_numbers, dense
from engine.early import EarlyModel, TrainedEarly
from engine.errors import invalid
from engine.events import Array, Event, Iteration
from engine.kernels import Counter
from engine.model import Model, Trained
from engine.progress import with_progress
from engine.run import Run
from engine.solvers import DCSVM, KERNEL_SVM, Solver
from engine.threads import thread_count

RESULTS = ("objective_", "n_iter_", "n_steps_", "stop_reason_", "history_")
HISTORY = ("iteration", "objective", "violation", "n_free", "n_bound", "n_active")


class Machine(BaseEstimator):
    """What all estimators of the engine share. A subclass names its solver."""

    solver: ClassVar[Solver]
    model_type: ClassVar[Any] = Model
    told: ClassVar[type[Event]] = Iteration  # the events that `history_` is a table of, and its columns
    columns: ClassVar[tuple[str, ...]] = HISTORY
    of_solutions: ClassVar[Mapping[str, str]] = {}  # further results, each of every task: what solutions call them

    # ---- scikit-learn ----

    def fit(self, X: Any, y: Any) -> "Machine":
        """Train on X (n x d, dense or sparse) and class labels, or targets, y."""
        for _ in self.iter_fit(X, y):
            pass
        return self

    def iter_fit(self, X: Any, y: Any) -> Iterator[Event]:
        """Train, yielding each event as it happens; the estimator is fitted when the generator is exhausted."""
        run = self.begin_fit(X, y)
        events = iter(run)
        if self.verbose:
            events = with_progress(events, type(self).__name__, self.solver.parts(y, self._settings()))
        return self.follow_fit(run, events)

    def begin_fit(self, X: Any, y: Any, *, recorded: bool = False) -> Run[Trained]:
        """A run on X and y that has not begun; `follow_fit` drives it."""
        settings = self._settings()
        X, y = self._checked(X, y)
        executor = getattr(self, "executor", None)
        if recorded:
            return self.solver.recorded_run(X, y, settings, executor=executor)
        counter = Counter()
        return Run(self.solver.steps(dense(X), y, settings, counter, executor), counter)

    def follow_fit(self, run: Run[Trained], events: Iterator[Event]) -> Iterator[Event]:
        """Pass on the events of a run that `begin_fit` made; at their end the estimator is fitted."""
        history: dict[str, list[Any]] = {name: [] for name in (*self.columns, "seconds", "evaluations", "task")}
        for event in events:
            if isinstance(event, self.told):
                for name in self.columns:
                    history[name].append(getattr(event, name))
                history["seconds"].append(event.stamp.seconds)
                history["evaluations"].append(event.stamp.evaluations)
                history["task"].append(" / ".join(event.stamp.path))
            yield event
        self.history_ = {name: np.array(column) for name, column in history.items()}
        self._adopt(run.result())

    def predict(self, X: Any) -> Array:
        """Class labels, or values of a regression."""
        values = self._values(X)
        return self.model_.predict(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---- files ----

    def save(self, path: str | Path) -> None:
        """Keep the fitted estimator in one file, without pickle."""
        check_is_fitted(self, "model_")
        self.model_.save(path, self._extra())

    @classmethod
    def load(cls, path: str | Path) -> "Machine":
        """The fitted estimator that `save` kept; an `ArchiveError` says what is wrong with any other file."""
        model, extra = cls.model_type.load(path)
        try:
            if extra["estimator"] != cls.__name__:
                raise ArchiveError(f"{Path(path).name} holds a {extra['estimator']}, not a {cls.__name__}")
            estimator = cls(**extra["params"])
            estimator.n_features_in_ = model.n_features
            if extra["names"] is not None:
                estimator.feature_names_in_ = extra["names"]
            estimator._adopt_model(model)
            estimator._adopt_extra(extra)
        except ArchiveError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ArchiveError(f"{Path(path).name} is damaged: {error}") from error
        return estimator

    # ---- below ----

    def _checked(self, X: Any, y: Any) -> tuple[Any, Array]:
        return validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)

    def _settings(self) -> Any:
        """The table of settings behind the constructor's parameters."""
        table = self.solver.settings
        values = {name: value for name, value in self.get_params().items() if name in table.names()}
        if not isinstance(self.random_state, int | np.integer | type(None)):
            values["seed"] = int(check_random_state(self.random_state).randint(2**31))
        elif self.random_state is not None:
            if not 0 <= self.random_state < 2**32:
                raise invalid("random_state", self.random_state, f"None, a RandomState or from 0 to {2**32 - 1}")
            values["seed"] = int(self.random_state)
        if "instruments" in table.names():
            values["instruments"] = "none"  # a fit does not pay for what only a watcher wants to know
        return table.checked(values)

    def _values(self, X: Any) -> Array:
        X = self._dense(X)
        return self.model_.task_values(X, thread_count(self.n_jobs))

    def _dense(self, X: Any) -> Array:
        check_is_fitted(self, "model_")
        return dense(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False))

    def _extra(self) -> dict[str, Any]:
        """What a file keeps beside the model."""
        return {
            "estimator": type(self).__name__,
            "params": {name: value for name, value in self.get_params().items() if name != "executor"},
            "names": getattr(self, "feature_names_in_", None),
            "results": {name: getattr(self, name) for name in (*RESULTS, *self.of_solutions)},
        }

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        for name in (*RESULTS, *self.of_solutions):
            setattr(self, name, extra["results"][name])

    def _adopt(self, trained: Trained) -> None:
        self._adopt_model(trained.model)
        for name, theirs in {"objective_": "objective", **self.of_solutions}.items():
            values = np.array([getattr(solution, theirs) for solution in trained.solutions])
            setattr(self, name, values[0].item() if len(values) == 1 else values)
        self.n_iter_ = np.array([solution.iterations for solution in trained.solutions])
        self.n_steps_ = np.array([solution.inner_steps for solution in trained.solutions])
        self.stop_reason_ = trained.stop_reason
        if self.stop_reason_ not in ("converged", "early", "passes"):
            worst = max(solution.violation for solution in trained.solutions)
            warnings.warn(
                f"{type(self).__name__} stopped ({self.stop_reason_}) with a violation of {worst:.3g} left; "
                "raise max_iter or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _adopt_model(self, model: Any) -> None:
        self.model_ = model


class Classifier(ClassifierMixin, Machine):
    """What all classifiers of the engine share."""

    def decision_function(self, X: Any) -> Array:
        """Signed distances: a vector for two classes, a column for each of more."""
        values = self._values(X)
        return self.model_.decision(values)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        class_numbers(y)
        return X, y

    def _adopt_model(self, model: Any) -> None:
        super()._adopt_model(model)
        self.classes_ = model.classes


class KernelMachine(Classifier):
    """What all classifiers with support vectors share."""

    def _adopt_model(self, model: Any) -> None:
        super()._adopt_model(model)
        self.support_ = model.support
        self.support_vectors_ = model.vectors
        self.n_support_ = model.class_counts
        self.dual_coef_ = model.coefficients
        self.intercept_ = model.intercepts


class KernelSVC(KernelMachine):
    """Kernel SVM classifier by the dual solver: LIBSVM's answer, sooner, with every iteration in view.

    Parameters are those of scikit-learn's SVC where the names agree. `bias=False` leaves out the bias; `multiclass` is
    "ovo", with SVC's votes, or "ovr"; `n_jobs=None` is all cores; one `random_state` (None is 0), one fit.

    After fitting: `support_`, `support_vectors_`, `n_support_`, `dual_coef_`, `intercept_` as in SVC; `objective_` (of
    each task, if several); `n_iter_` outer iterations and `n_steps_` two-variable steps of each task; `stop_reason_`
    ("converged", "max_iter", "stalled"); `history_`, a table of the iterations.
    """

    solver = KERNEL_SVM

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
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.tol = tol
        self.cache_mb = cache_mb
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state


class DCSVC(KernelMachine):
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
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.k = k
        self.levels = levels
        self.sample_size = sample_size
        self.stop_level = stop_level
        self.adaptive = adaptive
        self.refine = refine
        self.partition = partition
        self.tol = tol
        self.cache_mb = cache_mb
        self.n_jobs = n_jobs
        self.executor = executor
        self.verbose = verbose
        self.random_state = random_state

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
