"""Tables 1, 2, 5, 6 and the grids, 7, 9 and 10, of the DC-SVM paper as rows."""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

from engine.reproduction.paper import Effort, Row
from engine.runtime.events import Finished, PhaseBegan
from engine.systems.dcsvm.algorithm import solve
from engine.systems.dcsvm.baselines import bagging, votes
from engine.systems.dcsvm.early_prediction import METHODS
from engine.systems.dcsvm.events import LevelFinished, Partitioned
from engine.systems.dcsvm.paper.bench import Case, timed, watched
from engine.systems.dcsvm.paper.printed import GRID, METHODS_2, METHODS_7, ROWS, TABLE_1, TABLE_2, TABLE_5, TABLE_6
from engine.systems.kernel_svm.settings import DualSettings


def prediction(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 1: a level's models, asked by eq. (5), as a Bayesian committee, and early, by eq. (6)."""
    ready = case.ready(effort)
    for k, quoted in TABLE_1.items():
        found, _ = ready.solve_level(ready.settings(partition="kernel-kmeans", k=k, stop_level=1))
        assert found.partition is not None
        for method in METHODS:
            began = perf_counter()
            values = ready.early_values(found.partition.labels, found.partition.router, found.alpha, method)
            spent = 1000 * (perf_counter() - began) / len(values)
            accuracy, milliseconds = quoted[method]
            yield ready.row(
                {"k": k, "prediction": method, "tests": len(values)},
                {"accuracy": ready.accuracy(values), "ms a point": spent},
                {"n": ROWS[case.data], "accuracy": accuracy, "ms a point": milliseconds},
            )


def contenders(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 2: seconds and accuracy of everybody."""
    ready = case.ready(effort)
    quoted = dict(zip(METHODS_2, TABLE_2[case.data], strict=True))
    methods = ready.methods()
    for method, (seconds, accuracy) in quoted.items():
        paper = {"n": ROWS[case.data], "seconds": seconds, "accuracy": accuracy}
        ours = {}
        if method in methods:
            by, measure = methods[method]
            spent, reached = measure()
            ours = {"by": by, "seconds": spent, "accuracy": reached}
        yield ready.row({"method": method, "tests": len(ready.y_test)}, ours, paper)
        if method == "LIBSVM" and case.with_svc:
            spent, reached = ready.svc()
            ours = {"by": "SVC, with bias", "seconds": spent, "accuracy": reached}
            yield ready.row({"method": method, "tests": len(ready.y_test)}, ours, paper)


def early_on_all(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 2, early prediction on all rows of a set that is too large for the others; not if rows are limited."""
    if effort.rows is not None:
        return
    ready = replace(case, rows=None).ready(effort)
    seconds, accuracy = ready.early()
    quoted = dict(zip(("seconds", "accuracy"), TABLE_2[case.data][0], strict=True))
    yield ready.row(
        {"method": METHODS_2[0], "tests": len(ready.y_test)},
        {"by": "DC-SVM, 64 cells", "seconds": seconds, "accuracy": accuracy},
        {"n": ROWS[case.data], **quoted},
    )


def clustering_and_training(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 5: where the time of each level goes."""
    ready = case.ready(effort)
    began, clustering, level = 0.0, 0.0, 4
    for event in watched(solve(ready.problem, ready.as_published())):
        now = event.stamp.seconds
        if isinstance(event, PhaseBegan) and event.name.startswith("level"):
            began = now
        elif isinstance(event, Partitioned):
            clustering, began = now - began, now
        elif isinstance(event, LevelFinished | Finished):
            level = event.level if isinstance(event, LevelFinished) else 0
            paper = dict(zip(("clustering seconds", "training seconds"), TABLE_5[level], strict=True))
            ours = {"training seconds": now - began}
            if level:
                ours = {"clustering seconds": clustering, **ours}
            yield ready.row({"level": level}, ours, {"n": ROWS[case.data], **paper})
            began = now


def bags(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 6: cells and the nearest one's answer, against random samples and a vote."""
    ready = case.ready(effort)
    for k, (early, voted) in TABLE_6[case.data].items():
        found, _ = ready.solve_level(ready.settings(partition="kernel-kmeans", k=k, stop_level=1))
        assert found.partition is not None
        values = ready.early_values(found.partition.labels, found.partition.router, found.alpha)
        alphas, _ = timed(bagging(ready.problem, DualSettings(seed=effort.seed), k))
        counted = votes(ready.problem, alphas, ready.X_test)
        for method, decided, accuracy in (("DC-SVM (early)", values, early), ("bagging", counted, voted)):
            yield ready.row(
                {"k": k, "method": method, "tests": len(values)},
                {"accuracy": ready.accuracy(decided)},
                {"n": ROWS[case.data], "accuracy": accuracy},
            )


def grid(case: Case, effort: Effort) -> Iterator[Row]:
    """Tables 7, 9 and 10: other C and gamma; at the end the sum of the seconds, as in Table 4."""
    ours_all, paper_all = dict.fromkeys(METHODS_7, 0.0), dict.fromkeys(METHODS_7, 0.0)
    for (C, gamma), quoted in GRID[case.data].items():
        ready = replace(case, C=2.0**C, gamma=2.0**gamma).ready(effort)
        methods = ready.methods()
        for method, (seconds, accuracy) in zip(METHODS_7, quoted, strict=True):
            by, measure = methods[method]
            spent, reached = measure()
            ours_all[method] += spent
            paper_all[method] += seconds
            yield ready.row(
                {"method": method},
                {"by": by, "seconds": spent, "accuracy": reached},
                {"n": ROWS[case.data], "seconds": seconds, "accuracy": accuracy},
            )
    for method in METHODS_7:
        paper = {"n": ROWS[case.data], "seconds": paper_all[method]}
        yield replace(
            ready.row({"method": f"{method}, all {len(GRID[case.data])}"}, {"seconds": ours_all[method]}, paper),
            C=None,
            gamma=None,
        )
