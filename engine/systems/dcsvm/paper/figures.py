"""Figures 1 to 5 of the DC-SVM paper as rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.reproduction.paper import Effort, Row
from engine.runtime.events import Array, Finished
from engine.systems.dcsvm.algorithm import solve
from engine.systems.dcsvm.baselines import cascade, subsample
from engine.systems.dcsvm.events import LevelFinished, LevelMeasured, Partitioned
from engine.systems.dcsvm.paper.bench import SUBSETS, Case, Ready, timed, watched
from engine.systems.dcsvm.paper.printed import RECALL_AT_256
from engine.systems.dcsvm.partition import Router
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.settings import DualSettings

CLUSTERS = (8, 16, 32, 64, 128)  # of Figure 1
TIGHT = 1e-6  # tol of the solution that errors are measured from
GLANCES = 6  # looks at the dual solver on its way


def bound_and_gap(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 1: the bound of Theorem 1 against the true gap, for kernel k-means and for chance."""
    ready = case.ready(effort)
    best, _ = timed(kernel_svm.solve(ready.problem, DualSettings(tol=TIGHT)))
    for partition in ("kernel-kmeans", "random"):
        for k in CLUSTERS:
            settings = ready.settings(partition=partition, k=k, stop_level=1, instruments="all", tol=TIGHT)
            for event in watched(solve(ready.problem, settings)):
                if isinstance(event, LevelMeasured):
                    gap = event.objective - best.objective
                    ours = {"bound": event.bound, "gap": gap, "gap / |f*|": gap / abs(best.objective)}
                    yield ready.row({"partition": partition, "k": k}, ours)


def support_vectors(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 2: which support vectors are found, by level, beside CascadeSVM and the dual solver with shrinking."""
    ready = case.ready(effort)
    plain = DualSettings(seed=effort.seed)
    glances = []
    for event in watched(kernel_svm.solve(ready.problem, plain)):
        if isinstance(event, Iteration):
            glances.append((event.stamp.seconds, event.alpha > 0))
        elif isinstance(event, Finished):
            final = event.alpha > 0

    def row(method: str, subsets: int, seconds: float, found: Array, **more: float) -> Row:
        quoted = method == "DC-SVM" and subsets == SUBSETS
        return ready.row(
            {"kernel": case.kernel, "method": method, "subsets": subsets},
            {**_found(found, final), **more, "seconds": seconds},
            {"recall": RECALL_AT_256} if quoted else {},
        )

    layers, cascade_seconds = timed(cascade(ready.problem, plain, SUBSETS))
    kept = {layer.subsets: int(np.count_nonzero(layer.alpha)) for layer in layers}
    divided = None
    for event in watched(solve(ready.problem, ready.as_published(levels=5))):
        if isinstance(event, Partitioned):
            divided = event
        elif isinstance(event, LevelFinished) and divided is not None:
            subsets, more = 4**event.level, {}
            if subsets in kept:
                likely = _likeliest(ready, divided, event.alpha)[: kept[subsets]]
                more = {"recall of as many as CascadeSVM finds": float(final[likely].sum() / final.sum())}
            yield row("DC-SVM", subsets, event.stamp.seconds, event.alpha > 0, **more)
    for layer in layers:
        yield row("CascadeSVM", layer.subsets, cascade_seconds, layer.alpha > 0)
    for i in np.unique(np.linspace(0, len(glances) - 1, GLANCES).astype(int)):
        spent, found = glances[i]
        yield row("shrinking", 1, spent, found)


def against_time(case: Case, effort: Effort) -> Iterator[Row]:
    """Figures 3, 4 and 5: relative error of the objective and test accuracy against seconds."""
    ready = case.ready(effort)
    problem, plain = ready.problem, DualSettings(seed=effort.seed)
    best, _ = timed(kernel_svm.solve(problem, DualSettings(tol=TIGHT)))

    def row(method: str, at: str, seconds: float, accuracy: float, objective: float | None = None) -> Row:
        # The last digits of two solutions in float32 differ either way.
        error = None if objective is None else max(0.0, (objective - best.objective) / abs(best.objective))
        ours = {"seconds": seconds, "relative error": error, "accuracy": accuracy}
        return ready.row({"kernel": case.kernel, "method": method, "at": at}, ours)

    def of_alpha(method: str, at: str, seconds: float, alpha: Array) -> Row:
        objective = problem.objective(alpha, problem.gradient(alpha))
        return row(method, at, seconds, ready.accuracy(ready.values(alpha)), objective)

    divided = None
    for event in watched(solve(problem, ready.as_published())):
        if isinstance(event, Partitioned):
            divided = event
        elif isinstance(event, LevelFinished) and divided is not None:
            router = Router.from_table(vars(divided), problem.kernel)
            accuracy = ready.accuracy(ready.early_values(divided.labels, router, event.alpha))
            objective = problem.objective(event.alpha, problem.gradient(event.alpha))
            yield row("DC-SVM, 4 levels", f"level {event.level}, early", event.stamp.seconds, accuracy, objective)
        elif isinstance(event, Finished):
            yield of_alpha("DC-SVM, 4 levels", "end", event.stamp.seconds, event.alpha)
    seconds, accuracy = ready.early()
    yield row("DC-SVM (early)", "64 cells", seconds, accuracy)
    exact, seconds = timed(solve(problem, ready.settings()))
    yield of_alpha("DC-SVM", "end", seconds, exact.alpha)
    yield from _on_its_way(ready, of_alpha, plain)
    layers, seconds = timed(cascade(problem, plain, SUBSETS))
    yield of_alpha("CascadeSVM", "first round", seconds, layers[-1].alpha)
    alpha, seconds = timed(subsample(problem, plain))
    yield of_alpha("dual solver, subsample", "end", seconds, alpha)
    if case.with_svc:
        yield row("SVC, with bias", "end", *ready.svc())


def _on_its_way(ready: Ready, of_alpha: Any, plain: DualSettings) -> Iterator[Row]:
    """The dual solver, looked at whenever its time has doubled."""
    last = 0.0
    for event in watched(kernel_svm.solve(ready.problem, plain)):
        if isinstance(event, Finished):
            yield of_alpha("dual solver", "end", event.stamp.seconds, event.alpha)
        elif isinstance(event, Iteration) and event.stamp.seconds > 2 * last:
            last = event.stamp.seconds
            yield of_alpha("dual solver", f"iteration {event.iteration}", last, event.alpha)


def _likeliest(ready: Ready, divided: Partitioned, alpha: Array) -> Array:
    """All points, those first that a level takes for support vectors, then by their margin within their cell."""
    router = Router.from_table(vars(divided), ready.problem.kernel)
    values = ready.early_values(divided.labels, router, alpha, points=ready.problem.points)
    return np.argsort(np.where(alpha > 0, -alpha, ready.problem.y * values), kind="stable")


def _found(found: Array, final: Array) -> dict[str, float]:
    both, kept = int(np.count_nonzero(found & final)), int(np.count_nonzero(found))
    precision, recall = both / max(1, kept), both / max(1, int(np.count_nonzero(final)))
    f1 = 2 * precision * recall / max(precision + recall, 1e-300)
    return {"recall": recall, "precision": precision, "F1": f1, "found": kept, "of": int(np.count_nonzero(final))}
