"""What the figures of DC-Pred++ share: a case with its data, the models to compare on it, and their cost.

Every model but random Fourier features is a `CompressedModel`, predicts through the same code, and is timed as the
linear model is: one thread, float32, the best of some repeats on the test part.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from engine import datasets
from engine.learning.validation import dense
from engine.reproduction.bench import ReadyCase, seconds_of_fit, with_tests
from engine.reproduction.paper import Effort
from engine.runtime.counter import Counter
from engine.runtime.events import Array
from engine.runtime.run import Run
from engine.systems.dcpred import nystrom
from engine.systems.dcpred.compressed_model import CompressedModel, Leaf, assembled, linear_values
from engine.systems.dcpred.estimator import DCPredClassifier, DCPredRegressor
from engine.systems.dcpred.events import LeafTrained
from engine.systems.dcpred.landmarks import choose
from engine.systems.dcpred.learners import squared_hinge
from engine.systems.dcpred.tree import Grown, grow
from engine.systems.kernel_svm.estimator import KernelSVC

REPEATS = 15
SAMPLE = 2000  # rows that an approximation is fitted to


@dataclass(frozen=True)
class Case:
    """A data set with the paper's parameters; `positive` says which of its classes are the positive ones."""

    data: str
    published: str  # its name in the paper
    gamma: float
    C: float = 1.0
    ridge: float = 1.0
    leaves: int = 64
    ratio: float = 0.1
    chosen: dict[str, Any] = field(default_factory=dict)  # settings for Table 1
    grid: tuple[dict[str, Any], ...] = ()  # among which they were found: see `choice`
    rows: int | None = None
    tests: int | None = None
    positive: Callable[[Array], Array] | None = None
    factor: float = 1.0  # features are (x + shift) * factor
    shift: float = 0.0

    def ready(self, effort: Effort) -> "Ready":
        """Load the data."""
        data = with_tests(
            _loaded(self.data, effort.train(self.rows), effort.seed), effort.test(self.tests), effort.seed
        )
        assert data.y_test is not None
        X, X_test = (
            np.ascontiguousarray((dense(part) + self.shift) * self.factor, np.float32) for part in (data.X, data.X_test)
        )
        y, y_test = data.y, data.y_test
        if self.positive is not None:
            y, y_test = (np.where(self.positive(labels), 1, -1) for labels in (y, y_test))
        if data.task == "regression":
            X, X_test = _standardised(X, X_test)
            y, y_test = _standardised(y, y_test)
        return Ready(self, effort, X, y, X_test, y_test)


class Ready(ReadyCase[Case]):
    """A case that can be run."""

    def fit(self, **settings: Any) -> tuple[DCPredClassifier, float]:
        """DC-Pred++ and its seconds."""
        it = self.case
        how = {"C": it.C, "gamma": it.gamma, "n_leaves": it.leaves, "landmark_ratio": it.ratio, **settings}
        model = DCPredClassifier(random_state=self.effort.seed, **how)
        return model, seconds_of_fit(model, self.X, self.y)

    def measured(self, fast: CompressedModel, seconds: float | None = None) -> dict[str, Any]:
        """Accuracy and prediction cost of a classifier."""
        right = np.where(fast.values(self.X_test)[:, 0] > 0, 1, -1) == self.y_test
        return {
            "accuracy": 100 * float(np.mean(right)), "prediction time": self.time(fast),
            "inner products": fast.cost(self.X_test), **({} if seconds is None else {"training time": seconds}),
        }  # fmt: skip

    def time(self, fast: CompressedModel) -> float:
        """Prediction time, as a multiple of a linear model's."""
        weights = np.ones(self.X.shape[1], np.float32)
        linear, ours = np.inf, np.inf
        for _ in range(REPEATS):  # in turn, so that a slow moment is both's
            linear = min(linear, _seconds(lambda: linear_values(self.X_test, weights, 0.0)))
            ours = min(ours, _seconds(lambda: fast.values(self.X_test)))
        return ours / linear

    # ---- what it is compared with ----

    def exact(self) -> tuple[CompressedModel, float]:
        """The kernel SVM on all support vectors."""
        model = KernelSVC(C=self.case.C, gamma=self.case.gamma)
        seconds = seconds_of_fit(model, self.X, self.y)
        return self.alone(model.support_vectors_, model.dual_coef_[0], model.intercept_[0]), seconds

    def reduced_set(self, model: CompressedModel, count: int) -> CompressedModel:
        """The exact model projected onto centres of its support vectors."""
        gamma, places, weights = self.case.gamma, model.places(0), model.weights[:, 0].astype(float)
        centres = self.centres(count, places)
        K = np.exp(-gamma * cdist(centres, centres, "sqeuclidean")) + 1e-8 * np.eye(len(centres))
        target = np.exp(-gamma * cdist(centres, places, "sqeuclidean")) @ weights
        return self.alone(centres, np.linalg.solve(K, target), float(model.intercepts[0, 0]))

    def kmeans_nystrom(self, count: int) -> tuple[CompressedModel, float]:
        """One leaf, landmarks by plain k-means, no pseudo-landmarks."""
        began = perf_counter()
        centres = self.centres(count)
        mapped, features = self.features(centres)
        w = squared_hinge(np.column_stack([features, np.ones(len(features))]), self.y.astype(float), self.case.C)
        return self.alone(centres, mapped @ w[:-1], w[-1]), perf_counter() - began

    def fourier(self, count: int) -> tuple[float, float]:
        """Accuracy and seconds of a linear SVM on random Fourier features."""
        from sklearn.kernel_approximation import RBFSampler
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        sampler = RBFSampler(gamma=self.case.gamma, n_components=count, random_state=self.effort.seed)
        model = make_pipeline(sampler, LinearSVC(C=self.case.C, random_state=self.effort.seed))
        seconds = seconds_of_fit(model, self.X, self.y)
        return 100 * model.score(self.X_test, self.y_test), seconds

    def early(self, leaves: int) -> CompressedModel:
        """DC-SVM with early prediction: the exact models of the leaves."""
        it = self.case
        model = DCPredClassifier(C=it.C, gamma=it.gamma, n_leaves=leaves, random_state=self.effort.seed)
        events = [event for event in model.iter_fit(self.X, self.y) if isinstance(event, LeafTrained)]
        tree = model.model_.fast.tree
        parts = [_constant(intercepts, self.X.shape[1]) for intercepts in model.model_.fast.intercepts]
        for event in events:
            support = event.members[event.alpha > 0]
            weights = (self.y[support] * event.alpha[event.alpha > 0])[:, None]
            places = tree.moved(self.X[support])[:, : self.X.shape[1]]
            parts[int(event.leaves[0])] = _leaf(places, weights, np.zeros(1))
        return assembled(tree, it.gamma, parts)

    def features(self, centres: Array) -> tuple[Array, Array]:
        """Nystrom's map over some landmarks, and the features of all rows."""
        gamma = self.case.gamma
        some = self.X[np.random.default_rng(self.effort.seed).permutation(len(self.X))[:SAMPLE]]
        G = np.exp(-gamma * cdist(some, some, "sqeuclidean"))
        found = nystrom.approximate(np.exp(-gamma * cdist(some, centres, "sqeuclidean")), G)
        return found.map, np.exp(-gamma * cdist(self.X, centres, "sqeuclidean")) @ found.map

    def alone(self, places: Array, weights: Array, intercept: float) -> CompressedModel:
        """A compressed model of one leaf."""
        grown: Grown = _drained(grow(self.X, 1, 2, np.random.default_rng(0), Counter()))
        moved = grown.tree.moved(places)[:, : self.X.shape[1]]
        leaf = _leaf(moved, np.asarray(weights)[:, None], np.array([intercept]))
        return assembled(grown.tree, self.case.gamma, [leaf])

    def centres(self, count: int, points: Array | None = None) -> Array:
        """Of plain k-means, over the training data or other points."""
        points = self.X[: 10 * SAMPLE] if points is None else points.astype(np.float32)
        rng, nobody = np.random.default_rng(self.effort.seed), np.empty(0)
        return _drained(choose("kmeans", points, nobody, nobody, nobody, count, rng, Counter()))


def rmse(values: Array, y: Array) -> float:
    """The root of the mean square error."""
    return float(np.sqrt(np.mean((values - y) ** 2)))


def regression(ready: Ready, **settings: Any) -> DCPredRegressor:
    """DC-Pred++ for kernel ridge regression."""
    it = ready.case
    how = {"n_leaves": it.leaves, "landmarks": "kmeans", **settings}
    return DCPredRegressor(alpha=it.ridge, gamma=it.gamma, random_state=ready.effort.seed, **how).fit(ready.X, ready.y)


def _standardised(train: Array, test: Array) -> tuple[Array, Array]:
    """Zero mean and unit variance over the first."""
    mean, spread = train.mean(axis=0), train.std(axis=0)
    return (train - mean) / spread, (test - mean) / spread


def _leaf(places: Array, weights: Array, intercepts: Array) -> Leaf:
    everything = np.ones(places.shape[1], bool)
    return Leaf(places, everything, weights, intercepts, np.empty((0, 2), int), np.empty((0, 1)), np.empty((0, 0)))


def _constant(intercepts: Array, d: int) -> Leaf:
    return _leaf(np.empty((0, d)), np.empty((0, 1)), intercepts)


def _drained(steps: Any) -> Any:
    return Run(steps, Counter()).result()


def _seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


@lru_cache(maxsize=2)
def _loaded(name: str, size: int | None, seed: int) -> datasets.Dataset:
    return datasets.load(name, size=size, seed=seed)
