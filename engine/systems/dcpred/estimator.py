"""The scikit-learn estimators of DC-Pred++: an SVM and kernel ridge regression that predict at nearly linear cost."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from engine.learning.estimator import Classifier, Fit, KernelClassifier, SolverEstimator
from engine.learning.model import Trained
from engine.learning.validation import dense
from engine.runtime.counter import Counter
from engine.runtime.errors import invalid
from engine.runtime.events import Array
from engine.runtime.run import Run
from engine.systems.dcpred.events import LeafCompressed
from engine.systems.dcpred.learners import ExactLeaves
from engine.systems.dcpred.system import DCPRED, DCPRED_RIDGE
from engine.systems.dcpred.training import CompressedPredictor, compress_ridge, compress_svm

QUALITIES = ("cost_", "exact_cost_", "exact_quality_", "quality_")


class CompressingEstimator(SolverEstimator):
    """What the classifier and the regressor share."""

    gamma: float | str
    model_type = CompressedPredictor
    history_event = LeafCompressed
    history_columns = ("leaf", "exact_quality", "quality", "cost", "exact_cost")

    def trace(self, x: Any) -> Any:
        """How the prediction for one point comes about: see `Trace`."""
        return self.model_.fast.trace(self._dense(np.atleast_2d(x))[0])

    def _compressed(self, model: Any, X: Any, y: Any, compress: Any) -> "CompressingEstimator":
        """Compress a fitted model and adopt the result."""
        self.gamma = _gamma(model)
        settings, copy, counter = self._settings(), self._copy(fitted=False), Counter()
        X, y = copy._checked(X, y)
        run = Run(compress(dense(X), y, settings, _given(model, dense(X)), counter), counter)
        for _ in self.follow_fit(Fit(run, settings, copy), iter(run)):
            pass
        return self

    def _adopt(self, trained: Trained) -> None:
        for name in QUALITIES:
            setattr(self, name, getattr(trained.solutions[0], name[:-1]))
        super()._adopt(trained)

    def _extra(self) -> dict[str, Any]:
        return {**super()._extra(), "qualities": {name: getattr(self, name) for name in QUALITIES}}

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        super()._adopt_extra(extra)
        for name in QUALITIES:
            setattr(self, name, extra["qualities"][name])


class DCPredClassifier(CompressingEstimator, Classifier):
    """Kernel SVM classifier that predicts at nearly linear cost (DC-Pred++): Gaussian, each class against the rest.

    A tree of k-means (up to `branching` children for each cell) has `n_leaves` leaves, or fewer if there are not 32
    points for each. A leaf has its own model, which looks only at the features in which its points differ if these
    are less than half, over `landmark_ratio` landmarks for each support vector of the exact one, at most
    `max_landmarks` (they are computed sixteen at a time). They are found by `landmarks`: "weighted-kmeans" (by
    alpha^2), "sided-kmeans" (by |alpha|, each class on its own), "sided-plain" (the same without weights), "kmeans" or
    "random"; the first three leave a leaf its exact model if that has no more support vectors. Then landmarks move
    for `tuning` iterations of L-BFGS, to lower the training loss. Beside each there are `pseudo_ratio`
    pseudo-landmarks, which cost next to nothing: "products" of two kernel values, by the "triangle" inequality, or
    "none". With `bottom_up` cells above the leaves are trained too while they have few support vectors.
    C, gamma, tol, cache_mb, n_jobs, verbose and random_state are those of `KernelSVC`.

    After fitting: `cost_`, inner products for a prediction, and `exact_cost_`, that of the leaves' exact models;
    `quality_` and `exact_quality_`, their accuracies on the training data; `history_`, a table of the leaves.
    """

    solver = DCPRED

    def __init__(
        self,
        C: float = 1.0,
        gamma: float | str = "scale",
        n_leaves: int = 64,
        landmark_ratio: float = 0.1,
        pseudo: str = "products",
        pseudo_ratio: float = 2.0,
        landmarks: str = "weighted-kmeans",
        tol: float = 1e-3,
        cache_mb: float = 1000,
        branching: int = 2,
        max_landmarks: int | None = None,
        tuning: int = 0,
        bottom_up: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    @classmethod
    def from_model(cls, model: Any, X: Any, y: Any, **params: Any) -> "DCPredClassifier":
        """Compress a fitted KernelSVC, DCSVC or SVC; X and y are what it was fitted to.

        Its gamma and, if not told otherwise, its C are taken over.
        """
        _check_kind(model, "C", "an SVC, KernelSVC, DCSVC, ClusterSVC or InteriorPointSVC")
        return cls(**{"C": model.C, **params})._compressed(model, X, y, compress_svm)


class DCPredRegressor(RegressorMixin, CompressingEstimator):
    """Kernel ridge regression that predicts at nearly linear cost (DC-Pred++), with a Gaussian kernel.

    `alpha` is added to the diagonal of the kernel matrix, as in scikit-learn's KernelRidge; targets are centred in each
    leaf. Landmarks are `landmark_ratio` for each point of a leaf. Other parameters are those of `DCPredClassifier`.

    After fitting: as in `DCPredClassifier`, with `quality_` and `exact_quality_` the roots of mean square errors.
    """

    solver = DCPRED_RIDGE

    def __init__(
        self,
        alpha: float = 1.0,
        gamma: float | str = "scale",
        n_leaves: int = 64,
        landmark_ratio: float = 0.1,
        pseudo: str = "products",
        pseudo_ratio: float = 2.0,
        landmarks: str = "weighted-kmeans",
        branching: int = 2,
        max_landmarks: int | None = None,
        tuning: int = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    @classmethod
    def from_model(cls, model: Any, X: Any, y: Any, **params: Any) -> "DCPredRegressor":
        """Compress a fitted KernelRidge; X and y are what it was fitted to. Its alpha and gamma are taken over."""
        _check_kind(model, "alpha", "a KernelRidge")
        return cls(**{"alpha": model.alpha, **params})._compressed(model, X, y, compress_ridge)


def _check_kind(model: Any, parameter: str, accepted: str) -> None:
    """Refuse a model that is not fitted or that cannot be compressed, such as a pipeline."""
    if not (hasattr(model, "kernel") and hasattr(model, parameter)):
        raise invalid("model", model, accepted)
    check_is_fitted(model)


def _gamma(model: Any) -> float:
    """The gamma of a fitted model with a Gaussian kernel."""
    if model.kernel != "rbf":
        raise invalid("kernel", model.kernel, "rbf, in a model that is to be compressed")
    if isinstance(model, KernelClassifier):
        return model.model_.kernel.gamma
    if hasattr(model, "X_fit_"):
        return 1.0 / model.X_fit_.shape[1] if model.gamma is None else model.gamma
    return model._gamma


def _given(model: Any, X: Array) -> ExactLeaves:
    """What compression needs to know of a fitted model."""
    ridge = hasattr(model, "X_fit_")
    support, vectors = (
        (np.arange(len(model.X_fit_)), model.X_fit_) if ridge else (model.support_, model.support_vectors_)
    )
    if support.max(initial=-1) >= X.shape[0] or not np.array_equal(dense(X[support]), dense(vectors)):
        raise invalid("X", X.shape, "the data that the model was fitted to")
    squares = np.zeros(X.shape[0])
    squares[support] = (np.atleast_2d(dense(model.dual_coef_)) ** 2).sum(axis=0)
    values = model.predict(X) if ridge else model.decision_function(X)
    return ExactLeaves(squares, values if values.ndim == 2 else values[:, None], np.nan, whole=True)
