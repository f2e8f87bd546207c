"""All estimators by name and data for each, of two widths: what must hold of every one of them."""

import numpy as np

from engine import DCSVC, BudgetedSVC, ClusterSVC, DCPredClassifier, DCPredRegressor, InteriorPointSVC, KernelSVC

WIDTHS = 10, 54  # from one to the other, an unchecked loop reads beside its arrays

ESTIMATORS = {
    "KernelSVC": KernelSVC(C=5, multiclass="ovr"),
    "KernelSVC pairs": KernelSVC(C=5, kernel="laplacian"),
    "DCSVC": DCSVC(C=5),
    "DCSVC early": DCSVC(C=5, stop_level=1),
    "ClusterSVC": ClusterSVC(C=5),
    "BudgetedSVC": BudgetedSVC(C=5, budget=20, epochs=2),
    "InteriorPointSVC": InteriorPointSVC(C=5),
    "DCPredClassifier": DCPredClassifier(C=5, n_leaves=4),
    "DCPredRegressor": DCPredRegressor(n_leaves=4),
}


def data_for(estimator, width, n=300):
    """Rows of so many features, with three classes of its own, or with targets for a regression."""
    X = np.random.default_rng(width).normal(size=(n, width))
    score = X[:, 0] * X[:, 1] + X[:, 2]
    return X, score if isinstance(estimator, DCPredRegressor) else width + np.digitize(score, [-0.5, 0.5])


def answers(model, X):
    """All that a model predicts of some rows, as numbers."""
    decided = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    return np.column_stack([model.predict(X), decided])
