"""How soon a run answers pause and cancel, in milliseconds, worst of many tries, for every solver on many points."""

import argparse
import time

from engine import SOLVERS, datasets
from tests.benchmarks._figures import say, say_pace

TRIES = 40
HARD = {"C": 1e4, "gamma": 30.0, "tol": 1e-6}
CASES = (
    ("kernel-svm", "checkerboard", HARD),
    ("kernel-svm", "covtype", HARD),
    ("dcsvm", "covtype", {"C": 32.0, "gamma": 32.0}),
    ("clustersvm", "checkerboard", {"C": 100.0, "gamma": 30.0, "max_passes": None}),
    ("budgeted-sgd", "checkerboard", {"C": 1.0, "gamma": 30.0, "budget": 500, "epochs": 1000}),
    ("interior-point", "checkerboard", {"C": 1e4, "gamma": 30.0, "rank": 500, "tol": 1e-9}),
    ("dcpred", "covtype", {"C": 32.0, "gamma": 32.0}),
)
SIZE = 100_000


def main(arguments: list[str]) -> None:
    """Pause a run again and again while it works, then cancel it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("solvers", nargs="*", choices=[*SOLVERS, []], default=[])
    chosen = parser.parse_args(arguments).solvers
    say_pace()
    for solver, name, settings in CASES:
        if not chosen or solver in chosen:
            _measure(solver, name, settings)


def _measure(solver: str, name: str, settings: dict[str, object]) -> None:
    data, svm = datasets.load(name, size=SIZE), SOLVERS[solver]
    run = svm.recorded_run(data.X, data.y, svm.settings.checked(settings)).start()
    while run.latest is None or run.latest.stamp.sequence < 3:  # compiled and under way
        time.sleep(0.01)
    pauses = []
    for _ in range(TRIES):
        time.sleep(0.137)  # never in step with the solver
        if run.state == "done":
            break
        pauses.append(_until(run.pause, lambda: run.state in ("paused", "done")))
        run.resume()
    time.sleep(0.1)
    cancel = _until(run.cancel, lambda: run.state == "done")
    say(
        "latency", solver=solver, data=name, n=data.n, d=data.d, tries=len(pauses),
        pause_ms=1000 * max(pauses), cancel_ms=1000 * cancel,
    )  # fmt: skip


def _until(act, done) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    act()
    while not done():
        time.sleep(0.0005)
    return time.perf_counter() - began
