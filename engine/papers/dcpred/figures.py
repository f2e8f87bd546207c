"""Figures 1 to 4 and 6 of the DC-Pred++ paper as rows; the paper shows curves without numbers."""

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from engine import nystrom
from engine.papers.dcpred.bench import Case, Ready, regression, rmse
from engine.papers.paper import Effort, Row

ROWS = 1000  # of a kernel matrix
COUNTS = (2, 5, 10, 20, 30)  # landmarks of Figure 1
RATIOS = (0.03, 0.05, 0.1, 0.2)
RIDGE_RATIOS = (0.005, 0.01, 0.02, 0.05)
PSEUDO = 2  # pseudo-landmarks for each landmark


def kernel_error(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 1: the relative error of the kernel with pseudo-landmarks, and of plain Nystrom at the same cost."""
    ready = case.ready(effort)
    rng = np.random.default_rng(effort.seed)
    X, gamma, d = ready.X[rng.permutation(len(ready.X))[:ROWS]].astype(float), case.gamma, ready.X.shape[1]
    G = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    for count in COUNTS:
        order = rng.permutation(len(X))
        pseudo = PSEUDO * count
        expansions = {
            "Nys-dp": (nystrom.products(pseudo, count, gamma, rng), count + 2 * pseudo / d),
            "Nys-triangle": (
                nystrom.triangle(X[order[count : count + pseudo]], X[order[:count]], gamma),
                count + (pseudo * count + pseudo) / d,
            ),
        }
        for method, (expansion, cost) in expansions.items():
            C = np.exp(-gamma * cdist(X, X[order[:count]], "sqeuclidean"))
            plain = np.exp(-gamma * cdist(X, X[order[: int(cost)]], "sqeuclidean"))  # as many as the cost allows
            ours = {
                "error": nystrom.approximate(expansion.expand(C), G).error,
                "error of Nystrom at this cost": nystrom.approximate(plain, G).error,
                "inner products": cost,
            }
            yield ready.row({"method": method, "landmarks": count, "pseudo-landmarks": len(expansion)}, ours)


def against_cost(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 2: accuracy against prediction cost."""
    ready = case.ready(effort)
    for ratio in RATIOS:
        model, _ = ready.fit(landmark_ratio=ratio)
        yield ready.row({"method": "DC-Pred++", "ratio": ratio}, ready.measured(model.model_.fast))


def strategies(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 4: ways of choosing landmarks at the same cost; the mean over three seeds."""
    one = case.ready(effort)
    for ratio in RATIOS:
        for strategy in ("sided-kmeans", "weighted-kmeans", "kmeans"):
            found = []
            for seed in range(effort.seed, effort.seed + 3):
                ready = case.ready(Effort(effort.rows, effort.tests, seed))
                model, _ = ready.fit(landmark_ratio=ratio, landmarks=strategy)
                found.append((100 * model.score(ready.X_test, ready.y_test), model.model_.fast.cost(ready.X_test)))
            accuracy, cost = np.mean(found, axis=0)
            yield one.row({"landmarks": strategy, "ratio": ratio}, {"accuracy": accuracy, "inner products": cost})


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
