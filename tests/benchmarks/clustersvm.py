"""ClusterSVC against KernelSVC in one run, where the paper gained; what Condition 2 adds; KernelSVC against SVC."""

import argparse
from typing import Any

import numpy as np
from sklearn.svm import SVC

from engine import ClusterSVC, KernelSVC
from engine.papers.clustersvm import ARTIFICIAL, ISOLET, USPS
from engine.papers.clustersvm.bench import Case
from engine.papers.clustersvm.published import TABLES
from tests.benchmarks._figures import say, say_pace, timed

CASES = {case.published: case for case in (ARTIFICIAL, USPS, ISOLET)}
REPEATS = 3
SVC_ITERATIONS = 5_000_000  # of LIBSVM, at most: it is not done then, and the ratio is a lower bound


def main(arguments: list[str]) -> None:
    """Time, error and reduced sets on the paper's data; with `svc`, LIBSVM on one classifier of the artificial data."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("data", nargs="*", choices=[*CASES, "svc", []], default=[])
    say_pace()
    for name in parser.parse_args(arguments).data or CASES:
        if name == "svc":
            against_svc()
        else:
            compare(CASES[name])


def compare(case: Case) -> None:
    """All figures of one data set; models take turns, so that a slow moment is everybody's."""
    X, y, X_test, y_test = case.drawn(None, None, 0)
    how: dict[str, Any] = dict(case.settings)
    models = {
        "KernelSVC": KernelSVC(multiclass="ovr", **how),
        "ClusterSVC": ClusterSVC(**how),
        "Condition 2": ClusterSVC(collapse_bound=True, **how),
        "exact": ClusterSVC(max_passes=None, **how),
        "exact, Condition 2": ClusterSVC(max_passes=None, collapse_bound=True, **how),
    }
    few = slice(None, None, 5)
    for model in models.values():  # compile, wake up
        model.fit(X[few], y[few]).predict(X_test[few])
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(REPEATS):
        for name, model in models.items():
            times[name].append(timed(lambda m=model: m.fit(X, y))[0])
    reference, printed = models["KernelSVC"], TABLES[case.published]
    values = reference.decision_function(X_test)
    for name, model in models.items():
        error = 100 * float(np.mean(model.predict(X_test) != y_test))
        seconds = float(np.median(times[name]))
        common = {"data": case.published, "n": len(y), "model": name, "seconds": seconds, "error": error}
        if name == "KernelSVC":
            say("fit", **common, paper_error=printed.smo_error)
            continue
        say(
            "fit", **common, paper_error=printed.error, ratio=float(np.median(times["KernelSVC"])) / seconds,
            n_train=float(np.mean(model.n_reduced_)), paper_n_train=float(np.mean(printed.sizes)),
            exact=bool(np.all(model.exact_)), passes=int(np.max(model.n_passes_)),
            objective_difference=float(np.abs(model.objective_ / reference.objective_ - 1).max()),
            decision_difference=float(np.abs(model.decision_function(X_test) - values).max()),
        )  # fmt: skip


def against_svc() -> None:
    """The artificial data, one class against the rest, both forms of bias; SVC has one."""
    X, y, _, _ = ARTIFICIAL.drawn(None, None, 0)
    how: dict[str, Any] = dict(ARTIFICIAL.settings)
    labels = (y == np.unique(y)[0]).astype(int)
    svc = SVC(cache_size=1000, max_iter=SVC_ITERATIONS, **how)
    theirs, _ = timed(lambda: svc.fit(X, labels))
    done = bool(svc.fit_status_ == 0)
    for bias in (True, False):
        model = KernelSVC(bias=bias, **how)
        ours, _ = timed(lambda m=model: m.fit(X, labels), REPEATS)
        say(
            "KernelSVC against SVC", n=len(y), bias=bias, seconds=ours, svc_seconds=theirs, svc_converged=done,
            ratio=theirs / ours, stop_reason=model.stop_reason_, objective=model.objective_,
            svc_objective=_objective(svc) if bias else None,
        )  # fmt: skip


def _objective(svc: SVC) -> float:
    """Of the dual, for a linear kernel."""
    beta = svc.dual_coef_[0]
    return float(0.5 * ((beta @ svc.support_vectors_) ** 2).sum() - np.abs(beta).sum())
