"""DCSVC, exact and early, against SVC and KernelSVC in one run; support vectors found, beside CascadeSVM."""

import argparse

import numpy as np
from sklearn.svm import SVC

from engine import DCSVC, KernelSVC, datasets
from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.dcsvm.algorithm import solve
from engine.systems.dcsvm.baselines import cascade
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.kernel_svm.settings import DualSettings
from tests.benchmarks._figures import say, timed
from tests.benchmarks.dual import CASES, SIZES, TESTED

KERNELS = {
    "ijcnn1": {"rbf": {}, "laplacian": {}, "poly": {"gamma": 1.0}, "linear": {"C": 1.0}},
    "covtype": {"rbf": {}, "laplacian": {"gamma": 8.0}, "poly": {"C": 2.0, "gamma": 1.0}, "linear": {"C": 1.0}},
}  # what differs from the case; the polynomial kernel on covtype is the paper's
BOTTOM = 4  # level of the support vectors that are looked at: 256 cells


def main(arguments: list[str]) -> None:
    """Compare on ijcnn1 (whole) and covtype (50,000 random rows)."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("data", nargs="*", choices=[*CASES, []], default=list(CASES))
    parser.add_argument("--without-svc", action="store_true", help="leave out SVC, which takes minutes on covtype")
    parser.add_argument("--objectives", nargs="*", metavar="KERNEL", help="only: exact objectives, of these kernels")
    chosen = parser.parse_args(arguments)
    for name in chosen.data:
        if chosen.objectives is not None:
            objectives(name, chosen.objectives or list(KERNELS[name]))
            continue
        compare(name, not chosen.without_svc)
        support_vectors(name)


def compare(name: str, with_svc: bool) -> None:
    """Times and accuracies on one data set."""
    data = datasets.load(name, size=SIZES[name])
    X_test, y_test = data.X_test[: TESTED[name]], data.y_test[: TESTED[name]]
    setting = CASES[name]
    models = {
        "exact": DCSVC(**setting),
        "early": DCSVC(stop_level=3, **setting),
        "KernelSVC": KernelSVC(**setting),
        "exact, no bias": DCSVC(bias=False, **setting),
        "early, no bias": DCSVC(bias=False, stop_level=3, **setting),
        "paper": DCSVC(bias=False, levels=4, partition="kernel-kmeans", **setting),
        "KernelSVC, no bias": KernelSVC(bias=False, **setting),
    }
    if with_svc:
        models["SVC"] = SVC(cache_size=1000, **setting)
    few = slice(0, 2000)
    for model in models.values():  # compile, load libraries, wake up
        model.fit(data.X[few], data.y[few]).predict(X_test[few])
    fit, predict, accuracy = {}, {}, {}
    for key, model in models.items():
        repeats = 3 if key.startswith(("exact", "early")) else 1
        fit[key], _ = timed(lambda m=model: m.fit(data.X, data.y), repeats)
        predict[key], labels = timed(lambda m=model: m.predict(X_test), repeats)
        accuracy[key] = 100 * float(np.mean(labels == y_test))
    common = {"data": name, "n": data.n}
    for key in fit:
        say("fit", **common, model=key, seconds=fit[key], predict_seconds=predict[key], accuracy=accuracy[key])
    for key in ("exact", "early", "exact, no bias", "early, no bias", "paper"):
        same = "KernelSVC" if models[key].bias else "KernelSVC, no bias"
        for rival in (same, "SVC") if with_svc else (same,):
            say(
                "ratio",
                **common,
                model=key,
                rival=rival,
                fit=fit[rival] / fit[key],
                predict=predict[rival] / predict[key],
            )
    for key, rival in (
        ("exact", "KernelSVC"),
        ("exact, no bias", "KernelSVC, no bias"),
        ("paper", "KernelSVC, no bias"),
    ):
        say("agreement", **common, model=key, difference=abs(models[key].objective_ / models[rival].objective_ - 1))


def objectives(name: str, kernels: list[str]) -> None:
    """How far the exact answer is from KernelSVC's, for every kernel, at two tolerances."""
    data = datasets.load(name, size=SIZES[name])
    for kernel in kernels:
        for tol in (1e-3, 1e-6):
            setting = {**CASES[name], **KERNELS[name][kernel], "kernel": kernel, "tol": tol}
            seconds, model = timed(lambda s=setting: DCSVC(bias=False, **s).fit(data.X, data.y), 1)
            rival_seconds, rival = timed(lambda s=setting: KernelSVC(bias=False, **s).fit(data.X, data.y), 1)
            say(
                "objective", data=name, kernel=kernel, tol=tol, difference=abs(model.objective_ / rival.objective_ - 1),
                stopped=model.stop_reason_, rival_stopped=rival.stop_reason_, seconds=seconds,
                rival_seconds=rival_seconds,
            )  # fmt: skip


def support_vectors(name: str) -> None:
    """Precision and recall of the support vectors, level by level, for DC-SVM and CascadeSVM."""
    data = datasets.load(name, size=SIZES[name])
    C, gamma = CASES[name]["C"], CASES[name]["gamma"]
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    kernel = Kernel.fit(data.X, "rbf", gamma, C=C)
    problem = Problem.build(data.X, y, C=C, kernel=kernel, bias=False)
    final = Run(solve(problem, DCSVMSettings(C=C)), Counter()).result().alpha > 0
    for kind in ("kernel-kmeans", "kmeans"):
        for level in range(BOTTOM, 0, -1):
            settings = DCSVMSettings(C=C, stop_level=level, partition=kind)
            found = Run(solve(problem, settings), Counter()).result()
            _say_found("dcsvm", name, found.alpha > 0, final, partition=kind, subsets=4**level)
    for layer in Run(cascade(problem, DualSettings(), 4**BOTTOM), Counter()).result():
        _say_found("cascade", name, layer.alpha > 0, final, subsets=layer.subsets)


def _say_found(method: str, name: str, found: np.ndarray, final: np.ndarray, **more: object) -> None:
    both = np.count_nonzero(found & final)
    recall, precision = both / np.count_nonzero(final), both / np.count_nonzero(found)
    f1 = 2 * recall * precision / (recall + precision)
    say("support vectors", data=name, method=method, **more, recall=recall, precision=precision, f1=f1)
