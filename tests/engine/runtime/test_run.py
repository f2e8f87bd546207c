import time

import numpy as np
import pytest

from engine.numerics.kernels import SMALL, Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter
from engine.runtime.events import Failed, Finished, PhaseBegan, Stop, within
from engine.runtime.recording import Header, Recording
from engine.runtime.run import Run
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.events import Iteration
from engine.systems.kernel_svm.settings import DualSettings
from tests.engine.systems.kernel_svm.test_algorithm import blobs


def counting(n, counter, breath=0.0):
    """A solver that counts to n, evaluates a kernel each time and breathes in between."""
    done = 0
    try:
        for done in range(1, n + 1):
            counter.add(10)
            yield PhaseBegan(name=f"step {done}", size=done)
            time.sleep(breath)
            yield None
    except Stop as stop:
        yield PhaseBegan(name=stop.reason, size=done)
    return done


def counting_run(n, breath=0.0, **options):
    counter = Counter()
    return Run(counting(n, counter, breath), counter, **options)


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)


def test_events_are_stamped():
    run = counting_run(3)
    events = list(run)
    assert [event.stamp.sequence for event in events] == [0, 1, 2]
    assert [event.stamp.evaluations for event in events] == [10, 20, 30]
    assert run.result() == 3
    assert run.state == "done"
    assert run.latest is events[-1]


def test_only_time_inside_the_solver_counts():
    run = counting_run(5)
    for _ in run:
        time.sleep(0.02)
    assert run.seconds < 0.05


def test_a_paused_run_waits_and_steps():
    run = counting_run(1000).start(paused=True)
    wait_for(lambda: run.state == "paused")
    assert run.latest is None
    run.step()
    wait_for(lambda: run.state == "paused" and run.latest is not None)
    assert run.latest.size == 1
    run.step(5)
    wait_for(lambda: run.state == "paused" and run.latest.size == 6)
    run.resume()
    assert run.join(20)
    assert run.result() == 1000


def test_pause_in_the_middle():
    run = counting_run(100_000, breath=1e-4).start()
    wait_for(lambda: run.latest is not None)
    run.pause()
    wait_for(lambda: run.state == "paused")
    seen, seconds = run.latest.size, run.seconds
    time.sleep(0.05)
    assert (run.latest.size, run.seconds) == (seen, seconds)
    run.cancel()
    assert run.join(20)


@pytest.mark.parametrize("paused", [True, False])
def test_cancel(paused):
    run = counting_run(100_000, breath=1e-4).start(paused=paused)
    if not paused:
        wait_for(lambda: run.latest is not None)
    run.cancel()
    run.cancel()
    assert run.join(20)
    assert run.stopping == "cancelled"
    assert run.latest is None if paused else run.latest.name == "cancelled"


def test_cancel_before_the_first_event_leaves_no_result():
    run = counting_run(10)
    run.cancel()
    assert list(run) == []
    with pytest.raises(RuntimeError, match="stopped before the solver had a result"):
        run.result()


def test_time_limit():
    run = counting_run(100_000, breath=1e-3, time_limit=0.05)
    events = list(run)
    assert events[-1].name == "time"
    assert run.result() == events[-1].size
    with pytest.raises(ValueError, match="time_limit must be a positive number"):
        counting_run(1, time_limit=0)


def test_a_failure_is_an_event_and_an_error():
    def failing():
        yield PhaseBegan(name="well", size=1)
        raise ArithmeticError("no more digits")

    run = Run(failing(), Counter())
    events = list(run)
    assert isinstance(events[-1], Failed)
    assert (events[-1].error, events[-1].message) == ("ArithmeticError", "no more digits")
    with pytest.raises(ArithmeticError):
        run.result()


def test_a_run_is_driven_once():
    run = counting_run(3)
    events = iter(run)
    with pytest.raises(RuntimeError, match="driven once"):
        run.start()
    next(events)
    with pytest.raises(RuntimeError, match="still being driven elsewhere"):
        run.result()
    list(events)
    with pytest.raises(RuntimeError):
        iter(run)
    with pytest.raises(RuntimeError):
        run.start()


def test_an_abandoned_run_is_over():
    run = counting_run(1000)
    for _ in run:
        break
    assert run.latest.size == 1
    with pytest.raises(RuntimeError, match="driven once"):
        iter(run)


def test_task_paths_nest():
    def outer(counter):
        total = 0
        for level in (2, 1):
            total += yield from within(f"level {level}", inner(counter))
        return total

    def inner(counter):
        return (yield from within("cluster 7", counting(2, counter)))

    counter = Counter()
    run = Run(outer(counter), counter)
    paths = [event.stamp.path for event in run]
    assert paths == [("level 2", "cluster 7")] * 2 + [("level 1", "cluster 7")] * 2
    assert run.result() == 4


def test_a_stop_reaches_the_innermost_task():
    counter = Counter()
    run = Run(within("a", within("b", counting(1000, counter))), counter)
    events = []
    for event in run:
        events.append(event)
        if len(events) == 3:
            run.cancel()
    assert events[-1].name == "cancelled"
    assert events[-1].stamp.path == ("a", "b")
    assert run.result() == 3


def dual_run(recorded, **options):
    X, y = blobs(SMALL * 2, seed=1)
    kernel = Kernel.fit(X, "rbf", 1.0)
    problem = Problem.build(X, y, C=10.0, kernel=kernel, bias=True)
    recording = Recording(Header("kernel-svm", {}, X, y)) if recorded else None
    return Run(solve(problem, DualSettings()), kernel.counter, recording, **options)


def test_recording_and_watching_do_not_change_a_bit():
    silent, recorded, threaded = dual_run(False), dual_run(True), dual_run(True)
    silent_alpha = silent.result().alpha
    list(recorded)
    threaded.start(paused=True)
    while threaded.state != "done":
        threaded.step(3)
        time.sleep(0.001)
    for run in (recorded, threaded):
        assert np.array_equal(run.result().alpha, silent_alpha)
    first, second = recorded.recording, threaded.recording
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        assert type(a) is type(b)
        assert a.stamp.evaluations == b.stamp.evaluations
        if isinstance(a, Iteration):
            assert np.array_equal(a.alpha, b.alpha)
            assert np.array_equal(a.gradient, b.gradient)
            assert np.array_equal(a.working_set, b.working_set)


def test_a_time_limit_met_on_the_last_event_keeps_the_result():
    run = dual_run(False)
    for event in run:
        if isinstance(event, Finished):
            run.cancel()
    assert run.result().stop_reason == "converged"


def test_a_cancelled_solver_returns_what_it_has():
    run = dual_run(True)
    for event in run:
        if isinstance(event, Iteration) and event.iteration == 5:
            run.cancel()
    last = run.latest
    assert isinstance(last, Finished)
    assert last.stop_reason == "cancelled"
    assert run.result().iterations == 5
    assert run.result().alpha.any()
    assert run.recording[-1] is last
