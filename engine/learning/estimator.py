"""The base of the scikit-learn estimators: `fit` drives a run to its end, `iter_fit` yields its events.

An estimator adds its system, its parameters (in an explicit signature, as scikit-learn wants it) and the columns of its
history. Parameters become the system's table of settings, results become fitted attributes.

A copy of the estimator is fitted, and the estimator takes over all its fitted attributes at the end, in one assignment.
A fit that fails, is interrupted or is abandoned leaves the estimator as it was: with its old model, or unfitted.
"""

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from engine.learning.common_settings import Diagnostics
from engine.learning.model import Model, Trained
from engine.learning.system import System
from engine.learning.validation import class_numbers, dense
from engine.runtime.archive import ArchiveError
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import DONE, FROM_OUTSIDE, Array, Event
from engine.runtime.progress import with_progress
from engine.runtime.run import Run
from engine.runtime.threads import thread_count

RESULTS = ("objective_", "n_iter_", "n_steps_", "stop_reason_", "history_")


class Fit(NamedTuple):
    """A fit that has begun: its run, the settings of the run, and the copy of the estimator that is fitted."""

    run: Run[Trained]
    settings: Any
    copy: "SolverEstimator"


def _is_fitted_name(name: str) -> bool:
    """Whether an attribute is a result of fitting, by scikit-learn's rule for names."""
    return name.endswith("_") and not name.startswith("_")


class SolverEstimator(BaseEstimator):
    """What all estimators of the engine share. A subclass names its system and the events of its history."""

    solver: ClassVar[System]
    model_type: ClassVar[Any] = Model
    history_event: ClassVar[type[Event]]  # `history_` is a table of these events, with these columns
    history_columns: ClassVar[tuple[str, ...]]
    of_model: ClassVar[Mapping[str, str]] = {}  # fitted attributes that the model has, and what it calls them
    per_task_results: ClassVar[Mapping[str, str]] = {}  # further fitted attributes, and what solutions call them

    n_jobs: int | None
    verbose: bool
    random_state: Any
    executor: Any = None  # a parameter of estimators whose system has subproblems

    def _set(self, values: Mapping[str, Any]) -> None:
        """Keep the parameters of a constructor, given its `locals()`."""
        for name in self._get_param_names():
            setattr(self, name, values[name])

    # ---- scikit-learn ----

    def fit(self, X: Any, y: Any) -> "SolverEstimator":
        """Train on X (n x d, dense or sparse) and class labels, or targets, y."""
        for _ in self.iter_fit(X, y):
            pass
        return self

    def iter_fit(self, X: Any, y: Any) -> Iterator[Event]:
        """Train, yielding each event as it happens; the estimator is fitted when the generator is exhausted."""
        fit = self.begin_fit(X, y)
        events = iter(fit.run)
        if self.verbose:
            parts = self.solver.parts(y, fit.settings)
            events = with_progress(events, type(self).__name__, parts, self.solver.progress)
        return self.follow_fit(fit, events)

    def begin_fit(self, X: Any, y: Any, *, recorded: bool = False) -> Fit:
        """A fit on X and y whose run has not begun; `follow_fit` drives it."""
        settings = self._settings()
        copy = self._copy(fitted=False)
        X, y = copy._checked(X, y)
        if recorded:
            return Fit(self.solver.recorded_run(X, y, settings, executor=self.executor), settings, copy)
        counter = Counter()
        steps = self.solver.steps(dense(X), y, settings, counter, self.executor)
        return Fit(Run(steps, counter), settings, copy)

    def follow_fit(self, fit: Fit, events: Iterator[Event]) -> Iterator[Event]:
        """Pass on the events of the run of a fit; at their end the estimator is fitted."""
        history: dict[str, list[Any]] = {name: [] for name in (*self.history_columns, "seconds", "evaluations", "task")}
        for event in events:
            if isinstance(event, self.history_event):
                for name in self.history_columns:
                    history[name].append(getattr(event, name))
                history["seconds"].append(event.stamp.seconds)
                history["evaluations"].append(event.stamp.evaluations)
                history["task"].append(" / ".join(event.stamp.path))
            yield event
        trained = fit.run.result()
        fit.copy.history_ = {name: np.array(column) for name, column in history.items()}
        fit.copy._adopt(trained)
        fit.copy._warn_if_unfinished(trained)
        self._take_over(fit.copy)

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
    def load(cls, path: str | Path) -> "SolverEstimator":
        """The fitted estimator that `save` kept; an `ArchiveError` says what is wrong with any other file."""
        model, extra = cls.model_type.load(path)
        try:
            if extra["estimator"] != cls.__name__:
                raise ArchiveError(f"{Path(path).name} holds a {extra['estimator']}, not a {cls.__name__}")
            estimator = cls(**{**cls.solver.settings.formerly, **extra["params"]})
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

    # ---- a fit on a copy ----

    def _copy(self, fitted: bool) -> "SolverEstimator":
        """An estimator with the same parameters, and the same fitted attributes or none."""
        copy = type(self).__new__(type(self))
        copy.__dict__ = {name: value for name, value in vars(self).items() if fitted or not _is_fitted_name(name)}
        return copy

    def _take_over(self, copy: "SolverEstimator") -> None:
        """Replace all fitted attributes by those of a copy, in one assignment: nobody meets half of them."""
        own = {name: value for name, value in vars(self).items() if not _is_fitted_name(name)}
        self.__dict__ = {**own, **{name: value for name, value in vars(copy).items() if _is_fitted_name(name)}}

    # ---- between scikit-learn and the system ----

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
        # A fit does not pay for what only an observer needs.
        values |= {name: "none" for name in table.names() if isinstance(table.param[name], Diagnostics)}
        return table.checked(values)

    def _values(self, X: Any) -> Array:
        """Values of all tasks, which are numbers."""
        X = self._dense(X)
        values = self._task_values(X)
        finite = np.isfinite(values).all(axis=1)
        if not finite.all():
            raise invalid("X", float(np.abs(X[~finite][0]).max()), "so small that decision values are numbers")
        return values

    def _task_values(self, X: Array) -> Array:
        return self.model_.task_values(X, thread_count(self.n_jobs))

    def _check_whole(self) -> None:
        """A ValueError unless fitted attributes are of one fit: predictions come from the model alone."""
        model = self.model_
        if self.n_features_in_ != model.n_features:
            raise ValueError(f"n_features_in_ is {self.n_features_in_}, but the model has {model.n_features} features")
        for name, its_name in self.of_model.items():
            mine, its = getattr(self, name), getattr(model, its_name)
            if mine is not its and not np.array_equal(mine, its):
                raise ValueError(
                    f"{name}, of shape {np.shape(mine)}, is not that of the fitted model, of shape {its.shape}"
                )

    def _dense(self, X: Any) -> Array:
        check_is_fitted(self, "model_")
        self._check_whole()
        return dense(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False))

    def _extra(self) -> dict[str, Any]:
        """What a file keeps besides the model."""
        return {
            "estimator": type(self).__name__,
            "params": {name: value for name, value in self.get_params().items() if name != "executor"},
            "names": getattr(self, "feature_names_in_", None),
            "results": {name: getattr(self, name) for name in (*RESULTS, *self.per_task_results)},
        }

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        for name in (*RESULTS, *self.per_task_results):
            setattr(self, name, extra["results"][name])

    def _adopt(self, trained: Trained) -> None:
        self._adopt_model(trained.model)
        for name, theirs in {"objective_": "objective", **self.per_task_results}.items():
            values = np.array([getattr(solution, theirs) for solution in trained.solutions])
            setattr(self, name, values[0].item() if len(values) == 1 else values)
        self.n_iter_ = np.array([solution.iterations for solution in trained.solutions])
        self.n_steps_ = np.array([solution.inner_steps for solution in trained.solutions])
        self.stop_reason_ = trained.stop_reason

    def _warn_if_unfinished(self, trained: Trained) -> None:
        """Warn of a fit that stopped before it was done."""
        if trained.stop_reason in DONE:
            return
        outside = trained.stop_reason in FROM_OUTSIDE
        advice = "the model is what it had by then" if outside else "raise max_iter or tol, or scale the features"
        warnings.warn(
            f"{type(self).__name__} stopped ({trained.stop_reason}){self._how_far(trained)}; {advice}",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _how_far(self, trained: Trained) -> str:
        """How far a fit got that was not done, in words."""
        worst = max(solution.violation for solution in trained.solutions)
        return "" if np.isnan(worst) else f" with a violation of {worst:.3g} left"

    def _adopt_model(self, model: Any) -> None:
        self.model_ = model
        for name, its_name in self.of_model.items():
            setattr(self, name, getattr(model, its_name))


class Classifier(ClassifierMixin, SolverEstimator):
    """What all classifiers of the engine share."""

    of_model: ClassVar[Mapping[str, str]] = {"classes_": "classes"}

    def decision_function(self, X: Any) -> Array:
        """Signed distances: a vector for two classes, a column for each of more."""
        values = self._values(X)
        return self.model_.decision(values)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Array]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        class_numbers(y)
        return X, y


class KernelClassifier(Classifier):
    """What all classifiers with support vectors share."""

    of_model: ClassVar[Mapping[str, str]] = {
        **Classifier.of_model, "support_": "support", "support_vectors_": "vectors", "n_support_": "class_counts",
        "dual_coef_": "coefficients", "intercept_": "intercepts",
    }  # fmt: skip
