"""InteriorPointSVC against SVC: accuracy and time, growth with n, coarse to fine, threads, memory, pauses."""

import argparse
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.svm import SVC

from engine import SOLVERS, InteriorPointSVC, datasets
from engine.icf import IncompleteCholesky
from engine.kernels import Kernel
from engine.problem import Problem
from tests.benchmarks._figures import say, say_pace, timed
from tests.benchmarks.latency import _until

CASES = {"ijcnn1": {"C": 32, "gamma": 2.0}, "checkerboard": {"C": 100, "gamma": 5.0}}
SHARE = 0.005  # of n: the rank, as in the paper
SIZES = (10_000, 20_000, 50_000)
GROWTH, FIXED = (10_000, 20_000, 50_000, 100_000, 200_000, 400_000), 100


def main(arguments: list[str]) -> None:
    """The figures by name; without any, all of them."""
    figures = {
        "accuracy": accuracy, "crossing": crossing, "large": large, "growth": growth, "coarse": coarse,
        "threads": threads, "latency": latency,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("figures", nargs="*", choices=[*figures, []], default=list(figures))
    say_pace()
    few = _load("checkerboard", 2000)
    for scheme in ("icf+icf", "kronecker"):  # compile, wake up
        InteriorPointSVC(scheme=scheme, rank=20).fit(few.X, few.y).predict(few.X)
    for name in parser.parse_args(arguments).figures:
        figures[name]()


def accuracy() -> None:
    """ICF and Kronecker beside SVC, on ijcnn1."""
    data = datasets.load("ijcnn1")
    _compare("ijcnn1", data, data.X_test, data.y_test, {"icf": {}, "icf+icf": {}, "kronecker": {}}, True)


def large() -> None:
    """The same on a checkerboard of 100,000 points."""
    data, new = _load("checkerboard", 100_000), datasets.load("checkerboard", size=20_000, seed=7)
    _compare("checkerboard", data, new.X, new.y, {"icf": {}, "icf+icf": {}, "kronecker": {}}, True)


def crossing() -> None:
    """From which size on it is faster than SVC."""
    new = datasets.load("checkerboard", size=20_000, seed=7)
    for n in SIZES:
        _compare(
            "checkerboard",
            _load("checkerboard", n),
            new.X,
            new.y,
            {"icf": {"rank": 250}, "icf+icf": {"rank": 400}},
            True,
        )


def _compare(name: str, data: Any, X: Any, y: Any, schemes: dict[str, dict[str, Any]], with_svc: bool) -> None:
    rank = round(SHARE * data.n)
    theirs, score = np.nan, np.nan
    if with_svc:
        svc = SVC(cache_size=1000, **CASES[name])
        theirs, _ = timed(lambda: svc.fit(data.X, data.y))
        score = 100 * svc.score(X, y)
        say("SVC", data=name, n=data.n, seconds=theirs, accuracy=score, support=int(svc.n_support_.sum()))
    for scheme, change in schemes.items():
        model = InteriorPointSVC(scheme=scheme, **{"rank": rank, **CASES[name], **change})
        seconds, _ = timed(lambda m=model: m.fit(data.X, data.y))
        found = 100 * model.score(X, y)
        say(
            "fit", data=name, n=data.n, scheme=scheme, rank=model.rank_, seconds=seconds, ratio=theirs / seconds,
            accuracy=found, below_svc=score - found, iterations=int(model.n_iter_[0]), stop=model.stop_reason_,
            objective=model.objective_, gap=model.gap_, approximate_gap=model.approximate_gap_,
        )  # fmt: skip


def growth() -> None:
    """Time and memory against n, with the rank and the number of iterations fixed."""
    times = []
    for n in GROWTH:
        data = _load("checkerboard", n)
        before = _peak()
        settings = {"scheme": "icf", "rank": FIXED, "max_iter": 10, "tol": 1e-12, "instruments": "none"}
        run = SOLVERS["interior-point"].recorded_run(
            data.X, data.y, SOLVERS["interior-point"].settings.checked({**settings, **CASES["checkerboard"]}),
            recording_mb=1,
        )  # fmt: skip
        for event in run:
            if type(event).__name__ == "PhaseBegan" and event.name == "exact kernel":
                spent = event.stamp.seconds
                run.cancel()
        times.append(spent)
        mib = n * FIXED * 8 / 2**20
        say("growth", n=n, rank=FIXED, seconds=spent, peak_mib=_peak() - before, n_p_8_mib=mib)
    slope = np.polyfit(np.log(GROWTH), np.log(times), 1)[0]
    say("growth", slope=float(slope))


def coarse() -> None:
    """Coarse to fine against fine alone."""
    for n, rank in ((20_000, 400), (50_000, 400)):
        data = _load("checkerboard", n)
        for scheme in ("icf", "icf+icf"):
            model = InteriorPointSVC(scheme=scheme, rank=rank, **CASES["checkerboard"])
            seconds, _ = timed(lambda m=model, d=data: m.fit(d.X, d.y), 3)
            switch = int(np.flatnonzero(model.history_["of_phase"] == 0)[-1])
            fine = len(model.history_["mu"]) - switch - 1
            path = model.history_["seconds"][-1]
            say(
                "coarse", n=n, rank=rank, scheme=scheme, seconds=seconds, path_seconds=float(path),
                fine_iterations=fine, iterations=int(model.n_iter_[0]),
            )  # fmt: skip


def threads() -> None:
    """Forming the matrix E with one thread and with two."""
    data = _load("checkerboard", 50_000)
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    for single in (True, False):
        spent = {}
        for count in (1, 2):
            problem = Problem.build(data.X, y, C=100.0, kernel=Kernel.fit(data.X, "rbf", 5.0), n_jobs=count)
            factor = IncompleteCholesky(problem, single)
            for _ in factor.extend(300, 0.0):
                pass
            scale = np.linspace(0.5, 2, len(y))

            def form(factor: IncompleteCholesky = factor, scale: Any = scale) -> None:
                for _ in factor._form(scale):
                    pass

            spent[count], _ = timed(form, 7)
        precision = "float32" if single else "float64"
        say("threads", precision=precision, one=spent[1], two=spent[2], ratio=spent[1] / spent[2])


def latency() -> None:
    """How soon a run on 100,000 points answers, in milliseconds: the worst of many tries."""
    data = _load("checkerboard", 100_000)
    solver = SOLVERS["interior-point"]
    for scheme in ("icf+icf", "kronecker"):
        settings = solver.settings.checked({"scheme": scheme, "rank": 300, "tol": 1e-9, **CASES["checkerboard"]})
        run = solver.recorded_run(data.X, data.y, settings).start()
        pauses = []
        while run.state != "done" and len(pauses) < 40:
            time.sleep(0.137)  # never in step with the solver
            pauses.append(_until(run.pause, lambda r=run: r.state in ("paused", "done")))
            run.resume()
        cancel = _until(run.cancel, lambda r=run: r.state == "done")
        say("latency", scheme=scheme, n=data.n, pause_ms=1000 * max(pauses), cancel_ms=1000 * cancel, tries=len(pauses))


def _load(name: str, n: int) -> Any:
    return datasets.load(name, size=n)


def _peak() -> float:
    """Most memory that the process had, in MiB."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else np.nan
