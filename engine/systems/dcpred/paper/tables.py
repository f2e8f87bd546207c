"""Tables 1, 3 and 4 of the DC-Pred++ paper as rows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.reproduction.bench import seconds_of_fit
from engine.reproduction.paper import Effort, Row
from engine.systems.dcpred.paper.bench import Case, Ready
from engine.systems.dcpred.paper.printed import TABLE_1, TABLE_3, TABLE_4
from engine.systems.kernel_svm.estimator import KernelSVC

LARGE = 100_000  # rows beyond which no exact model is trained on all of them
LANDMARKS = 50  # of the contenders
STRATEGIES = ("weighted-kmeans", "sided-kmeans")  # the paper's, and ours
QUANTITIES = ("prediction time", "accuracy", "training time")


def prediction(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 1: DC-Pred++ and its contenders, those of ours first, then those that are quoted alone."""
    ready = case.ready(effort)
    n, quoted = TABLE_1[case.published]
    paper = {name: {"n": n, **dict(zip(QUANTITIES, values, strict=True))} for name, values in quoted.items()}
    model, seconds = ready.fit(**case.chosen)
    fast = model.model_.fast
    per_leaf, gamma = len(fast.landmarks) / len(fast.tree), case.chosen.get("gamma", case.gamma)
    kind = "tuned landmarks" if case.chosen["tuning"] else "landmarks"
    how = f"{len(fast.tree)} leaves, {per_leaf:.0f} {kind} in each, gamma {gamma:g}"
    yield ready.row({"method": "DC-Pred++", "as": how}, ready.measured(fast, seconds), paper["DC-Pred++"])
    model, seconds = ready.fit()
    how = f"{case.leaves} leaves, {case.ratio:g} landmarks a support vector, by the paper's recipe"
    yield ready.row({"method": "DC-Pred++", "as": how}, ready.measured(model.model_.fast, seconds))
    fast, seconds = ready.kmeans_nystrom(LANDMARKS)
    yield ready.row(
        {"method": "kmeans Nystrom", "as": f"{LANDMARKS} landmarks"}, ready.measured(fast, seconds),
        paper["kmeans Nystrom"],
    )  # fmt: skip
    accuracy, seconds = ready.fourier(2 * LANDMARKS)
    yield ready.row(
        {"method": "Fastfood", "as": f"{2 * LANDMARKS} random Fourier features"},
        {"accuracy": accuracy, "inner products": 2 * LANDMARKS, "training time": seconds}, paper["Fastfood"],
    )  # fmt: skip
    if len(ready.y) <= LARGE:
        exact, seconds = ready.exact()
        reduced = ready.reduced_set(exact, LANDMARKS)
        yield ready.row(
            {"method": "STPRtool", "as": f"reduced set, {LANDMARKS} vectors"}, ready.measured(reduced),
            paper["STPRtool"],
        )  # fmt: skip
        yield ready.row({"method": "exact SVM", "as": ""}, ready.measured(exact, seconds))
    for name in ("LDKL", "AESVM"):
        yield ready.row({"method": name, "as": ""}, {}, paper[name])


def all_classes(case: Case, effort: Effort) -> Iterator[Row]:
    """The tasks of Table 1 with all the classes of their data, which share tree and landmarks."""
    ready = replace(case, positive=None).ready(effort)
    exact = KernelSVC(C=case.C, gamma=case.gamma)
    seconds = seconds_of_fit(exact, ready.X, ready.y)
    ours: dict[str, Any] = {"training time": seconds, "inner products": len(exact.support_)}
    yield ready.row({"method": "exact SVM"}, {"accuracy": _percent(exact, ready), **ours})
    for strategy in STRATEGIES:
        model, seconds = ready.fit(landmarks=strategy)
        fast = model.model_.fast
        ours = {"prediction time": ready.time(fast), "inner products": fast.cost(ready.X_test)}
        how = {"method": "DC-Pred++", "leaves": len(fast.tree), "landmarks": strategy}
        yield ready.row(how, {"accuracy": _percent(model, ready), **ours, "training time": seconds})


def _percent(model: Any, ready: Ready) -> float:
    return 100 * float(np.mean(model.predict(ready.X_test) == ready.y_test))


def clusters(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 3: accuracy and prediction time by the number of clusters."""
    ready = case.ready(effort)
    for leaves, (accuracy, time) in TABLE_3.items():
        for strategy in STRATEGIES:
            model, seconds = ready.fit(n_leaves=leaves, landmarks=strategy)
            fast = model.model_.fast
            ours: dict[str, Any] = {"leaves": len(fast.tree), **ready.measured(fast, seconds)}
            paper = {"accuracy": accuracy, "prediction time": time}
            yield ready.row({"clusters": leaves, "landmarks": strategy}, ours, paper)


def landmarks(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 4: accuracy and prediction time by the share of landmarks."""
    ready = case.ready(effort)
    for ratio, (accuracy, time) in TABLE_4.items():
        for strategy in STRATEGIES:
            model, seconds = ready.fit(n_leaves=64, landmark_ratio=ratio, landmarks=strategy)
            paper = {"accuracy": accuracy, "prediction time": time}
            yield ready.row({"ratio": ratio, "landmarks": strategy}, ready.measured(model.model_.fast, seconds), paper)
