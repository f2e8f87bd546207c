"""Figures 1 to 4 and 6 of the DC-Pred++ paper as rows; the paper shows curves without numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from engine.reproduction.paper import Effort, Row
from engine.systems.dcpred import nystrom
from engine.systems.dcpred.estimator import DCPredClassifier
from engine.systems.dcpred.events import LandmarksChosen, TreeGrown
from engine.systems.dcpred.paper.bench import Case, Ready, regression, rmse

ROWS = 1000  # of a kernel matrix
COUNTS = (2, 5, 10, 20, 30)  # landmarks of Figure 1
RATIOS = (0.03, 0.05, 0.1, 0.2)
RIDGE_RATIOS = (0.005, 0.01, 0.02, 0.05)
PSEUDO = 2  # pseudo-landmarks for each landmark
SEEDS = 5  # of kernel matrices
FITS = 3  # seeds of a model
MOST = (4, 8, 16, 32)  # tuned landmarks of a leaf


def kernel_error(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 1: the relative error of the kernel with pseudo-landmarks, and of plain Nystrom at the same cost."""
    ready = case.ready(effort)
    gamma, d = case.gamma, ready.X.shape[1]
    for count in COUNTS:
        pseudo = PSEUDO * count
        costs = {"Nys-dp": count + 2 * pseudo / d, "Nys-triangle": count + (pseudo * count + pseudo) / d}
        errors: dict[str, list[tuple[float, float]]] = {method: [] for method in costs}
        for seed in range(effort.seed, effort.seed + SEEDS):
            rng = np.random.default_rng(seed)
            X = ready.X[rng.permutation(len(ready.X))[:ROWS]].astype(float)
            G, order = np.exp(-gamma * cdist(X, X, "sqeuclidean")), rng.permutation(len(X))
            order[:count] = order[:count][nystrom.chain(X[order[:count]])]
            found = X[order[:count]]
            expansions = {
                "Nys-dp": nystrom.products(pseudo, count, gamma),
                "Nys-triangle": nystrom.triangle(X[order[count : count + pseudo]], found, gamma),
            }
            for method, expansion in expansions.items():
                plain = G[:, order[: int(costs[method])]]  # as many landmarks as the cost allows
                expanded = expansion.expand(G[:, order[:count]])
                errors[method].append((nystrom.approximate(expanded, G).error, nystrom.approximate(plain, G).error))
        for method, cost in costs.items():
            (error, plainly), (deviation, _) = np.mean(errors[method], axis=0), np.std(errors[method], axis=0)
            ours = {
                "error": error, "deviation": deviation, "error of Nystrom at this cost": plainly,
                "inner products": cost,
            }  # fmt: skip
            yield ready.row({"method": method, "landmarks": count}, ours)


def against_cost(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 2: accuracy against prediction cost."""
    ready = case.ready(effort)
    for ratio in RATIOS:
        for strategy in ("weighted-kmeans", "sided-kmeans"):
            model, _ = ready.fit(landmark_ratio=ratio, landmarks=strategy)
            how = {"method": "DC-Pred++", "landmarks": strategy, "ratio": ratio}
            yield ready.row(how, ready.measured(model.model_.fast))
    for most in MOST:
        model, _ = ready.fit(**{**case.chosen, "max_landmarks": most})
        how = {"method": "DC-Pred++", "landmarks": f"{most} tuned in each leaf"}
        yield ready.row(how, ready.measured(model.model_.fast))


def strategies(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 4: ways of choosing landmarks at the same cost, with Delta and what Theorem 3 bounds it by."""
    one = case.ready(effort)
    for ratio in RATIOS:
        for strategy in ("weighted-kmeans", "kmeans", "sided-kmeans", "sided-plain"):
            found = []
            for seed in range(effort.seed, effort.seed + FITS):
                ready = case.ready(Effort(effort.rows, effort.tests, seed))
                model = DCPredClassifier(
                    C=case.C, gamma=case.gamma, n_leaves=case.leaves, landmark_ratio=ratio, landmarks=strategy,
                    random_state=seed,
                )  # fmt: skip
                objective, delta = _theorem_3(model.iter_fit(ready.X, ready.y), ready)
                accuracy = 100 * model.score(ready.X_test, ready.y_test)
                found.append((accuracy, model.model_.fast.cost(ready.X_test), objective, delta))
            (accuracy, cost, objective, delta), deviation = np.mean(found, axis=0), np.std(found, axis=0)[0]
            ours = {
                "accuracy": accuracy, "deviation": deviation, "inner products": cost, "D": objective, "Delta": delta,
            }  # fmt: skip
            yield one.row({"landmarks": strategy, "ratio": ratio}, ours)


def _theorem_3(events: Iterator[Any], ready: Ready) -> tuple[float, float]:
    """D, the sum of alpha^2 |x - u|^2, and Delta, that of |alpha| |G_i - G~_i| by plain Nystrom, over all leaves."""
    objective, delta, labels = 0.0, 0.0, np.empty(0)
    for event in events:
        if isinstance(event, TreeGrown):
            labels = event.labels
        if isinstance(event, LandmarksChosen):
            near = [np.flatnonzero(labels == event.leaf), event.support]
            K, own = (_kernel(ready.X[rows], event.landmarks, ready.case.gamma) for rows in near)
            W = _kernel(event.landmarks, event.landmarks, ready.case.gamma)
            left = _kernel(ready.X[near[0]], ready.X[near[1]], ready.case.gamma) - K @ np.linalg.pinv(W, 1e-8) @ own.T
            objective += event.objective
            delta += float(np.sqrt(event.point_weights) @ np.linalg.norm(left, axis=0))
    return objective, delta


def _kernel(X: np.ndarray, Z: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * cdist(X, Z, "sqeuclidean"))


def divided(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 6: DC-SVM with early prediction, DC-Nystrom and DC-Pred++."""
    ready = case.ready(effort)
    yield ready.row({"method": "DC-SVM (early)"}, ready.measured(ready.early(case.leaves)))
    for ratio in RATIOS:
        for method, how in (
            ("DC-Nystrom", {"landmarks": "kmeans", "pseudo": "none"}),
            ("DC-Pred++", {"landmarks": "sided-kmeans"}),
        ):
            model, _ = ready.fit(landmark_ratio=ratio, **how)
            yield ready.row({"method": method, "ratio": ratio}, ready.measured(model.model_.fast))


def ridge(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 3: the error of kernel ridge regression on the test part, of three methods at the same cost."""
    ready = case.ready(effort)
    for ratio in RIDGE_RATIOS:
        model = regression(ready, landmark_ratio=ratio)
        cost = model.model_.fast.cost(ready.X_test)
        common = {"ratio": ratio}
        found = {"test RMSE": rmse(model.predict(ready.X_test), ready.y_test), "inner products": cost}
        yield ready.row({"method": "DC-Pred++", **common}, {**found, "prediction time": ready.time(model.model_.fast)})
        for method, features in (("kmeans Nystrom", _nystrom), ("random Fourier features", _fourier)):
            train, test = features(ready, max(1, int(cost)))
            values = _ridge_values(train, ready.y, test, case.ridge)
            yield ready.row(
                {"method": method, **common}, {"test RMSE": rmse(values, ready.y_test), "inner products": int(cost)}
            )


def _nystrom(ready: Ready, count: int) -> tuple[np.ndarray, np.ndarray]:
    centres = ready.centres(count)
    mapped, features = ready.features(centres)
    return features, np.exp(-ready.case.gamma * cdist(ready.X_test, centres, "sqeuclidean")) @ mapped


def _fourier(ready: Ready, count: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.kernel_approximation import RBFSampler

    sampler = RBFSampler(gamma=ready.case.gamma, n_components=count, random_state=ready.effort.seed).fit(ready.X)
    return sampler.transform(ready.X), sampler.transform(ready.X_test)


def _ridge_values(train: np.ndarray, y: np.ndarray, test: np.ndarray, ridge: float) -> np.ndarray:
    matrix = train.T @ train + ridge * np.eye(train.shape[1])
    return test @ np.linalg.solve(matrix, train.T @ (y - y.mean())) + y.mean()
