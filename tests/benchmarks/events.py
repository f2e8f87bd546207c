"""What events cost: the part of a fit on ijcnn1 that goes into building, stamping and recording them, per cent."""

import time

from engine import KernelSVC, datasets
from engine.runtime.run import Run
from engine.systems.kernel_svm import algorithm as kernel_svm
from tests.benchmarks._figures import say, timed


def main(arguments: list[str]) -> None:
    """Time spent on events inside the solver, and outside of it, over the time of the fit."""
    data = datasets.load("ijcnn1")
    build, spent = kernel_svm._State.event, [0.0]

    def watched(*values):  # type: ignore[no-untyped-def]
        began = time.perf_counter()
        event = build(*values)
        spent[0] += time.perf_counter() - began
        return event

    stamp, stamping = Run._stamped, [0.0]

    def stamped(*values):  # type: ignore[no-untyped-def]
        began = time.perf_counter()
        event = stamp(*values)
        stamping[0] += time.perf_counter() - began
        return event

    kernel_svm._State.event = watched  # type: ignore[method-assign]
    Run._stamped = stamped  # type: ignore[method-assign]
    for bias in (True, False):
        settings = KernelSVC.solver.settings.checked({"C": 32, "gamma": 2, "bias": bias})
        for _ in range(2):  # the first one compiles
            spent[0] = stamping[0] = 0.0
            total, _ = timed(KernelSVC.solver.recorded_run(data.X, data.y, settings).result)
        say("events", data="ijcnn1", bias=bias, per_cent=100 * (spent[0] + stamping[0]) / total)
