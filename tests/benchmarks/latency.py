"""How soon a run on 100,000 points answers pause and cancel, in milliseconds, worst of many tries."""

import time

from engine import KernelSVC, datasets
from tests.benchmarks._figures import say

TRIES = 40


def main(arguments: list[str]) -> None:
    """Pause a run again and again while it works, then cancel it; with few and with many features."""
    for name, size in (("checkerboard", 100_000), ("covtype", 100_000)):
        data = datasets.load(name, size=size)
        settings = KernelSVC.solver.settings.checked({"C": 1e4, "gamma": 30.0, "tol": 1e-6})
        run = KernelSVC.solver.recorded_run(data.X, data.y, settings).start()
        while run.latest is None or run.latest.stamp.sequence < 3:  # compiled and under way
            time.sleep(0.01)
        pauses = []
        for _ in range(TRIES):
            time.sleep(0.137)  # never in step with the solver
            pauses.append(_until(run.pause, lambda r=run: r.state == "paused"))
            run.resume()
        time.sleep(0.1)
        cancel = _until(run.cancel, lambda r=run: r.state == "done")
        say("latency", data=name, n=data.n, d=data.d, pause_ms=1000 * max(pauses), cancel_ms=1000 * cancel)


def _until(act, done) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    act()
    while not done():
        time.sleep(0.0005)
    return time.perf_counter() - began
