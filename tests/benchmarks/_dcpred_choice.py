"""DC-Pred++ with no settings but C and gamma, against the exact model, on random splits: loss, cost and fitting time.

Times are of the processor, on one thread.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

from engine import DCPredClassifier, DCPredRegressor, KernelSVC, datasets
from engine.reproduction.paper import FULL
from engine.systems.dcpred.paper import A9A, COVTYPE, LETTER, REGRESSION, USPS
from tests.benchmarks._figures import say

TESTS = 20_000  # at most
RIDGE_ROWS = 8_000  # exact kernel ridge takes their cube


@dataclass(frozen=True)
class Set:
    """All rows of a set, how many to train on, and the exact model's parameters."""

    X: Any
    y: Any
    rows: int
    parameters: dict[str, Any]


def _of_paper(case: Any, rows: int = 0, **parameters: Any) -> Set:
    ready = case.ready(FULL)
    X, y = np.concatenate([ready.X, ready.X_test]), np.concatenate([ready.y, ready.y_test])
    return Set(X, y, rows or len(ready.y), {"C": case.C, "gamma": case.gamma, **parameters})


def _named(name: str, **parameters: Any) -> Set:
    data = datasets.load(name)
    X, y = (data.X, data.y) if data.X_test is None else (
        np.concatenate([data.X, data.X_test]), np.concatenate([data.y, data.y_test])
    )  # fmt: skip
    return Set(X, y, len(data.y) if data.X_test is not None else int(0.8 * len(y)), parameters)


def _digits() -> Set:
    X, y = load_digits(return_X_y=True)
    return Set(X, y, int(0.8 * len(y)), {"C": 10.0, "gamma": "scale"})


def _ridge(case: Any) -> Set:
    whole = _of_paper(case)
    rows = min(whole.rows, RIDGE_ROWS)
    return Set(whole.X, whole.y, rows, {"alpha": case.ridge, "gamma": case.gamma})


SETS: dict[str, Callable[[], Set]] = {
    "digits": _digits,
    "usps": lambda: _of_paper(replace(USPS, positive=None)),
    "usps-binary": lambda: _of_paper(USPS),
    "letter": lambda: _of_paper(replace(LETTER, positive=None)),
    "letter-binary": lambda: _of_paper(LETTER),
    "ijcnn1": lambda: _named("ijcnn1", C=32.0, gamma=2.0),
    "a9a": lambda: _of_paper(A9A),
    "covtype": lambda: _of_paper(COVTYPE, 50_000, gamma=32.0),
    **{name: lambda name=name: _named(name, C=10.0, gamma="scale") for name in ("crescents", "petals")},
    **{case.data: lambda case=case: _ridge(case) for case in REGRESSION},
}


def measure(names: list[str], splits: int) -> None:
    """A line for each split of each set, and one of their means."""
    rng = np.random.default_rng(0)
    few = rng.normal(size=(600, 3))
    for model in (KernelSVC, DCPredClassifier):  # compile
        model(n_jobs=1).fit(few, few[:, 0] * few[:, 1] > 0).predict(few)
    for name in names:
        data = SETS[name]()
        found = [_split(name, data, split) for split in range(splits)]
        means = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
        say("choice, mean", data=name, splits=splits, **means)


def _split(name: str, data: Set, split: int) -> dict[str, float]:
    order = np.random.default_rng(split).permutation(len(data.y))
    train, test = order[: data.rows], order[data.rows :][:TESTS]
    X, y = data.X[train], data.y[train]
    ridge = "alpha" in data.parameters
    kinds: Any = (KernelRidge, DCPredRegressor) if ridge else (KernelSVC, DCPredClassifier)
    exact = kinds[0](**data.parameters, **({"kernel": "rbf"} if ridge else {"n_jobs": 1}))
    fast = kinds[1](**data.parameters, n_jobs=1, random_state=split)
    exact_fit, _ = _spent(lambda: exact.fit(X, y))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        fit, _ = _spent(lambda: fast.fit(X, y))
    fast.predict(data.X[test[:10]])
    exact_predict, theirs = _spent(lambda: exact.predict(data.X[test]))
    predict, ours = _spent(lambda: fast.predict(data.X[test]))
    loss = _error(ours, data.y[test], ridge) - _error(theirs, data.y[test], ridge)
    if ridge:
        loss /= _error(theirs, data.y[test], ridge)
    support = len(X) if ridge else len(exact.support_)
    columns = 1 if ridge else len(exact.dual_coef_)
    found = {
        "percent_lost": 100 * loss, "estimated": 100 * fast.chosen_.loss, "support": float(support),
        "inner_products": fast.cost_, "times_cheaper": support * (1 + columns / X.shape[1]) / fast.cost_,
        "predict_times_faster": exact_predict / max(predict, 1e-9), "fit_seconds": fit,
        "fit_over_exact": fit / max(exact_fit, 1e-9), "warned": float(len(said)),
    }  # fmt: skip
    candidate = fast.chosen_.candidate
    say("choice", data=name, split=split, **found, **({} if candidate is None else vars(candidate)))
    return found


def _spent(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def _error(said: Any, truth: Any, ridge: bool) -> float:
    return float(np.sqrt(np.mean((said - truth) ** 2)) if ridge else np.mean(said != truth))
